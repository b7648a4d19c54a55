-- name: select_writers() -> str
-- The transactions of other sessions that are writing to the log.
SELECT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND relation = 'lineage.event'::regclass
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()

-- name: select_missing() -> MissingRow
-- The time from which the log has all events of the graph, and the number of events that were dropped or are in files of
-- lakes; no row if the log has all. An event of a file may be in the log too.
SELECT lineage.iso8601(complete_from) AS complete_from,
       ((SELECT coalesce(sum(f.events), 0) FROM lineage.archived_file f)
        + (SELECT coalesce(sum(t.events), 0) FROM lineage.retention t WHERE NOT t.is_archived))::bigint AS events
FROM lineage.log_complete_from() AS complete_from WHERE complete_from IS NOT NULL

-- name: move_cursor(position, sent, target) -> None
-- Moves the cursor, and removes the error of the target.
UPDATE lineage.forward
SET position = %(position)s, sent = sent + %(sent)s, sent_at = CASE WHEN %(sent)s > 0 THEN now() ELSE sent_at END,
    failing_since = NULL, error = NULL
WHERE target = %(target)s

-- name: retry_rejected(target) -> RetryRow
-- Moves the cursor back to the first event of the log that a target rejected. Rejected events that left the log remain listed.
WITH rejected AS (
    DELETE FROM lineage.rejected_forward r
    WHERE r.target = %(target)s AND EXISTS (SELECT FROM lineage.event e WHERE e.id = r.event) RETURNING r.event
),
first AS (SELECT min(event) AS event, count(*) AS count FROM rejected)
UPDATE lineage.forward f SET position = least(f.position, first.event - 1)
FROM first WHERE f.target = %(target)s
RETURNING first.count AS retried,
          (SELECT count(*) FROM lineage.rejected_forward r WHERE r.target = f.target) - first.count AS dropped
