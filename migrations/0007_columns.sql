-- Columns: which there are, which of them derives from which, and the questions about that.

-- A column is one of the newest schema of its dataset, or one that some columnLineage facet names.
-- Its id is that of its vertex; dataset is the id of the vertex that has it.
CREATE TABLE lineage.field (
    id      bigint PRIMARY KEY,
    dataset bigint NOT NULL,
    name    text COLLATE "C" NOT NULL,
    type    text,
    UNIQUE (dataset, name)
);

-- What a columnLineage facet says, once, however many runs say it.
CREATE TABLE lineage.mapping (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,
    target bigint NOT NULL,
    unread jsonb NOT NULL
);
CREATE INDEX mapping_target ON lineage.mapping (target);

-- Datasets are the names that were stated. An empty target_field is the whole dataset.
CREATE TABLE lineage.derivation (
    mapping      bigint NOT NULL,
    source       bigint NOT NULL,
    source_field text COLLATE "C" NOT NULL,
    target_field text COLLATE "C" NOT NULL,
    type         text COLLATE "C" NOT NULL CHECK (type IN ('DIRECT', 'INDIRECT')),
    subtype      text COLLATE "C" NOT NULL,
    masking      boolean NOT NULL
);
CREATE INDEX derivation_target ON lineage.derivation (mapping, target_field);
CREATE INDEX derivation_source ON lineage.derivation (source, source_field);

-- What a run said last of an output. The greater stamp wins.
CREATE TABLE lineage.run_mapping (
    run     bigint NOT NULL,
    job     bigint NOT NULL,
    dataset bigint NOT NULL,
    stamp   text COLLATE "C" NOT NULL,
    mapping bigint NOT NULL,
    PRIMARY KEY (run, job, dataset)
) WITH (fillfactor = 90);
CREATE INDEX run_mapping_mapping ON lineage.run_mapping (mapping);

-- The summary: what all runs of a job that did not fail say together. source is a column, target a
-- column or, where all columns of a dataset depend on the source, that dataset.
CREATE TABLE lineage.derives (
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    job        bigint NOT NULL,
    type       text COLLATE "C" NOT NULL,
    subtype    text COLLATE "C" NOT NULL,
    masking    boolean NOT NULL,
    runs       bigint NOT NULL,
    first_seen timestamptz,
    last_seen  timestamptz,
    edge       bigint NOT NULL,
    PRIMARY KEY (source, target, job, type, subtype, masking)
) WITH (fillfactor = 80);
CREATE INDEX derives_target ON lineage.derives (target, source);
CREATE UNIQUE INDEX derives_edge ON lineage.derives (edge);

COMMENT ON TABLE lineage.field IS 'Columns of datasets; the vertices Field';
COMMENT ON TABLE lineage.mapping IS 'Distinct statements of how the columns of a dataset are made';
COMMENT ON COLUMN lineage.mapping.unread IS 'Where in the facet there is what could not be read';
COMMENT ON TABLE lineage.derivation IS 'From which column to which a mapping leads';
COMMENT ON TABLE lineage.run_mapping IS 'Which mapping a run stated for an output';
COMMENT ON TABLE lineage.derives IS 'Which column derives from which, by which job; the edges DERIVES';

