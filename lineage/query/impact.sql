-- name: select_unsaid_steps(ids) -> UnreportedRow
-- Jobs that read these datasets and wrote others without reporting column lineage, and jobs that read them and wrote
-- no dataset from them.
SELECT s.id AS source, s.namespace AS source_namespace, s.name AS source_name,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       t.id AS target, t.namespace AS target_namespace, t.name AS target_name
FROM (
    SELECT f.source, f.job, f.target
    FROM unnest(%(ids)s::bigint[]) AS i (id) JOIN lineage.feeds f ON f.source = i.id
    WHERE NOT EXISTS (SELECT FROM lineage.derives d WHERE d.target = f.target AND d.job = f.job)
      AND NOT EXISTS (SELECT FROM lineage.field x JOIN lineage.derives d ON d.target = x.id
                      WHERE x.dataset = f.target AND d.job = f.job)
    UNION ALL
    SELECT r.dataset, r.job, NULL
    FROM lineage.reader_jobs(%(ids)s::bigint[]) AS r
    WHERE NOT EXISTS (SELECT FROM lineage.feeds f WHERE f.source = r.dataset AND f.job = r.job)
) AS u
JOIN lineage.dataset s ON s.id = u.source
JOIN lineage.job j ON j.id = u.job
LEFT JOIN lineage.dataset t ON t.id = u.target
ORDER BY s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
