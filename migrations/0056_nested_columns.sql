-- Traces of columns go on where one job knows a struct, an array or a map as a whole and another one a part of it:
-- from a column to the columns that it is in, and to those in it; never to those beside it.

ALTER TABLE lineage.field ADD COLUMN nested boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN lineage.field.nested IS
    'Whether its name is the path of a nested field: by the newest schema, else by its form';
-- Tells at once that there is none, and which there are in a column.
CREATE INDEX field_nested ON lineage.field (dataset, name) WHERE nested;

-- Whether a name has the form of the path of a nested field, as lineage.schema_fields() writes it.
CREATE FUNCTION lineage.is_path(name text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN strpos(name, '.') > 0 AND name ~ '^([^.`]+|`([^`]|``)+`)(\.([^.`]+|`([^`]|``)+`))+$';

-- The names of the columns that a path leads through, the outermost first, which is written as it is.
CREATE FUNCTION lineage.enclosing_names(path text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH part AS (
        SELECT p[1] AS name, n, count(*) OVER () AS parts, string_agg(p[1], '.') OVER (ORDER BY n) AS path
        FROM regexp_matches(enclosing_names.path, '([^.`]+|`(?:[^`]|``)+`)', 'g') WITH ORDINALITY AS t (p, n)
    )
    SELECT coalesce(array_agg(CASE WHEN n > 1 THEN part.path
                                   WHEN starts_with(name, '`')
                                       THEN replace(substr(name, 2, length(name) - 2), '``', '`')
                                   ELSE name END ORDER BY n), '{}')
    FROM part WHERE n < parts
$$;

-- The columns that nested ones among these are in, and those that are in these.
CREATE FUNCTION lineage.overlapping_columns(ids bigint[]) RETURNS TABLE (id bigint, other bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT f.id, outer_field.id
    FROM lineage.field f
    CROSS JOIN LATERAL unnest(lineage.enclosing_names(f.name)) WITH ORDINALITY AS e (name, depth)
    -- OFFSET 0: by the whole key, not through all columns of the dataset.
    CROSS JOIN LATERAL (
        SELECT o.id FROM lineage.field o
        WHERE o.dataset = f.dataset AND o.name = e.name COLLATE "C" AND (o.nested OR e.depth = 1)
        OFFSET 0) AS outer_field
    WHERE f.id = ANY (ids) AND f.nested
    UNION ALL
    -- "/" comes right after ".": all that begins with the name and a dot lies between.
    SELECT f.id, inner_field.id
    FROM lineage.field f
    JOIN lineage.field inner_field
        ON inner_field.dataset = f.dataset AND inner_field.nested
        AND inner_field.name > f.name || '.' AND inner_field.name < f.name || '/'
    WHERE f.id = ANY (ids) AND (f.nested OR f.name !~ '[.`]')
    UNION ALL
    SELECT f.id, inner_field.id
    FROM lineage.field f
    JOIN lineage.field inner_field
        ON inner_field.dataset = f.dataset AND inner_field.nested
        AND inner_field.name > lineage.backquoted(f.name) || '.' COLLATE "C"
        AND inner_field.name < lineage.backquoted(f.name) || '/' COLLATE "C"
    WHERE f.id = ANY (ids)
$$;

-- As before, and whether it is a nested field.
DROP FUNCTION lineage.schema_fields;
CREATE FUNCTION lineage.schema_fields(facets jsonb) RETURNS TABLE (name text, type text, nested boolean)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS $$
    WITH RECURSIVE top (name, field) AS MATERIALIZED (
        SELECT f ->> 'name', f
        FROM jsonb_path_query(facets, 'lax $.schema[1].fields[*] ? (@.name.type() == "string")') AS f
    ), dotted (name) AS MATERIALIZED (
        SELECT t.name FROM top t WHERE strpos(t.name, '.') > 0
    ), stated (path, below, quoted, field, nested) AS (
        SELECT t.name, CASE WHEN q.quoted OR t.name ~ '[.`]' THEN lineage.backquoted(t.name) ELSE t.name END,
               q.quoted, t.field, false
        FROM top t
        CROSS JOIN LATERAL (SELECT EXISTS (
            SELECT FROM dotted d WHERE starts_with(d.name, t.name || '.')) AS quoted) AS q
        UNION ALL
        SELECT s.below || '.' || n.name, s.below || '.' || n.name, s.quoted, f, true
        FROM stated s
        CROSS JOIN jsonb_path_query(s.field, 'lax $.fields[*] ? (@.name.type() == "string")') AS f
        CROSS JOIN LATERAL (SELECT CASE WHEN s.quoted OR f ->> 'name' ~ '[.`]'
            THEN lineage.backquoted(f ->> 'name') ELSE f ->> 'name' END AS name) AS n
    )
    SELECT path, max(CASE WHEN jsonb_typeof(field -> 'type') = 'string' THEN field ->> 'type' END),
           bool_and(nested)
    FROM stated WHERE path <> '' AND octet_length(path) <= 1000
    GROUP BY path
$$;

UPDATE lineage.field f SET nested = true
FROM (SELECT DISTINCT f.dataset FROM lineage.field f WHERE strpos(f.name, '.') > 0) AS named
CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                    FROM lineage.dataset n WHERE n.canonical = named.dataset) AS n
CROSS JOIN LATERAL (SELECT coalesce(jsonb_object_agg(s.name, s.nested), '{}') AS stated
                    FROM lineage.schema_fields(n.facets) AS s) AS s
WHERE f.dataset = named.dataset AND strpos(f.name, '.') > 0
  AND coalesce((s.stated ->> f.name)::boolean, lineage.is_path(f.name));

-- As before, and by what is around and within: an edge that ends in a part of what was reached, or in what that is a
-- part of, is passed. From its far end the trace goes on; what lies beside a part is not reached by it.
CREATE OR REPLACE FUNCTION lineage.column_edges(roots bigint[], direction text, depth int DEFAULT NULL,
                                     indirect boolean DEFAULT true,
                                     observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, type text, subtype text, masking boolean,
               distance int, runs bigint, first_seen timestamptz, last_seen timestamptz, declared boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    -- Where there is no nested column at all, none is looked for.
    any_nested constant boolean := EXISTS (SELECT FROM lineage.field f WHERE f.nested);
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    RETURN QUERY
    WITH RECURSIVE met (id) AS (
        SELECT root::numeric FROM unnest(roots) AS root
        UNION
        SELECT round(behind.id::numeric, step.distance + 1)
        FROM (SELECT array_agg(m.id::bigint) OVER () AS ids, scale(m.id) AS distance,
                     row_number() OVER () AS n FROM met m) AS step
        CROSS JOIN LATERAL (
            SELECT CASE WHEN any_nested THEN step.ids || ARRAY(
                       SELECT o.other FROM lineage.overlapping_columns(step.ids) AS o)
                   ELSE step.ids END AS columns OFFSET 0) AS near
        CROSS JOIN LATERAL (
            SELECT d.source AS id FROM lineage.derives d
            WHERE column_edges.direction = 'upstream' AND (indirect OR d.type = 'DIRECT')
              AND d.target = ANY (near.columns || ARRAY(
                  SELECT f.dataset FROM lineage.field f WHERE f.id = ANY (step.ids)))
            UNION ALL
            SELECT d.target FROM lineage.derives d
            WHERE column_edges.direction = 'downstream' AND (indirect OR d.type = 'DIRECT')
              AND d.source = ANY (near.columns || ARRAY(
                  SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (step.ids)))
            UNION ALL
            SELECT d.source FROM lineage.declared_column d
            WHERE column_edges.direction = 'upstream' AND (indirect OR d.type = 'DIRECT')
              AND NOT column_edges.observed AND d.target = ANY (near.columns || ARRAY(
                  SELECT f.dataset FROM lineage.field f WHERE f.id = ANY (step.ids)))
            UNION ALL
            SELECT d.target FROM lineage.declared_column d
            WHERE column_edges.direction = 'downstream' AND (indirect OR d.type = 'DIRECT')
              AND NOT column_edges.observed AND d.source = ANY (near.columns || ARRAY(
                  SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (step.ids)))) AS behind
        WHERE step.n = 1 AND step.distance + 1 < least(depth, 16383)
    ), reached AS MATERIALIZED (
        SELECT m.id::bigint AS id, CASE WHEN scale(m.id) < 16383 THEN scale(m.id)
                                        ELSE lineage.distance_of(m.id, depth) END AS distance
        FROM met m WHERE depth IS NULL OR depth > 0
    ), step AS (
        SELECT least.distance, array_agg(least.id) AS ids
        FROM (SELECT near.id, min(near.distance) AS distance FROM (
                  SELECT r.id, r.distance FROM reached r
                  UNION ALL
                  SELECT o.other, met_at.distance
                  FROM (SELECT r.distance, array_agg(r.id) AS ids FROM reached r
                        WHERE any_nested GROUP BY r.distance) AS met_at
                  CROSS JOIN LATERAL lineage.overlapping_columns(met_at.ids) AS o
                  UNION ALL
                  SELECT f.dataset, r.distance FROM reached r JOIN lineage.field f ON f.id = r.id
                  WHERE column_edges.direction = 'upstream'
                  UNION ALL
                  SELECT f.id, r.distance FROM reached r JOIN lineage.field f ON f.dataset = r.id
                  WHERE column_edges.direction = 'downstream') AS near
              GROUP BY near.id) AS least
        GROUP BY least.distance
    )
    SELECT e.source, e.target, e.job, e.type, e.subtype, e.masking, s.distance + 1,
           e.runs, e.first_seen, e.last_seen,
           e.runs = 0 OR EXISTS (
               SELECT FROM lineage.declared_column c
               WHERE (c.source, c.target, c.type, c.subtype, c.masking)
                     = (e.source, e.target, e.type, e.subtype, e.masking)
                 AND coalesce(c.job, e.job) = e.job)
    FROM step s CROSS JOIN LATERAL (
        SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking, d.runs, d.first_seen, d.last_seen
        FROM lineage.derives d
        WHERE column_edges.direction = 'upstream' AND d.target = ANY (s.ids)
        UNION ALL
        SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking, d.runs, d.first_seen, d.last_seen
        FROM lineage.derives d
        WHERE column_edges.direction = 'downstream' AND d.source = ANY (s.ids)
        UNION ALL
        SELECT c.source, c.target, c.job, c.type, c.subtype, c.masking, 0, c.first_seen, c.last_seen
        FROM lineage.declared_column c
        WHERE NOT column_edges.observed
          AND (column_edges.direction = 'upstream' AND c.target = ANY (s.ids)
               OR column_edges.direction = 'downstream' AND c.source = ANY (s.ids))
          -- What runs of the job show too is an edge of theirs.
          AND NOT EXISTS (
              SELECT FROM lineage.derives d
              WHERE (d.source, d.target, d.type, d.subtype, d.masking)
                    = (c.source, c.target, c.type, c.subtype, c.masking)
                AND d.job = coalesce(c.job, d.job))) AS e
    WHERE indirect OR e.type = 'DIRECT';
END $$;

COMMENT ON FUNCTION lineage.is_path IS 'Whether a name has the form of the path of a nested field';
COMMENT ON FUNCTION lineage.enclosing_names IS 'The names of the columns that a nested field is in';
COMMENT ON FUNCTION lineage.overlapping_columns IS 'What columns are in, and what is in them';
COMMENT ON FUNCTION lineage.schema_fields IS 'The columns of a schema facet, nested ones by their paths';
