-- name: lock_imports() -> None
-- Wait for other imports. The key is that of lineage/readers/query_logs/storage.py.
SELECT FROM pg_advisory_xact_lock(5463246)

-- name: insert_statements(digests, bodies) -> None
-- Insert statements that are not stored yet.
INSERT INTO lineage.imported_statement (sha256, body)
SELECT * FROM unnest(%(digests)s::bytea[], %(bodies)s::text[]) ORDER BY 1
ON CONFLICT DO NOTHING

-- name: insert_rows(server, units, times, digests, bodies, statements, details, texts) -> NewRow
-- Insert rows; return those that are new, or of which more is kept than before.
INSERT INTO lineage.imported_row AS r (server, unit, time, sha256, body, statement, detail, text)
SELECT %(server)s, i.unit, i.time, i.sha256, i.body, nullif(i.statement, ''), i.detail, i.text
FROM (SELECT DISTINCT ON (unit, time, sha256) *
      FROM unnest(%(units)s::text[], %(times)s::text[]::timestamptz[], %(digests)s::bytea[], %(bodies)s::text[],
                  %(statements)s::bytea[], %(details)s::smallint[], %(texts)s::text[])
           AS input (unit, time, sha256, body, statement, detail, text)
      ORDER BY unit, time, sha256, detail DESC) AS i
ON CONFLICT (server, unit, time, sha256) DO UPDATE
    SET statement = excluded.statement, detail = excluded.detail, text = excluded.text
    WHERE r.detail < excluded.detail
RETURNING r.unit, r.sha256

-- name: select_parts(server, units) -> PartRow
-- The parts of units.
SELECT p.unit, lineage.iso8601(p.first_time) AS first_time, lineage.iso8601(p.last_time) AS last_time
FROM lineage.imported_part p WHERE p.server = %(server)s AND p.unit = ANY (%(units)s)
ORDER BY p.unit, p.first_time

-- name: delete_parts(server, units, firsts) -> None
-- Delete parts that grow or are merged.
DELETE FROM lineage.imported_part p
USING unnest(%(units)s::text[], %(firsts)s::timestamptz[]) AS old (unit, first_time)
WHERE p.server = %(server)s AND p.unit = old.unit AND p.first_time = old.first_time

