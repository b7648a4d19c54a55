-- name: select_steps(run_id, direction, dataset, at, depth, perhaps, limit) -> StepRow
-- The steps from job to job upstream or downstream of a run, or upstream of a dataset at a time. The server counts the
-- steps over the limit, so that they need not be transferred.
WITH step AS MATERIALIZED (
    SELECT * FROM lineage.run_job_steps(
        (SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s)
    WHERE %(direction)s = 'upstream'
    UNION ALL
    SELECT * FROM lineage.job_steps_downstream(
        (SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s)
    WHERE %(direction)s = 'downstream'
    UNION ALL
    SELECT * FROM lineage.job_steps_at(%(dataset)s, %(at)s::timestamptz, %(depth)s, %(perhaps)s)
    WHERE %(dataset)s::bigint IS NOT NULL
)
SELECT s.distance, i.id AS reader, i.namespace AS reader_namespace, i.name AS reader_name,
       d.id AS dataset, d.namespace, d.name,
       o.id AS writer, o.namespace AS writer_namespace, o.name AS writer_name,
       s.runs, CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       lineage.iso8601(s.first) AS first, lineage.iso8601(s.last) AS last, s.exact, s.perhaps,
       lineage.iso8601(s.since) AS since, count(*) OVER () AS total
FROM step s
JOIN lineage.dataset d ON d.id = s.dataset
LEFT JOIN lineage.job i ON i.id = s.reader_job
LEFT JOIN lineage.job o ON o.id = s.writer_job
LEFT JOIN lineage.run r ON r.id = s.run
ORDER BY s.distance, i.namespace NULLS FIRST, i.name, d.namespace, d.name, o.namespace, o.name
LIMIT %(limit)s
