-- Q17, small-quantity-order revenue
SELECT sum(l_extendedprice) / 7.0 AS avg_yearly
  FROM lineitem, part
 WHERE p_partkey = l_partkey
   AND p_brand = 'Brand#23'
   AND p_container = 'MED BOX'
   AND l_quantity < (SELECT 0.2 * avg(l_quantity) FROM lineitem WHERE l_partkey = p_partkey);

-- reads lineitem, part
-- avg_yearly <- agg(l_extendedprice)
-- rows <- join(p_partkey, l_partkey)
-- rows <- where(p_brand, p_container, l_quantity, l_partkey, p_partkey)
