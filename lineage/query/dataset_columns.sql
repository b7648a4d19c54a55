-- name: select_dataset_columns(dataset, text, observed, limit, offset) -> DatasetColumnRow
-- The columns of a dataset by name, with the numbers of columns one edge away: those of select_column_edges() at depth
-- 1. An edge to the whole dataset counts for each of its columns; these edges are read once. The edges of columns that
-- enclose a column, of the fields nested in it, and of its other spellings count for it too.
WITH page AS MATERIALIZED (
    SELECT f.id, f.name, f.type, f.nested, count(*) OVER () AS total
    FROM lineage.field f
    WHERE f.dataset = %(dataset)s
      AND (%(text)s = '' OR strpos(lower(f.name COLLATE "default"), lower(%(text)s)) > 0)
    ORDER BY f.name LIMIT %(limit)s OFFSET %(offset)s
), near AS MATERIALIZED (
    SELECT p.id AS field, p.id AS near FROM page p
    UNION ALL
    SELECT o.id, o.other FROM lineage.adjoining_columns(ARRAY(SELECT p.id FROM page p)) AS o
    WHERE EXISTS (SELECT FROM lineage.field f
                  WHERE f.dataset = %(dataset)s AND (f.nested OR f.spelling_of IS NOT NULL))
      AND o.other <> o.id
), whole AS MATERIALIZED (
    SELECT e.source AS far, bool_or(e.type = 'DIRECT') AS direct
    FROM (SELECT d.source, d.type FROM lineage.derives d WHERE d.target = %(dataset)s
          UNION ALL
          SELECT c.source, c.type FROM lineage.declared_column c
          WHERE c.target = %(dataset)s AND NOT %(observed)s) AS e
    GROUP BY e.source
), own AS MATERIALIZED (
    SELECT e.field, e.upstream, e.far, bool_or(e.type = 'DIRECT') AS direct
    FROM (SELECT n.field, true AS upstream, d.source AS far, d.type
          FROM near n JOIN lineage.derives d ON d.target = n.near
          UNION ALL
          SELECT n.field, true, c.source, c.type
          FROM near n JOIN lineage.declared_column c ON c.target = n.near WHERE NOT %(observed)s
          UNION ALL
          SELECT n.field, false, d.target, d.type
          FROM near n JOIN lineage.derives d ON d.source = n.near
          UNION ALL
          SELECT n.field, false, c.target, c.type
          FROM near n JOIN lineage.declared_column c ON c.source = n.near WHERE NOT %(observed)s) AS e
    WHERE e.far <> e.field
    GROUP BY e.field, e.upstream, e.far
), number AS MATERIALIZED (
    SELECT o.field, count(*) FILTER (WHERE o.upstream AND w.far IS NULL) AS upstream,
           count(*) FILTER (WHERE o.upstream AND o.direct AND w.direct IS NOT TRUE) AS upstream_direct,
           count(*) FILTER (WHERE NOT o.upstream) AS downstream,
           count(*) FILTER (WHERE NOT o.upstream AND o.direct) AS downstream_direct
    FROM own o LEFT JOIN whole w ON o.upstream AND w.far = o.far
    GROUP BY o.field
), of_whole AS MATERIALIZED (
    SELECT count(*) AS upstream, count(*) FILTER (WHERE w.direct) AS upstream_direct FROM whole w
), reported AS MATERIALIZED (
    SELECT lineage.merged_facets(n.facets) AS facets FROM lineage.dataset n WHERE n.canonical = %(dataset)s
), description AS MATERIALIZED (
    SELECT f ->> 'name' AS name, max(f ->> 'description') AS text
    FROM reported r CROSS JOIN LATERAL jsonb_path_query(r.facets, 'lax $.schema[1].fields[*]
        ? (@.name.type() == "string" && @.description.type() == "string")') AS f
    GROUP BY 1
), tag AS MATERIALIZED (
    SELECT t ->> 'field' AS name,
           array_agg(DISTINCT lineage.tag_name(t)) AS tags
    FROM reported r CROSS JOIN LATERAL jsonb_path_query(r.facets, 'lax $.tags[1].tags[*]
        ? (@.field.type() == "string" && @.key.type() == "string")') AS t
    GROUP BY 1
)
SELECT p.total, p.name, p.type, p.nested, d.text AS description, t.tags,
       coalesce(n.upstream, 0) + w.upstream - (s.far IS NOT NULL)::int AS upstream,
       coalesce(n.upstream_direct, 0) + w.upstream_direct - (s.direct IS TRUE)::int AS upstream_direct,
       coalesce(n.downstream, 0) AS downstream, coalesce(n.downstream_direct, 0) AS downstream_direct
FROM page p
CROSS JOIN of_whole w
LEFT JOIN number n ON n.field = p.id
LEFT JOIN whole s ON s.far = p.id
LEFT JOIN description d ON d.name = p.name AND NOT p.nested
LEFT JOIN tag t ON t.name = p.name
ORDER BY p.name
