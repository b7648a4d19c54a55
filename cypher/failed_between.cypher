// Runs of a job that failed or were aborted and ended in a period, newest first.
// params:  namespace, job, since, until
// returns: run_id, state, started_at, ended_at, error
MATCH (j:Job)-[:EXECUTES]->(r:Run)
WHERE j.namespace = $namespace AND j.name = $job AND r.state IN ['FAIL', 'ABORT']
  AND r.ended_at >= $since AND r.ended_at < $until
RETURN r.run_id AS run_id, r.state AS state, r.started_at AS started_at, r.ended_at AS ended_at,
       r.error AS error
ORDER BY r.ended_at DESC, r.run_id
