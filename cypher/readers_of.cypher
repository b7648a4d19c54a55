// The jobs that read a dataset, latest read first.
// params:  namespace, name
// returns: namespace, job, runs, last_read
MATCH (d:Dataset)-[i:INPUT_TO]->(r:Run)<-[:EXECUTES]-(j:Job)
WHERE d.namespace = $namespace AND d.name = $name
WITH j.namespace AS namespace, j.name AS job, count(*) AS runs, max(i.time) AS last_read
RETURN namespace, job, runs, last_read
ORDER BY last_read DESC, job
