-- name: select_sizes(events) -> PendingSizeRow
-- Sizes of the bodies of pending events. octet_length() does not decompress a body.
SELECT p.event AS id, e.size FROM lineage.projection_queue p CROSS JOIN LATERAL (
    SELECT octet_length(e.body) AS size FROM lineage.event e
    WHERE e.id = p.event AND e.event_time = p.event_time OFFSET 0) AS e
WHERE p.event = ANY (%(events)s::bigint[])
ORDER BY p.event

-- name: select_pending(events) -> PendingRow
-- Bodies of pending events.
SELECT p.event AS id, e.sha256, e.body FROM lineage.projection_queue p CROSS JOIN LATERAL (
    SELECT e.sha256, convert_to(e.body, 'UTF8') AS body FROM lineage.event e
    WHERE e.id = p.event AND e.event_time = p.event_time OFFSET 0) AS e
WHERE p.event = ANY (%(events)s::bigint[])
ORDER BY p.event
