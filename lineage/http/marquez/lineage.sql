-- name: select_datasets_of_job(job) -> TouchedRow
-- The datasets in the FEEDS edges of a job, and other datasets that its latest contributing runs read or wrote.
SELECT source AS dataset, false AS output FROM lineage.feeds WHERE job = %(job)s
UNION SELECT target, true FROM lineage.feeds WHERE job = %(job)s
UNION SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset), a.output
FROM (SELECT x.run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run AND r.contributing
      WHERE x.job = %(job)s ORDER BY x.last_seen DESC NULLS LAST LIMIT 10) AS x
JOIN lineage.access a ON a.run = x.run AND a.job = %(job)s

-- name: select_jobs_around(datasets, jobs) -> AroundRow
-- Jobs that wrote or read a dataset in a contributing run: those in `jobs`, and those that wrote it without an
-- input or read it without an output.
SELECT d.id AS dataset, j.job, side.output
FROM unnest(%(datasets)s::bigint[]) AS d (id) CROSS JOIN (VALUES (true), (false)) AS side (output)
CROSS JOIN LATERAL lineage.jobs_accessing_dataset(d.id, side.output) AS j (job)
WHERE EXISTS (SELECT FROM lineage.dataset n
              JOIN lineage.access a ON a.dataset = n.id AND a.output = side.output AND a.job = j.job
              JOIN lineage.run r ON r.id = a.run AND r.contributing
              WHERE n.canonical = d.id)
  AND (j.job = ANY (%(jobs)s::bigint[]) OR NOT EXISTS (
      SELECT FROM lineage.feeds f
      WHERE f.job = j.job AND d.id = CASE WHEN side.output THEN f.target ELSE f.source END))
