-- name: select_run(run_id) -> RunRow
-- A run and its jobs.
SELECT r.id, lineage.run_record(r) AS run,
       (SELECT jsonb_agg(jsonb_build_array(j.id, j.namespace, j.name) ORDER BY j.namespace, j.name)
        FROM lineage.execution e JOIN lineage.job j ON j.id = e.job WHERE e.run = r.id) AS jobs
FROM lineage.run r WHERE r.run_id = %(run_id)s

-- name: select_runs_upstream(id, depth) -> UpstreamRunRow
-- The run, its child runs, and the runs whose writes they read.
SELECT run, job, distance, followed_at FROM lineage.upstream_run_set(%(id)s, %(depth)s)

-- name: select_causes(runs, jobs, distances, depth, followed_at) -> CauseRow
-- Possible causes among the upstream runs, in the order of lineage.root_causes_of_runs.
SELECT c.kind, c.distance, lineage.run_record(r) AS run,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       d.id AS dataset, d.namespace, d.name, c.fault,
       CASE WHEN reader.id IS NOT NULL THEN lineage.run_record(reader.*) END AS reader,
       lineage.iso8601(c.read_at) AS read_at,
       CASE WHEN seen.id IS NOT NULL THEN lineage.run_record(seen.*) END AS seen,
       lineage.iso8601(c.seen_at) AS seen_at, c.observed, c.median, c.spread, c.runs_before
FROM lineage.root_causes_of_runs(
    %(runs)s::bigint[], %(jobs)s::bigint[], %(distances)s::int[], %(depth)s, %(followed_at)s::int[])
    WITH ORDINALITY AS c
JOIN lineage.run r ON r.id = c.run
JOIN lineage.job j ON j.id = c.job
LEFT JOIN lineage.dataset d ON d.id = c.dataset
LEFT JOIN lineage.run reader ON reader.id = c.reader
LEFT JOIN lineage.run seen ON seen.id = c.seen
ORDER BY c.ordinality

-- name: select_failed_checks(runs, jobs, distances) -> FailedCheckRow
-- Failed checks of the upstream runs, one row for each result.
SELECT c.distance, lineage.run_record(r) AS run,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       d.id AS dataset, d.namespace, d.name,
       CASE WHEN reader.id IS NOT NULL THEN lineage.run_record(reader.*) END AS reader,
       (SELECT lineage.iso8601(min(a.first_seen)) FROM lineage.access a
        JOIN lineage.dataset n ON n.id = a.dataset
        WHERE a.run = c.reader AND NOT a.output AND n.canonical = c.dataset) AS read_at,
       lineage.iso8601(c.checked_at) AS checked_at, c.part, s.assertion, s.name AS check_name, s.column_name,
           s.severity,
       s.expected, s.actual
FROM lineage.failed_checks_of_runs(%(runs)s::bigint[], %(jobs)s::bigint[], %(distances)s::int[]) AS c
JOIN lineage.run r ON r.id = coalesce(c.run, c.reader)
JOIN lineage.job j ON j.id = coalesce(c.job, c.reader_job)
LEFT JOIN lineage.dataset d ON d.id = c.dataset
LEFT JOIN lineage.run reader ON reader.id = c.reader AND c.part = 'before'
CROSS JOIN LATERAL lineage.check_results(c.entry) AS s
WHERE s.success IS FALSE
ORDER BY c.distance, c.checked_at DESC, r.run_id, d.namespace, d.name, j.namespace, j.name, reader.run_id, c.part,
         s.ordinal

-- name: select_previous_writes(runs, jobs, distances, limit) -> WriteRow
-- Each upstream write of a dataset with a reported schema, and the previous run of the same job that wrote the dataset.
SELECT b.distance, lineage.run_record(r) AS run,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       c.id AS dataset, c.namespace, c.name,
       n.namespace AS written_namespace, n.name AS written_name, before.run_id AS before
FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[], %(distances)s::int[]) AS b (run, job, distance)
JOIN lineage.run r ON r.id = b.run
JOIN lineage.job j ON j.id = b.job
JOIN lineage.access a ON a.run = b.run AND a.job = b.job AND a.output
JOIN lineage.dataset n ON n.id = a.dataset AND n.facets ? 'schema'
JOIN lineage.dataset c ON c.id = n.canonical
CROSS JOIN LATERAL (
    SELECT p.run_id FROM lineage.access e JOIN lineage.run p ON p.id = e.run
    WHERE e.dataset = a.dataset AND e.output AND e.job = a.job AND e.last_seen < a.last_seen
      AND p.contributing AND e.run <> a.run
    ORDER BY e.last_seen DESC, p.run_id DESC LIMIT 1) AS before
ORDER BY b.distance, a.last_seen DESC, r.run_id, c.namespace, c.name, n.namespace, n.name
LIMIT %(limit)s
