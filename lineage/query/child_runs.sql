-- name: select_child_jobs(run_id, job, runs) -> ChildRow
-- The jobs of child runs that read or wrote datasets: of a run, or of the newest runs of a job. None if the run itself, or
-- any run of the job, read or wrote a dataset.
WITH root AS MATERIALIZED (
    SELECT r.id FROM lineage.run r
    WHERE r.run_id = %(run_id)s::text AND NOT EXISTS (SELECT FROM lineage.access a WHERE a.run = r.id)
    UNION ALL
    (SELECT e.run FROM lineage.execution e
     WHERE e.job = %(job)s::bigint
       AND NOT EXISTS (SELECT FROM lineage.access a WHERE a.job = %(job)s::bigint)
     ORDER BY e.first_seen DESC NULLS LAST LIMIT %(runs)s::int)
), child AS MATERIALIZED (
    SELECT DISTINCT t.id FROM root r CROSS JOIN LATERAL lineage.run_tree(r.id) AS t (id)
)
SELECT j.namespace, j.name, count(*)::int AS runs,
       (count(*) FILTER (WHERE r.state IN ('FAIL', 'ABORT')))::int AS failed,
       (array_agg(r.run_id ORDER BY r.first_seen DESC NULLS LAST, r.run_id))[1] AS newest
FROM child c
JOIN lineage.execution e ON e.run = c.id
JOIN lineage.run r ON r.id = e.run
JOIN lineage.job j ON j.id = e.job
WHERE EXISTS (SELECT FROM lineage.access a WHERE a.run = e.run AND a.job = e.job)
GROUP BY j.namespace, j.name
ORDER BY j.namespace, j.name
