-- Q8, national market share
SELECT o_year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS mkt_share
  FROM (SELECT extract(year FROM o_orderdate) AS o_year,
               l_extendedprice * (1 - l_discount) AS volume,
               n2.n_name AS nation
          FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
         WHERE p_partkey = l_partkey
           AND s_suppkey = l_suppkey
           AND l_orderkey = o_orderkey
           AND o_custkey = c_custkey
           AND c_nationkey = n1.n_nationkey
           AND n1.n_regionkey = r_regionkey
           AND r_name = 'AMERICA'
           AND s_nationkey = n2.n_nationkey
           AND o_orderdate BETWEEN date '1995-01-01' AND date '1996-12-31'
           AND p_type = 'ECONOMY ANODIZED STEEL') AS all_nations
 GROUP BY o_year
 ORDER BY o_year;

-- reads part, supplier, lineitem, orders, customer, nation, region
-- o_year <- f(o_orderdate)
-- mkt_share <- agg(l_extendedprice, l_discount) if(n_name)
-- rows <- join(p_partkey, l_partkey, s_suppkey, l_suppkey, l_orderkey, o_orderkey, o_custkey, c_custkey, c_nationkey, n_nationkey, n_regionkey, r_regionkey, s_nationkey)
-- rows <- where(r_name, o_orderdate, p_type)
-- rows <- by(o_orderdate)
-- rows <- order(o_orderdate)
