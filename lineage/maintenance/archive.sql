-- name: select_oldest_month(before) -> MonthRow
-- The month of the oldest event of the log before a time.
SELECT to_char(start AT TIME ZONE 'UTC', 'YYYY-MM') AS month, lineage.iso8601(start) AS start,
       lineage.iso8601((start AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC') AS "end"
FROM (SELECT date_trunc('month', min(e.event_time), 'UTC') AS start
      FROM lineage.event e WHERE e.event_time < %(before)s::timestamptz) AS oldest
WHERE start IS NOT NULL

-- name: select_events(start, end) -> LakeEvent
-- The events of a period, and why those that are not in the graph are not.
SELECT e.sha256, lineage.iso8601(e.event_time) AS event_time, e.run_id, convert_to(e.body, 'UTF8') AS body, e.document,
       coalesce(r.reason, CASE WHEN s.event IS NOT NULL THEN 'superseded' END) AS not_projected
FROM lineage.event e
LEFT JOIN lineage.rejected_event r ON r.event = e.id
LEFT JOIN lineage.superseded_event s ON s.event = e.id
WHERE e.event_time >= %(start)s::timestamptz AND e.event_time < %(end)s::timestamptz
ORDER BY e.event_time, e.sha256

-- name: select_remainder(before) -> RemainderRow
-- The number of events before a time, and whether some of them are not in the graph yet.
SELECT (SELECT count(*) FROM lineage.event WHERE event_time < %(before)s::timestamptz) AS events,
       EXISTS (SELECT FROM lineage.projection_queue WHERE event_time < %(before)s::timestamptz) AS is_pending

-- name: insert_retention(retained_from, events) -> None
-- Store that events from before a time were archived.
INSERT INTO lineage.retention (retained_from, events, documents, is_archived)
VALUES (%(retained_from)s::timestamptz, %(events)s, 0, true)
