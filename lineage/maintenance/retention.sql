-- name: select_lagging_targets(before) -> str
-- The targets that have not received all events before the month of a time.
SELECT f.target FROM lineage.forward f
WHERE EXISTS (SELECT FROM lineage.event e WHERE e.id > f.position
                AND e.event_time < date_trunc('month', %(before)s::timestamptz, 'UTC'))
ORDER BY f.target

-- name: delete_imported(before) -> None
-- Delete the rows of parts that ended before a time, and the statements that no row has.
WITH expired AS (
    DELETE FROM lineage.imported_part p WHERE p.last_time < %(before)s::timestamptz AND NOT p.is_stale
    RETURNING p.server, p.unit, p.first_time, p.last_time
), rows AS (
    DELETE FROM lineage.imported_row r USING expired e
    WHERE r.server = e.server AND r.unit = e.unit AND r.time BETWEEN e.first_time AND e.last_time
    RETURNING r.statement, r.sha256
)
DELETE FROM lineage.imported_statement s
USING (SELECT DISTINCT statement FROM rows) AS gone
WHERE s.sha256 = gone.statement
  AND NOT EXISTS (SELECT FROM lineage.imported_row r
                  WHERE r.statement = s.sha256 AND r.sha256 NOT IN (SELECT sha256 FROM rows))

-- name: delete_items(before) -> None
-- Delete the items of runs that were recorded before a time.
DELETE FROM lineage.record_item i
WHERE i.run IN (SELECT n.run FROM lineage.record_node n GROUP BY n.run
                HAVING max(n.recorded_at) < %(before)s::timestamptz)

-- name: delete_nodes(before) -> None
-- Delete the nodes of runs that were recorded before a time.
DELETE FROM lineage.record_node n
WHERE n.run IN (SELECT d.run FROM lineage.record_node d GROUP BY d.run
                HAVING max(d.recorded_at) < %(before)s::timestamptz)

-- name: delete_traces(before) -> None
-- Delete the traces that were saved before a time, their edges, and the records that have no other edge.
WITH expired AS MATERIALIZED (
    SELECT t.id FROM lineage.record_trace t WHERE t.saved_at < %(before)s::timestamptz
), traces AS (
    DELETE FROM lineage.record_trace t USING expired WHERE t.id = expired.id
), edges AS (
    DELETE FROM provenance."WITNESS" w USING expired
    WHERE ag_catalog.agtype_access_operator(VARIADIC ARRAY[w.properties, '"trace"'::ag_catalog.agtype])
          OPERATOR(ag_catalog.=) to_json(expired.id)::text::ag_catalog.agtype
    RETURNING w.id, w.start_id, w.end_id
)
DELETE FROM provenance."Record" r
USING (SELECT start_id AS id FROM edges UNION SELECT end_id FROM edges) AS ends
WHERE r.id OPERATOR(ag_catalog.=) ends.id
  AND NOT EXISTS (SELECT FROM provenance."WITNESS" w
                  WHERE w.start_id OPERATOR(ag_catalog.=) r.id AND w.id NOT IN (SELECT id FROM edges))
  AND NOT EXISTS (SELECT FROM provenance."WITNESS" w
                  WHERE w.end_id OPERATOR(ag_catalog.=) r.id AND w.id NOT IN (SELECT id FROM edges))
