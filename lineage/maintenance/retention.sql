-- name: select_targets_behind(before) -> str
-- The targets that have not received all events before the month of a time.
SELECT f.target FROM lineage.forward f
WHERE EXISTS (SELECT FROM lineage.event e WHERE e.id > f.position
                AND e.event_time < date_trunc('month', %(before)s::timestamptz, 'UTC'))
ORDER BY f.target

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