-- The columns of a schema facet; those inside a struct by their path. 1,000 bytes is what an index takes
-- (lineage.openlineage.columns has the same limit).
CREATE FUNCTION lineage.schema_fields(facets jsonb) RETURNS TABLE (name text, type text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS $$
    WITH RECURSIVE stated (path, field) AS (
        SELECT f ->> 'name', f
        FROM jsonb_path_query(facets, 'lax $.schema[1].fields[*] ? (@.name.type() == "string")') AS f
        UNION ALL
        SELECT s.path || '.' || (f ->> 'name'), f
        FROM stated s
        CROSS JOIN jsonb_path_query(s.field, 'lax $.fields[*] ? (@.name.type() == "string")') AS f
    )
    SELECT path, max(CASE WHEN jsonb_typeof(field -> 'type') = 'string' THEN field ->> 'type' END)
    FROM stated WHERE path <> '' AND octet_length(path) <= 1000
    GROUP BY path
$$;

CREATE FUNCTION lineage.field_properties(f lineage.field, namespace text, dataset text)
RETURNS ag_catalog.agtype LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.properties(jsonb_build_object(
    'namespace', namespace, 'dataset', dataset, 'name', f.name, 'type', f.type));

CREATE FUNCTION lineage.derives_properties(d lineage.derives, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.properties(jsonb_build_object(
    'type', d.type, 'subtype', nullif(d.subtype, ''), 'masking', nullif(d.masking, false),
    'job_namespace', job_namespace, 'job', job, 'runs', d.runs,
    'first_seen', lineage.iso(d.first_seen), 'last_seen', lineage.iso(d.last_seen)));

-- The vertex of a column of a stated dataset, or of the dataset where the column is empty.
CREATE FUNCTION lineage.field_vertex(stated bigint, field text) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE field
    WHEN '' THEN (SELECT d.canonical FROM lineage.dataset d WHERE d.id = stated)
    ELSE (SELECT f.id FROM lineage.field f
          WHERE f.dataset = (SELECT d.canonical FROM lineage.dataset d WHERE d.id = stated)
            AND f.name = field) END;

-- Whether some mapping names a column of a dataset.
CREATE FUNCTION lineage.is_mapped(dataset bigint, field text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.derivation d ON d.source = n.id AND d.source_field = field
               WHERE n.canonical = is_mapped.dataset)
    OR EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.mapping m ON m.target = n.id
               JOIN lineage.derivation d ON d.mapping = m.id AND d.target_field = field
               WHERE n.canonical = is_mapped.dataset);

-- The mappings that lead from a column to a column or a dataset.
CREATE FUNCTION lineage.mappings_of(edge lineage.derives) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
    SELECT array_agg(d.mapping)
    FROM lineage.field f
    JOIN lineage.dataset n ON n.canonical = f.dataset
    JOIN lineage.derivation d ON d.source = n.id AND d.source_field = f.name
    JOIN lineage.mapping m ON m.id = d.mapping
    WHERE f.id = (edge).source
      AND lineage.field_vertex(m.target, d.target_field) = (edge).target
      AND (d.type, d.subtype, d.masking) = ((edge).type, (edge).subtype, (edge).masking)
$$;

-- Whether the summary counts a run, as work of a job, for one of these mappings.
CREATE FUNCTION lineage.counts_mapped(run bigint, job bigint, mappings bigint[]) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT r.feeding FROM lineage.run r WHERE r.id = run)
   AND EXISTS (SELECT FROM lineage.run_mapping m
               WHERE m.run = counts_mapped.run AND m.job = counts_mapped.job
                 AND m.mapping = ANY (mappings));

-- The edges that a trace from these columns passes, with the distance of their far end when the edge was
-- met. Each edge once. A column depends on what its whole dataset depends on, and on a whole dataset
-- depend all its columns. indirect: also by filters, joins, groups, order.
CREATE FUNCTION lineage.column_edges(roots bigint[], direction text, depth int DEFAULT NULL,
                                     indirect boolean DEFAULT true)
