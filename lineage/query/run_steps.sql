-- name: select_steps_upstream(run_id, depth, perhaps, limit) -> StepRow
-- The steps upstream of a run, from job to job. The server counts the steps over the limit, so that they need not be
-- transferred.
SELECT s.distance, i.id AS reader, i.namespace AS reader_namespace, i.name AS reader_name,
       d.id AS dataset, d.namespace, d.name,
       o.id AS writer, o.namespace AS writer_namespace, o.name AS writer_name,
       s.runs, CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       lineage.iso8601(s.first) AS first, lineage.iso8601(s.last) AS last, s.exact, s.perhaps,
       lineage.iso8601(s.since) AS since, count(*) OVER () AS total
FROM lineage.run_job_steps(
        (SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s) AS s
JOIN lineage.dataset d ON d.id = s.dataset
LEFT JOIN lineage.job i ON i.id = s.reader_job
LEFT JOIN lineage.job o ON o.id = s.writer_job
LEFT JOIN lineage.run r ON r.id = s.run
ORDER BY s.distance, i.namespace NULLS FIRST, i.name, d.namespace, d.name, o.namespace, o.name
LIMIT %(limit)s

-- name: select_steps_downstream(run_id, depth, perhaps, limit) -> StepRow
-- The steps downstream of a run, from job to job. Twin: select_steps_upstream.
SELECT s.distance, i.id AS reader, i.namespace AS reader_namespace, i.name AS reader_name,
       d.id AS dataset, d.namespace, d.name,
       o.id AS writer, o.namespace AS writer_namespace, o.name AS writer_name,
       s.runs, CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       lineage.iso8601(s.first) AS first, lineage.iso8601(s.last) AS last, s.exact, s.perhaps,
       lineage.iso8601(s.since) AS since, count(*) OVER () AS total
FROM lineage.job_steps_downstream(
        (SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s) AS s
JOIN lineage.dataset d ON d.id = s.dataset
LEFT JOIN lineage.job i ON i.id = s.reader_job
LEFT JOIN lineage.job o ON o.id = s.writer_job
LEFT JOIN lineage.run r ON r.id = s.run
ORDER BY s.distance, i.namespace NULLS FIRST, i.name, d.namespace, d.name, o.namespace, o.name
LIMIT %(limit)s

-- name: select_steps_at(dataset, at, depth, perhaps, limit) -> StepRow
-- The steps upstream of a dataset at a time, from job to job. Twin: select_steps_upstream.
SELECT s.distance, i.id AS reader, i.namespace AS reader_namespace, i.name AS reader_name,
       d.id AS dataset, d.namespace, d.name,
       o.id AS writer, o.namespace AS writer_namespace, o.name AS writer_name,
       s.runs, CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       lineage.iso8601(s.first) AS first, lineage.iso8601(s.last) AS last, s.exact, s.perhaps,
       lineage.iso8601(s.since) AS since, count(*) OVER () AS total
FROM lineage.job_steps_at(
        %(dataset)s, %(at)s::timestamptz, %(depth)s, %(perhaps)s) AS s
JOIN lineage.dataset d ON d.id = s.dataset
LEFT JOIN lineage.job i ON i.id = s.reader_job
LEFT JOIN lineage.job o ON o.id = s.writer_job
LEFT JOIN lineage.run r ON r.id = s.run
ORDER BY s.distance, i.namespace NULLS FIRST, i.name, d.namespace, d.name, o.namespace, o.name
LIMIT %(limit)s
