// Runs that wrote, or were to write, a dataset, newest first.
// params:  namespace, name
// returns: run_id, job, state, written_at, mode, row_count
MATCH (j:Job)-[:EXECUTES]->(r:Run)-[w:OUTPUTS]->(d:Dataset)
WHERE d.namespace = $namespace AND d.name = $name
RETURN r.run_id AS run_id, j.name AS job, r.state AS state, w.time AS written_at,
       w.mode AS mode, w.rows AS row_count
ORDER BY w.time DESC, r.run_id
