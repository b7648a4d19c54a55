// Columns of tagged datasets and what derives from them without masking, in one step; no target_field: all columns.
// params:  tag
// returns: source_namespace, source, source_field, target_namespace, target, target_field, subtype, job
MATCH (d:Dataset)-[:HAS_FIELD]->(s:Field)-[e:DERIVES]->(t:Field)
WHERE $tag IN d.tags AND e.type = 'DIRECT' AND e.masking IS NULL
RETURN s.namespace AS source_namespace, s.dataset AS source, s.name AS source_field,
       t.namespace AS target_namespace, t.dataset AS target, t.name AS target_field,
       e.subtype AS subtype, e.job AS job
ORDER BY s.dataset, s.name, t.dataset, t.name, e.job, s.namespace, t.namespace
UNION ALL
MATCH (d:Dataset)-[:HAS_FIELD]->(s:Field)-[e:DERIVES]->(t:Dataset)
WHERE $tag IN d.tags AND e.type = 'DIRECT' AND e.masking IS NULL
RETURN s.namespace AS source_namespace, s.dataset AS source, s.name AS source_field,
       t.namespace AS target_namespace, t.name AS target, null AS target_field,
       e.subtype AS subtype, e.job AS job
ORDER BY s.dataset, s.name, t.name, e.job, s.namespace, t.namespace
