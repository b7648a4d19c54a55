// Runs without a final event, oldest first: still running, or terminated abnormally.
// params:  none
// returns: run_id, job, state, started_at, event_time
MATCH (j:Job)-[:EXECUTES]->(r:Run)
WHERE r.ended_at IS NULL AND r.state IN ['START', 'RUNNING']
RETURN r.run_id AS run_id, j.name AS job, r.state AS state, r.started_at AS started_at,
       r.event_time AS event_time
ORDER BY r.started_at, r.run_id
