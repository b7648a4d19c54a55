-- name: select_targets_behind(before) -> str
-- The targets that have not received all events before the month of a time.
SELECT f.target FROM lineage.forward f
WHERE EXISTS (SELECT FROM lineage.event e WHERE e.id > f.position
                AND e.event_time < date_trunc('month', %(before)s::timestamptz, 'UTC'))
ORDER BY f.target
