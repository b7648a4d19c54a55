-- A nested field and a column whose name has a dot in it are two: names with a dot or a backquote on the
-- way to a nested field stand in backquotes, and all of them do where another column of the dataset has a
-- name that begins like the path. A column itself is written by its name as it is. The same is done by
-- lineage.spark.columns.algebra.path().
CREATE FUNCTION lineage.backquoted(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '`' || replace(name, '`', '``') || '`';

CREATE OR REPLACE FUNCTION lineage.schema_fields(facets jsonb) RETURNS TABLE (name text, type text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS $$
    WITH RECURSIVE top (name, field) AS MATERIALIZED (
        SELECT f ->> 'name', f
        FROM jsonb_path_query(facets, 'lax $.schema[1].fields[*] ? (@.name.type() == "string")') AS f
    ), dotted (name) AS MATERIALIZED (
        SELECT t.name FROM top t WHERE strpos(t.name, '.') > 0
    ), stated (path, below, quoted, field) AS (
        SELECT t.name, CASE WHEN q.quoted OR t.name ~ '[.`]' THEN lineage.backquoted(t.name) ELSE t.name END,
               q.quoted, t.field
        FROM top t
        CROSS JOIN LATERAL (SELECT EXISTS (
            SELECT FROM dotted d WHERE starts_with(d.name, t.name || '.')) AS quoted) AS q
        UNION ALL
        SELECT s.below || '.' || n.name, s.below || '.' || n.name, s.quoted, f
        FROM stated s
        CROSS JOIN jsonb_path_query(s.field, 'lax $.fields[*] ? (@.name.type() == "string")') AS f
        CROSS JOIN LATERAL (SELECT CASE WHEN s.quoted OR f ->> 'name' ~ '[.`]'
            THEN lineage.backquoted(f ->> 'name') ELSE f ->> 'name' END AS name) AS n
    )
    SELECT path, max(CASE WHEN jsonb_typeof(field -> 'type') = 'string' THEN field ->> 'type' END)
    FROM stated WHERE path <> '' AND octet_length(path) <= 1000
    GROUP BY path
$$;
