-- name: select_jobs(ids) -> JobRow
-- Jobs, each with its latest run and the time of its last event.
SELECT j.id, j.namespace, j.name, CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       lineage.iso8601(n.last_seen) AS last_seen
FROM lineage.latest_runs(%(ids)s::bigint[]) AS n
JOIN lineage.job j ON j.id = n.job
LEFT JOIN lineage.run r ON r.id = n.run

-- name: select_last_writes(targets, jobs, time) -> LastWriteRow
-- The time of the last successful write of each dataset by the job at its place in the other array, at a time.
SELECT p.target, p.job, lineage.iso8601(lineage.last_successful_write(p.target, p.job, %(time)s::timestamptz)) AS time
FROM unnest(%(targets)s::bigint[], %(jobs)s::bigint[]) AS p (target, job)

-- name: select_edges_between(sources, targets, observed, min_confidence) -> EdgeRow
-- The edges from some datasets to others.
SELECT f.source, f.target, f.job, f.runs, lineage.iso8601(f.first_seen) AS first_seen,
       lineage.iso8601(f.last_seen) AS last_seen, f.declared, f.confidence
FROM lineage.edges_from(%(sources)s::bigint[], %(observed)s, %(min_confidence)s) AS f
WHERE f.target = ANY (%(targets)s::bigint[])
