-- Q1, pricing summary report
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty,
       sum(l_extendedprice) AS sum_base_price,
       sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
       avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc,
       count(*) AS count_order
  FROM lineitem
 WHERE l_shipdate <= date '1998-12-01' - interval '90' day
 GROUP BY l_returnflag, l_linestatus
 ORDER BY l_returnflag, l_linestatus;

-- reads lineitem
-- l_returnflag <- l_returnflag
-- l_linestatus <- l_linestatus
-- sum_qty <- agg(l_quantity)
-- sum_base_price <- agg(l_extendedprice)
-- sum_disc_price <- agg(l_extendedprice, l_discount)
-- sum_charge <- agg(l_extendedprice, l_discount, l_tax)
-- avg_qty <- agg(l_quantity)
-- avg_price <- agg(l_extendedprice)
-- avg_disc <- agg(l_discount)
-- rows <- where(l_shipdate)
-- rows <- by(l_returnflag, l_linestatus)
-- rows <- order(l_returnflag, l_linestatus)
