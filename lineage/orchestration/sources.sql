-- name: select_source_details(since, observed) -> SourceRow
-- The datasets that no run wrote, except failed ones, and that runs read or a design reads; with their columns, those
-- that column lineage begins at, and whether each job that makes something of them reports columns. last_read: by any
-- run but checks.
WITH source AS MATERIALIZED (
    SELECT o.id FROM lineage.orphans() AS o WHERE o.kind = 'external source'
    UNION
    SELECT e.source FROM lineage.declared e WHERE NOT %(observed)s AND NOT lineage.is_written(e.source)
    UNION
    SELECT n.canonical
    FROM lineage.design_access a
    JOIN lineage.design g ON g.holder = a.holder AND g.revision = a.revision
    JOIN lineage.dataset n ON n.id = a.dataset
    WHERE NOT %(observed)s AND NOT a.output AND NOT lineage.is_written(n.canonical)
)
SELECT d.id, d.namespace, d.name, lineage.facet_owners(m.facets) AS owners, lineage.facet_tags(m.facets) AS tags,
       lineage.iso8601(u.last_read) AS last_read, c.columns, c.used AS columns_used,
       NOT EXISTS (SELECT FROM lineage.feeds f WHERE f.source = d.id AND NOT EXISTS (
           SELECT FROM lineage.field x JOIN lineage.derives e ON e.source = x.id
           WHERE x.dataset = d.id AND e.job = f.job)) AS columns_known
FROM source s
JOIN lineage.dataset d ON d.id = s.id
JOIN lineage.dataset_usage(ARRAY(SELECT id FROM source), %(since)s::timestamptz) AS u ON u.id = d.id
CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                    FROM lineage.dataset n WHERE n.canonical = d.id) AS m
CROSS JOIN LATERAL (
    SELECT count(*)::int AS columns,
           count(*) FILTER (WHERE EXISTS (SELECT FROM lineage.derives e WHERE e.source = x.id))::int AS used
    FROM lineage.field x WHERE x.dataset = d.id AND NOT x.nested) AS c
ORDER BY d.namespace, d.name

-- name: select_fed_pairs(observed) -> PairRow
-- The pairs of FEEDS and, unless only observed ones are requested, of designs.
SELECT f.source, f.target FROM lineage.feeds f
UNION
SELECT e.source, e.target FROM lineage.declared e WHERE NOT %(observed)s

-- name: select_all_names() -> NameRow
-- All datasets by id, with their full names.
SELECT d.id, d.namespace, d.name FROM lineage.dataset d WHERE d.id = d.canonical
