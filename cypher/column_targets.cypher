// The columns that derive from a column in one step, including all columns of datasets that depend on it.
// params:  namespace, name, field
// returns: target_namespace, target, target_field, type, subtype, masking, job, runs
MATCH (s:Field)-[e:DERIVES]->(t:Field)
WHERE s.name = $field AND s.namespace = $namespace AND s.dataset = $name
RETURN t.namespace AS target_namespace, t.dataset AS target, t.name AS target_field, e.type AS type, e.subtype AS subtype,
       e.masking AS masking, e.job AS job, e.runs AS runs
UNION ALL
MATCH (s:Field)-[e:DERIVES]->(d:Dataset)-[:HAS_FIELD]->(t:Field)
WHERE s.name = $field AND s.namespace = $namespace AND s.dataset = $name
RETURN d.namespace AS target_namespace, d.name AS target, t.name AS target_field, e.type AS type, e.subtype AS subtype,
       e.masking AS masking, e.job AS job, e.runs AS runs
