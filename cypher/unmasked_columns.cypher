// Columns of datasets with a tag whose values are derived without masking, in one step.
// params:  tag
// returns: source, source_field, target, target_field, subtype, job
MATCH (d:Dataset)-[:HAS_FIELD]->(s:Field)-[e:DERIVES]->(t:Field)
WHERE $tag IN d.tags AND e.type = 'DIRECT' AND e.masking IS NULL
RETURN s.dataset AS source, s.name AS source_field, t.dataset AS target, t.name AS target_field,
       e.subtype AS subtype, e.job AS job
ORDER BY s.dataset, s.name, t.dataset, t.name, e.job
