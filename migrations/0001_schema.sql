-- The schema: the graph "provenance", the event log, the facts made from it, queues, roles and settings.
-- All other functions are in functions/.

-- ----------------------------------------------------------------------------------------------------
-- Extension and roles. Roles belong to the cluster: another database may have made them.

DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS age;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING
        MESSAGE = format('role "%s" may not create the extension age', current_user),
        HINT = format('Let a superuser run CREATE EXTENSION age in database "%s" once.',
                      current_database());
END $$;

DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['lineage_writer', 'lineage_reader', 'lineage_cypher'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;
                WHEN insufficient_privilege THEN
                    RAISE insufficient_privilege USING
                        MESSAGE = format('role "%s" may not create the role "%s"',
                                         current_user, role_name),
                        HINT = 'Let a superuser create lineage_writer, lineage_reader and '
                               'lineage_cypher (NOLOGIN), or grant CREATEROLE.';
            END;
        END IF;
    END LOOP;
END $$;

CREATE SCHEMA IF NOT EXISTS lineage;
COMMENT ON SCHEMA lineage IS 'Event log, facts, and the functions that answer questions';

-- ----------------------------------------------------------------------------------------------------
-- The graph. Labels exist before the first event: creating one at its first use is DDL, and two
-- sessions that create the same label fail.

-- AGE finds its own operator classes by search_path when it creates a label.
SET LOCAL search_path = pg_catalog, ag_catalog;
SELECT ag_catalog.create_graph('provenance');
SELECT ag_catalog.create_vlabel('provenance', label::cstring)
FROM unnest(ARRAY['Dataset', 'Job', 'Run', 'Field']) AS label;
SELECT ag_catalog.create_elabel('provenance', label::cstring)
FROM unnest(ARRAY['INPUT_TO', 'OUTPUTS', 'EXECUTES', 'PARENT', 'HAS_FIELD', 'DERIVES', 'FEEDS', 'DECLARED'])
     AS label;
SET LOCAL search_path = pg_catalog;

-- Natural keys. The name comes first because it is what people give in Cypher.
CREATE UNIQUE INDEX dataset_key ON provenance."Dataset" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]),
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"namespace"'::ag_catalog.agtype]));
CREATE UNIQUE INDEX job_key ON provenance."Job" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]),
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"namespace"'::ag_catalog.agtype]));
CREATE UNIQUE INDEX run_key ON provenance."Run" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"run_id"'::ag_catalog.agtype]));
-- Not unique: the names of a column and of its dataset together can be longer than an index entry.
-- lineage.field has the unique constraint.
CREATE INDEX field_name ON provenance."Field" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]));
CREATE INDEX field_dataset ON provenance."Field" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"dataset"'::ag_catalog.agtype]));

-- Between two vertices there is one edge of each label, but of FEEDS, DERIVES and DECLARED, whose keys
-- lineage.feeds, lineage.derives and lineage.declared hold. AGE finds an edge by its id only with a btree.
DO $$
DECLARE
    edge text;
BEGIN
    FOREACH edge IN ARRAY ARRAY['INPUT_TO', 'OUTPUTS', 'EXECUTES', 'PARENT', 'HAS_FIELD',
                                'DERIVES', 'FEEDS', 'DECLARED'] LOOP
        EXECUTE format('CREATE %s INDEX %I ON provenance.%I (start_id, end_id)',
                       CASE WHEN edge IN ('DERIVES', 'FEEDS', 'DECLARED') THEN '' ELSE 'UNIQUE' END,
                       lower(edge) || '_pair', edge);
        EXECUTE format('CREATE UNIQUE INDEX %I ON provenance.%I (id)', lower(edge) || '_id', edge);
        -- AGE 1.7 and later create the next two indexes.
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON provenance.%I (end_id)',
                       edge || '_end_id_idx', edge);
        -- The index on the pair serves a search by start_id alone.
        EXECUTE format('DROP INDEX IF EXISTS provenance.%I', edge || '_start_id_idx');
    END LOOP;
END $$;
-- The edges of the summaries are updated with each batch: room for HOT updates.
ALTER TABLE provenance."FEEDS" SET (fillfactor = 70);
ALTER TABLE provenance."DERIVES" SET (fillfactor = 70);

-- ----------------------------------------------------------------------------------------------------
-- Functions that indexes and aggregates of this file depend on.

-- An edge of a design is in the graph while no run shows its pair.
CREATE OR REPLACE FUNCTION lineage.delete_observed_edge() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
BEGIN
    DELETE FROM provenance."DECLARED" WHERE id = lineage.to_graphid(NEW.edge);
    RETURN NULL;
END $$;

