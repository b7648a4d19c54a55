-- name: select_pairs(observed) -> PairsRow
-- The pairs of datasets of FEEDS and of DECLARED or, if observed, of FEEDS alone: one row with an array for each column,
-- which takes a fraction of the time of a row for each pair.
SELECT array_agg(p.source) AS sources, array_agg(p.target) AS targets
FROM (SELECT source, target FROM lineage.feeds
      UNION SELECT source, target FROM lineage.declared WHERE NOT %(observed)s::boolean
      ORDER BY source, target) AS p