-- name: insert_parts(server, units, firsts, lasts) -> None
-- Insert parts whose events are to be written.
INSERT INTO lineage.imported_part (server, unit, first_time, last_time, is_open, is_stale)
SELECT %(server)s, new.unit, new.first_time, new.last_time, true, true
FROM unnest(%(units)s::text[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[]) AS new (unit, first_time, last_time)

-- name: mark_later(server, units, firsts) -> None
-- Mark the parts of units after these times as stale.
UPDATE lineage.imported_part p SET is_stale = true
FROM unnest(%(units)s::text[], %(firsts)s::timestamptz[]) AS changed (unit, first_time)
WHERE p.server = %(server)s AND p.unit = changed.unit AND p.first_time > changed.first_time AND NOT p.is_stale

-- name: mark_ended(idle) -> None
-- Mark open parts as stale whose pause has passed, by the newest row of their server.
UPDATE lineage.imported_part p SET is_stale = true
FROM (SELECT server, max(last_time) AS newest FROM lineage.imported_part GROUP BY server) AS s
WHERE p.server = s.server AND p.is_open AND NOT p.is_stale
  AND p.last_time + make_interval(secs => %(idle)s) < s.newest

-- name: mark_server(server) -> None
-- Mark all parts of a server as stale.
UPDATE lineage.imported_part SET is_stale = true WHERE server = %(server)s

-- name: select_stale(idle) -> StalePart
-- The parts whose events are to be written, and whether their pause has passed.
SELECT p.server, p.unit, lineage.iso8601(p.first_time) AS first_time, lineage.iso8601(p.last_time) AS last_time,
       p.last_time + make_interval(secs => %(idle)s)
           < (SELECT max(o.last_time) FROM lineage.imported_part o WHERE o.server = p.server) AS has_ended
FROM lineage.imported_part p WHERE p.is_stale
ORDER BY p.server, p.unit, p.first_time

-- name: mark_written(servers, units, firsts, opens) -> None
-- Store that the events of parts are written.
UPDATE lineage.imported_part p SET is_stale = false, is_open = done.is_open
FROM unnest(%(servers)s::text[], %(units)s::text[], %(firsts)s::timestamptz[], %(opens)s::boolean[])
     AS done (server, unit, first_time, is_open)
WHERE p.server = done.server AND p.unit = done.unit AND p.first_time = done.first_time

-- name: select_rows(servers, units, firsts, lasts) -> StoredRow
-- The rows of parts; part: the number of its part in the arrays.
SELECT p.part::int AS part, r.body, s.body AS statements, r.statement, r.detail, r.text, r.sha256
FROM unnest(%(servers)s::text[], %(units)s::text[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
     WITH ORDINALITY AS p (server, unit, first_time, last_time, part)
CROSS JOIN LATERAL (
    SELECT * FROM lineage.imported_row i
    WHERE i.server = p.server AND i.unit = p.unit AND i.time BETWEEN p.first_time AND p.last_time OFFSET 0) AS r
LEFT JOIN lineage.imported_statement s ON s.sha256 = r.statement
ORDER BY p.part

-- name: select_earlier_statements(servers, units, ends) -> EarlierStatements
-- The distinct statements of units before times; part: the number of the unit in the arrays.
SELECT u.part::int AS part, lineage.iso8601(r.first_time) AS first_time, s.sha256, s.body AS statements
FROM unnest(%(servers)s::text[], %(units)s::text[], %(ends)s::timestamptz[])
     WITH ORDINALITY AS u (server, unit, "end", part)
CROSS JOIN LATERAL (
    SELECT i.statement, min(i.time) AS first_time FROM lineage.imported_row i
    WHERE i.server = u.server AND i.unit = u.unit AND i.time < u."end" AND i.statement IS NOT NULL
    GROUP BY i.statement OFFSET 0) AS r
JOIN lineage.imported_statement s ON s.sha256 = r.statement

-- name: select_open_times(servers, units, ends, begins, endings) -> OpenTime
-- The first time of units at which a transaction began that is open at the end of its part, before these times.
SELECT u.number::int AS number, lineage.iso8601(min(r.time)) AS time
FROM unnest(%(servers)s::text[], %(units)s::text[], %(ends)s::timestamptz[])
     WITH ORDINALITY AS u (server, unit, "end", number)
JOIN lineage.imported_part p ON p.server = u.server AND p.unit = u.unit AND p.first_time < u."end"
CROSS JOIN LATERAL (
    SELECT i.time FROM lineage.imported_row i
    WHERE i.server = p.server AND i.unit = p.unit AND i.time BETWEEN p.first_time AND p.last_time
      AND i.statement = ANY (%(begins)s::bytea[] || %(endings)s::bytea[])
    ORDER BY i.time DESC LIMIT 1) AS r
WHERE EXISTS (SELECT FROM lineage.imported_row i
              WHERE i.server = p.server AND i.unit = p.unit AND i.time = r.time AND i.statement = ANY (%(begins)s::bytea[]))
GROUP BY u.number

-- name: supersede_events(documents, firsts, lasts, digests) -> int
-- Supersede the events of parts that are not among these; return the number of events that change.
WITH old AS MATERIALIZED (
    SELECT e.id, EXISTS (SELECT FROM unnest(%(digests)s::bytea[]) AS new (sha256) WHERE new.sha256 = e.sha256) AS holds,
           n.event IS NOT NULL AS is_superseded
    FROM unnest(%(documents)s::bytea[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
         AS p (document, first_time, last_time)
    CROSS JOIN LATERAL (
        SELECT i.id, i.sha256 FROM lineage.event i
        WHERE i.document = p.document AND i.event_time BETWEEN p.first_time AND p.last_time OFFSET 0) AS e
    LEFT JOIN lineage.superseded_event n ON n.event = e.id
), superseded AS (
    INSERT INTO lineage.superseded_event (event)
    SELECT id FROM old WHERE NOT holds AND NOT is_superseded ON CONFLICT DO NOTHING
), restored AS (
    DELETE FROM lineage.superseded_event n USING old WHERE n.event = old.id AND old.holds
)
SELECT count(*)::int AS changed FROM old WHERE holds = is_superseded

-- name: upsert_objects(server, kinds, names, time, bodies) -> str
-- Store objects of a catalog, unless a newer catalog has them; return the names of those that changed.
INSERT INTO lineage.imported_object AS o (server, kind, name, time, body)
SELECT %(server)s, i.kind, i.name, %(time)s::timestamptz, i.body
FROM unnest(%(kinds)s::text[], %(names)s::text[], %(bodies)s::text[]) AS i (kind, name, body) ORDER BY 2, 3
ON CONFLICT (server, kind, name) DO UPDATE SET time = excluded.time, body = excluded.body
    WHERE (o.time, o.body COLLATE "C") < (excluded.time, excluded.body COLLATE "C")
RETURNING name

-- name: select_objects(server) -> ObjectRow
-- The objects of a server's catalog.
SELECT o.kind, o.name, o.body FROM lineage.imported_object o WHERE o.server = %(server)s