-- Facets of one thing: {"name": ["<eventTime> <digest of the event> <place in it>", body]}. The greater
-- stamp wins.
-- Nearly always all that is new is newer, and most often it has all facets there are: then nothing
-- has to be taken apart.
CREATE OR REPLACE FUNCTION lineage.merge_facets(old jsonb, new jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF new = '{}' THEN
        RETURN old;
    ELSIF EXISTS (SELECT FROM jsonb_object_keys(new) AS name
                  WHERE old ? name AND (old -> name ->> 0) COLLATE "C" >= (new -> name ->> 0) COLLATE "C")
    THEN
        RETURN old || coalesce(
            (SELECT jsonb_object_agg(name, entry)
             FROM jsonb_each(new) AS reported (name, entry)
             WHERE NOT old ? name OR (old -> name ->> 0) COLLATE "C" < (entry ->> 0) COLLATE "C"),
            '{}');
    ELSIF EXISTS (SELECT FROM jsonb_object_keys(old) AS name WHERE NOT new ? name) THEN
        RETURN old || new;
    END IF;
    RETURN new;
END $$;

CREATE AGGREGATE lineage.merged_facets(jsonb) (SFUNC = lineage.merge_facets, STYPE = jsonb);

-- How a dataset is called in full: s3://bucket/key, hive://host:9083/db.table, file:/data/orders.
CREATE OR REPLACE FUNCTION lineage.full_name(namespace text, name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN NOT starts_with(name, '/') THEN namespace || '/' || name
            WHEN strpos(namespace, '://') > 0 THEN namespace || name
            ELSE namespace || ':' || name END;

-- How a write changes what is there; null where nobody said.
CREATE OR REPLACE FUNCTION lineage.write_mode(facets jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(coalesce(facets #>> '{lineage_write,1,mode}',
                      facets #>> '{lifecycleStateChange,1,lifecycleStateChange}'));

-- Nothing of what was there before is left.
CREATE OR REPLACE FUNCTION lineage.is_overwrite(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets)
                IN ('overwrite', 'create', 'rename', 'truncate', 'drop'), false);

-- The write says that it leaves what was there.
CREATE OR REPLACE FUNCTION lineage.is_append(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets) NOT IN
                ('overwrite', 'create', 'rename', 'truncate', 'drop', 'alter'), false);
COMMENT ON FUNCTION lineage.is_append IS 'Whether a write says that it leaves what was there';

-- Events with NaN and Infinity, which Python writes, are in the log as they came: to read one as JSON
-- they are null.
CREATE OR REPLACE FUNCTION lineage.event_json(body text) RETURNS json
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN strpos(body, 'NaN') > 0 OR strpos(body, 'Infinity') > 0
            THEN regexp_replace(body, '([:,[]\s*)-?(?:NaN|Infinity)(?=\s*[],}])', '\1null', 'g')::json
            ELSE body::json END;
COMMENT ON FUNCTION lineage.event_json IS 'An event of the log as JSON; numbers that JSON has not are null';

-- An event without a run tells by itself which datasets it is about. What cannot be read is 0: it may be
-- about any. Not PARALLEL SAFE, as PostgreSQL up to 16 catches no error beside other workers.
CREATE OR REPLACE FUNCTION lineage.name_hash(namespace text, name text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || left(md5(length(namespace) || ':' || namespace || name), 16))::bit(64)::bigint;

-- Of such events too.
CREATE OR REPLACE FUNCTION lineage.event_name_hashes(body text) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL UNSAFE AS $$
DECLARE
    parsed json;
BEGIN
    parsed := lineage.event_json(body);
    RETURN ARRAY(
        SELECT DISTINCT lineage.name_hash(d.reported ->> 'namespace', d.reported ->> 'name')
        FROM (SELECT parsed -> 'dataset' AS reported
              UNION ALL
              SELECT each FROM json_array_elements(
                  CASE json_typeof(parsed -> 'inputs') WHEN 'array' THEN parsed -> 'inputs' END) AS each
              UNION ALL
              SELECT each FROM json_array_elements(
                  CASE json_typeof(parsed -> 'outputs') WHEN 'array' THEN parsed -> 'outputs' END) AS each
             ) AS d
        WHERE json_typeof(d.reported) = 'object'
          AND d.reported ->> 'namespace' IS NOT NULL AND d.reported ->> 'name' IS NOT NULL);
EXCEPTION WHEN data_exception OR program_limit_exceeded OR statement_too_complex THEN
    RETURN '{0}';
END $$;

-- ----------------------------------------------------------------------------------------------------
-- The event log: the source of truth, from which the graph and all facts can be made again. One partition
-- for each month; event_before has what is older than the first, event_other what has no partition.

CREATE SEQUENCE lineage.event_id_seq;
CREATE TABLE lineage.event (
    id          bigint NOT NULL DEFAULT nextval('lineage.event_id_seq'),
    sha256      bytea NOT NULL CHECK (length(sha256) = 32),
    event_time  timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    run_id      text,
    body        text NOT NULL,
    document    bytea
) PARTITION BY RANGE (event_time);
ALTER SEQUENCE lineage.event_id_seq OWNED BY lineage.event.id;
COMMENT ON TABLE lineage.event IS 'Every OpenLineage event as it came, once';
COMMENT ON COLUMN lineage.event.sha256 IS 'SHA-256 of body in UTF-8';
COMMENT ON COLUMN lineage.event.event_time IS 'eventTime of the event';
COMMENT ON COLUMN lineage.event.run_id IS 'run.runId; null for a JobEvent or a DatasetEvent';
COMMENT ON COLUMN lineage.event.body IS 'The JSON text, verbatim without surrounding white space';
COMMENT ON COLUMN lineage.event.document IS 'SHA-256 of the plan document that gave it';
-- An event that is sent again is the same row: sha256 and event_time both come from the content. The key
-- begins with what grows, so that new entries go to the end of the index.
CREATE UNIQUE INDEX event_key ON lineage.event (event_time, sha256);
CREATE INDEX event_id ON lineage.event (id);
CREATE INDEX event_run ON lineage.event (run_id, event_time) WHERE run_id IS NOT NULL;
CREATE INDEX event_document ON lineage.event (document) WHERE document IS NOT NULL;
CREATE INDEX event_named ON lineage.event USING gin (lineage.event_name_hashes(body)) WHERE run_id IS NULL;

-- Plan documents as the listener sent them, beside the events they gave; partitioned as the log.
CREATE TABLE lineage.plan_document (
    sha256      bytea NOT NULL CHECK (length(sha256) = 32),
    time        timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    application text NOT NULL,
    kind        text NOT NULL,
    execution   bigint,
    body        text NOT NULL,
    namespaces  text[]
) PARTITION BY RANGE (time);
COMMENT ON TABLE lineage.plan_document IS 'Every plan document as it came, once';
COMMENT ON COLUMN lineage.plan_document.sha256 IS 'SHA-256 of body in UTF-8';
COMMENT ON COLUMN lineage.plan_document.application IS 'UUID of the run of the Spark application';
COMMENT ON COLUMN lineage.plan_document.execution IS 'Id of the root execution, where it is about one';
COMMENT ON COLUMN lineage.plan_document.namespaces IS 'Namespaces of the token that it came with; null for all';
CREATE UNIQUE INDEX plan_document_content ON lineage.plan_document (sha256, time);
CREATE INDEX plan_document_execution ON lineage.plan_document (application, execution, kind);

-- 5 KB of JSON: lz4 takes a third of the time of pglz. A server built without lz4 keeps the default.
DO $$
DECLARE
    month timestamptz := date_trunc('month', now(), 'UTC');
    log   text;
BEGIN
    FOREACH log IN ARRAY ARRAY['event', 'plan_document'] LOOP
        BEGIN
            EXECUTE format('ALTER TABLE lineage.%I ALTER COLUMN body SET COMPRESSION lz4', log);
        EXCEPTION WHEN feature_not_supported THEN
            NULL;
        END;
        EXECUTE format('CREATE TABLE lineage.%I PARTITION OF lineage.%I DEFAULT', log || '_other', log);
        EXECUTE format('CREATE TABLE lineage.%I PARTITION OF lineage.%I FOR VALUES FROM (MINVALUE) TO (%L)',
                       log || '_before', log, month);
    END LOOP;
END $$;

CREATE TABLE lineage.retention (
    dropped_at timestamptz PRIMARY KEY DEFAULT now(),
    retained_from  timestamptz NOT NULL,
    events     bigint NOT NULL,
    documents  bigint NOT NULL
);
COMMENT ON TABLE lineage.retention IS 'Since when the log is kept; without a row it is whole';

-- ----------------------------------------------------------------------------------------------------
-- Queues: events that are not in the graph yet, plan documents without their events, and what was rejected.

-- A queue: the collector adds to it in the transaction that appends to the log, the projection takes
-- from it in the transaction that draws. Order does not matter to the graph, so neither do gaps.
CREATE TABLE lineage.projection_queue (
    event      bigint PRIMARY KEY,
    event_time timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE lineage.projection_queue IS 'Events of the log that are not in the graph yet';

-- An event that the database would not take into the graph: set aside, so that the rest goes on.
CREATE TABLE lineage.rejected_event (
    event      bigint PRIMARY KEY,
    reason     text NOT NULL,
    rejected_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.rejected_event IS 'Events of the log that cannot be brought into the graph, and why';

-- Events whose plan document was converted anew, and then did not give them any more.
CREATE TABLE lineage.superseded_event (
    event       bigint PRIMARY KEY,
    superseded_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.superseded_event IS 'Events of the log that a later conversion of their document replaced';

-- A queue, as lineage.projection_queue is. With a reason a document is set aside.
CREATE TABLE lineage.plan_document_queue (
    sha256 bytea NOT NULL,
    time   timestamptz NOT NULL,
    reason text,
    PRIMARY KEY (sha256, time)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE lineage.plan_document_queue IS 'Plan documents that have not given their events yet';
COMMENT ON COLUMN lineage.plan_document_queue.reason IS 'Why it cannot be converted; null while it waits';
CREATE INDEX plan_document_queue_pending ON lineage.plan_document_queue (time) WHERE reason IS NULL;

-- ----------------------------------------------------------------------------------------------------
-- Facts: datasets, jobs, runs, and what runs read and wrote, by the names that were reported.

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
COMMENT ON TABLE lineage.dataset IS 'Names that events state for datasets, and which of them are one';
CREATE INDEX dataset_canonical ON lineage.dataset (canonical);
CREATE INDEX dataset_alias_of ON lineage.dataset (alias_of) WHERE alias_of IS NOT NULL;
-- A name is looked for by its ending.
CREATE INDEX dataset_ending ON lineage.dataset (reverse(lineage.full_name(namespace, name)) COLLATE "C");

-- A symlinks facet: "owner" says that it is also called "alias". The newest claim on an alias wins.
CREATE TABLE lineage.alias (
    alias   bigint NOT NULL,
    owner   bigint NOT NULL,
    claimed timestamptz NOT NULL,
    PRIMARY KEY (alias, owner)
) WITH (fillfactor = 80);
COMMENT ON TABLE lineage.alias IS 'Which dataset claims which alias, and when it last did';

CREATE TABLE lineage.job (
    id         bigint PRIMARY KEY,
    namespace  text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    facets     jsonb NOT NULL,
    UNIQUE (namespace, name)
) WITH (fillfactor = 80);
COMMENT ON TABLE lineage.job IS 'Jobs';
-- Streams are few: whether one of them wrote a dataset is asked of the index by their ids.
CREATE INDEX job_streaming ON lineage.job (id)
    WHERE facets #>> '{jobType,1,processingType}' = 'STREAMING';
-- How a job writes where its producer does not say, as a user set it: the job facet lineage_write_modes,
-- {"mode": …, "datasets": [{"namespace": …, "name": …, "mode": …}]}, modes append, overwrite and unknown. What events
-- say of their writes goes before it.
CREATE INDEX job_write_modes ON lineage.job (id) WHERE facets ? 'lineage_write_modes';

CREATE TABLE lineage.run (
    id         bigint PRIMARY KEY,
    run_id     text COLLATE "C" NOT NULL UNIQUE,
    state      text CHECK (state IN ('OTHER', 'START', 'RUNNING', 'COMPLETE', 'ABORT', 'FAIL')),
    first_seen timestamptz,
    last_seen  timestamptz,
    started_at timestamptz,
    ended_at   timestamptz,
    contributing    boolean NOT NULL,
    facets     jsonb NOT NULL,
    streamed   smallint NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
COMMENT ON COLUMN lineage.run.contributing IS 'What this run read and wrote is counted in lineage.feeds';
COMMENT ON TABLE lineage.run IS 'Runs, with state and times merged from their events';
COMMENT ON COLUMN lineage.run.streamed IS
    'What events of the run say, a bit each: 1 that its job is a stream, 2 that it is running';

-- A run as work of a job. Without times it is known only from a run that names it as its parent.
-- More than one job only where run ids are used twice.
CREATE TABLE lineage.execution (
    run        bigint NOT NULL,
    job        bigint NOT NULL,
    first_seen timestamptz,
    last_seen  timestamptz,
    PRIMARY KEY (run, job)
);
COMMENT ON TABLE lineage.execution IS 'Which job a run is of';
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
COMMENT ON TABLE lineage.access IS 'What a run read and wrote';
CREATE INDEX access_latest ON lineage.access (dataset, last_seen);
-- Writes of a dataset in the order of time, and those that state a version.
CREATE INDEX access_written ON lineage.access (dataset, last_seen) WHERE output;
CREATE INDEX access_version ON lineage.access (dataset, (facets #>> '{version,1,datasetVersion}'))
    WHERE output AND facets ? 'version';
-- The last write that replaced everything is found without a look at those that did not.
CREATE INDEX access_replacing ON lineage.access (dataset, last_seen)
    WHERE output AND lineage.is_overwrite(facets);
CREATE INDEX access_adding ON lineage.access (dataset, job) WHERE output AND lineage.is_append(facets);
CREATE INDEX access_job ON lineage.access (dataset, output, job, last_seen);
-- What producers checked and measured: dataQualityAssertions and dataQualityMetrics of datasets, with the access of the
-- run that stated them, and the test facet of runs.
CREATE INDEX access_quality ON lineage.access (dataset)
    WHERE facets ?| '{dataQualityAssertions,dataQualityMetrics}';

-- The datasets that the lineage facets of a run name. Where one of them gets another vertex, what the run counts
-- for is found anew.
CREATE TABLE lineage.explicit_source (
    run     bigint NOT NULL,
    dataset bigint NOT NULL,
    PRIMARY KEY (dataset, run)
);
COMMENT ON TABLE lineage.explicit_source IS 'Datasets that the lineage facets of a run name';

-- Which job first used a run id, as far as a token for some namespaces had to know it.
CREATE TABLE lineage.run_owner (
    run_id     text COLLATE "C" PRIMARY KEY,
    namespace  text NOT NULL,
    job        text,
    claimed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.run_owner IS 'Which job first used a run id, or is named as that of a parent: tokens for other namespaces may not write to that run';
COMMENT ON COLUMN lineage.run_owner.job IS 'Null for a run that plan documents or its children name, and that has told nothing itself';

-- Jobs that run after other jobs, as jobDependencies facets of runs state: a step of traces of jobs beside those of
-- data, without a dataset.
CREATE TABLE lineage.job_dependency (
    upstream   bigint NOT NULL,
    downstream bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    PRIMARY KEY (upstream, downstream)
);
COMMENT ON TABLE lineage.job_dependency IS 'Which job runs after which, as runs stated';
CREATE INDEX job_dependency_downstream ON lineage.job_dependency (downstream);

-- lz4 takes half of the time of the default. A server built without it keeps the default.
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

-- ----------------------------------------------------------------------------------------------------
-- Columns.

-- A column is one of the newest schema of its dataset, or one that some columnLineage facet names.
-- Its id is that of its vertex; dataset is the id of the vertex that has it.
CREATE TABLE lineage.field (
    id      bigint PRIMARY KEY,
    dataset bigint NOT NULL,
    name    text COLLATE "C" NOT NULL,
    type    text,
    nested  boolean NOT NULL DEFAULT false,
    UNIQUE (dataset, name)
);
COMMENT ON TABLE lineage.field IS 'Columns of datasets; the vertices Field';
COMMENT ON COLUMN lineage.field.nested IS
    'Whether its name is the path of a nested field: by the newest schema, else by its form';
-- Tells at once that there is none, and which there are in a column.
CREATE INDEX field_nested ON lineage.field (dataset, name) WHERE nested;

-- What a columnLineage facet says, once, however many runs say it.
CREATE TABLE lineage.column_mapping (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,
    target bigint NOT NULL,
    unreadable jsonb NOT NULL
);
COMMENT ON TABLE lineage.column_mapping IS 'Distinct statements of how the columns of a dataset are made';
COMMENT ON COLUMN lineage.column_mapping.unreadable IS 'Where in the facet there is what could not be read';
CREATE INDEX mapping_target ON lineage.column_mapping (target);

-- Datasets are the names that were stated. An empty target_field is the whole dataset.
CREATE TABLE lineage.column_mapping_entry (
    mapping      bigint NOT NULL,
    source       bigint NOT NULL,
    source_field text COLLATE "C" NOT NULL,
    target_field text COLLATE "C" NOT NULL,
    type         text COLLATE "C" NOT NULL CHECK (type IN ('DIRECT', 'INDIRECT')),
    subtype      text COLLATE "C" NOT NULL,
    masking      boolean NOT NULL
);
COMMENT ON TABLE lineage.column_mapping_entry IS 'From which column to which a mapping leads';
CREATE INDEX derivation_target ON lineage.column_mapping_entry (mapping, target_field);
CREATE INDEX derivation_source ON lineage.column_mapping_entry (source, source_field);

-- What a run said last of an output. The greater stamp wins.
CREATE TABLE lineage.run_column_mapping (
    run     bigint NOT NULL,
    job     bigint NOT NULL,
    dataset bigint NOT NULL,
    revision   text COLLATE "C" NOT NULL,
    mapping bigint NOT NULL,
    PRIMARY KEY (run, job, dataset)
) WITH (fillfactor = 90);
COMMENT ON TABLE lineage.run_column_mapping IS 'Which mapping a run stated for an output';
CREATE INDEX run_mapping_mapping ON lineage.run_column_mapping (mapping);

-- ----------------------------------------------------------------------------------------------------
-- Summaries: the edges FEEDS and DERIVES.

-- The summary: what all runs of a job that did not fail say together.
CREATE TABLE lineage.feeds (
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    job        bigint NOT NULL,
    runs       bigint NOT NULL,
    first_seen timestamptz,
    last_seen  timestamptz,
    edge       bigint NOT NULL,
    declared   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (source, target, job)
) WITH (fillfactor = 80);
COMMENT ON TABLE lineage.feeds IS 'Which dataset feeds which, by which job; the edges FEEDS';
CREATE INDEX feeds_target ON lineage.feeds (target, source);
CREATE UNIQUE INDEX feeds_edge ON lineage.feeds (edge);
-- What a job reads and writes is asked for by the job alone.
CREATE INDEX feeds_job ON lineage.feeds (job);

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
COMMENT ON TABLE lineage.derives IS 'Which column derives from which, by which job; the edges DERIVES';
CREATE INDEX derives_target ON lineage.derives (target, source);
CREATE UNIQUE INDEX derives_edge ON lineage.derives (edge);

-- ----------------------------------------------------------------------------------------------------
-- Designs: the edges DECLARED.

-- Whose design it is: a job's, or a dataset's own, by their ids. The newest statement holds.
CREATE TABLE lineage.design (
    holder bigint PRIMARY KEY,
    job    bigint,
    revision  text COLLATE "C" NOT NULL
);
COMMENT ON TABLE lineage.design IS 'Jobs and datasets that state a design, and the newest of each';

-- The pairs of a design, by the names that were stated. What the newest statement does not state has an older stamp.
CREATE TABLE lineage.design_source (
    holder     bigint NOT NULL,
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    revision      text COLLATE "C" NOT NULL,
    PRIMARY KEY (holder, source, target)
);
COMMENT ON TABLE lineage.design_source IS 'Which dataset feeds which by a design, as it was stated';
CREATE INDEX design_source_source ON lineage.design_source (source);
CREATE INDEX design_source_target ON lineage.design_source (target);

-- What a design states of the columns of a target.
CREATE TABLE lineage.design_mapping (
    holder     bigint NOT NULL,
    target     bigint NOT NULL,
    mapping    bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    revision      text COLLATE "C" NOT NULL,
    PRIMARY KEY (holder, target, mapping)
);
COMMENT ON TABLE lineage.design_mapping IS 'Which statement a design makes of the columns of a dataset';
CREATE INDEX design_mapping_mapping ON lineage.design_mapping (mapping);
CREATE INDEX design_mapping_target ON lineage.design_mapping (target);

-- The pairs of newest designs, by the vertices of datasets. observed: FEEDS has the pair, of this job; where no job
-- declares it, of any. Then it is no edge of its own.
CREATE TABLE lineage.declared (
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    holder     bigint NOT NULL,
    job        bigint,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    observed   boolean NOT NULL,
    edge       bigint NOT NULL,
    PRIMARY KEY (source, target, holder)
);
COMMENT ON TABLE lineage.declared IS 'Which dataset feeds which by the newest designs';
CREATE INDEX declared_holder ON lineage.declared (holder);
CREATE INDEX declared_source ON lineage.declared (source) WHERE NOT observed;
CREATE INDEX declared_target ON lineage.declared (target) WHERE NOT observed;
CREATE TRIGGER observed AFTER UPDATE OF observed ON lineage.declared
    FOR EACH ROW WHEN (NEW.observed AND NOT OLD.observed) EXECUTE FUNCTION lineage.delete_observed_edge();

-- The same between columns, or from a column to all of a dataset; whether DERIVES has it too or not.
CREATE TABLE lineage.declared_column (
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    holder     bigint NOT NULL,
    type       text NOT NULL,
    subtype    text NOT NULL,
    masking    boolean NOT NULL,
    job        bigint,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    edge       bigint NOT NULL,
    PRIMARY KEY (source, target, holder, type, subtype, masking)
);
COMMENT ON TABLE lineage.declared_column IS 'Which column derives from which by the newest designs';
CREATE INDEX declared_column_holder ON lineage.declared_column (holder);
CREATE INDEX declared_column_target ON lineage.declared_column (target);

-- ----------------------------------------------------------------------------------------------------
-- Tokens of the collector, and backends that events are forwarded to.

-- Who may use the collector. A token is 256 random bits, so its SHA-256 tells nothing about it.
CREATE TABLE lineage.token (
    name       text PRIMARY KEY,
    sha256     bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
    scope      text NOT NULL CHECK (scope IN ('read', 'write')),
    namespaces text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.token IS 'Bearer tokens of the collector, hashed';
COMMENT ON COLUMN lineage.token.namespaces IS 'Namespaces that it is good for, * for any text; none for all';

-- How far each backend has got that events are forwarded to.
CREATE TABLE lineage.forward (
    target        text PRIMARY KEY,
    position      bigint NOT NULL,
    sent          bigint NOT NULL DEFAULT 0,
    sent_at       timestamptz,
    failing_since timestamptz,
    error         text,
    CHECK ((failing_since IS NULL) = (error IS NULL))
);
COMMENT ON TABLE lineage.forward IS 'Backends that events are forwarded to';
COMMENT ON COLUMN lineage.forward.position IS 'All events up to this id are sent, or refused';
COMMENT ON COLUMN lineage.forward.sent IS 'How many were acknowledged; one sent again counts again';
COMMENT ON COLUMN lineage.forward.error IS 'Why it does not go on; null where it does';

-- An event that a backend answers to that it is no good: it would do so again.
CREATE TABLE lineage.rejected_forward (
    target     text NOT NULL REFERENCES lineage.forward ON DELETE CASCADE,
    event      bigint NOT NULL,
    reason     text NOT NULL,
    rejected_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (target, event)
);
COMMENT ON TABLE lineage.rejected_forward IS 'Events that a backend refused, and what it said';

-- ----------------------------------------------------------------------------------------------------
-- Types of answers.

-- One read and one of the writes it saw; without a writer nobody is known to have written it.
CREATE TYPE lineage.run_dependency AS (
    reader bigint, reader_job bigint, dataset bigint, version text,
    writer bigint, writer_job bigint, written timestamptz, exact boolean);

-- A read of a dataset, and between when it sees writes. Without a reader it is what somebody would see.
CREATE TYPE lineage.dataset_read AS (
    reader bigint, reader_job bigint, dataset bigint, version text, read_at timestamptz,
    read_until timestamptz, by_version timestamptz, as_of timestamptz, barrier timestamptz);

CREATE TYPE lineage.visible_write AS (
    reader_job bigint, dataset bigint, run bigint, job bigint, written timestamptz, exact boolean);
COMMENT ON TYPE lineage.visible_write IS
    'A run whose write of a dataset runs of a job read; no run where nobody is known to have written it';

-- A job read a dataset that another job had written: how many runs of the far job, the newest of them, when the
-- first and the last of their writes (or reads) was, how many of them are certain by their version; and how many
-- more may have been there, since when.
CREATE TYPE lineage.run_lineage_step AS (
    distance int, reader_job bigint, dataset bigint, writer_job bigint, runs bigint, run bigint,
    first timestamptz, last timestamptz, exact bigint, perhaps bigint, since timestamptz);
COMMENT ON TYPE lineage.run_lineage_step IS 'Runs of a job read a dataset that runs of another had written';

CREATE TYPE lineage.run_reader AS (
    distance int, reader bigint, reader_job bigint, dataset bigint, job bigint, read_at timestamptz,
    exact boolean, perhaps boolean);
COMMENT ON TYPE lineage.run_reader IS 'A run that read what one of some runs had written';

-- ----------------------------------------------------------------------------------------------------
-- Rights. lineage_reader reads all but tokens, raw Cypher the labels alone; lineage_writer appends to the log and
-- never changes an event; the functions of the owner delete for it what the facts no longer support.

GRANT USAGE ON SCHEMA ag_catalog TO lineage_writer, lineage_reader, lineage_cypher;
GRANT SELECT ON ALL TABLES IN SCHEMA ag_catalog TO lineage_writer, lineage_reader, lineage_cypher;
GRANT SELECT
    ON lineage.access, lineage.alias, lineage.dataset, lineage.declared, lineage.declared_column,
       lineage.column_mapping_entry, lineage.derives, lineage.design, lineage.design_mapping,
       lineage.design_source, lineage.plan_document, lineage.event, lineage.execution,
       lineage.explicit_source, lineage.feeds, lineage.field, lineage.forward, lineage.rejected_forward,
       lineage.job, lineage.job_dependency, lineage.column_mapping, lineage.projection_queue, lineage.rejected_event,
       lineage.superseded_event, lineage.retention, lineage.run, lineage.run_column_mapping, lineage.run_owner,
       lineage.plan_document_queue, provenance."DECLARED", provenance."DERIVES", provenance."Dataset",
       provenance."EXECUTES", provenance."FEEDS", provenance."Field", provenance."HAS_FIELD",
       provenance."INPUT_TO", provenance."Job", provenance."OUTPUTS", provenance."PARENT",
       provenance."Run"
    TO lineage_reader;
GRANT USAGE
    ON SCHEMA lineage, provenance
    TO lineage_reader;
GRANT SELECT
    ON provenance."DECLARED", provenance."DERIVES", provenance."Dataset", provenance."EXECUTES",
       provenance."FEEDS", provenance."Field", provenance."HAS_FIELD", provenance."INPUT_TO",
       provenance."Job", provenance."OUTPUTS", provenance."PARENT", provenance."Run"
    TO lineage_cypher;
GRANT USAGE
    ON SCHEMA provenance
    TO lineage_cypher;
GRANT SELECT
    ON lineage.superseded_event, lineage.retention
    TO lineage_writer;
GRANT SELECT, INSERT
    ON lineage.declared_column, lineage.column_mapping_entry, lineage.plan_document, lineage.event,
       lineage.explicit_source, lineage.column_mapping, lineage.rejected_event, lineage.run_owner,
       provenance."DECLARED", provenance."EXECUTES", provenance."HAS_FIELD", provenance."PARENT"
    TO lineage_writer;
GRANT SELECT, INSERT, UPDATE
    ON lineage.access, lineage.alias, lineage.dataset, lineage.declared, lineage.derives, lineage.design,
       lineage.design_mapping, lineage.design_source, lineage.execution, lineage.feeds, lineage.field,
       lineage.job, lineage.job_dependency, lineage.run, lineage.run_column_mapping, provenance."DERIVES",
       provenance."Dataset", provenance."FEEDS", provenance."Field", provenance."INPUT_TO",
       provenance."Job", provenance."OUTPUTS", provenance."Run"
    TO lineage_writer;
GRANT SELECT, INSERT, UPDATE, DELETE
    ON lineage.forward, lineage.rejected_forward, lineage.projection_queue, lineage.plan_document_queue
    TO lineage_writer;
GRANT SELECT, USAGE
    ON SEQUENCE lineage.event_id_seq, lineage.column_mapping_id_seq, provenance."DECLARED_id_seq",
       provenance."DERIVES_id_seq", provenance."Dataset_id_seq", provenance."EXECUTES_id_seq",
       provenance."FEEDS_id_seq", provenance."Field_id_seq", provenance."HAS_FIELD_id_seq",
       provenance."INPUT_TO_id_seq", provenance."Job_id_seq", provenance."OUTPUTS_id_seq",
       provenance."PARENT_id_seq", provenance."Run_id_seq"
    TO lineage_writer;
GRANT USAGE
    ON SCHEMA lineage, provenance
    TO lineage_writer;
-- The tables that the labels inherit from: Cypher without a label reads them.
GRANT SELECT
    ON provenance._ag_label_vertex, provenance._ag_label_edge
    TO lineage_reader, lineage_writer, lineage_cypher;
GRANT SELECT, USAGE
    ON SEQUENCE provenance._label_id_seq, provenance._ag_label_vertex_id_seq,
       provenance._ag_label_edge_id_seq
    TO lineage_writer;
GRANT UPDATE (job) ON lineage.run_owner TO lineage_writer;
GRANT SELECT (name, scope, namespaces, created_at) ON lineage.token TO lineage_writer;
REVOKE EXECUTE ON FUNCTION lineage.delete_observed_edge FROM PUBLIC;

-- Settings with which a plain psql works: no LOAD, no search_path, and property maps that use the indexes.
-- "$user" is left out of search_path: for a role named lineage it would be our schema. The first may be
-- set by the owner of the database, the others by a superuser or a role with SET on the parameter.
DO $$
DECLARE
    setting text;
BEGIN
    FOREACH setting IN ARRAY ARRAY[
        'search_path = public, ag_catalog',
        'session_preload_libraries = ''age''',
        'age.enable_containment = off']
    LOOP
        BEGIN
            EXECUTE format('ALTER DATABASE %I SET %s', current_database(), setting);
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE WARNING USING
                MESSAGE = format('role "%s" may not set %s', current_user, setting),
                HINT = format('Let a superuser run: ALTER DATABASE %I SET %s;',
                              current_database(), setting);
        END;
    END LOOP;
END $$;

-- Only a superuser can limit the temporary files of a query, or let the role limit them. The right
-- belongs to the server: of two migrations that grant it at once, in two databases, one would fail.
DO $$
BEGIN
    IF NOT has_parameter_privilege('lineage_cypher', 'temp_file_limit', 'SET') THEN
        GRANT SET ON PARAMETER temp_file_limit TO lineage_cypher;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING USING
        MESSAGE = format('role "%s" may not bound the temporary files of raw Cypher', current_user),
        HINT = 'Let a superuser run: GRANT SET ON PARAMETER temp_file_limit TO lineage_cypher;';
END $$;

GRANT SELECT ON lineage.migration, lineage.function_set TO lineage_reader, lineage_writer;
