-- A trace a step at a time, each step one array. Its ids are compared as they are: a recursive query with
-- UNION leaves out what was met before. Beside them, what a step met is kept as a row of its own, its ids in one
-- array; the row's id is -1 for the roots, -2 for what is one step away and so on, which no dataset has.

-- What a trace meets with each distance, each dataset once, where it is nearest; roots are at 0. depth: how many
-- steps; null for all.
CREATE FUNCTION lineage.trace_levels(roots bigint[], direction text, depth int DEFAULT NULL)
RETURNS TABLE (distance int, ids bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
-- The planner knows nothing of the arrays: every step is to go by index.
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    RETURN QUERY
    WITH RECURSIVE met (id, ids) AS (
        SELECT root, NULL::bigint[] FROM unnest(roots) AS root
        UNION
        SELECT behind.id, behind.ids
        FROM (SELECT array_agg(m.id) FILTER (WHERE m.ids IS NULL) OVER () AS ids,
                     coalesce(-min(m.id) FILTER (WHERE m.ids IS NOT NULL) OVER (), 0) AS distance,
                     row_number() OVER () AS n FROM met m) AS step
        CROSS JOIN LATERAL (
            SELECT -step.distance - 1 AS id, step.ids
            UNION ALL
            SELECT f.source, NULL FROM lineage.feeds f
            WHERE trace_levels.direction = 'upstream' AND f.target = ANY (step.ids)
              AND (depth IS NULL OR step.distance < depth)
            UNION ALL
            SELECT f.target, NULL FROM lineage.feeds f
            WHERE trace_levels.direction = 'downstream' AND f.source = ANY (step.ids)
              AND (depth IS NULL OR step.distance < depth)) AS behind
        WHERE step.n = 1 AND step.ids IS NOT NULL
    )
    SELECT (-m.id - 1)::int, m.ids FROM met m WHERE m.ids IS NOT NULL;
END $$;

-- As before. Without settings of its own it is put into the statement that calls it.
CREATE OR REPLACE FUNCTION lineage.trace_nodes(roots bigint[], direction text, depth int DEFAULT NULL)
RETURNS TABLE (id bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT n.id, l.distance
    FROM lineage.trace_levels(roots, direction, depth) AS l CROSS JOIN LATERAL unnest(l.ids) AS n (id)
$$;

CREATE OR REPLACE FUNCTION lineage.trace_edges(roots bigint[], direction text, depth int DEFAULT NULL)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int,
               runs bigint, first_seen timestamptz, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    SELECT e.source, e.target, e.job, l.distance + 1, e.runs, e.first_seen, e.last_seen
    FROM lineage.trace_levels(roots, direction, depth - 1) AS l
    CROSS JOIN LATERAL (
        SELECT f.* FROM lineage.feeds f
        WHERE direction = 'upstream' AND f.target = ANY (l.ids)
        UNION ALL
        SELECT f.* FROM lineage.feeds f
        WHERE direction = 'downstream' AND f.source = ANY (l.ids)) AS e
    WHERE depth IS NULL OR l.distance < depth
$$;

-- The newest run of each of these jobs (of those of the same moment the id decides), and when the last good one
-- last told of itself, which nearly always is the newest.
CREATE FUNCTION lineage.newest_runs(jobs bigint[])
RETURNS TABLE (job bigint, run bigint, last_good timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT j.job, newest.run, CASE WHEN newest.good THEN newest.last_seen ELSE lineage.last_good(j.job) END
    FROM unnest(jobs) AS j (job)
    LEFT JOIN LATERAL (
        SELECT x.run, x.last_seen, r.state = 'COMPLETE' AND EXISTS (
                   SELECT FROM lineage.access a WHERE a.run = x.run AND a.job = j.job AND a.output) AS good
        FROM (SELECT e.run, e.last_seen FROM lineage.execution e
              WHERE e.job = j.job AND e.last_seen IS NOT NULL
              ORDER BY e.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS x
        JOIN lineage.run r ON r.id = x.run
        ORDER BY r.run_id LIMIT 1) AS newest ON true
$$;

COMMENT ON FUNCTION lineage.trace_levels IS 'What a trace meets, an array for each distance';
COMMENT ON FUNCTION lineage.newest_runs IS 'The newest run of each of these jobs, and when the last good one was';
