-- The column of the newest schema that a name in another case means.
ALTER TABLE lineage.field ADD COLUMN spelling_of bigint;
COMMENT ON COLUMN lineage.field.spelling_of IS
    'The column of the newest schema that this name means in another case; null for all other names';
-- For two searches: whether any name has another spelling, and which are those of a column.
CREATE INDEX field_spelling ON lineage.field (spelling_of) WHERE spelling_of IS NOT NULL;

-- Those of an existing graph, as set_spellings of lineage/projection/fields.sql writes them.
DO $$
BEGIN
    IF EXISTS (SELECT FROM lineage.field) THEN
        WITH alike AS MATERIALIZED (
            SELECT f.dataset, lower(f.name COLLATE "default") AS folded, array_agg(f.id) AS ids
            FROM lineage.field f GROUP BY 1, 2 HAVING count(*) > 1
        ), listed AS MATERIALIZED (
            SELECT a.dataset, s.name
            FROM (SELECT DISTINCT dataset FROM alike) AS a
            CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                                FROM lineage.dataset n WHERE n.canonical = a.dataset) AS n
            CROSS JOIN LATERAL lineage.schema_fields(n.facets) AS s
        ), meant AS MATERIALIZED (
            SELECT a.ids, min(f.id) AS id
            FROM alike a JOIN lineage.field f ON f.id = ANY (a.ids) JOIN listed l ON (l.dataset, l.name) = (f.dataset, f.name)
            GROUP BY a.ids HAVING count(*) = 1
        )
        UPDATE lineage.field f SET spelling_of = m.id
        FROM meant m WHERE f.id = ANY (m.ids) AND f.id <> m.id;
    END IF;
END $$;
