// Inputs and outputs of a run.
// params:  run_id
// returns: direction, namespace, name, time, row_count
MATCH (d:Dataset)-[e:INPUT_TO]->(r:Run)
WHERE r.run_id = $run_id
RETURN 'input' AS direction, d.namespace AS namespace, d.name AS name, e.time AS time,
       e.rows AS row_count
UNION ALL
MATCH (r:Run)-[e:OUTPUTS]->(d:Dataset)
WHERE r.run_id = $run_id
RETURN 'output' AS direction, d.namespace AS namespace, d.name AS name, e.time AS time,
       e.rows AS row_count
