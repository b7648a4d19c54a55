-- name: select_orphans(kinds, limit) -> OrphanRow
-- The orphans of each kind that were seen last, at most a number of them, and how many there are; a kind without any
-- has a row without an orphan.
WITH orphan AS MATERIALIZED (
    SELECT * FROM lineage.orphan_set()
)
SELECT kind.kind, coalesce(counted.number, 0) AS number,
       CASE WHEN o.id IS NOT NULL THEN jsonb_build_array(o.id, o.namespace, o.name) END AS entity,
       lineage.iso8601(o.last_seen) AS last_seen
FROM unnest(%(kinds)s::text[]) WITH ORDINALITY AS kind (kind, place)
LEFT JOIN (SELECT x.kind, count(*) AS number FROM orphan x GROUP BY x.kind) AS counted ON counted.kind = kind.kind
LEFT JOIN LATERAL (
    SELECT o.* FROM orphan o WHERE o.kind = kind.kind
    ORDER BY o.last_seen DESC NULLS LAST, o.namespace, o.name LIMIT %(limit)s) AS o ON true
ORDER BY kind.place, o.last_seen DESC NULLS LAST, o.namespace, o.name

-- name: select_least_names(ids, parts) -> LeastRow
-- The first dataset name, in sort order, of each component.
SELECT m.part, min(lineage.full_name(d.namespace, d.name) COLLATE "C") AS name
FROM unnest(%(ids)s::bigint[], %(parts)s::int[]) AS m (id, part)
JOIN lineage.dataset d ON d.id = m.id
GROUP BY m.part

-- name: select_edges_from(ids, observed) -> EdgeRow
-- The edges from these datasets.
SELECT f.source, f.target, f.job, f.runs, lineage.iso8601(f.first_seen) AS first_seen,
       lineage.iso8601(f.last_seen) AS last_seen, f.declared, f.confidence
FROM lineage.edges_from(%(ids)s::bigint[], %(observed)s) AS f
