-- Q6, forecasting revenue change
SELECT sum(l_extendedprice * l_discount) AS revenue
  FROM lineitem
 WHERE l_shipdate >= date '1994-01-01'
   AND l_shipdate < date '1994-01-01' + interval '1' year
   AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01
   AND l_quantity < 24;

-- reads lineitem
-- revenue <- agg(l_extendedprice, l_discount)
-- rows <- where(l_shipdate, l_discount, l_quantity)
