// Jobs that read from one namespace and write to another.
// params:  from, to
// returns: namespace, job, pairs, last_seen
MATCH (s:Dataset)-[f:FEEDS]->(t:Dataset)
WHERE s.namespace = $from AND t.namespace = $to
WITH f.job_namespace AS namespace, f.job AS job, count(*) AS pairs, max(f.last_seen) AS last_seen
RETURN namespace, job, pairs, last_seen
ORDER BY namespace, job
