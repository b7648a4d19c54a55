// Runs that failed or were aborted, newest first, and each dataset they should have written.
// params:  none
// returns: run_id, job, state, ended_at, error, would_have_fed
MATCH (j:Job)-[:EXECUTES]->(r:Run)
WHERE r.state IN ['FAIL', 'ABORT']
OPTIONAL MATCH (r)-[:OUTPUTS]->(d:Dataset)
RETURN r.run_id AS run_id, j.name AS job, r.state AS state, r.ended_at AS ended_at,
       r.error AS error, d.name AS would_have_fed
ORDER BY r.ended_at DESC, r.run_id, d.name
