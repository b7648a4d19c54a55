// The columns that a column derives from in one step, including those that its whole dataset depends on.
// params:  namespace, name, field
// returns: source_namespace, source, source_field, type, subtype, job, runs
MATCH (s:Field)-[e:DERIVES]->(t:Field)
WHERE t.name = $field AND t.namespace = $namespace AND t.dataset = $name
RETURN s.namespace AS source_namespace, s.dataset AS source, s.name AS source_field, e.type AS type, e.subtype AS subtype,
       e.job AS job, e.runs AS runs
UNION ALL
MATCH (s:Field)-[e:DERIVES]->(d:Dataset)-[:HAS_FIELD]->(t:Field)
WHERE d.namespace = $namespace AND d.name = $name AND t.name = $field
RETURN s.namespace AS source_namespace, s.dataset AS source, s.name AS source_field, e.type AS type, e.subtype AS subtype,
       e.job AS job, e.runs AS runs
