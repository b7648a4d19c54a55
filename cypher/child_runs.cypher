// The child runs of a run, in order of their start.
// params:  run_id
// returns: run_id, job, state, started_at, ended_at
MATCH (c:Run)-[:PARENT]->(p:Run)
WHERE p.run_id = $run_id
OPTIONAL MATCH (j:Job)-[:EXECUTES]->(c)
RETURN c.run_id AS run_id, j.name AS job, c.state AS state, c.started_at AS started_at,
       c.ended_at AS ended_at
ORDER BY c.started_at, c.run_id
