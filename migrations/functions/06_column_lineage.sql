-- The edges that a trace from these columns follows, each once, with the distance of their far end when the edge was
-- reached. An edge to a whole dataset counts as an edge to each of its columns. indirect: also follow edges of filters,
-- joins, groups and order.
-- An edge that ends in a nested field of a reached column, or in a column that encloses it, is followed too; this does
-- not reach sibling fields. So is an edge that ends in another spelling of the column.
CREATE OR REPLACE FUNCTION lineage.column_closure_edges(
    roots bigint[], direction text, depth int DEFAULT NULL, indirect boolean DEFAULT true,
    observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, type text, subtype text, masking boolean,
               distance int, runs bigint, first_seen timestamptz, last_seen timestamptz, declared boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    -- Without any nested column, and without any name with another spelling, the search for them is skipped.
    any_spelling constant boolean := EXISTS (SELECT FROM lineage.field f WHERE f.spelling_of IS NOT NULL);
    any_nested constant boolean := NOT any_spelling AND EXISTS (SELECT FROM lineage.field f WHERE f.nested);
BEGIN
    IF direction IN ('upstream', 'downstream') IS NOT TRUE THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    RETURN QUERY
    WITH RECURSIVE met (id) AS (
        SELECT root::numeric FROM unnest(roots) AS root
        UNION
        SELECT round(adjacent.id::numeric, step.distance + 1)
        FROM (SELECT array_agg(m.id::bigint) OVER () AS ids, scale(m.id) AS distance,
                     row_number() OVER () AS n FROM met m) AS step
        CROSS JOIN LATERAL (
            SELECT CASE WHEN any_nested THEN step.ids || ARRAY(
                       SELECT o.other FROM lineage.overlapping_columns(step.ids) AS o)
                   WHEN any_spelling THEN step.ids || ARRAY(
                       SELECT o.other FROM lineage.adjoining_columns(step.ids) AS o)
                   ELSE step.ids END AS columns OFFSET 0) AS near
        CROSS JOIN LATERAL (
            SELECT d.source AS id FROM lineage.derives d
            WHERE column_closure_edges.direction = 'upstream' AND (indirect OR d.type = 'DIRECT')
              AND d.target = ANY (near.columns || ARRAY(
                  SELECT f.dataset FROM lineage.field f WHERE f.id = ANY (step.ids)))
            UNION ALL
            SELECT d.target FROM lineage.derives d
            WHERE column_closure_edges.direction = 'downstream' AND (indirect OR d.type = 'DIRECT')
              AND d.source = ANY (near.columns || ARRAY(
                  SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (step.ids)))
            UNION ALL
            SELECT d.source FROM lineage.declared_column d
            WHERE column_closure_edges.direction = 'upstream' AND (indirect OR d.type = 'DIRECT')
              AND NOT column_closure_edges.observed AND d.target = ANY (near.columns || ARRAY(
                  SELECT f.dataset FROM lineage.field f WHERE f.id = ANY (step.ids)))
            UNION ALL
            SELECT d.target FROM lineage.declared_column d
            WHERE column_closure_edges.direction = 'downstream' AND (indirect OR d.type = 'DIRECT')
              AND NOT column_closure_edges.observed AND d.source = ANY (near.columns || ARRAY(
                  SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (step.ids)))) AS adjacent
        WHERE step.n = 1 AND step.distance + 1 < least(depth, 16383)
    ), reached AS MATERIALIZED (
        SELECT m.id::bigint AS id, CASE WHEN scale(m.id) < 16383 THEN scale(m.id)
                                        ELSE lineage.distance_from_scale(m.id, depth) END AS distance
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
                  SELECT o.other, met_at.distance
                  FROM (SELECT r.distance, array_agg(r.id) AS ids FROM reached r
                        WHERE any_spelling GROUP BY r.distance) AS met_at
                  CROSS JOIN LATERAL lineage.adjoining_columns(met_at.ids) AS o
                  UNION ALL
                  SELECT f.dataset, r.distance FROM reached r JOIN lineage.field f ON f.id = r.id
                  WHERE column_closure_edges.direction = 'upstream'
                  UNION ALL
                  SELECT f.id, r.distance FROM reached r JOIN lineage.field f ON f.dataset = r.id
                  WHERE column_closure_edges.direction = 'downstream') AS near
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
        WHERE column_closure_edges.direction = 'upstream' AND d.target = ANY (s.ids)
        UNION ALL
        SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking, d.runs, d.first_seen, d.last_seen
        FROM lineage.derives d
        WHERE column_closure_edges.direction = 'downstream' AND d.source = ANY (s.ids)
        UNION ALL
        SELECT c.source, c.target, c.job, c.type, c.subtype, c.masking, 0, c.first_seen, c.last_seen
        FROM lineage.declared_column c
        WHERE NOT column_closure_edges.observed
          AND (column_closure_edges.direction = 'upstream' AND c.target = ANY (s.ids)
               OR column_closure_edges.direction = 'downstream' AND c.source = ANY (s.ids))
          -- If runs of the job show the pair too, the DERIVES edge is returned instead.
          AND NOT EXISTS (
              SELECT FROM lineage.derives d
              WHERE (d.source, d.target, d.type, d.subtype, d.masking)
                    = (c.source, c.target, c.type, c.subtype, c.masking)
                AND d.job = coalesce(c.job, d.job))) AS e
    WHERE indirect OR e.type = 'DIRECT';
END $$;
COMMENT ON FUNCTION lineage.column_closure_edges IS 'The edges that a trace of columns follows';

