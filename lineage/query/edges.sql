-- name: select_jobs_with_latest_run(ids) -> JobRow
-- Jobs, each with its newest run: its twin is in select_jobs_from_dataset. Of runs that ended at the same time the
-- id decides, so that the same events give the same answer in whatever order they came.
SELECT j.id, j.namespace, j.name, latest.run
FROM lineage.job j
LEFT JOIN LATERAL (SELECT lineage.run_record(r) AS run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
    WHERE x.job = j.id AND x.last_seen IS NOT NULL
    ORDER BY x.last_seen DESC, r.run_id LIMIT 1) AS latest ON true
WHERE j.id = ANY (%(ids)s::bigint[])
