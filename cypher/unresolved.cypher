// Unresolved accesses, newest first, and the datasets whose lineage is therefore incomplete.
// params:  none
// returns: run_id, job, event_time, unresolved, dataset
MATCH (j:Job)-[:EXECUTES]->(r:Run)
WHERE r.unresolved IS NOT NULL
OPTIONAL MATCH (r)-[:OUTPUTS]->(d:Dataset)
UNWIND r.unresolved AS item
RETURN r.run_id AS run_id, j.name AS job, r.event_time AS event_time, item AS unresolved,
       d.name AS dataset
ORDER BY r.event_time DESC, r.run_id, item, d.name