-- The columns that a column derives from or feeds, each with its least distance; the column itself is at 0. direct:
-- whether a path of only direct edges leads there. An id is that of a column, or of a dataset all of whose columns
-- depend on the column.
CREATE OR REPLACE FUNCTION lineage.column_closure(
    field bigint, direction text DEFAULT 'upstream', depth int DEFAULT NULL, indirect boolean DEFAULT true,
    observed boolean DEFAULT false)
RETURNS TABLE (id bigint, distance int, direct boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT id, min(distance), bool_or(direct) FROM (
        SELECT field AS id, 0 AS distance, true AS direct
        UNION ALL
        SELECT CASE direction WHEN 'upstream' THEN source ELSE target END, distance, true
        FROM lineage.column_closure_edges(ARRAY[field], direction, depth, false, observed)
        UNION ALL
        SELECT CASE direction WHEN 'upstream' THEN source ELSE target END, distance, false
        FROM lineage.column_closure_edges(ARRAY[field], direction, depth, indirect, observed)
    ) AS met GROUP BY id
$$;
COMMENT ON FUNCTION lineage.column_closure IS 'The columns of a trace with their distance';

-- A row without a field is a dataset all of whose columns depend on the column.
CREATE OR REPLACE FUNCTION lineage.upstream_columns(
    dataset text, field text, depth int DEFAULT NULL, indirect boolean DEFAULT true,
    observed boolean DEFAULT false)
RETURNS TABLE (distance int, direct boolean, namespace text, name text, field_name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, t.direct, d.namespace, d.name, f.name
    FROM lineage.column_closure(lineage.column_id(upstream_columns.dataset, field), 'upstream', depth, indirect,
        observed) t
    LEFT JOIN lineage.field f ON f.id = t.id
    JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)
    ORDER BY t.distance, d.namespace, d.name, f.name
$$;
COMMENT ON FUNCTION lineage.upstream_columns IS 'The columns upstream of a column';

CREATE OR REPLACE FUNCTION lineage.downstream_columns(
    dataset text, field text, depth int DEFAULT NULL, indirect boolean DEFAULT true,
    observed boolean DEFAULT false)
RETURNS TABLE (distance int, direct boolean, namespace text, name text, field_name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, t.direct, d.namespace, d.name, f.name
    FROM lineage.column_closure(lineage.column_id(downstream_columns.dataset, field), 'downstream', depth, indirect,
        observed) t
    LEFT JOIN lineage.field f ON f.id = t.id
    JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)
    ORDER BY t.distance, d.namespace, d.name, f.name
$$;
COMMENT ON FUNCTION lineage.downstream_columns IS 'The columns downstream of a column';

-- The columns that enclose nested fields among these, and the nested fields of these.
CREATE OR REPLACE FUNCTION lineage.overlapping_columns(ids bigint[]) RETURNS TABLE (id bigint, other bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT f.id, outer_field.id
    FROM lineage.field f
    CROSS JOIN LATERAL unnest(lineage.enclosing_names(f.name)) WITH ORDINALITY AS e (name, depth)
    -- OFFSET 0: search by the whole key, not through all columns of the dataset.
    CROSS JOIN LATERAL (
        SELECT o.id FROM lineage.field o
        WHERE o.dataset = f.dataset AND o.name = e.name COLLATE "C" AND (o.nested OR e.depth = 1)
        OFFSET 0) AS outer_field
    WHERE f.id = ANY (ids) AND f.nested
    UNION ALL
    -- "/" follows "." in the collation: all names that begin with the name and a dot sort between the two.
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
        AND inner_field.name > lineage.quote_field(f.name) || '.' COLLATE "C"
        AND inner_field.name < lineage.quote_field(f.name) || '/' COLLATE "C"
    WHERE f.id = ANY (ids)
$$;
COMMENT ON FUNCTION lineage.overlapping_columns IS 'The columns that enclose columns, and the fields nested in them';

-- The other spellings of columns: the names that mean the same column of the newest schema in another case.
CREATE OR REPLACE FUNCTION lineage.other_spellings(ids bigint[]) RETURNS TABLE (id bigint, other bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT f.id, f.spelling_of FROM lineage.field f WHERE f.id = ANY (ids) AND f.spelling_of IS NOT NULL
    UNION ALL
    SELECT f.id, s.id
    FROM lineage.field f JOIN lineage.field s ON s.spelling_of = coalesce(f.spelling_of, f.id) AND s.id <> f.id
    WHERE f.id = ANY (ids)
$$;
COMMENT ON FUNCTION lineage.other_spellings IS 'The names of the same columns in another case';

-- The columns whose edges a trace also follows from these columns: those that overlap them, each by all of its
-- spellings. Not in SQL: inlined, it would make the plan of a trace without other spellings larger.
CREATE OR REPLACE FUNCTION lineage.adjoining_columns(ids bigint[]) RETURNS TABLE (id bigint, other bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 AS $$
BEGIN
    RETURN QUERY
    WITH spelled AS MATERIALIZED (
        SELECT i.id, i.id AS other FROM unnest(ids) AS i (id)
        UNION ALL
        SELECT o.id, o.other FROM lineage.other_spellings(ids) AS o
    ), overlapping AS MATERIALIZED (
        SELECT s.id, s.other FROM spelled s
        UNION ALL
        SELECT s.id, o.other
        FROM lineage.overlapping_columns(ARRAY(SELECT s.other FROM spelled s)) AS o JOIN spelled s ON s.other = o.id
    )
    SELECT o.id, o.other FROM overlapping o
    UNION
    SELECT o.id, s.other
    FROM lineage.other_spellings(ARRAY(SELECT o.other FROM overlapping o)) AS s JOIN overlapping o ON o.other = s.id;
END $$;
COMMENT ON FUNCTION lineage.adjoining_columns IS 'The columns whose edges a trace of columns also follows';
