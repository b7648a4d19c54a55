// The runs that report a read of a version of a dataset, latest read first.
// params:  namespace, name, version
// returns: run_id, job, state, read_at
MATCH (d:Dataset)-[i:INPUT_TO]->(r:Run)<-[:EXECUTES]-(j:Job)
WHERE d.namespace = $namespace AND d.name = $name AND i.version = $version
RETURN r.run_id AS run_id, j.name AS job, r.state AS state, i.time AS read_at
ORDER BY i.time DESC, r.run_id
