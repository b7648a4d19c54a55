-- The order of run states: a state never replaces one of a higher rank. Between two ends of a run the later time
-- wins; at the same time, the worse state.
CREATE OR REPLACE FUNCTION lineage.run_state_rank(state text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE state WHEN 'OTHER' THEN 1 WHEN 'START' THEN 2 WHEN 'RUNNING' THEN 3
                  WHEN 'COMPLETE' THEN 4 WHEN 'ABORT' THEN 5 WHEN 'FAIL' THEN 6 ELSE 0 END;

CREATE OR REPLACE FUNCTION lineage.latest_state(a text, a_ended timestamptz, b text, b_ended timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (coalesce(a_ended, '-infinity'), lineage.run_state_rank(a))
               >= (coalesce(b_ended, '-infinity'), lineage.run_state_rank(b)) THEN a ELSE b END;

-- The bodies of facets, without revisions. A facet with "_deleted" is omitted.
CREATE OR REPLACE FUNCTION lineage.facet_bodies(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN coalesce((SELECT jsonb_object_agg(name, entry -> 1) FROM jsonb_each(facets) AS f (name, entry)
                 WHERE NOT (entry -> 1) @> '{"_deleted": true}'), '{}');

-- The name of a reported tag. A tag without a value has none, an empty one, "true" or, from Airflow, its key once more.
CREATE OR REPLACE FUNCTION lineage.tag_name(tag jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN coalesce(tag ->> 'value', '') IN ('', 'true', tag ->> 'key') THEN tag ->> 'key'
            ELSE concat(tag ->> 'key', ':', tag ->> 'value') END;

-- Tags and owners, which few entities have. facet_tags_json, facet_tags and facet_owners only test for the facet, so that
-- the planner can inline them. It cannot inline the functions that they call.
CREATE OR REPLACE FUNCTION lineage.reported_tags(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT jsonb_agg(DISTINCT lineage.tag_name(tag))
        FROM jsonb_path_query(facets, '$.tags[1].tags[*]') AS tag
        WHERE tag ->> 'field' IS NULL AND tag ->> 'key' IS NOT NULL);

CREATE OR REPLACE FUNCTION lineage.facet_tags_json(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN facets ? 'tags' THEN lineage.reported_tags(facets) END;

CREATE OR REPLACE FUNCTION lineage.reported_tag_names(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT tag COLLATE "C" FROM jsonb_array_elements_text(lineage.reported_tags(facets)) AS tag ORDER BY 1);

-- Null if the facets are null.
CREATE OR REPLACE FUNCTION lineage.facet_tags(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN facets ? 'tags' THEN lineage.reported_tag_names(facets)
            WHEN facets IS NOT NULL THEN '{}'::text[] END;

CREATE OR REPLACE FUNCTION lineage.reported_owners(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT DISTINCT (owner #>> '{}') COLLATE "C"
             FROM jsonb_path_query(
                 facets, 'lax $.ownership[1].owners[*].name ? (@.type() == "string")') AS owner
             ORDER BY 1);

-- Null if the facets are null.
CREATE OR REPLACE FUNCTION lineage.facet_owners(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN facets ? 'ownership' THEN lineage.reported_owners(facets)
            WHEN facets IS NOT NULL THEN '{}'::text[] END;

CREATE OR REPLACE FUNCTION lineage.facet_attributes(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN nullif(jsonb_strip_nulls(jsonb_build_object(
    'type', facets #>> '{datasetType,1,datasetType}',
    'storage', facets #>> '{storage,1,storageLayer}',
    'format', facets #>> '{storage,1,fileFormat}',
    'description', facets #>> '{documentation,1,description}',
    'owners', nullif(jsonb_path_query_array(
        facets, '$.ownership[1].owners[*].name ? (@.type() == "string")'), '[]'))), '{}');

-- The columns of a schema facet; those inside a struct by their path. The limit of 1,000 bytes is due to the size
-- of index entries (lineage.openlineage.columns has the same limit).
CREATE OR REPLACE FUNCTION lineage.schema_fields(facets jsonb) RETURNS TABLE (name text, type text, nested boolean)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS $$
    WITH RECURSIVE top (name, field) AS MATERIALIZED (
        SELECT f ->> 'name', f
        FROM jsonb_path_query(facets, 'lax $.schema[1].fields[*] ? (@.name.type() == "string")') AS f
    ), dotted (name) AS MATERIALIZED (
        SELECT t.name FROM top t WHERE strpos(t.name, '.') > 0
    ), walked (path, below, quoted, field, nested) AS (
        SELECT t.name, CASE WHEN q.quoted OR t.name ~ '[.`]' THEN lineage.quote_field(t.name) ELSE t.name END,
               q.quoted, t.field, false
        FROM top t
        CROSS JOIN LATERAL (SELECT EXISTS (
            SELECT FROM dotted d WHERE starts_with(d.name, t.name || '.')) AS quoted) AS q
        UNION ALL
        SELECT s.below || '.' || n.name, s.below || '.' || n.name, s.quoted, f, true
        FROM walked s
        CROSS JOIN jsonb_path_query(s.field, 'lax $.fields[*] ? (@.name.type() == "string")') AS f
        CROSS JOIN LATERAL (SELECT CASE WHEN s.quoted OR f ->> 'name' ~ '[.`]'
            THEN lineage.quote_field(f ->> 'name') ELSE f ->> 'name' END AS name) AS n
    )
    SELECT path, max(CASE WHEN jsonb_typeof(field -> 'type') = 'string' THEN field ->> 'type' END),
           bool_and(nested)
    FROM walked WHERE path <> '' AND octet_length(path) <= 1000
    GROUP BY path
$$;
COMMENT ON FUNCTION lineage.schema_fields IS 'The columns of a schema facet, nested ones by their paths';

-- Failed and aborted runs do not contribute to the summaries, except for completed micro-batches of a streaming query
-- and for runs of a streaming job that reported RUNNING.
CREATE OR REPLACE FUNCTION lineage.is_contributing(state text, facets jsonb, streamed smallint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN state IS NULL OR state NOT IN ('FAIL', 'ABORT')
    OR facets @? '$.lineage_streaming_query[1].facts.batches ? (@ > 0)'
    OR streamed = 3;
COMMENT ON FUNCTION lineage.is_contributing IS 'Whether a run contributes to the summaries';

-- Whether a write leaves data of the run in the dataset.
CREATE OR REPLACE FUNCTION lineage.writes_rows(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets) NOT IN ('alter', 'truncate', 'drop'), true);

-- Possible accesses of a run that could not be resolved to names: the items of its lineage_unresolved facet as
-- "operator: reason: detail", and those of its extractionError facet as "task: message" with the first line of each;
-- at most fifty.
CREATE OR REPLACE FUNCTION lineage.unresolved_accesses(facets jsonb) RETURNS ag_catalog.agtype
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT jsonb_agg(i.message)::text::ag_catalog.agtype
        FROM (SELECT left(concat_ws(': ', item ->> 'operator', item ->> 'reason', item ->> 'detail'), 500) AS message
              FROM jsonb_path_query(
                  facets, 'lax $.lineage_unresolved[1].items[*] ? (@.type() == "object")') AS item
              UNION ALL
              SELECT left(concat_ws(': ', nullif(split_part(item ->> 'task', E'\n', 1), ''),
                                    split_part(item ->> 'errorMessage', E'\n', 1)), 500)
              FROM jsonb_path_query(
                  facets, 'lax $.extractionError[1].errors[*] ? (@.type() == "object")') AS item
              LIMIT 50) AS i);
COMMENT ON FUNCTION lineage.unresolved_accesses IS 'Unresolved accesses of a run, as a list of texts';

-- The inputs that the lineage facet reports for an output: datasets and the job itself; null without that facet.
CREATE OR REPLACE FUNCTION lineage.reported_inputs(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN facets ? 'lineage' THEN facets #> '{lineage,1,inputs}' END;

-- Whether the inputs of an output are those of the job and further ones, which only column lineage names. Equal to
-- lineage.events.explicit_sources.
CREATE OR REPLACE FUNCTION lineage.has_column_sources(inputs jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(inputs @> '[{"type": "JOB", "from": "columnLineage"}]', false);

-- Whether an output may have sources: rows were written, or a lineage facet names some of a table that the run also
-- emptied or dropped, after others were made from it.
CREATE OR REPLACE FUNCTION lineage.may_have_sources(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.writes_rows(facets)
    OR coalesce(lineage.reported_inputs(facets) <> '[]', false)
       AND NOT lineage.has_column_sources(lineage.reported_inputs(facets));

-- Merge the facets of an access: the reported inputs are united, of other facets the greater revision wins. The inputs
-- are in the order of lineage.events.explicit_sources, so that the result does not depend on that of the events. Those of
-- a lineage facet replace those of column lineage.
CREATE OR REPLACE FUNCTION lineage.merge_access_facets(old jsonb, new jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN NOT (old ? 'lineage' AND new ? 'lineage') THEN lineage.merge_facets(old, new)
ELSE lineage.merge_facets(old, new) || jsonb_build_object('lineage', CASE
    lineage.has_column_sources(lineage.reported_inputs(old))::int
    - lineage.has_column_sources(lineage.reported_inputs(new))::int
WHEN 1 THEN new -> 'lineage' WHEN -1 THEN old -> 'lineage' ELSE jsonb_build_array(
    greatest(old #>> '{lineage,0}' COLLATE "C", new #>> '{lineage,0}' COLLATE "C"),
    jsonb_build_object('inputs', (
        SELECT coalesce(jsonb_agg(input ORDER BY input ->> 'namespace' COLLATE "C", input ->> 'name' COLLATE "C"), '[]')
        FROM (SELECT jsonb_array_elements(lineage.reported_inputs(old))
              UNION SELECT jsonb_array_elements(lineage.reported_inputs(new))) AS united (input)))) END) END;

-- A run as a JSON array, in the order of the fields of lineage.query.records.Run.
CREATE OR REPLACE FUNCTION lineage.run_record(run lineage.run) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
RETURN jsonb_build_array(run.run_id, run.state, lineage.iso8601(run.last_seen), lineage.iso8601(run.started_at),
                         lineage.iso8601(run.ended_at), run.facets #>> '{errorMessage,1,message}');

-- The scheduled start time of a run (nominalTime); null if none was reported.
CREATE OR REPLACE FUNCTION lineage.nominal_time(r lineage.run) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN pg_input_is_valid(r.facets #>> '{nominalTime,1,nominalStartTime}', 'timestamptz')
            THEN (r.facets #>> '{nominalTime,1,nominalStartTime}')::timestamptz END;

-- The nominal time of a run that began at a time. It is the start if none was reported, or if it is later than the start.
CREATE OR REPLACE FUNCTION lineage.scheduled_time(r lineage.run, began timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN least(lineage.nominal_time(r), began);

-- Whether a job only checks what it reads, by its job facets: the tests of dbt have the type TEST.
CREATE OR REPLACE FUNCTION lineage.is_check(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(upper(facets #>> '{jobType,1,jobType}') = 'TEST', false);

-- Whether a job runs until it is stopped, by its job facets: a stream or a service. Equal to
-- lineage.events.job_types.is_stream().
CREATE OR REPLACE FUNCTION lineage.is_stream(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(upper(facets #>> '{jobType,1,processingType}') IN ('STREAMING', 'SERVICE'), false);
