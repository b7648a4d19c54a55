// Datasets with a tag and all datasets they feed within three steps, with the shortest distance.
// params:  tag
// returns: source_namespace, source, target_namespace, target, distance
MATCH (s:Dataset)-[:FEEDS]->(t:Dataset)
WHERE $tag IN s.tags
RETURN s.namespace AS source_namespace, s.name AS source, t.namespace AS target_namespace, t.name AS target,
       1 AS distance
UNION
MATCH (s:Dataset)-[:FEEDS]->(a:Dataset)-[:FEEDS]->(t:Dataset)
WHERE $tag IN s.tags AND NOT EXISTS((s)-[:FEEDS]->(t))
RETURN s.namespace AS source_namespace, s.name AS source, t.namespace AS target_namespace, t.name AS target,
       2 AS distance
UNION
MATCH (s:Dataset)-[:FEEDS]->(a:Dataset)-[:FEEDS]->(b:Dataset)-[:FEEDS]->(t:Dataset)
WHERE $tag IN s.tags AND NOT EXISTS((s)-[:FEEDS]->(t))
  AND NOT EXISTS((s)-[:FEEDS]->(:Dataset)-[:FEEDS]->(t))
RETURN s.namespace AS source_namespace, s.name AS source, t.namespace AS target_namespace, t.name AS target,
       3 AS distance
