-- name: select_logged(runs) -> LoggedRun
-- The event of each run that was logged first. The earliest event time does not count, because senders choose it.
SELECT r.run_id, e.sha256, e.body
FROM unnest(%(runs)s::text[]) AS r (run_id)
CROSS JOIN LATERAL (
    SELECT min(e.id) AS id FROM lineage.event e WHERE e.run_id = r.run_id OFFSET 0) AS first
CROSS JOIN LATERAL (
    SELECT e.sha256, e.body FROM lineage.event e
    WHERE e.run_id = r.run_id AND e.id = first.id OFFSET 0) AS e

-- name: select_projected(runs) -> OwnerRow
-- The first job of each run, from the facts, which include runs of dropped months, or of an archived run.
(SELECT DISTINCT ON (r.run_id) r.run_id, j.namespace, j.name AS job
 FROM lineage.run r
 JOIN lineage.execution x ON x.run = r.id
 JOIN lineage.job j ON j.id = x.job
 WHERE r.run_id = ANY (%(runs)s) AND x.first_seen IS NOT NULL
 ORDER BY r.run_id, x.first_seen, j.namespace, j.name)
UNION ALL
SELECT a.run_id, j.namespace, j.name AS job
FROM lineage.archived_run a JOIN lineage.job j ON j.id = a.job
WHERE a.run_id = ANY (%(runs)s) AND NOT a.in_graph

-- name: claim_runs(runs, namespaces, jobs) -> None
-- Insert the owners of runs that have none, and set the job of owners without one.
INSERT INTO lineage.run_owner (run_id, namespace, job)
SELECT * FROM unnest(%(runs)s::text[], %(namespaces)s::text[], %(jobs)s::text[]) ORDER BY 1
ON CONFLICT (run_id) DO UPDATE SET job = excluded.job
WHERE run_owner.job IS NULL AND run_owner.namespace = excluded.namespace
  AND excluded.job IS NOT NULL
