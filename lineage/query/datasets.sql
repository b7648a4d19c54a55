-- name: select_trace(root, upstream, downstream, depth, observed, min_confidence, tags) -> TraceRow
-- The edges of a trace and the datasets and jobs that they connect, in one snapshot: one row with an array for each column,
-- which takes a fraction of the time of a row for each edge. No row if there are no edges. array_send() returns times as
-- they are stored. A result has few distinct times, and the reader formats each of them once.
WITH passed AS MATERIALIZED (
    SELECT *, true AS upstream
    FROM lineage.dataset_closure_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(upstream)s
    UNION ALL
    SELECT *, false
    FROM lineage.dataset_closure_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(downstream)s
), latest AS MATERIALIZED (
    SELECT * FROM lineage.latest_runs(ARRAY(SELECT DISTINCT job FROM passed))
), rewritten AS MATERIALIZED (
    SELECT p.target, p.job, lineage.last_successful_write(p.target, p.job) AS last_write
    FROM (SELECT DISTINCT p.target, p.job FROM passed p JOIN latest n ON n.job = p.job
          WHERE p.runs > 0 AND p.last_seen < n.last_seen) AS p
), edges AS (
    SELECT array_agg(source) AS sources, array_agg(target) AS targets, array_agg(job) AS jobs,
           array_agg(distance) AS distances, array_agg(upstream) AS upstream, array_agg(runs) AS runs,
           array_send(array_agg(first_seen)) AS first_seen,
           array_send(array_agg(last_seen)) AS last_seen,
           array_agg(declared) AS declared, array_agg(confidence) AS confidences,
           array_send(array_agg(last_write)) AS last_writes
    FROM passed LEFT JOIN rewritten USING (target, job) HAVING count(*) > 0
), datasets AS (
    SELECT array_agg(d.id) AS datasets, array_agg(d.namespace) AS dataset_namespaces,
           array_agg(d.name) AS dataset_names,
           array_agg(CASE WHEN %(tags)s THEN (
               SELECT lineage.facet_tags_json(lineage.merged_facets(n.facets))
               FROM lineage.dataset n WHERE n.canonical = d.id) END) AS tags
    FROM lineage.dataset d
    WHERE d.id = ANY (ARRAY(
        SELECT %(root)s::bigint UNION SELECT CASE WHEN upstream THEN source ELSE target END FROM passed))
), jobs AS (
    SELECT array_agg(j.id) AS job_ids, array_agg(j.namespace) AS job_namespaces, array_agg(j.name) AS job_names,
           array_agg(j.facets #>> '{jobType,1,jobType}') AS job_types,
           array_agg(r.run_id) AS run_ids, array_agg(r.state) AS run_states,
           array_send(array_agg(r.last_seen)) AS run_times,
           array_send(array_agg(r.started_at)) AS run_starts,
           array_send(array_agg(r.ended_at)) AS run_ends,
           array_agg(r.facets #>> '{errorMessage,1,message}') AS run_errors
    FROM latest n
    JOIN lineage.job j ON j.id = n.job
    LEFT JOIN lineage.run r ON r.id = n.run
)
SELECT * FROM edges CROSS JOIN datasets CROSS JOIN jobs
