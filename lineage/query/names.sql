-- name: select_last_run_of_job(id, failed) -> str
-- The run of a job with the latest event, or the latest of those that failed. Among runs of the same time the run id
-- decides.
SELECT r.run_id FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
WHERE x.job = %(id)s AND (NOT %(failed)s OR r.state IN ('FAIL', 'ABORT'))
ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT 1

-- name: select_last_write(id, failed) -> str
-- The last run that wrote a dataset or was to write it, or the last of those that failed.
SELECT r.run_id FROM lineage.dataset n
JOIN lineage.access a ON a.dataset = n.id AND a.output JOIN lineage.run r ON r.id = a.run
WHERE n.canonical = %(id)s AND (NOT %(failed)s OR r.state IN ('FAIL', 'ABORT'))
ORDER BY a.last_seen DESC NULLS LAST, r.run_id LIMIT 1
