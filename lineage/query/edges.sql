-- name: select_jobs_with_latest_run(ids) -> JobRow
-- Jobs, each with its latest run. Among runs that ended at the same time the run id decides, so that the result does
-- not depend on the order of events. Twin: the same part of select_jobs_from_dataset.
SELECT j.id, j.namespace, j.name, latest.run
FROM lineage.job j
LEFT JOIN LATERAL (SELECT lineage.run_record(r) AS run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
    WHERE x.job = j.id AND x.last_seen IS NOT NULL
    ORDER BY x.last_seen DESC, r.run_id LIMIT 1) AS latest ON true
WHERE j.id = ANY (%(ids)s::bigint[])

-- name: select_edges_between(sources, targets, observed, min_confidence) -> EdgeRow
-- The edges from some datasets to others.
SELECT f.source, f.target, f.job, f.runs, lineage.iso8601(f.first_seen) AS first_seen,
       lineage.iso8601(f.last_seen) AS last_seen, f.declared, f.confidence
FROM lineage.edges_from(%(sources)s::bigint[], %(observed)s, %(min_confidence)s) AS f
WHERE f.target = ANY (%(targets)s::bigint[])
