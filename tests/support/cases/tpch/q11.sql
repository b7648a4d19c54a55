-- Q11, important stock identification
SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value
  FROM partsupp, supplier, nation
 WHERE ps_suppkey = s_suppkey
   AND s_nationkey = n_nationkey
   AND n_name = 'GERMANY'
 GROUP BY ps_partkey
HAVING sum(ps_supplycost * ps_availqty) > (
       SELECT sum(ps_supplycost * ps_availqty) * 0.0001
         FROM partsupp, supplier, nation
        WHERE ps_suppkey = s_suppkey
          AND s_nationkey = n_nationkey
          AND n_name = 'GERMANY')
 ORDER BY value DESC;

-- reads partsupp, supplier, nation
-- ps_partkey <- ps_partkey
-- value <- agg(ps_supplycost, ps_availqty)
-- rows <- join(ps_suppkey, s_suppkey, s_nationkey, n_nationkey)
-- rows <- where(n_name, ps_supplycost, ps_availqty)
-- rows <- where(ps_suppkey, s_suppkey, s_nationkey, n_nationkey)
-- rows <- by(ps_partkey)
-- rows <- order(ps_supplycost, ps_availqty)
