-- name: append_events(digests, times, runs, bodies, documents) -> bytes
-- Append events; return the digests of those that are new to the log. Twin: queue_events.
INSERT INTO lineage.event (sha256, event_time, run_id, body, document)
SELECT sha256, event_time, run_id, body, nullif(document, '')
FROM unnest(%(digests)s::bytea[], %(times)s::text[]::timestamptz[], %(runs)s::text[],
            %(bodies)s::text[], %(documents)s::bytea[])
     AS input (sha256, event_time, run_id, body, document)
ON CONFLICT DO NOTHING
RETURNING sha256

-- name: queue_events(digests, times, runs, bodies, documents) -> bytes
-- Append events and queue the new ones for the projection; return their digests. Twin: append_events.
WITH new AS (
    INSERT INTO lineage.event (sha256, event_time, run_id, body, document)
    SELECT sha256, event_time, run_id, body, nullif(document, '')
    FROM unnest(%(digests)s::bytea[], %(times)s::text[]::timestamptz[], %(runs)s::text[],
                %(bodies)s::text[], %(documents)s::bytea[])
         AS input (sha256, event_time, run_id, body, document)
    ON CONFLICT DO NOTHING
    RETURNING id, event_time, sha256
), queued AS (
    INSERT INTO lineage.projection_queue (event, event_time) SELECT id, event_time FROM new
)
SELECT sha256 FROM new

-- name: select_known(times, digests) -> bytes
-- Digests that are in the log.
SELECT e.sha256
FROM unnest(%(times)s::timestamptz[], %(digests)s::bytea[]) AS input (event_time, sha256)
CROSS JOIN LATERAL (
    SELECT e.sha256 FROM lineage.event e
    WHERE e.event_time = input.event_time AND e.sha256 = input.sha256 OFFSET 0) AS e

-- name: count_projected() -> int
-- The number of events that a rebuild projects; archived events that are not projected count too.
SELECT ((SELECT count(*) FROM lineage.event)
      + (SELECT coalesce(sum(events), 0) FROM lineage.archived_file)
      - (SELECT count(*) FROM (SELECT event FROM lineage.rejected_event
                               UNION SELECT event FROM lineage.superseded_event) AS not_projected))::bigint AS count

-- name: select_page(after, count, bytes) -> PageRow
-- The next events that a rebuild projects, by id: up to a total of ``bytes``, but at least one.
-- octet_length() does not decompress a body.
WITH sized AS MATERIALIZED (
    SELECT id, event_time,
           sum(size) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - size AS before
    FROM (SELECT e.id, e.event_time, octet_length(e.body) AS size FROM lineage.event e
          WHERE e.id > %(after)s AND NOT EXISTS (SELECT FROM lineage.rejected_event r WHERE r.event = e.id)
            AND NOT EXISTS (SELECT FROM lineage.superseded_event r WHERE r.event = e.id)
          ORDER BY e.id LIMIT %(count)s) AS next
)
SELECT s.id, e.sha256, convert_to(e.body, 'UTF8') AS body
FROM sized s CROSS JOIN LATERAL (
    SELECT e.sha256, e.body FROM lineage.event e
    WHERE e.id = s.id AND e.event_time = s.event_time OFFSET 0) AS e
WHERE s.before < %(bytes)s ORDER BY s.id
