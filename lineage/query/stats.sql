-- name: count_assets() -> AssetCountRow
-- The numbers of nodes of graph models by type and by system.
SELECT k.key, (n.texts -> k.key ->> 1)::json #>> '{}' AS value, count(*) AS number
FROM lineage.node n CROSS JOIN (VALUES ('node_type'), ('system')) AS k (key)
GROUP BY 1, 2
ORDER BY 1, 3 DESC, 2
