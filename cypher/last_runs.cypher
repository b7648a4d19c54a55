// The time of the last event of each job, its number of runs, and the number of failed runs.
// params:  none
// returns: namespace, job, last_event, runs, failed
MATCH (j:Job)-[:EXECUTES]->(r:Run)
WITH j.namespace AS namespace, j.name AS job, max(r.event_time) AS last_event, count(*) AS runs,
     sum(CASE WHEN r.state IN ['FAIL', 'ABORT'] THEN 1 ELSE 0 END) AS failed
RETURN namespace, job, last_event, runs, failed
ORDER BY last_event DESC, namespace, job
