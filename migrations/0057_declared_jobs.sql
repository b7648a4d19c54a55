-- Traces of jobs pass what designs of jobs state too, marked as declared. observed: by what runs did alone. What a
-- dataset declares of itself is of no job, and no step of theirs.

-- The jobs whose designs, and no run, write or read these datasets.
CREATE FUNCTION lineage.declared_accessing(datasets bigint[], output boolean)
RETURNS TABLE (dataset bigint, job bigint, declared timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT d.target, d.job, max(d.last_seen) FROM lineage.declared d
    WHERE declared_accessing.output AND d.target = ANY (datasets) AND NOT d.observed AND d.job IS NOT NULL
    GROUP BY 1, 2
    UNION ALL
    SELECT d.source, d.job, max(d.last_seen) FROM lineage.declared d
    WHERE NOT declared_accessing.output AND d.source = ANY (datasets) AND NOT d.observed AND d.job IS NOT NULL
    GROUP BY 1, 2
$$;

-- What jobs make what they write from by their designs, or make from what they read.
CREATE FUNCTION lineage.declared_by(jobs bigint[], direction text)
RETURNS TABLE (job bigint, dataset bigint, declared timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT d.job, CASE direction WHEN 'upstream' THEN d.source ELSE d.target END, max(d.last_seen)
    FROM lineage.declared d WHERE d.holder = ANY (jobs) AND d.job = d.holder AND NOT d.observed
    GROUP BY 1, 2
$$;

-- As before, and by designs.
CREATE OR REPLACE FUNCTION lineage.job_nodes(root bigint, direction text, depth int DEFAULT NULL,
                                             observed boolean DEFAULT false)
RETURNS TABLE (id bigint, distance int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    start bigint[];
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    start := lineage.job_start(root, direction);
    RETURN QUERY
    WITH RECURSIVE met (id) AS (
        SELECT root::numeric
        UNION
        SELECT round(behind.job::numeric, step.distance + 1)
        FROM (SELECT array_agg(m.id::bigint) OVER () AS ids, scale(m.id) AS distance,
                     row_number() OVER () AS n FROM met m) AS step
        CROSS JOIN LATERAL (
            SELECT CASE WHEN step.distance = 0 THEN start ELSE lineage.passed_on(step.ids, direction) END
                   || ARRAY(SELECT b.dataset FROM lineage.declared_by(step.ids, direction) AS b
                            WHERE NOT job_nodes.observed) AS datasets OFFSET 0) AS near
        CROSS JOIN LATERAL (
            SELECT a.job FROM lineage.accessing(near.datasets, direction = 'upstream') AS a
            UNION ALL
            SELECT a.job FROM lineage.declared_accessing(near.datasets, direction = 'upstream') AS a
            WHERE NOT job_nodes.observed
            UNION ALL
            SELECT d.upstream FROM lineage.job_dependency d
            WHERE NOT job_nodes.observed AND job_nodes.direction = 'upstream' AND d.downstream = ANY (step.ids)
            UNION ALL
            SELECT d.downstream FROM lineage.job_dependency d
            WHERE NOT job_nodes.observed AND job_nodes.direction = 'downstream' AND d.upstream = ANY (step.ids)
        ) AS behind
        WHERE step.n = 1 AND step.distance < least(depth, 16383)
    )
    SELECT m.id::bigint, CASE WHEN scale(m.id) < 16383 THEN scale(m.id)
                              ELSE lineage.distance_of(m.id, depth) END
    FROM met m;
END $$;

-- declared: on one side at least no run does so, but a design of the job states it; then its time is that of the
-- design.
DROP FUNCTION lineage.job_edges;
CREATE FUNCTION lineage.job_edges(root bigint, direction text, depth int DEFAULT NULL,
                                  observed boolean DEFAULT false)
RETURNS TABLE (source bigint, dataset bigint, target bigint, distance int,
               written timestamptz, read timestamptz, stale boolean, depended timestamptz, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    WITH node AS MATERIALIZED (
        SELECT n.id, n.distance FROM lineage.job_nodes(root, direction, depth - 1, observed) AS n
        WHERE depth IS NULL OR n.distance < depth
    ), done AS MATERIALIZED (
        SELECT nullif(root, s.dataset) AS job, s.dataset, 1 AS distance, NULL::timestamptz AS fed
        FROM node n CROSS JOIN unnest(lineage.job_start(root, direction)) AS s (dataset)
        WHERE n.distance = 0
        UNION ALL
        SELECT f.job, CASE direction WHEN 'upstream' THEN f.source ELSE f.target END,
               n.distance + 1, max(f.last_seen)
        FROM node n JOIN lineage.feeds f ON f.job = n.id
        WHERE n.distance > 0
        GROUP BY 1, 2, 3
    ), near AS MATERIALIZED (
        SELECT d.*, NULL::timestamptz AS declared FROM done d
        UNION ALL
        SELECT b.job, b.dataset, n.distance + 1, NULL, b.declared
        FROM lineage.declared_by(ARRAY(SELECT node.id FROM node WHERE NOT observed), direction) AS b
        JOIN node n ON n.id = b.job
        WHERE (b.job, b.dataset) NOT IN (SELECT d.job, d.dataset FROM done d WHERE d.job IS NOT NULL)
    ), accessed AS MATERIALIZED (
        SELECT a.job, a.dataset, a.fed
        FROM lineage.accessing(ARRAY(SELECT DISTINCT near.dataset FROM near), direction = 'upstream') AS a
    ), far AS MATERIALIZED (
        SELECT a.*, NULL::timestamptz AS declared FROM accessed a
        UNION ALL
        SELECT b.job, b.dataset, NULL, b.declared
        FROM lineage.declared_accessing(
            ARRAY(SELECT DISTINCT near.dataset FROM near WHERE NOT observed), direction = 'upstream') AS b
        WHERE (b.job, b.dataset) NOT IN (SELECT a.job, a.dataset FROM accessed a)
    ), met AS MATERIALIZED (
        SELECT n.job, n.last_good, e.last_seen AS last_run
        FROM lineage.newest_runs(ARRAY(
            SELECT near.job FROM near WHERE near.job IS NOT NULL UNION SELECT far.job FROM far)) AS n
        LEFT JOIN lineage.execution e ON e.run = n.run AND e.job = n.job
    ), touched AS MATERIALIZED (
        -- Nothing is newer than the newest run: where FEEDS counts it, nothing is to be looked for.
        SELECT t.job, t.dataset, t.output, t.declared IS NOT NULL AS declared,
               CASE WHEN t.declared IS NULL THEN m.last_good END AS last_good,
               CASE WHEN t.declared IS NOT NULL THEN t.declared
                    WHEN t.fed = m.last_run THEN t.fed
                    ELSE lineage.last_access(t.job, t.dataset, t.output) END AS last_seen
        FROM (SELECT far.job, far.dataset, direction = 'upstream' AS output, far.fed, far.declared FROM far
              UNION ALL
              SELECT near.job, near.dataset, direction = 'downstream', near.fed, near.declared FROM near) AS t
        JOIN met m USING (job)
    )
    SELECT s.source, s.dataset, s.target, s.distance, w.last_seen, r.last_seen,
           coalesce(w.last_seen < w.last_good, false) OR coalesce(r.last_seen < r.last_good, false),
           NULL, coalesce(w.declared, false) OR coalesce(r.declared, false)
    FROM (SELECT CASE direction WHEN 'upstream' THEN far.job ELSE near.job END AS source, dataset,
                 CASE direction WHEN 'upstream' THEN near.job ELSE far.job END AS target, near.distance
          FROM near JOIN far USING (dataset)) AS s
    LEFT JOIN touched w ON w.job = s.source AND w.dataset = s.dataset AND w.output
    LEFT JOIN touched r ON r.job = s.target AND r.dataset = s.dataset AND NOT r.output
    UNION ALL
    SELECT d.upstream, NULL, d.downstream, n.distance + 1, NULL, NULL, false, d.last_seen, false
    FROM node n JOIN lineage.job_dependency d
      ON direction = 'upstream' AND d.downstream = n.id OR direction = 'downstream' AND d.upstream = n.id
    WHERE NOT observed
$$;

DROP FUNCTION lineage.job_steps;
CREATE FUNCTION lineage.job_steps(called text, direction text DEFAULT 'upstream', depth int DEFAULT NULL,
                                  observed boolean DEFAULT false)
RETURNS TABLE (distance int, source_namespace text, source text, dataset_namespace text, dataset text,
               target_namespace text, target text, written timestamptz, read timestamptz, stale boolean,
               depended timestamptz, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT e.distance, s.namespace, s.name, d.namespace, d.name, t.namespace, t.name,
           e.written, e.read, e.stale, e.depended, e.declared
    FROM lineage.job_edges(lineage.job_or_dataset_id(called), direction, depth, observed) AS e
    LEFT JOIN lineage.dataset d ON d.id = e.dataset
    LEFT JOIN lineage.job s ON s.id = e.source
    LEFT JOIN lineage.job t ON t.id = e.target
    ORDER BY e.distance, s.namespace, s.name, d.namespace, d.name, t.namespace, t.name
$$;

COMMENT ON FUNCTION lineage.declared_accessing IS 'The jobs whose designs write or read datasets';
COMMENT ON FUNCTION lineage.declared_by IS 'What jobs read or write by their designs';
COMMENT ON FUNCTION lineage.job_nodes IS 'The jobs of a trace with their distance';
COMMENT ON FUNCTION lineage.job_edges IS 'The steps from job to job that a trace passes';
COMMENT ON FUNCTION lineage.job_steps IS 'The same by name, and which of them are stale or declared';
