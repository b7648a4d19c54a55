// Datasets derived in one step from sources whose namespace or name begins with a text.
// params:  prefix
// returns: source_namespace, source, target_namespace, target, job, runs, last_seen
MATCH (s:Dataset)-[f:FEEDS]->(t:Dataset)
WHERE s.namespace STARTS WITH $prefix OR s.name STARTS WITH $prefix
RETURN s.namespace AS source_namespace, s.name AS source, t.namespace AS target_namespace, t.name AS target,
       f.job AS job, f.runs AS runs, f.last_seen AS last_seen
ORDER BY s.name, t.name, f.job