RETURNS TABLE (source bigint, target bigint, job bigint, type text, subtype text, masking boolean,
               distance int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
-- The planner knows nothing of the arrays: every step is to go by index.
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    visited  bigint[] := roots;
    frontier bigint[] := roots;
    reached  bigint[];
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    distance := 0;
    WHILE cardinality(frontier) > 0 AND (depth IS NULL OR distance < depth) LOOP
        distance := distance + 1;
        IF direction = 'upstream' THEN
            reached := ARRAY(SELECT f.dataset FROM unnest(frontier) AS n (id)
                JOIN lineage.field f USING (id) EXCEPT SELECT unnest(visited));
        ELSE
            reached := ARRAY(SELECT f.id FROM unnest(frontier) AS n (id)
                JOIN lineage.field f ON f.dataset = n.id EXCEPT SELECT unnest(visited));
        END IF;
        frontier := frontier || reached;
        visited := visited || reached;
        IF direction = 'upstream' THEN
            RETURN QUERY SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking,
                    column_edges.distance
                FROM unnest(frontier) AS n (id) JOIN lineage.derives d ON d.target = n.id
                WHERE indirect OR d.type = 'DIRECT';
            reached := ARRAY(SELECT d.source
                FROM unnest(frontier) AS n (id) JOIN lineage.derives d ON d.target = n.id
                WHERE indirect OR d.type = 'DIRECT' EXCEPT SELECT unnest(visited));
        ELSE
            RETURN QUERY SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking,
                    column_edges.distance
                FROM unnest(frontier) AS n (id) JOIN lineage.derives d ON d.source = n.id
                WHERE indirect OR d.type = 'DIRECT';
            reached := ARRAY(SELECT d.target
                FROM unnest(frontier) AS n (id) JOIN lineage.derives d ON d.source = n.id
                WHERE indirect OR d.type = 'DIRECT' EXCEPT SELECT unnest(visited));
        END IF;
        frontier := reached;
        visited := visited || reached;
    END LOOP;
END $$;

-- What a column derives from or feeds, each with its least distance, the column itself at 0; direct where
-- a way leads there on which every step is direct. An id is that of a column, or of a dataset all of
-- whose columns depend on the column.
CREATE FUNCTION lineage.trace_columns(field bigint, direction text DEFAULT 'upstream',
                                      depth int DEFAULT NULL, indirect boolean DEFAULT true)
RETURNS TABLE (id bigint, distance int, direct boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT id, min(distance), bool_or(direct) FROM (
        SELECT field AS id, 0 AS distance, true AS direct
        UNION ALL
        SELECT CASE direction WHEN 'upstream' THEN source ELSE target END, distance, true
        FROM lineage.column_edges(ARRAY[field], direction, depth, false)
        UNION ALL
        SELECT CASE direction WHEN 'upstream' THEN source ELSE target END, distance, false
        FROM lineage.column_edges(ARRAY[field], direction, depth, indirect)
    ) AS met GROUP BY id
$$;

CREATE FUNCTION lineage.column_id(called text, field text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint;
BEGIN
    SELECT f.id INTO found FROM lineage.field f
    WHERE f.dataset = lineage.dataset_id(called) AND f.name = field;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('"%s" has no column "%s"', called, field);
    END IF;
    RETURN found;
END $$;

-- Without a field a row is a dataset all of whose columns depend on the column.
CREATE FUNCTION lineage.upstream_columns(called text, field text, depth int DEFAULT NULL,
                                         indirect boolean DEFAULT true)
RETURNS TABLE (distance int, direct boolean, namespace text, name text, field_name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, t.direct, d.namespace, d.name, f.name
    FROM lineage.trace_columns(lineage.column_id(called, field), 'upstream', depth, indirect) t
    LEFT JOIN lineage.field f ON f.id = t.id
    JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)
    ORDER BY t.distance, d.namespace, d.name, f.name
$$;

CREATE FUNCTION lineage.downstream_columns(called text, field text, depth int DEFAULT NULL,
                                           indirect boolean DEFAULT true)
RETURNS TABLE (distance int, direct boolean, namespace text, name text, field_name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, t.direct, d.namespace, d.name, f.name
    FROM lineage.trace_columns(lineage.column_id(called, field), 'downstream', depth, indirect) t
    LEFT JOIN lineage.field f ON f.id = t.id
    JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)
    ORDER BY t.distance, d.namespace, d.name, f.name
$$;

COMMENT ON FUNCTION lineage.column_edges IS 'The edges DERIVES that a trace of columns passes';
COMMENT ON FUNCTION lineage.trace_columns IS 'The columns of a trace with their distance';
COMMENT ON FUNCTION lineage.column_id IS 'The column of that name, or an error';
COMMENT ON FUNCTION lineage.upstream_columns IS 'What a column was made from';
COMMENT ON FUNCTION lineage.downstream_columns IS 'What was made from a column';

GRANT SELECT ON lineage.field, lineage.mapping, lineage.derivation, lineage.run_mapping, lineage.derives
    TO lineage_reader;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE
    ON lineage.field, lineage.mapping, lineage.derivation, lineage.run_mapping, lineage.derives
    TO lineage_writer;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA lineage TO lineage_writer;
