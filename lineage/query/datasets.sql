-- name: select_trace(root, upstream, downstream, depth, observed, min_confidence, tags) -> TraceRow
-- The edges of a trace and the datasets and jobs that they connect, in one snapshot: one row with an array for each column,
-- which takes a fraction of the time of a row for each edge. No row if there are no edges. array_send() returns times as
-- they are stored. A result has few distinct times, and the reader formats each of them once.
WITH step AS MATERIALIZED (
    SELECT *, true AS upstream
    FROM lineage.dataset_closure_steps(ARRAY[%(root)s::bigint], 'upstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(upstream)s
    UNION ALL
    SELECT *, false
    FROM lineage.dataset_closure_steps(ARRAY[%(root)s::bigint], 'downstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(downstream)s
), latest AS MATERIALIZED (
    SELECT * FROM lineage.latest_runs(ARRAY(SELECT DISTINCT unnest(jobs) FROM step))
), rewritten AS (
    SELECT array_agg(p.target) AS rewritten, array_agg(p.job) AS rewriting_jobs,
           array_send(array_agg(lineage.last_successful_write(p.target, p.job))) AS last_writes
    FROM (SELECT DISTINCT e.target, e.job
          FROM step s CROSS JOIN unnest(s.targets, s.jobs, s.runs, s.last_seen) AS e (target, job, runs, last_seen)
          JOIN latest n ON n.job = e.job
          WHERE e.runs > 0 AND e.last_seen < n.last_seen) AS p
), steps AS (
    SELECT array_agg(ROW(upstream, distance + 1, sources, targets, jobs, runs, array_send(first_seen),
                         array_send(last_seen), declared, confidences)) AS steps
    FROM step WHERE sources IS NOT NULL HAVING count(*) > 0
), datasets AS (
    SELECT array_agg(d.id) AS datasets, array_agg(d.namespace) AS dataset_namespaces,
           array_agg(d.name) AS dataset_names,
           array_agg(CASE WHEN %(tags)s THEN (
               SELECT lineage.facet_tags_json(lineage.merged_facets(n.facets))
               FROM lineage.dataset n WHERE n.canonical = d.id) END) AS tags
    FROM lineage.dataset d
    WHERE d.id = ANY (ARRAY(SELECT unnest(ids) FROM step))
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
SELECT * FROM steps CROSS JOIN rewritten CROSS JOIN datasets CROSS JOIN jobs
