-- name: add_columns(datasets, names) -> int
-- Insert the fields of columns in mappings; return the new ones. Twin of their search texts: add_schema_columns.
WITH added AS (
    INSERT INTO lineage.field (id, dataset, name, nested)
    SELECT lineage.next_id('Field'), dataset, name, lineage.is_path(name)
    FROM (SELECT DISTINCT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = input.dataset), name
          FROM unnest(%(datasets)s::bigint[], %(names)b::text[]) AS input (dataset, name)) AS named (dataset, name)
    ON CONFLICT (dataset, name) DO NOTHING
    RETURNING id, name
), searchable AS (
    INSERT INTO lineage.search_text (kind, field, text)
    SELECT DISTINCT 'column', 'name', a.name FROM added a
    WHERE (SELECT true FROM lineage.search_text s WHERE s.kind = 'column' AND s.text = a.name LIMIT 1) IS NULL
)
SELECT id FROM added

-- name: add_schema_columns(datasets) -> int
-- Insert or update the fields of the newest schemas; return those that are new or whose type changed. Twin of their
-- search texts: add_columns.
WITH added AS (
    INSERT INTO lineage.field AS f (id, dataset, name, type, nested)
    SELECT lineage.next_id('Field'), requested.id, s.name, s.type, s.nested
    FROM unnest(%(datasets)s::bigint[]) AS requested (id)
    CROSS JOIN LATERAL (
        SELECT lineage.merged_facets(n.facets) AS facets FROM lineage.dataset n
        WHERE n.canonical = requested.id) AS n
    CROSS JOIN LATERAL lineage.schema_fields(n.facets) AS s
    ON CONFLICT (dataset, name) DO UPDATE SET type = excluded.type, nested = excluded.nested
    WHERE (f.type, f.nested) IS DISTINCT FROM (excluded.type, excluded.nested)
    RETURNING id, name
), searchable AS (
    INSERT INTO lineage.search_text (kind, field, text)
    SELECT DISTINCT 'column', 'name', a.name FROM added a
    WHERE (SELECT true FROM lineage.search_text s WHERE s.kind = 'column' AND s.text = a.name LIMIT 1) IS NULL
)
SELECT id FROM added

-- name: select_dropped(datasets) -> DroppedRow
-- Fields that are not in the newest schema. ``typed``: with the type of an earlier schema. ``mapped``: in
-- a mapping.
SELECT f.id, f.type IS NOT NULL OR f.nested <> lineage.is_path(f.name) AS typed,
       lineage.is_field_mapped(requested.id, f.name) AS mapped
FROM unnest(%(datasets)s::bigint[]) AS requested (id)
CROSS JOIN LATERAL (
    SELECT array_agg(s.name) AS names
    FROM (SELECT lineage.merged_facets(n.facets) AS facets FROM lineage.dataset n
          WHERE n.canonical = requested.id) AS n
    CROSS JOIN LATERAL lineage.schema_fields(n.facets) AS s) AS s
CROSS JOIN LATERAL (
    SELECT f.id, f.name, f.type, f.nested FROM lineage.field f
    WHERE f.dataset = requested.id AND f.name <> ALL (coalesce(s.names, '{}')) OFFSET 0) AS f

-- name: set_spellings(datasets, fields) -> None
-- In these datasets and those of the fields: of the names that differ only by case, those that the newest schema lacks
-- mean the one that it has. If it has several of them, they are different columns, and the others may mean any of them.
-- The fields of each dataset are read in turn: this transaction has no hash joins.
WITH requested (id) AS MATERIALIZED (
    SELECT unnest(%(datasets)s::bigint[])
    UNION SELECT c.dataset FROM lineage.field c WHERE c.id = ANY (%(fields)s::bigint[])
), spelling AS MATERIALIZED (
    SELECT f.id, f.meant
    FROM requested q
    CROSS JOIN LATERAL (
        SELECT CASE WHEN (SELECT count(*) > count(DISTINCT lower(f.name COLLATE "default"))
                          FROM lineage.field f WHERE f.dataset = q.id)
               THEN ARRAY(SELECT s.name
                          FROM (SELECT lineage.merged_facets(n.facets) AS facets FROM lineage.dataset n
                                WHERE n.canonical = q.id) AS n
                          CROSS JOIN LATERAL lineage.schema_fields(n.facets) AS s) END AS names) AS listed
    CROSS JOIN LATERAL (
        SELECT e.id, e.spelling_of,
               CASE WHEN count(*) FILTER (WHERE e.is_listed) OVER same_name = 1
                    THEN nullif(min(e.id) FILTER (WHERE e.is_listed) OVER same_name, e.id) END AS meant
        FROM (SELECT f.id, f.spelling_of, lower(f.name COLLATE "default") AS folded,
                     f.name = ANY (listed.names) AS is_listed
              FROM lineage.field f WHERE f.dataset = q.id) AS e
        WINDOW same_name AS (PARTITION BY e.folded)) AS f
    WHERE f.spelling_of IS DISTINCT FROM f.meant
)
UPDATE lineage.field f SET spelling_of = s.meant FROM spelling s WHERE f.id = s.id

-- name: write_field_vertices(fields) -> None
-- Write Field vertices from the facts.
INSERT INTO provenance."Field" AS v (id, properties)
SELECT lineage.to_graphid(f.id), lineage.field_properties(f, d.namespace, d.name)
FROM lineage.field f
CROSS JOIN LATERAL (
    SELECT d.namespace, d.name FROM lineage.dataset d WHERE d.id = f.dataset OFFSET 0) AS d
WHERE f.id = ANY (%(fields)s::bigint[])
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE v.properties IS DISTINCT FROM excluded.properties

-- name: write_field_edges(fields) -> None
-- Write HAS_FIELD edges of fields.
INSERT INTO provenance."HAS_FIELD" (start_id, end_id)
SELECT lineage.to_graphid(f.dataset), lineage.to_graphid(f.id)
FROM lineage.field f WHERE f.id = ANY (%(fields)s::bigint[])
ON CONFLICT (start_id, end_id) DO NOTHING

-- name: set_schemas(datasets, digests) -> None
-- Record the digests of the schemas whose columns are in the graph.
UPDATE lineage.dataset d SET schema = input.digest
FROM unnest(%(datasets)s::bigint[], %(digests)s::bigint[]) AS input (vertex, digest)
WHERE d.id = input.vertex
