-- Edges that a job no longer makes.

-- The last good run of a job is the newest that completed and wrote something: one that runs has not said
-- all yet, and one that wrote nothing says nothing of what the job makes. This is when it last told of
-- itself.
CREATE FUNCTION lineage.last_good(job bigint) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT e.last_seen
        FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
        WHERE e.job = last_good.job AND e.last_seen IS NOT NULL AND r.state = 'COMPLETE'
          AND EXISTS (SELECT FROM lineage.access a
                      WHERE a.run = e.run AND a.job = e.job AND a.output)
        ORDER BY e.last_seen DESC LIMIT 1);

-- For people: the edges of a trace by name. stale: all runs that made it are older than the last good run of
-- its job, so that this one did not make it. (An edge is as new as the newest run that made it.)
CREATE FUNCTION lineage.steps(called text, direction text DEFAULT 'upstream', depth int DEFAULT NULL)
RETURNS TABLE (distance int, source_namespace text, source text, target_namespace text, target text,
               job_namespace text, job text, job_type text, runs bigint,
               first_seen timestamptz, last_seen timestamptz, stale boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH edge AS MATERIALIZED (
        SELECT * FROM lineage.trace_edges(ARRAY[lineage.dataset_id(called)], direction, depth)
    ), by_job AS MATERIALIZED (
        SELECT j.*, lineage.last_good(j.id) AS last_good
        FROM lineage.job j WHERE j.id = ANY (ARRAY(SELECT DISTINCT job FROM edge))
    )
    SELECT e.distance, s.namespace, s.name, t.namespace, t.name,
           j.namespace, j.name, j.facets #>> '{jobType,1,jobType}', e.runs,
           e.first_seen, e.last_seen, coalesce(e.last_seen < j.last_good, false)
    FROM edge e
    JOIN by_job j ON j.id = e.job
    JOIN lineage.dataset s ON s.id = e.source
    JOIN lineage.dataset t ON t.id = e.target
    ORDER BY e.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
$$;

COMMENT ON FUNCTION lineage.last_good IS 'When the last good run of a job last told of itself';
COMMENT ON FUNCTION lineage.steps IS 'The edges of a trace by name, and which of them are stale';
