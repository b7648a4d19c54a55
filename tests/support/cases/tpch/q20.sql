-- Q20, potential part promotion
SELECT s_name, s_address
  FROM supplier, nation
 WHERE s_suppkey IN (
       SELECT ps_suppkey
         FROM partsupp
        WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
          AND ps_availqty > (
              SELECT 0.5 * sum(l_quantity)
                FROM lineitem
               WHERE l_partkey = ps_partkey
                 AND l_suppkey = ps_suppkey
                 AND l_shipdate >= date '1994-01-01'
                 AND l_shipdate < date '1994-01-01' + interval '1' year))
   AND s_nationkey = n_nationkey
   AND n_name = 'CANADA'
 ORDER BY s_name;

-- reads supplier, nation, partsupp, part, lineitem
-- s_name <- s_name
-- s_address <- s_address
-- rows <- join(s_nationkey, n_nationkey)
-- rows <- where(n_name, s_suppkey, ps_suppkey, ps_partkey, p_partkey, p_name, ps_availqty, l_quantity, l_partkey, l_suppkey, l_shipdate)
-- rows <- order(s_name)
