-- The canonical name of a name, through all its aliases. Names that claim each other are one dataset, and the least
-- of them is canonical.
CREATE OR REPLACE FUNCTION lineage.resolve_canonical_id(id bigint) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT AS $$
DECLARE
    path bigint[] := ARRAY[id];
    next bigint;
BEGIN
    LOOP
        SELECT d.alias_of INTO next FROM lineage.dataset d WHERE d.id = path[cardinality(path)];
        IF next IS NULL THEN
            RETURN path[cardinality(path)];
        ELSIF next = ANY (path) THEN
            RETURN (SELECT d.id FROM lineage.dataset d
                    WHERE d.id = ANY (path[array_position(path, next):])
                    ORDER BY d.namespace, d.name LIMIT 1);
        END IF;
        path := path || next;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION lineage.job_properties(j lineage.job) RETURNS ag_catalog.agtype
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'namespace', j.namespace, 'name', j.name,
    'first_seen', lineage.iso8601(j.first_seen), 'last_seen', lineage.iso8601(j.last_seen),
    'type', j.facets #>> '{jobType,1,jobType}',
    'integration', j.facets #>> '{jobType,1,integration}',
    'processing', j.facets #>> '{jobType,1,processingType}');

CREATE OR REPLACE FUNCTION lineage.run_properties(r lineage.run) RETURNS ag_catalog.agtype
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'run_id', r.run_id, 'state', r.state, 'event_time', lineage.iso8601(r.last_seen),
    'started_at', lineage.iso8601(r.started_at), 'ended_at', lineage.iso8601(r.ended_at),
    'contributing', CASE WHEN r.state IN ('FAIL', 'ABORT')
                         THEN nullif(lineage.is_contributing(r.state, r.facets, r.streamed), false) END,
    'error', r.facets #>> '{errorMessage,1,message}',
    'unresolved', CASE WHEN r.facets ?| '{lineage_unresolved,extractionError}'
                       THEN lineage.unresolved_accesses(r.facets) END);

CREATE OR REPLACE FUNCTION lineage.feeds_properties(f lineage.feeds, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'job_namespace', job_namespace, 'job', job, 'runs', f.runs,
    'first_seen', lineage.iso8601(f.first_seen), 'last_seen', lineage.iso8601(f.last_seen),
    'declared', nullif(f.declared, false));

-- Most accesses have times only, and no facets.
CREATE OR REPLACE FUNCTION lineage.access_properties(
    output boolean, first_seen timestamptz, last_seen timestamptz, facets jsonb)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN facets = '{}' THEN ag_catalog.agtype_build_map_nonull(
    'time', lineage.iso8601(CASE WHEN output THEN last_seen ELSE first_seen END))
