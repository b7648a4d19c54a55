-- name: select_event_queue() -> QueueStatus
-- Numbers of pending and rejected events. The oldest event is the one received first, by id.
SELECT (SELECT count(*) FROM lineage.projection_queue) AS pending,
       (SELECT extract(epoch FROM clock_timestamp() - e.received_at)::float8
        FROM (SELECT event, event_time FROM lineage.projection_queue ORDER BY event LIMIT 1) AS p
        JOIN lineage.event e ON e.id = p.event AND e.event_time = p.event_time) AS oldest_seconds,
       (SELECT count(*) FROM lineage.rejected_event) AS rejected

-- name: select_document_queue() -> QueueStatus
-- Numbers of pending and rejected plan documents. The oldest document is the one received first, by time.
SELECT (SELECT count(*) FROM lineage.plan_document_queue WHERE reason IS NULL) AS pending,
       (SELECT extract(epoch FROM clock_timestamp() - d.received_at)::float8
        FROM (SELECT sha256, time FROM lineage.plan_document_queue
              WHERE reason IS NULL ORDER BY time LIMIT 1) AS u
        JOIN lineage.plan_document d ON d.sha256 = u.sha256 AND d.time = u.time) AS oldest_seconds,
       (SELECT count(*) FROM lineage.plan_document_queue WHERE reason IS NOT NULL) AS rejected

-- name: select_log_status() -> LogStatus
-- The time and the id of the newest events, from the indexes of each partition, and the number of pending events up to 10,000.
SELECT (SELECT lineage.iso8601(max(e.event_time)) FROM lineage.event e) AS newest_event,
       (SELECT coalesce(max(e.id), 0) FROM lineage.event e) AS last_event,
       (SELECT count(*) FROM (SELECT FROM lineage.projection_queue LIMIT 10000) AS p) AS pending

-- name: select_archive_status() -> ArchiveStatus
-- The time before which runs are archived, and the numbers of these runs and of their late events.
SELECT lineage.iso8601(max(a.archived_before)) AS archived_before, sum(a.runs)::bigint AS runs,
       (SELECT coalesce(sum(l.events), 0)::bigint FROM lineage.late_run l) AS late_events
FROM lineage.run_archive a HAVING count(*) > 0
