// Rows and bytes that each run wrote to a dataset, newest first. An outlier indicates a bad load.
// params:  namespace, name
// returns: written_at, run_id, job, mode, row_count, bytes
MATCH (j:Job)-[:EXECUTES]->(r:Run)-[w:OUTPUTS]->(d:Dataset)
WHERE d.namespace = $namespace AND d.name = $name AND w.rows IS NOT NULL
RETURN w.time AS written_at, r.run_id AS run_id, j.name AS job, w.mode AS mode, w.rows AS row_count,
       w.bytes AS bytes
ORDER BY w.time DESC, r.run_id
