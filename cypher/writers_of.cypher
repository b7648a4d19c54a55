// The jobs that wrote a dataset, latest write first.
// params:  namespace, name
// returns: namespace, job, runs, first_written, last_written
MATCH (j:Job)-[:EXECUTES]->(r:Run)-[w:OUTPUTS]->(d:Dataset)
WHERE d.namespace = $namespace AND d.name = $name
  AND (NOT r.state IN ['FAIL', 'ABORT'] OR r.contributing)
  AND (w.mode IS NULL OR NOT w.mode IN ['alter', 'truncate', 'drop'])
WITH j.namespace AS namespace, j.name AS job, count(*) AS runs,
     min(w.time) AS first_written, max(w.time) AS last_written
RETURN namespace, job, runs, first_written, last_written
ORDER BY last_written DESC, job
