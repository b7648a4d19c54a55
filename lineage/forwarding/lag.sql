-- name: select_target_lag(limit) -> TargetLag
-- All targets, with their sent and pending events, and the error of a failing target.
SELECT f.target, f.sent, lineage.iso8601(f.sent_at) AS sent_at, w.count AS pending,
       coalesce(o.seconds, 0) AS oldest_seconds,
       (SELECT count(*) FROM lineage.rejected_forward r WHERE r.target = f.target) AS rejected,
       lineage.iso8601(f.failing_since) AS failing_since, f.error
FROM lineage.forward f
CROSS JOIN LATERAL (
    SELECT count(*) FROM (
        SELECT FROM lineage.event e WHERE e.id > f.position ORDER BY e.id LIMIT %(limit)s) AS e) AS w
LEFT JOIN LATERAL (
    SELECT extract(epoch FROM clock_timestamp() - e.received_at)::float8 AS seconds
    FROM lineage.event e WHERE e.id > f.position ORDER BY e.id LIMIT 1) AS o ON true
ORDER BY f.target

-- name: select_rejected(target, limit) -> RejectedEvent
-- The first events that a target rejected.
SELECT r.target, r.event, r.reason, lineage.iso8601(r.rejected_at) AS rejected_at, e.body
FROM lineage.rejected_forward r
LEFT JOIN lineage.event e ON e.id = r.event
WHERE r.target = %(target)s ORDER BY r.event LIMIT %(limit)s
