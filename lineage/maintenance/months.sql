-- name: select_floor(before) -> str
-- The first instant of the month of a time; no row if that is in the future.
SELECT lineage.iso8601(floor) FROM date_trunc('month', %(before)s::timestamptz, 'UTC') AS floor
WHERE floor <= now()
