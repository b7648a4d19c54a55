-- name: select_events(run, since, limit, offset) -> LoggedEvent
-- The latest events, of a run and since a time if these are not null. Twin: select_rejected.
SELECT lineage.iso8601(e.received_at) AS received_at, lineage.iso8601(e.event_time) AS event_time,
       e.body_json ->> 'eventType' AS event_type, e.run_id,
       e.body_json #>> '{job,namespace}' AS job_namespace, e.body_json #>> '{job,name}' AS job,
       CASE WHEN p.event IS NOT NULL THEN 'pending'
            WHEN r.event IS NOT NULL THEN 'rejected'
            WHEN EXISTS (SELECT FROM lineage.superseded_event n WHERE n.event = e.id) THEN 'superseded'
            ELSE 'projected' END AS state,
       r.reason, e.body
FROM (SELECT e.*, lineage.event_json(e.body) AS body_json FROM lineage.event e
      WHERE (%(run)s::text IS NULL OR e.run_id = %(run)s::text)
        AND (%(since)s::timestamptz IS NULL OR e.event_time >= %(since)s::timestamptz)
      ORDER BY e.id DESC LIMIT %(limit)s OFFSET %(offset)s) AS e
LEFT JOIN lineage.projection_queue p ON p.event = e.id
LEFT JOIN lineage.rejected_event r ON r.event = e.id
ORDER BY e.id DESC

-- name: select_rejected(run, since, limit, offset) -> LoggedEvent
-- The latest rejected events, of a run and since a time if these are not null. Twin: select_events.
SELECT lineage.iso8601(e.received_at) AS received_at, lineage.iso8601(e.event_time) AS event_time,
       e.body_json ->> 'eventType' AS event_type, e.run_id,
       e.body_json #>> '{job,namespace}' AS job_namespace, e.body_json #>> '{job,name}' AS job,
       CASE WHEN p.event IS NOT NULL THEN 'pending'
            WHEN r.event IS NOT NULL THEN 'rejected'
            WHEN EXISTS (SELECT FROM lineage.superseded_event n WHERE n.event = e.id) THEN 'superseded'
            ELSE 'projected' END AS state,
       r.reason, e.body
FROM (SELECT e.*, lineage.event_json(e.body) AS body_json FROM lineage.event e
      WHERE (%(run)s::text IS NULL OR e.run_id = %(run)s::text)
        AND (%(since)s::timestamptz IS NULL OR e.event_time >= %(since)s::timestamptz)
        AND EXISTS (SELECT FROM lineage.rejected_event r WHERE r.event = e.id)
      ORDER BY e.id DESC LIMIT %(limit)s OFFSET %(offset)s) AS e
LEFT JOIN lineage.projection_queue p ON p.event = e.id
LEFT JOIN lineage.rejected_event r ON r.event = e.id
ORDER BY e.id DESC
