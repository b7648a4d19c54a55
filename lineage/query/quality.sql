-- name: select_checks_of_datasets(id, depth) -> CheckRow
-- The latest results of each job that checks a dataset or one upstream of it.
SELECT 'dataset' AS part, c.distance, d.id AS dataset, d.namespace, d.name,
       CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       lineage.iso8601(c.checked_at) AS checked_at, s.assertion, s.name AS check_name, s.column_name, s.success,
       s.severity, s.expected, s.actual, s.description
FROM (SELECT c.*, t.distance
 FROM (SELECT t.id, t.distance FROM lineage.trace_datasets(%(id)s, 'upstream', %(depth)s) AS t) AS t
 CROSS JOIN LATERAL lineage.latest_checks(ARRAY[t.id]) AS c) AS c
LEFT JOIN lineage.dataset d ON d.id = c.dataset
LEFT JOIN lineage.job j ON j.id = c.job
LEFT JOIN lineage.run r ON r.id = c.run
CROSS JOIN LATERAL lineage.check_results(c.entry) AS s
ORDER BY c.distance, d.namespace, d.name, j.namespace, j.name, s.ordinal

-- name: select_checks_of_run(id) -> CheckRow
-- Results of checks by a run, and the latest results for its inputs before it read them. Twin:
-- select_checks_of_datasets, except for the source of the checks and their order.
SELECT c.part, 0 AS distance, d.id AS dataset, d.namespace, d.name,
       CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       lineage.iso8601(c.checked_at) AS checked_at, s.assertion, s.name AS check_name, s.column_name, s.success,
       s.severity, s.expected, s.actual, s.description
FROM lineage.checks_of_run(%(id)s) AS c
LEFT JOIN lineage.dataset d ON d.id = c.dataset
LEFT JOIN lineage.job j ON j.id = c.job
LEFT JOIN lineage.run r ON r.id = c.run
CROSS JOIN LATERAL lineage.check_results(c.entry) AS s
ORDER BY array_position('{test,output,input,before}', c.part), d.namespace, d.name, j.namespace,
         j.name, c.checked_at, r.run_id, c.entry, s.ordinal
