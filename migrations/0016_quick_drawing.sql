-- What drawing costs: functions that PostgreSQL puts into the statement that calls them, property maps that
-- are built without a detour over jsonb and text, and rows that stay on their page.

-- STABLE, as to_char() is: what claims to be more than what it calls is not put into the statement.
ALTER FUNCTION lineage.iso STABLE;

CREATE OR REPLACE FUNCTION lineage.graphid(id bigint) RETURNS ag_catalog.graphid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ag_catalog._graphid((id >> 48)::int, id & ((1::bigint << 48) - 1));

-- A label keeps its number and its sequence as long as the graph is there.
CREATE FUNCTION lineage.first_id(label name) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ag_catalog._label_id('provenance'::name, label)::bigint << 48;

CREATE FUNCTION lineage.id_sequence(label name) RETURNS regclass
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('provenance.%I', label || '_id_seq')::regclass;

CREATE OR REPLACE FUNCTION lineage.new_id(label name) RETURNS bigint
LANGUAGE sql VOLATILE
RETURN lineage.first_id(label) | nextval(lineage.id_sequence(label));

CREATE OR REPLACE FUNCTION lineage.job_properties(j lineage.job) RETURNS ag_catalog.agtype
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'namespace', j.namespace, 'name', j.name,
    'first_seen', lineage.iso(j.first_seen), 'last_seen', lineage.iso(j.last_seen),
    'type', j.facets #>> '{jobType,1,jobType}',
    'integration', j.facets #>> '{jobType,1,integration}',
    'processing', j.facets #>> '{jobType,1,processingType}');

CREATE OR REPLACE FUNCTION lineage.run_properties(r lineage.run) RETURNS ag_catalog.agtype
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'run_id', r.run_id, 'state', r.state, 'event_time', lineage.iso(r.last_seen),
    'started_at', lineage.iso(r.started_at), 'ended_at', lineage.iso(r.ended_at),
    'error', r.facets #>> '{errorMessage,1,message}');

CREATE OR REPLACE FUNCTION lineage.field_properties(f lineage.field, namespace text, dataset text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'namespace', namespace, 'dataset', dataset, 'name', f.name, 'type', f.type);

CREATE OR REPLACE FUNCTION lineage.feeds_properties(f lineage.feeds, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'job_namespace', job_namespace, 'job', job, 'runs', f.runs,
    'first_seen', lineage.iso(f.first_seen), 'last_seen', lineage.iso(f.last_seen));

CREATE OR REPLACE FUNCTION lineage.derives_properties(d lineage.derives, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'type', d.type, 'subtype', nullif(d.subtype, ''), 'masking', nullif(d.masking, false),
    'job_namespace', job_namespace, 'job', job, 'runs', d.runs,
    'first_seen', lineage.iso(d.first_seen), 'last_seen', lineage.iso(d.last_seen));

-- Of most accesses nothing is said but when.
CREATE OR REPLACE FUNCTION lineage.access_properties(
    output boolean, first_seen timestamptz, last_seen timestamptz, facets jsonb)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN facets = '{}' THEN ag_catalog.agtype_build_map_nonull(
    'time', lineage.iso(CASE WHEN output THEN last_seen ELSE first_seen END))
ELSE ag_catalog.agtype_build_map_nonull(
    'time', lineage.iso(CASE WHEN output THEN last_seen ELSE first_seen END),
    'version', facets #>> '{version,1,datasetVersion}',
    'mode', CASE WHEN output THEN lower(coalesce(
        facets #>> '{lineage_write,1,mode}',
        facets #>> '{lifecycleStateChange,1,lifecycleStateChange}')) END,
    'rows', coalesce(lineage.count_of(facets #> '{outputStatistics,1,rowCount}'),
                     lineage.count_of(facets #> '{inputStatistics,1,rowCount}'))::bigint,
    'bytes', coalesce(lineage.count_of(facets #> '{outputStatistics,1,size}'),
                      lineage.count_of(facets #> '{inputStatistics,1,size}'))::bigint) END;

-- Edges of the summaries are drawn anew with each batch. lineage.feeds keeps those of FEEDS apart; an index
-- on their properties would have to be written each time.
DROP INDEX provenance.feeds_pair;
CREATE INDEX feeds_pair ON provenance."FEEDS" (start_id, end_id);
ALTER TABLE provenance."FEEDS" SET (fillfactor = 70);
ALTER TABLE provenance."DERIVES" SET (fillfactor = 70);

-- Half of what the default takes. A server built without it keeps the default.
DO $$
DECLARE
    facts text;
BEGIN
    FOREACH facts IN ARRAY ARRAY['dataset', 'job', 'run', 'access'] LOOP
        EXECUTE format('ALTER TABLE lineage.%I ALTER COLUMN facets SET COMPRESSION lz4', facts);
    END LOOP;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;
