-- As before. The newest runs of all jobs that a trace meets are looked up at once.
CREATE OR REPLACE FUNCTION lineage.job_edges(root bigint, direction text, depth int DEFAULT NULL)
RETURNS TABLE (source bigint, dataset bigint, target bigint, distance int,
               written timestamptz, read timestamptz, stale boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    WITH node AS MATERIALIZED (
        SELECT n.id, n.distance FROM lineage.job_nodes(root, direction, depth - 1) AS n
        WHERE depth IS NULL OR n.distance < depth
    ), near AS MATERIALIZED (
        SELECT nullif(root, s.dataset) AS job, s.dataset, 1 AS distance, NULL::timestamptz AS fed
        FROM node n CROSS JOIN unnest(lineage.job_start(root, direction)) AS s (dataset)
        WHERE n.distance = 0
        UNION ALL
        SELECT f.job, CASE direction WHEN 'upstream' THEN f.source ELSE f.target END,
               n.distance + 1, max(f.last_seen)
        FROM node n JOIN lineage.feeds f ON f.job = n.id
        WHERE n.distance > 0
        GROUP BY 1, 2, 3
    ), far AS MATERIALIZED (
        SELECT a.job, a.dataset, a.fed
        FROM lineage.accessing(ARRAY(SELECT DISTINCT near.dataset FROM near), direction = 'upstream') AS a
    ), met AS MATERIALIZED (
        SELECT n.job, n.last_good, e.last_seen AS last_run
        FROM lineage.newest_runs(ARRAY(
            SELECT near.job FROM near WHERE near.job IS NOT NULL UNION SELECT far.job FROM far)) AS n
        LEFT JOIN lineage.execution e ON e.run = n.run AND e.job = n.job
    ), touched AS MATERIALIZED (
        -- Nothing is newer than the newest run: where FEEDS counts it, nothing is to be looked for.
        SELECT t.job, t.dataset, t.output, m.last_good,
               CASE WHEN t.fed = m.last_run THEN t.fed
                    ELSE lineage.last_access(t.job, t.dataset, t.output) END AS last_seen
        FROM (SELECT far.job, far.dataset, direction = 'upstream' AS output, far.fed FROM far
              UNION ALL
              SELECT near.job, near.dataset, direction = 'downstream', near.fed FROM near) AS t
        JOIN met m USING (job)
    )
    SELECT s.source, s.dataset, s.target, s.distance, w.last_seen, r.last_seen,
           coalesce(w.last_seen < w.last_good, false) OR coalesce(r.last_seen < r.last_good, false)
    FROM (SELECT CASE direction WHEN 'upstream' THEN far.job ELSE near.job END AS source, dataset,
                 CASE direction WHEN 'upstream' THEN near.job ELSE far.job END AS target, near.distance
          FROM near JOIN far USING (dataset)) AS s
    LEFT JOIN touched w ON w.job = s.source AND w.dataset = s.dataset AND w.output
    LEFT JOIN touched r ON r.job = s.target AND r.dataset = s.dataset AND NOT r.output
$$;
