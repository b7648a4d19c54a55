-- name: select_pending(events, bytes) -> PendingRow
-- Bodies of pending events up to a total of ``bytes``, but at least one. octet_length() does not
-- decompress a body.
WITH sized AS MATERIALIZED (
    SELECT e.id, e.event_time,
           sum(e.size) OVER (ORDER BY e.id ROWS UNBOUNDED PRECEDING) - e.size AS before
    FROM lineage.projection_queue p CROSS JOIN LATERAL (
        SELECT e.id, e.event_time, octet_length(e.body) AS size FROM lineage.event e
        WHERE e.id = p.event AND e.event_time = p.event_time OFFSET 0) AS e
    WHERE p.event = ANY (%(events)s::bigint[])
)
SELECT s.id, e.sha256, convert_to(e.body, 'UTF8') AS body
FROM sized s CROSS JOIN LATERAL (SELECT e.sha256, e.body FROM lineage.event e
    WHERE e.id = s.id AND e.event_time = s.event_time OFFSET 0) AS e
WHERE s.before < %(bytes)s
