-- name: select_rank_facets(ids) -> RankFacetRow
-- The stored ranks of datasets, and of all others that have one, with the revision of each.
SELECT d.id, d.namespace, d.name, lineage.iso8601(d.first_seen) AS first_seen,
       p.facet ->> 0 AS revision, p.facet -> 1 AS body
FROM lineage.dataset d
CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) -> 'lineage_rank' AS facet
                    FROM lineage.dataset n WHERE n.canonical = d.id AND n.facets ? 'lineage_rank') AS p
WHERE d.canonical = d.id AND (d.id = ANY (%(ids)s) OR p.facet IS NOT NULL)
