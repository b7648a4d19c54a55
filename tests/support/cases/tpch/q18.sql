-- Q18, large volume customer
SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity)
  FROM customer, orders, lineitem
 WHERE o_orderkey IN (
       SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300)
   AND c_custkey = o_custkey
   AND o_orderkey = l_orderkey
 GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
 ORDER BY o_totalprice DESC, o_orderdate
 LIMIT 100;

-- reads customer, orders, lineitem
-- c_name <- c_name
-- c_custkey <- c_custkey
-- o_orderkey <- o_orderkey
-- o_orderdate <- o_orderdate
-- o_totalprice <- o_totalprice
-- sum(l_quantity) <- agg(l_quantity)
-- rows <- join(c_custkey, o_custkey, o_orderkey, l_orderkey)
-- rows <- where(o_orderkey, l_orderkey, l_quantity)
-- rows <- by(c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice)
-- rows <- order(o_totalprice, o_orderdate)
