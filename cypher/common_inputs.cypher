// Datasets that are direct sources of both of two datasets.
// params:  one_namespace, one, other_namespace, other
// returns: namespace, name
MATCH (s:Dataset)-[:FEEDS]->(a:Dataset), (s)-[:FEEDS]->(b:Dataset)
WHERE a.namespace = $one_namespace AND a.name = $one
  AND b.namespace = $other_namespace AND b.name = $other
RETURN DISTINCT s.namespace AS namespace, s.name AS name