ELSE ag_catalog.agtype_build_map_nonull(
    'time', lineage.iso8601(CASE WHEN output THEN last_seen ELSE first_seen END),
    'version', facets #>> '{version,1,datasetVersion}',
    'mode', CASE WHEN output THEN lower(coalesce(
        facets #>> '{lineage_write,1,mode}',
        facets #>> '{lifecycleStateChange,1,lifecycleStateChange}')) END,
    'rows', coalesce(lineage.nonnegative_count(facets #> '{outputStatistics,1,rowCount}'),
                     lineage.nonnegative_count(facets #> '{inputStatistics,1,rowCount}'))::bigint,
    'bytes', coalesce(lineage.nonnegative_count(facets #> '{outputStatistics,1,size}'),
                      lineage.nonnegative_count(facets #> '{inputStatistics,1,size}'))::bigint) END;

-- The datasets among the reported inputs, by their vertices.
CREATE OR REPLACE FUNCTION lineage.reported_sources(inputs jsonb) RETURNS SETOF bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 5 AS $$
    SELECT d.canonical
    FROM jsonb_array_elements(inputs) AS i (input)
    CROSS JOIN LATERAL (
        SELECT d.canonical FROM lineage.dataset d
        WHERE d.namespace = input ->> 'namespace' AND d.name = input ->> 'name' OFFSET 0) AS d
    WHERE input ->> 'type' = 'DATASET'
$$;

-- Whether a run, as an execution of a job, contributes to the FEEDS edge from source to target. Inputs that a lineage
-- facet reports for the output take precedence over the product of inputs and outputs. Without such a
-- facet, a change that writes no rows, such as DROP, has no sources. Column lineage that names its output, by any of its
-- names, is no source.
CREATE OR REPLACE FUNCTION lineage.contributes_to_feeds(run bigint, job bigint, source bigint, target bigint)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT r.contributing FROM lineage.run r WHERE r.id = run)
   AND EXISTS (
       SELECT FROM lineage.dataset t
       CROSS JOIN LATERAL (
           SELECT lineage.reported_inputs(o.facets) AS inputs
           FROM lineage.access o
           WHERE o.run = contributes_to_feeds.run AND o.job = contributes_to_feeds.job AND o.dataset = t.id AND o.output
             AND lineage.may_have_sources(o.facets) OFFSET 0) AS reported
       CROSS JOIN LATERAL (
           SELECT s.id, s.namespace, s.name FROM lineage.dataset s WHERE s.canonical = source OFFSET 0) AS s
       WHERE t.canonical = target
         AND (reported.inputs @> jsonb_build_array(
                  jsonb_build_object('type', 'DATASET', 'namespace', s.namespace, 'name', s.name))
                  AND NOT (source = target AND lineage.has_column_sources(reported.inputs))
              OR (reported.inputs IS NULL OR reported.inputs @> '[{"type": "JOB"}]') AND EXISTS (
                  SELECT FROM lineage.access a
                  WHERE a.run = contributes_to_feeds.run AND a.job = contributes_to_feeds.job
                    AND a.dataset = s.id AND NOT a.output)));

-- A fingerprint of the whole graph: keys and properties determine it, ids of vertices and edges do not. Equal graphs
-- have equal fingerprints.
CREATE OR REPLACE FUNCTION lineage.graph_fingerprint() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, ag_catalog AS $$
    WITH vertex AS (
        SELECT id, jsonb_build_array(
            (SELECT name FROM ag_catalog.ag_label WHERE relation = v.tableoid), properties::text)::text
            AS identity
        FROM provenance._ag_label_vertex v
    ), entity AS (
        SELECT identity FROM vertex
        UNION ALL
        SELECT jsonb_build_array(
            (SELECT name FROM ag_catalog.ag_label WHERE relation = e.tableoid),
            s.identity, t.identity, e.properties::text)::text
        FROM provenance._ag_label_edge e
        LEFT JOIN vertex s ON s.id = e.start_id
        LEFT JOIN vertex t ON t.id = e.end_id
    )
    -- A sum of digests needs no sort of the whole graph; the number of entities guards against collisions.
    SELECT concat(count(*), '-', coalesce(sum(('x' || left(md5(identity), 15))::bit(60)::bigint::numeric), 0))
    FROM entity
$$;
COMMENT ON FUNCTION lineage.graph_fingerprint IS 'Equal for equal graphs';

CREATE OR REPLACE FUNCTION lineage.field_properties(f lineage.field, namespace text, dataset text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'namespace', namespace, 'dataset', dataset, 'name', f.name, 'type', f.type);

CREATE OR REPLACE FUNCTION lineage.derives_properties(d lineage.derives, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'type', d.type, 'subtype', nullif(d.subtype, ''), 'masking', nullif(d.masking, false),
    'job_namespace', job_namespace, 'job', job, 'runs', d.runs,
    'first_seen', lineage.iso8601(d.first_seen), 'last_seen', lineage.iso8601(d.last_seen));

-- The vertex of a column of a reported dataset, or of the dataset if the column is empty.
CREATE OR REPLACE FUNCTION lineage.field_or_dataset_id(reported bigint, field text) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE field
    WHEN '' THEN (SELECT d.canonical FROM lineage.dataset d WHERE d.id = reported)
    ELSE (SELECT f.id FROM lineage.field f
          WHERE f.dataset = (SELECT d.canonical FROM lineage.dataset d WHERE d.id = reported)
            AND f.name = field) END;

-- Whether a mapping names a column of a dataset.
CREATE OR REPLACE FUNCTION lineage.is_field_mapped(dataset bigint, field text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.column_mapping_entry d ON d.source = n.id AND d.source_field = field
               WHERE n.canonical = is_field_mapped.dataset)
    OR EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.column_mapping m ON m.target = n.id
               JOIN lineage.column_mapping_entry d ON d.mapping = m.id AND d.target_field = field
               WHERE n.canonical = is_field_mapped.dataset);

-- The mappings with an entry from the source to the target of a DERIVES edge.
CREATE OR REPLACE FUNCTION lineage.mappings_of_edge(edge lineage.derives) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
    SELECT array_agg(d.mapping)
    FROM lineage.field f
    JOIN lineage.dataset n ON n.canonical = f.dataset
    JOIN lineage.column_mapping_entry d ON d.source = n.id AND d.source_field = f.name
    JOIN lineage.column_mapping m ON m.id = d.mapping
    WHERE f.id = (edge).source
      AND lineage.field_or_dataset_id(m.target, d.target_field) = (edge).target
      AND (d.type, d.subtype, d.masking) = ((edge).type, (edge).subtype, (edge).masking)
$$;

-- Whether a run, as an execution of a job, contributes to DERIVES by one of these mappings.
CREATE OR REPLACE FUNCTION lineage.contributes_to_derives(run bigint, job bigint, mappings bigint[]) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT r.contributing FROM lineage.run r WHERE r.id = run)
   AND EXISTS (SELECT FROM lineage.run_column_mapping m
               WHERE m.run = contributes_to_derives.run AND m.job = contributes_to_derives.job
                 AND m.mapping = ANY (mappings));

-- The facets of an access without revisions; its lineage facet names datasets by their canonical names.
CREATE OR REPLACE FUNCTION lineage.facets_of_access(facets jsonb) RETURNS jsonb
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN NOT facets ? 'lineage' THEN lineage.facet_bodies(facets)
ELSE lineage.facet_bodies(facets) || jsonb_build_object('lineage', jsonb_build_object('inputs', (
    SELECT coalesce(jsonb_agg(DISTINCT CASE WHEN c.id IS NULL THEN input - 'from' ELSE input || jsonb_build_object(
               'namespace', c.namespace, 'name', c.name) END), '[]')
    FROM jsonb_array_elements(lineage.reported_inputs(facets)) AS i (input)
    LEFT JOIN lineage.dataset d ON d.namespace = input ->> 'namespace' AND d.name = input ->> 'name'
    LEFT JOIN lineage.dataset c ON c.id = d.canonical))) END;

CREATE OR REPLACE FUNCTION lineage.is_declared(source bigint, target bigint, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.declared d
               WHERE d.source = is_declared.source AND d.target = is_declared.target
                 AND coalesce(d.job, is_declared.job) = is_declared.job);

-- Whether FEEDS has a pair for a job or, if the job is null, for any job.
CREATE OR REPLACE FUNCTION lineage.is_observed(source bigint, target bigint, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.feeds f
               WHERE f.source = is_observed.source AND f.target = is_observed.target
                 AND f.job = coalesce(is_observed.job, f.job));

CREATE OR REPLACE FUNCTION lineage.declared_properties(d lineage.declared, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'job_namespace', job_namespace, 'job', job, 'confidence', nullif(d.confidence, 1),
    'first_seen', lineage.iso8601(d.first_seen), 'last_seen', lineage.iso8601(d.last_seen));

CREATE OR REPLACE FUNCTION lineage.declared_column_properties(
    d lineage.declared_column, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'type', d.type, 'subtype', nullif(d.subtype, ''), 'masking', nullif(d.masking, false),
    'job_namespace', job_namespace, 'job', job,
    'first_seen', lineage.iso8601(d.first_seen), 'last_seen', lineage.iso8601(d.last_seen));

-- Delete the FEEDS rows that no run contributes to any more, with their edges.
CREATE OR REPLACE FUNCTION lineage.delete_unused_feeds(edges bigint[])
RETURNS TABLE (edge bigint, source bigint, target bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    unused bigint[] := ARRAY(SELECT f.edge FROM lineage.feeds f
                             WHERE f.edge = ANY (edges) AND f.runs = 0 FOR UPDATE);
BEGIN
    IF unused = '{}' THEN
        RETURN;
    END IF;
    DELETE FROM provenance."FEEDS" WHERE id = ANY (unused::text[]::graphid[]);
    RETURN QUERY DELETE FROM lineage.feeds f WHERE f.edge = ANY (unused) RETURNING f.edge, f.source, f.target;
END $$;
COMMENT ON FUNCTION lineage.delete_unused_feeds IS 'Delete FEEDS rows and edges that no run contributes to';

CREATE OR REPLACE FUNCTION lineage.delete_unused_derives(edges bigint[]) RETURNS TABLE (edge bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    unused bigint[] := ARRAY(SELECT d.edge FROM lineage.derives d
                             WHERE d.edge = ANY (edges) AND d.runs = 0 FOR UPDATE);
BEGIN
    IF unused = '{}' THEN
        RETURN;
    END IF;
    DELETE FROM provenance."DERIVES" WHERE id = ANY (unused::text[]::graphid[]);
    RETURN QUERY DELETE FROM lineage.derives d WHERE d.edge = ANY (unused) RETURNING d.edge;
END $$;
COMMENT ON FUNCTION lineage.delete_unused_derives IS 'Delete DERIVES rows and edges that no run contributes to';

-- The designs of a holder, a job or a dataset under all its names, that apply: the newest. The designs of nodes of graph models,
-- whose revisions end with " node", do not replace one another.
CREATE OR REPLACE FUNCTION lineage.current_designs(holder bigint) RETURNS SETOF lineage.design
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT d.holder, d.job, d.revision
    FROM (SELECT reported.*, row_number() OVER newest_first AS place,
                 count(*) FILTER (WHERE reported.revision NOT LIKE '% node') OVER newest_first AS others
          FROM (SELECT d.* FROM lineage.design d
                WHERE d.holder = current_designs.holder AND d.job IS NOT NULL
                UNION ALL
                SELECT d.* FROM lineage.dataset n JOIN lineage.design d ON d.holder = n.id
                WHERE n.canonical = current_designs.holder) AS reported
          WINDOW newest_first AS (ORDER BY reported.revision DESC)) AS d
    WHERE d.place = 1 OR d.others = 0
$$;
COMMENT ON FUNCTION lineage.current_designs IS 'The newest designs of a job or a dataset, which replace older ones';

-- Delete the declared pairs of designs. The caller computes them again from lineage.design in the same transaction.
CREATE OR REPLACE FUNCTION lineage.delete_declared(holders bigint[])
RETURNS TABLE (edge bigint, source bigint, target bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edges bigint[] := ARRAY(SELECT d.edge FROM lineage.declared d WHERE d.holder = ANY (holders)
                            UNION ALL
                            SELECT d.edge FROM lineage.declared_column d WHERE d.holder = ANY (holders));
BEGIN
    IF edges = '{}' THEN
        RETURN;
    END IF;
    DELETE FROM provenance."DECLARED" WHERE id = ANY (edges::text[]::graphid[]);
    DELETE FROM lineage.declared_column d WHERE d.holder = ANY (holders);
    RETURN QUERY DELETE FROM lineage.declared d WHERE d.holder = ANY (holders)
                 RETURNING d.edge, d.source, d.target;
END $$;
COMMENT ON FUNCTION lineage.delete_declared IS 'Delete the declared pairs of designs, before they are computed again';

-- Delete columns that no mapping names.
CREATE OR REPLACE FUNCTION lineage.delete_fields(ids bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    unnamed bigint[] := ARRAY(SELECT f.id FROM lineage.field f
                              WHERE f.id = ANY (ids) AND NOT lineage.is_field_mapped(f.dataset, f.name));
BEGIN
    DELETE FROM provenance."HAS_FIELD" WHERE end_id = ANY (unnamed::text[]::graphid[]);
    DELETE FROM provenance."Field" WHERE id = ANY (unnamed::text[]::graphid[]);
    DELETE FROM lineage.field WHERE id = ANY (unnamed);
END $$;
COMMENT ON FUNCTION lineage.delete_fields IS 'Delete columns that no mapping names';

-- Reassign names to the vertices that their aliases resolve to. Delete from the graph the edges of these runs, which
-- the caller writes again in the same transaction, and vertices without a name.
CREATE OR REPLACE FUNCTION lineage.reassign_names(names bigint[], runs bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    old bigint[] := ARRAY(SELECT DISTINCT d.canonical FROM lineage.dataset d
                          WHERE d.id = ANY (names) AND d.canonical <> lineage.resolve_canonical_id(d.id));
    unnamed bigint[];
BEGIN
    UPDATE lineage.dataset d SET canonical = lineage.resolve_canonical_id(d.id) WHERE d.id = ANY (names);
    DELETE FROM provenance."INPUT_TO" WHERE end_id = ANY (runs::text[]::graphid[])
        AND start_id = ANY (old::text[]::graphid[]);
    DELETE FROM provenance."OUTPUTS" WHERE start_id = ANY (runs::text[]::graphid[])
        AND end_id = ANY (old::text[]::graphid[]);
    unnamed := ARRAY(SELECT v.id FROM unnest(old) AS v (id)
                     WHERE NOT EXISTS (SELECT FROM lineage.dataset d WHERE d.canonical = v.id));
    DELETE FROM provenance."Dataset" WHERE id = ANY (unnamed::text[]::graphid[]);
END $$;
COMMENT ON FUNCTION lineage.reassign_names IS 'Reassign names to the vertices that their aliases resolve to';

-- These functions delete only what the facts no longer support: see docs/decisions/database-rights.md.
REVOKE EXECUTE ON FUNCTION lineage.delete_unused_feeds, lineage.delete_unused_derives, lineage.delete_declared,
    lineage.delete_fields, lineage.reassign_names FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lineage.delete_unused_feeds, lineage.delete_unused_derives, lineage.delete_declared,
    lineage.delete_fields, lineage.reassign_names TO lineage_writer;
