// Datasets that a run both read and wrote: overwritten in place, or merged into.
// params:  none
// returns: namespace, name, job_namespace, job, runs
MATCH (d:Dataset)-[:INPUT_TO]->(r:Run)-[:OUTPUTS]->(t:Dataset), (j:Job)-[:EXECUTES]->(r)
WHERE id(t) = id(d) AND (NOT r.state IN ['FAIL', 'ABORT'] OR r.contributing)
WITH d.namespace AS namespace, d.name AS name, j.namespace AS job_namespace, j.name AS job,
     count(*) AS runs
RETURN namespace, name, job_namespace, job, runs
ORDER BY namespace, name, job_namespace, job
