// Datasets that more than one job wrote, with the number of jobs.
// params:  none
// returns: namespace, name, jobs, runs
MATCH (j:Job)-[:EXECUTES]->(r:Run)-[w:OUTPUTS]->(d:Dataset)
WHERE (NOT r.state IN ['FAIL', 'ABORT'] OR r.contributing)
  AND (w.mode IS NULL OR NOT w.mode IN ['alter', 'truncate', 'drop'])
WITH d, count(DISTINCT j) AS jobs, count(*) AS runs
WHERE jobs > 1
RETURN d.namespace AS namespace, d.name AS name, jobs, runs
ORDER BY jobs DESC, d.namespace, d.name
