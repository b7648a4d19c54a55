-- name: select_path_edges(start, goal, observed, min_confidence, every, limit) -> PathEdgeRow
-- The edges of the shortest paths from one dataset to another, or of all paths, with the total numbers of edges and
-- datasets and the length of the shortest path.
WITH p AS MATERIALIZED (
    SELECT * FROM lineage.shortest_path_edges(%(start)s, %(goal)s, %(observed)s, %(min_confidence)s) WHERE NOT %(every)s
    UNION ALL
    SELECT * FROM lineage.all_path_edges(%(start)s, %(goal)s, %(observed)s, %(min_confidence)s) WHERE %(every)s
), whole AS MATERIALIZED (
    SELECT count(*) AS edges, count(DISTINCT target) FILTER (WHERE target <> %(start)s) AS nodes,
           min(distance) FILTER (WHERE target = %(goal)s) AS length
    FROM p
), near AS MATERIALIZED (
    -- Only edges within the limit: entities are not looked up for the others.
    SELECT min(distance) AS farthest
    FROM (SELECT distance, sum(count(*)) OVER (ORDER BY distance) AS edges
          FROM p GROUP BY distance) AS step
    WHERE edges >= %(limit)s
)
SELECT whole.edges AS total, whole.nodes, whole.length, p.distance,
       p.source, p.target, p.job, p.runs,
       lineage.iso8601(p.first_seen) AS first_seen, lineage.iso8601(p.last_seen) AS last_seen, p.declared,
       p.confidence
FROM p CROSS JOIN whole CROSS JOIN near
WHERE near.farthest IS NULL OR p.distance <= near.farthest
