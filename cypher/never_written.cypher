// Datasets that runs read and no run wrote: external sources.
// params:  none
// returns: namespace, name, readers, last_read
MATCH (d:Dataset)-[i:INPUT_TO]->(r:Run)
WHERE NOT EXISTS((d)<-[:OUTPUTS]-())
WITH d, count(DISTINCT r.run_id) AS readers, max(i.time) AS last_read
RETURN d.namespace AS namespace, d.name AS name, readers, last_read
ORDER BY d.namespace, d.name
