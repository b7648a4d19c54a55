-- Q10, returned item reporting
SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name,
       c_address, c_phone, c_comment
  FROM customer, orders, lineitem, nation
 WHERE c_custkey = o_custkey
   AND l_orderkey = o_orderkey
   AND o_orderdate >= date '1993-10-01'
   AND o_orderdate < date '1993-10-01' + interval '3' month
   AND l_returnflag = 'R'
   AND c_nationkey = n_nationkey
 GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
 ORDER BY revenue DESC
 LIMIT 20;

-- reads customer, orders, lineitem, nation
-- c_custkey <- c_custkey
-- c_name <- c_name
-- revenue <- agg(l_extendedprice, l_discount)
-- c_acctbal <- c_acctbal
-- n_name <- n_name
-- c_address <- c_address
-- c_phone <- c_phone
-- c_comment <- c_comment
-- rows <- join(c_custkey, o_custkey, l_orderkey, o_orderkey, c_nationkey, n_nationkey)
-- rows <- where(o_orderdate, l_returnflag)
-- rows <- by(c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment)
-- rows <- order(l_extendedprice, l_discount)
