// Datasets that two datasets are both made of, in one step.
// params:  one, other
// returns: namespace, name
MATCH (s:Dataset)-[:FEEDS]->(a:Dataset), (s)-[:FEEDS]->(b:Dataset)
WHERE a.name = $one AND b.name = $other
RETURN DISTINCT s.namespace AS namespace, s.name AS name
