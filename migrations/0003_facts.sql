-- Facts: what the events say together, each a value that merges the same in any order. The graph is
-- drawn from them. Their ids are those of the vertices: graphids as bigint, which has its operators in
-- every search_path.

-- Facets of one thing: {"name": ["<eventTime> <digest of the event> <place in it>", body]}. The greater
-- stamp wins.
CREATE FUNCTION lineage.merge_facets(old jsonb, new jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN old || coalesce(
    (SELECT jsonb_object_agg(name, entry)
     FROM jsonb_each(new) AS stated (name, entry)
     WHERE NOT old ? name OR (old -> name ->> 0) COLLATE "C" < (entry ->> 0) COLLATE "C"),
    '{}');

CREATE AGGREGATE lineage.merged_facets(jsonb) (SFUNC = lineage.merge_facets, STYPE = jsonb);

-- A name that events state for a dataset. Names of one dataset (aliases) share a canonical name; the
-- vertex is that of the canonical name.
CREATE TABLE lineage.dataset (
    id         bigint PRIMARY KEY,
    namespace  text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    canonical  bigint NOT NULL,
    alias_of   bigint,
    first_seen timestamptz,
    last_seen  timestamptz,
    facets     jsonb NOT NULL,
    schema     bigint,
    UNIQUE (namespace, name)
) WITH (fillfactor = 80);
COMMENT ON COLUMN lineage.dataset.schema IS 'Digest of the schema whose columns are drawn';
CREATE INDEX dataset_canonical ON lineage.dataset (canonical);
CREATE INDEX dataset_alias_of ON lineage.dataset (alias_of) WHERE alias_of IS NOT NULL;

-- A symlinks facet: "owner" says that it is also called "alias". The newest claim on an alias wins.
CREATE TABLE lineage.alias (
    alias   bigint NOT NULL,
    owner   bigint NOT NULL,
    claimed timestamptz NOT NULL,
    PRIMARY KEY (alias, owner)
) WITH (fillfactor = 80);

CREATE TABLE lineage.job (
    id         bigint PRIMARY KEY,
    namespace  text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    facets     jsonb NOT NULL,
    UNIQUE (namespace, name)
) WITH (fillfactor = 80);

CREATE TABLE lineage.run (
    id         bigint PRIMARY KEY,
    run_id     text COLLATE "C" NOT NULL UNIQUE,
    state      text CHECK (state IN ('OTHER', 'START', 'RUNNING', 'COMPLETE', 'ABORT', 'FAIL')),
    first_seen timestamptz,
    last_seen  timestamptz,
    started_at timestamptz,
    ended_at   timestamptz,
    feeding    boolean NOT NULL,
    facets     jsonb NOT NULL
) WITH (fillfactor = 80);
COMMENT ON COLUMN lineage.run.feeding IS 'What this run read and wrote is counted in lineage.feeds';

-- A run as work of a job. Without times it is known only from a run that names it as its parent.
-- More than one job only where run ids are used twice.
CREATE TABLE lineage.execution (
    run        bigint NOT NULL,
    job        bigint NOT NULL,
    first_seen timestamptz,
    last_seen  timestamptz,
    PRIMARY KEY (run, job)
);
CREATE INDEX execution_earliest ON lineage.execution (job, first_seen);
CREATE INDEX execution_latest ON lineage.execution (job, last_seen);

-- What a run read or wrote, under the name that was stated.
CREATE TABLE lineage.access (
    run        bigint NOT NULL,
    job        bigint NOT NULL,
    dataset    bigint NOT NULL,
    output     boolean NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    facets     jsonb NOT NULL,
    PRIMARY KEY (run, job, dataset, output)
) WITH (fillfactor = 90);
CREATE INDEX access_latest ON lineage.access (dataset, last_seen);
CREATE INDEX access_job ON lineage.access (dataset, output, job);

-- The summary: what all runs of a job that did not fail say together.
CREATE TABLE lineage.feeds (
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    job        bigint NOT NULL,
    runs       bigint NOT NULL,
    first_seen timestamptz,
    last_seen  timestamptz,
    edge       bigint NOT NULL,
    PRIMARY KEY (source, target, job)
) WITH (fillfactor = 80);
CREATE INDEX feeds_target ON lineage.feeds (target, source);
CREATE UNIQUE INDEX feeds_edge ON lineage.feeds (edge);

COMMENT ON TABLE lineage.dataset IS 'Names that events state for datasets, and which of them are one';
COMMENT ON TABLE lineage.alias IS 'Which dataset claims which alias, and when it last did';
COMMENT ON TABLE lineage.job IS 'Jobs';
COMMENT ON TABLE lineage.run IS 'Runs, with state and times merged from their events';
COMMENT ON TABLE lineage.execution IS 'Which job a run is of';
COMMENT ON TABLE lineage.access IS 'What a run read and wrote';
COMMENT ON TABLE lineage.feeds IS 'Which dataset feeds which, by which job; the edges FEEDS';

-- A new id for a vertex or an edge of a label, as the label's own column default makes it.
CREATE FUNCTION lineage.new_id(label name) RETURNS bigint
LANGUAGE sql VOLATILE
RETURN (ag_catalog._label_id('provenance'::name, label)::bigint << 48)
     | nextval(format('provenance.%I', label || '_id_seq')::regclass);

CREATE FUNCTION lineage.graphid(id bigint) RETURNS ag_catalog.graphid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN id::text::ag_catalog.graphid;

-- The name that a name stands for in the end. Names that claim each other are one dataset, called by
-- the least of them.
CREATE FUNCTION lineage.canonical(id bigint) RETURNS bigint
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

-- The order of states: a later one in this order is never undone by an earlier one. Between ends of a
-- run the later time wins, and at the same time the worse news.
CREATE FUNCTION lineage.state_rank(state text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE state WHEN 'OTHER' THEN 1 WHEN 'START' THEN 2 WHEN 'RUNNING' THEN 3
                  WHEN 'COMPLETE' THEN 4 WHEN 'ABORT' THEN 5 WHEN 'FAIL' THEN 6 ELSE 0 END;

CREATE FUNCTION lineage.later_state(a text, a_ended timestamptz, b text, b_ended timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (coalesce(a_ended, '-infinity'), lineage.state_rank(a))
               >= (coalesce(b_ended, '-infinity'), lineage.state_rank(b)) THEN a ELSE b END;

-- A failed or aborted run fed nothing that can be relied on.
CREATE FUNCTION lineage.is_feeding(state text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN state IS NULL OR state NOT IN ('FAIL', 'ABORT');

-- ISO 8601 in UTC with microseconds, so that the order of the text is the order of the times.
CREATE FUNCTION lineage.iso(t timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- How a dataset is called in full: s3://bucket/key, hive://host:9083/db.table, file:/data/orders.
CREATE FUNCTION lineage.full_name(namespace text, name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN NOT starts_with(name, '/') THEN namespace || '/' || name
            WHEN strpos(namespace, '://') > 0 THEN namespace || name
            ELSE namespace || ':' || name END;

-- A name is looked for by its ending.
CREATE INDEX dataset_ending ON lineage.dataset (reverse(lineage.full_name(namespace, name)) COLLATE "C");

-- A property map: keys without a value are left out.
CREATE FUNCTION lineage.properties(map jsonb) RETURNS ag_catalog.agtype
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN jsonb_strip_nulls(map)::text::ag_catalog.agtype;

-- Facets without stamps, as a reader wants them. A facet that says "_deleted" is none.
CREATE FUNCTION lineage.plain_facets(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN coalesce((SELECT jsonb_object_agg(name, entry -> 1) FROM jsonb_each(facets) AS f (name, entry)
                 WHERE NOT (entry -> 1) @> '{"_deleted": true}'), '{}');

CREATE FUNCTION lineage.dataset_tags(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT jsonb_agg(DISTINCT CASE WHEN coalesce(tag ->> 'value', 'true') IN ('', 'true')
                                       THEN tag ->> 'key'
                                       ELSE concat(tag ->> 'key', ':', tag ->> 'value') END)
        FROM jsonb_path_query(facets, '$.tags[1].tags[*]') AS tag
        WHERE NOT tag ? 'field' AND tag ->> 'key' IS NOT NULL);

CREATE FUNCTION lineage.dataset_attributes(facets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN nullif(jsonb_strip_nulls(jsonb_build_object(
    'type', facets #>> '{datasetType,1,datasetType}',
    'storage', facets #>> '{storage,1,storageLayer}',
    'format', facets #>> '{storage,1,fileFormat}',
    'description', facets #>> '{documentation,1,description}',
    'owners', nullif(jsonb_path_query_array(
        facets, '$.ownership[1].owners[*].name ? (@.type() == "string")'), '[]'))), '{}');

CREATE FUNCTION lineage.job_properties(j lineage.job) RETURNS ag_catalog.agtype
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.properties(jsonb_build_object(
    'namespace', j.namespace, 'name', j.name,
    'first_seen', lineage.iso(j.first_seen), 'last_seen', lineage.iso(j.last_seen),
    'type', j.facets #>> '{jobType,1,jobType}',
    'integration', j.facets #>> '{jobType,1,integration}',
    'processing', j.facets #>> '{jobType,1,processingType}'));

CREATE FUNCTION lineage.run_properties(r lineage.run) RETURNS ag_catalog.agtype
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.properties(jsonb_build_object(
    'run_id', r.run_id, 'state', r.state, 'event_time', lineage.iso(r.last_seen),
    'started_at', lineage.iso(r.started_at), 'ended_at', lineage.iso(r.ended_at),
    'error', r.facets #>> '{errorMessage,1,message}'));

CREATE FUNCTION lineage.feeds_properties(f lineage.feeds, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.properties(jsonb_build_object(
    'job_namespace', job_namespace, 'job', job, 'runs', f.runs,
    'first_seen', lineage.iso(f.first_seen), 'last_seen', lineage.iso(f.last_seen)));

-- A number that an integer of AGE can hold, or null.
CREATE FUNCTION lineage.count_of(said jsonb) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(said) = 'number' AND said::numeric BETWEEN 0 AND 9223372036854775807
            THEN trunc(said::numeric) END;

-- When was it read: as soon as it is known to be. When was it written: when that was last said.
CREATE FUNCTION lineage.access_properties(
    output boolean, first_seen timestamptz, last_seen timestamptz, facets jsonb)
RETURNS ag_catalog.agtype LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.properties(jsonb_build_object(
    'time', lineage.iso(CASE WHEN output THEN last_seen ELSE first_seen END),
    'version', facets #>> '{version,1,datasetVersion}',
    'mode', CASE WHEN output THEN lower(coalesce(
        facets #>> '{lineage_write,1,mode}',
        facets #>> '{lifecycleStateChange,1,lifecycleStateChange}')) END,
    'rows', coalesce(lineage.count_of(facets #> '{outputStatistics,1,rowCount}'),
                     lineage.count_of(facets #> '{inputStatistics,1,rowCount}')),
    'bytes', coalesce(lineage.count_of(facets #> '{outputStatistics,1,size}'),
                      lineage.count_of(facets #> '{inputStatistics,1,size}'))));

-- Whether the summary counts a run, as work of a job, for a source and a target.
CREATE FUNCTION lineage.counts(run bigint, job bigint, source bigint, target bigint)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT r.feeding FROM lineage.run r WHERE r.id = run)
   AND EXISTS (SELECT FROM lineage.access a
               WHERE a.run = counts.run AND a.job = counts.job AND NOT a.output
                 AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) = source)
   AND EXISTS (SELECT FROM lineage.access a
               WHERE a.run = counts.run AND a.job = counts.job AND a.output
                 AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) = target);

-- The jobs that ever read (or wrote, where output) a dataset. Steps from job to job in the index: a
-- dataset has few jobs and many runs.
CREATE FUNCTION lineage.jobs_of(dataset bigint, output boolean) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH RECURSIVE step (name, job) AS (
        SELECT n.id, (SELECT min(a.job) FROM lineage.access a
                      WHERE a.dataset = n.id AND a.output = jobs_of.output)
        FROM lineage.dataset n WHERE n.canonical = jobs_of.dataset
        UNION ALL
        SELECT s.name, (SELECT min(a.job) FROM lineage.access a
                        WHERE a.dataset = s.name AND a.output = jobs_of.output AND a.job > s.job)
        FROM step s WHERE s.job IS NOT NULL
    )
    SELECT DISTINCT job FROM step WHERE job IS NOT NULL
$$;
