-- name: select_trace(root, upstream, downstream, depth, observed, min_confidence, tags) -> TraceRow
-- The edges of a trace and the datasets and jobs that they connect, in one snapshot: one row with an array for each column,
-- which takes a fraction of the time of a row for each edge. No row if there are no edges. Times are microseconds since
-- 1970. A result has few distinct times, and each is formatted as text once.
WITH passed AS MATERIALIZED (
    SELECT *, true AS upstream
    FROM lineage.dataset_closure_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(upstream)s
    UNION ALL
    SELECT *, false
    FROM lineage.dataset_closure_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(downstream)s
), edges AS (
    SELECT array_agg(source) AS sources, array_agg(target) AS targets, array_agg(job) AS jobs,
           array_agg(distance) AS distances, array_agg(upstream) AS upstream, array_agg(runs) AS runs,
           array_agg((extract(epoch FROM first_seen) * 1000000)::bigint) AS first_seen,
           array_agg((extract(epoch FROM last_seen) * 1000000)::bigint) AS last_seen,
           array_agg(declared) AS declared, array_agg(confidence) AS confidences
    FROM passed HAVING count(*) > 0
), datasets AS (
    SELECT array_agg(d.id) AS datasets, array_agg(d.namespace) AS dataset_namespaces,
           array_agg(d.name) AS dataset_names,
           array_agg(CASE WHEN %(tags)s THEN (
               SELECT lineage.facet_tags_json(lineage.merged_facets(n.facets))
               FROM lineage.dataset n WHERE n.canonical = d.id) END) AS tags
    FROM lineage.dataset d
    WHERE d.id = ANY (ARRAY(SELECT source FROM passed UNION SELECT target FROM passed))
), jobs AS (
    SELECT coalesce(array_agg(j.id), '{}') AS job_ids, coalesce(array_agg(j.namespace), '{}') AS job_namespaces,
           coalesce(array_agg(j.name), '{}') AS job_names, coalesce(array_agg(jsonb_build_array(
               CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END,
               j.facets #>> '{jobType,1,jobType}', lineage.iso8601(n.last_write))), '{}') AS of_jobs
    FROM lineage.latest_runs(ARRAY(SELECT DISTINCT job FROM passed)) AS n
    JOIN lineage.job j ON j.id = n.job
    LEFT JOIN lineage.run r ON r.id = n.run
)
SELECT * FROM edges CROSS JOIN datasets CROSS JOIN jobs
