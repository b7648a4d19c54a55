// Columns derived with masking: the value of the source cannot be read from them.
// params:  none
// returns: source, source_field, target, target_field, subtype, job
MATCH (s:Field)-[e:DERIVES]->(t:Field)
WHERE e.masking = true
RETURN s.dataset AS source, s.name AS source_field, t.dataset AS target, t.name AS target_field,
       e.subtype AS subtype, e.job AS job
ORDER BY s.dataset, s.name, t.dataset, t.name, e.job
