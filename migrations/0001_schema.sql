-- The schema: the graph "provenance", the event log, the fact tables projected from it, queues, roles and settings.
-- All other functions are in functions/.

-- ----------------------------------------------------------------------------------------------------
-- Extension and roles. Roles belong to the cluster: another database may have created them.

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
COMMENT ON SCHEMA lineage IS 'Event log, fact tables and query functions';

-- ----------------------------------------------------------------------------------------------------
-- The graph. Labels exist before the first event: creating one at its first use is DDL, and two
-- sessions that create the same label fail.

-- AGE finds its own operator classes by search_path when it creates a label.
SET LOCAL search_path = pg_catalog, ag_catalog;
SELECT ag_catalog.create_graph('provenance');
SELECT ag_catalog.create_vlabel('provenance', label::cstring)
FROM unnest(ARRAY['Dataset', 'Job', 'Run', 'Field', 'Record', 'Asset']) AS label;
SELECT ag_catalog.create_elabel('provenance', label::cstring)
FROM unnest(ARRAY['INPUT_TO', 'OUTPUTS', 'EXECUTES', 'PARENT', 'HAS_FIELD', 'DERIVES', 'FEEDS', 'DECLARED',
                  'WITNESS', 'IS', 'PRODUCES', 'CONSUMES', 'TRANSFORMS', 'MATERIALIZES', 'HAS_SCHEMA',
                  'MEMBER_OF']) AS label;
SET LOCAL search_path = pg_catalog;

-- Natural keys. The name comes first because Cypher queries usually search by name.
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

CREATE UNIQUE INDEX asset_key ON provenance."Asset" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"node_id"'::ag_catalog.agtype]));
CREATE INDEX asset_type ON provenance."Asset" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"node_type"'::ag_catalog.agtype]));

-- The key of a record contains its dataset.
CREATE UNIQUE INDEX record_key ON provenance."Record" (
    ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"key"'::ag_catalog.agtype]));

-- Two vertices have at most one edge of each label, except FEEDS, DERIVES, DECLARED and WITNESS; the keys of these are
-- in lineage.feeds, lineage.derives, lineage.declared and lineage.record_witness. AGE can search an edge by its id only with a btree.
DO $$
DECLARE
    edge text;
BEGIN
    FOREACH edge IN ARRAY ARRAY['INPUT_TO', 'OUTPUTS', 'EXECUTES', 'PARENT', 'HAS_FIELD',
                                'DERIVES', 'FEEDS', 'DECLARED', 'WITNESS', 'IS', 'PRODUCES', 'CONSUMES',
                                'TRANSFORMS', 'MATERIALIZES', 'HAS_SCHEMA', 'MEMBER_OF'] LOOP
        EXECUTE format('CREATE %s INDEX %I ON provenance.%I (start_id, end_id)',
                       CASE WHEN edge IN ('DERIVES', 'FEEDS', 'DECLARED', 'WITNESS') THEN '' ELSE 'UNIQUE' END,
                       lower(edge) || '_pair', edge);
        EXECUTE format('CREATE UNIQUE INDEX %I ON provenance.%I (id)', lower(edge) || '_id', edge);
        -- AGE 1.7 and later create the next two indexes.
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON provenance.%I (end_id)',
                       edge || '_end_id_idx', edge);
        -- The index on the pair serves a search by start_id alone.
        EXECUTE format('DROP INDEX IF EXISTS provenance.%I', edge || '_start_id_idx');
    END LOOP;
END $$;
-- The edges of the summaries are updated with each batch: leave space for HOT updates.
ALTER TABLE provenance."FEEDS" SET (fillfactor = 70);
ALTER TABLE provenance."DERIVES" SET (fillfactor = 70);

-- ----------------------------------------------------------------------------------------------------
-- Functions that indexes and aggregates of this file depend on.

-- Delete the DECLARED edge when a run shows its pair: a design has an edge only for pairs that no run shows.
CREATE OR REPLACE FUNCTION lineage.delete_observed_edge() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
BEGIN
    DELETE FROM provenance."DECLARED" WHERE id = lineage.to_graphid(NEW.edge);
    RETURN NULL;
END $$;

-- Merge the facets of an entity: {"name": ["<eventTime> <digest of the event> <ordinal in it>", body]}. The
-- greater revision (the first element) wins.
-- Usually every new facet is newer, and most often all stored facets are among them. Neither case needs to
-- compare the facets one by one.
CREATE OR REPLACE FUNCTION lineage.merge_facets(old jsonb, new jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF new = '{}' THEN
        RETURN old;
    END IF;
    -- They are decompressed once, instead of in each expression below.
    old := old || '{}';
    new := new || '{}';
    IF EXISTS (SELECT FROM jsonb_object_keys(new) AS name
               WHERE (old #>> ARRAY[name, '0']) COLLATE "C" >= (new #>> ARRAY[name, '0']) COLLATE "C")
    THEN
        RETURN old || coalesce(
            (SELECT jsonb_object_agg(name, new -> name)
             FROM jsonb_object_keys(new) AS name
             WHERE NOT old ? name
                OR (old #>> ARRAY[name, '0']) COLLATE "C" < (new #>> ARRAY[name, '0']) COLLATE "C"),
            '{}');
    ELSIF EXISTS (SELECT FROM jsonb_object_keys(old) AS name WHERE NOT new ? name) THEN
        RETURN old || new;
    END IF;
    RETURN new;
END $$;

CREATE AGGREGATE lineage.merged_facets(jsonb) (SFUNC = lineage.merge_facets, STYPE = jsonb);

-- The full name of a dataset: s3://bucket/key, hive://host:9083/db.table, file:/data/orders. Null if one of them is null;
-- not declared STRICT, because the planner could not inline it.
CREATE OR REPLACE FUNCTION lineage.full_name(namespace text, name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN NOT starts_with(name, '/') THEN namespace || '/' || name
            WHEN strpos(namespace, '://') > 0 THEN namespace || name
            ELSE namespace || ':' || name END;

-- The mode of a write, in lower case; null if it was not reported.
CREATE OR REPLACE FUNCTION lineage.write_mode(facets jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(coalesce(facets #>> '{lineage_write,1,mode}',
                      facets #>> '{lifecycleStateChange,1,lifecycleStateChange}'));

-- Whether a write replaces all previous data.
CREATE OR REPLACE FUNCTION lineage.is_overwrite(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets)
                IN ('overwrite', 'create', 'rename', 'truncate', 'drop'), false);

-- The beginning of a version, which indexes contain instead of the version: an index key is limited in size.
CREATE OR REPLACE FUNCTION lineage.version_key(version text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(version, 100);

-- Whether a write reports a mode that retains the previous data.
CREATE OR REPLACE FUNCTION lineage.is_append(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets) NOT IN
                ('overwrite', 'create', 'rename', 'truncate', 'drop', 'alter'), false);
COMMENT ON FUNCTION lineage.is_append IS 'Whether a write reports a mode that retains the previous data';

-- The log stores events verbatim, including NaN and Infinity, which Python writes. To parse such an event as
-- JSON, they are replaced by null.
CREATE OR REPLACE FUNCTION lineage.event_json(body text) RETURNS json
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN strpos(body, 'NaN') > 0 OR strpos(body, 'Infinity') > 0
            THEN regexp_replace(body, '([:,[]\s*)-?(?:NaN|Infinity)(?=\s*[],}])', '\1null', 'g')::json
            ELSE body::json END;
COMMENT ON FUNCTION lineage.event_json IS 'An event of the log as JSON; NaN and Infinity are null';

-- A hash of the name of a dataset, as the index on events without a run contains it.
CREATE OR REPLACE FUNCTION lineage.name_hash(namespace text, name text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || left(md5(length(namespace) || ':' || namespace || name), 16))::bit(64)::bigint;

-- The name hashes of the datasets in an event without a run. An event that cannot be parsed has the hash 0: it may
-- be about any dataset. Not PARALLEL SAFE: up to version 16, PostgreSQL cannot catch errors in parallel mode.
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
-- The event log: the source of truth, from which graph and fact tables can be rebuilt. It has one partition per
-- month. event_before stores events older than the first, event_other those without a partition.

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
COMMENT ON TABLE lineage.event IS 'Every received OpenLineage event, verbatim, once';
COMMENT ON COLUMN lineage.event.sha256 IS 'SHA-256 of body in UTF-8';
COMMENT ON COLUMN lineage.event.event_time IS 'eventTime of the event';
COMMENT ON COLUMN lineage.event.run_id IS 'run.runId; null for a JobEvent or a DatasetEvent';
COMMENT ON COLUMN lineage.event.body IS 'The JSON text, verbatim without surrounding white space';
COMMENT ON COLUMN lineage.event.document IS 'SHA-256 of the plan document, or of the unit of imported rows, that it was made from';
-- An event that is sent again is the same row: sha256 and event_time both depend on the content only. The key
-- begins with event_time, which grows, so that new entries go to the end of the index.
CREATE UNIQUE INDEX event_key ON lineage.event (event_time, sha256);
CREATE INDEX event_id ON lineage.event (id);
CREATE INDEX event_run ON lineage.event (run_id, event_time) WHERE run_id IS NOT NULL;
CREATE INDEX event_document ON lineage.event (document) WHERE document IS NOT NULL;
CREATE INDEX event_named ON lineage.event USING gin (lineage.event_name_hashes(body)) WHERE run_id IS NULL;

-- Plan documents as the listener sent them, stored in addition to their events; partitioned like the log.
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
COMMENT ON TABLE lineage.plan_document IS 'Every received plan document, verbatim, once';
COMMENT ON COLUMN lineage.plan_document.sha256 IS 'SHA-256 of body in UTF-8';
COMMENT ON COLUMN lineage.plan_document.application IS 'UUID of the run of the Spark application';
COMMENT ON COLUMN lineage.plan_document.execution IS 'Id of the root execution, if it is about one';
COMMENT ON COLUMN lineage.plan_document.namespaces IS 'Namespaces of the token it was sent with; null for all';
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
    documents  bigint NOT NULL,
    is_archived boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE lineage.retention IS 'The time from which on the log is retained; without a row it is complete';
COMMENT ON COLUMN lineage.retention.is_archived IS 'Whether the events are in the files of lineage.archived_file';

CREATE TABLE lineage.archived_file (
    location    text PRIMARY KEY,
    month       date NOT NULL,
    events      bigint NOT NULL,
    digest_sum  bigint NOT NULL,
    archived_at timestamptz NOT NULL DEFAULT now(),
    projected_at timestamptz,
    catalog_table text
);
COMMENT ON TABLE lineage.archived_file IS 'Files of event lakes whose events are in the graph and not in the log';
COMMENT ON COLUMN lineage.archived_file.projected_at IS 'When all its events were in the graph; null while they are folded';
COMMENT ON COLUMN lineage.archived_file.location IS 'Absolute path or URI of a Parquet file';
COMMENT ON COLUMN lineage.archived_file.catalog_table IS 'Table of a catalog of Spark that the file belongs to; null if the lake is a directory';
COMMENT ON COLUMN lineage.archived_file.digest_sum IS 'Sum of the first 60 bits of all digests, modulo two to the 60';

-- ----------------------------------------------------------------------------------------------------
-- Queues: events that are not in the graph yet, plan documents that are not converted yet, and rejected ones.

-- A queue: the collector inserts in the transaction that appends to the log, the projection deletes in the
-- transaction that projects the events. The graph does not depend on their order, so gaps in the ids are harmless.
CREATE TABLE lineage.projection_queue (
    event      bigint PRIMARY KEY,
    event_time timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE lineage.projection_queue IS 'Events of the log that are not in the graph yet';

-- Events that the database could not project. They are rejected, so that the projection of others continues.
CREATE TABLE lineage.rejected_event (
    event      bigint PRIMARY KEY,
    reason     text NOT NULL,
    rejected_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.rejected_event IS 'Events of the log that cannot be projected, and the reason';

-- Events whose plan document was converted again, or whose imported rows were read again with more rows, with a result that
-- no longer contains them.
CREATE TABLE lineage.superseded_event (
    event       bigint PRIMARY KEY,
    superseded_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.superseded_event IS 'Events of the log that a later conversion of the document or an import superseded';

-- A queue like lineage.projection_queue. A plan document with a reason is rejected.
CREATE TABLE lineage.plan_document_queue (
    sha256 bytea NOT NULL,
    time   timestamptz NOT NULL,
    reason text,
    PRIMARY KEY (sha256, time)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE lineage.plan_document_queue IS 'Plan documents that are not converted yet, or were rejected';
COMMENT ON COLUMN lineage.plan_document_queue.reason IS 'Why it cannot be converted; null while it is pending';
CREATE INDEX plan_document_queue_pending ON lineage.plan_document_queue (time) WHERE reason IS NULL;

-- ----------------------------------------------------------------------------------------------------
-- Fact tables: datasets, jobs, runs, and the accesses of runs, by the reported names.

-- A name that events report for a dataset. The names of one dataset (aliases) share a canonical name, which
-- determines the vertex.
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
COMMENT ON COLUMN lineage.dataset.schema IS 'Digest of the schema whose columns are in the graph';
COMMENT ON TABLE lineage.dataset IS 'Names that events report for datasets, with the canonical name of each';
CREATE INDEX dataset_canonical ON lineage.dataset (canonical);
CREATE INDEX dataset_alias_of ON lineage.dataset (alias_of) WHERE alias_of IS NOT NULL;
-- Names are searched by suffix.
-- A block range index, because updates of its column remain HOT. It finds the datasets that were reported last.
CREATE INDEX dataset_reported ON lineage.dataset USING brin (last_seen) WITH (pages_per_range = 16);
CREATE INDEX dataset_ending ON lineage.dataset (reverse(lineage.full_name(namespace, name)) COLLATE "C");

-- The texts that search finds: names of datasets (aliases too) and of jobs, and their tags and descriptions. The name of a
-- column is one row, however many datasets have it. A text that was withdrawn is empty.
CREATE TABLE lineage.search_text (
    kind      text COLLATE "C" NOT NULL CHECK (kind IN ('dataset', 'job', 'column')),
    field     text COLLATE "C" NOT NULL CHECK (field IN ('name', 'tag', 'description')),
    id        bigint,
    text      text COLLATE "C" NOT NULL,
    lowered   text NOT NULL GENERATED ALWAYS AS (lower(text COLLATE "default")) STORED,
    last_part text COLLATE "C" NOT NULL
        GENERATED ALWAYS AS (regexp_replace(lower(text COLLATE "default"), '^.*[/.:]', '')) STORED,
    words     text NOT NULL GENERATED ALWAYS AS (
        ' ' || regexp_replace(lower(text COLLATE "default"), '[^[:alnum:]]+', ' ', 'g') || ' ') STORED
);
COMMENT ON TABLE lineage.search_text IS 'Names, tags and descriptions, for search';
COMMENT ON COLUMN lineage.search_text.id IS 'The vertex of the dataset or job; null for a column';
COMMENT ON COLUMN lineage.search_text.last_part IS 'The part after the last of / . : in lower case';
COMMENT ON COLUMN lineage.search_text.words IS 'The words in lower case, each between spaces';
CREATE UNIQUE INDEX search_text_entity ON lineage.search_text (id, field);
-- Not unique: transactions that add the same name at the same time would wait for each other. Search returns it once.
CREATE INDEX search_text_column ON lineage.search_text (text) WHERE kind = 'column';
-- Few entities have tags or descriptions, or all have.
CREATE INDEX search_text_described ON lineage.search_text (id) WHERE field <> 'name' AND text <> '';
-- Prefixes of the last part. Names may be longer than an entry of an index.
CREATE INDEX search_text_prefix ON lineage.search_text ((left(last_part, 300)) text_pattern_ops) WHERE field = 'name';

-- The words of names, for names that are similar to a misspelled word: there are few, and each is in many names. Not
-- unique, as search_text_column. Words of more than 100 characters are omitted.
CREATE TABLE lineage.search_word (
    word text NOT NULL
);
COMMENT ON TABLE lineage.search_word IS 'Words of names, for search';
CREATE INDEX search_word_key ON lineage.search_word (word);

CREATE OR REPLACE FUNCTION lineage.add_search_words() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO lineage.search_word (word)
    SELECT DISTINCT w.word
    FROM added a CROSS JOIN LATERAL unnest(string_to_array(btrim(a.words), ' ')) AS w (word)
    WHERE a.field = 'name' AND w.word <> '' AND length(w.word) <= 100
      AND (SELECT true FROM lineage.search_word s WHERE s.word = w.word LIMIT 1) IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER words AFTER INSERT ON lineage.search_text
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION lineage.add_search_words();

-- A symlinks facet: the dataset "owner" reports "alias" as another name of it. The newest claim on an alias wins.
CREATE TABLE lineage.alias (
    alias   bigint NOT NULL,
    owner   bigint NOT NULL,
    claimed timestamptz NOT NULL,
    PRIMARY KEY (alias, owner)
) WITH (fillfactor = 80);
COMMENT ON TABLE lineage.alias IS 'Claims of datasets on aliases, with the time of the last claim';

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
-- Streaming jobs are few: this index returns their ids, which are then searched among the writers of a dataset.
CREATE INDEX job_streaming ON lineage.job (id)
    WHERE facets #>> '{jobType,1,processingType}' = 'STREAMING';
-- The write mode that a user set for writes whose producer reports none: the job facet lineage_write_modes,
-- {"mode": …, "datasets": [{"namespace": …, "name": …, "mode": …}]}, with the modes append, overwrite and unknown. A
-- mode in an event takes precedence.
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
-- The newest runs of all jobs. The first event of a run is the first to be written, as a rule: later events do not
-- change the time, and their updates need not touch the index.
CREATE INDEX run_first_seen ON lineage.run (first_seen);
-- Few runs failed. Whether one of many runs did is searched here.
CREATE INDEX run_not_contributing ON lineage.run (id) WHERE NOT contributing;
COMMENT ON COLUMN lineage.run.contributing IS 'Whether the accesses of the run contribute to lineage.feeds';
COMMENT ON TABLE lineage.run IS 'Runs, with state and times merged from their events';
COMMENT ON COLUMN lineage.run.streamed IS
    'Bits that events of the run set: 1 if its job is streaming, 2 if it is running';

-- The job of a run. Without times, only a run that names it as its parent has reported it. A run has more than one
-- job only if a run id was used twice.
CREATE TABLE lineage.execution (
    run        bigint NOT NULL,
    job        bigint NOT NULL,
    first_seen timestamptz,
    last_seen  timestamptz,
    PRIMARY KEY (run, job)
);
COMMENT ON TABLE lineage.execution IS 'The job of each run';
-- The further columns let a query read the runs of a job from the index alone.
CREATE INDEX execution_earliest ON lineage.execution (job, first_seen) INCLUDE (run, last_seen);
CREATE INDEX execution_latest ON lineage.execution (job, last_seen);

-- A dataset that a run read or wrote, under the reported name.
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
COMMENT ON TABLE lineage.access IS 'Datasets that runs read and wrote';
-- The further columns let a query find the readers of a dataset in a period from the index alone.
CREATE INDEX access_latest ON lineage.access (dataset, last_seen) INCLUDE (output, run, job, first_seen);
-- The few accesses that took longer than an hour, by their beginning.
CREATE INDEX access_long ON lineage.access (dataset, first_seen) WHERE last_seen - first_seen > interval '1 hour';
-- Writes of a dataset in order of time, and those that report a version.
CREATE INDEX access_written ON lineage.access (dataset, last_seen) WHERE output;
CREATE INDEX access_version ON lineage.access (dataset, lineage.version_key(facets #>> '{version,1,datasetVersion}'))
    WHERE output AND facets ? 'version';
-- Reads that report a version, and those that report several.
CREATE INDEX access_read_version ON lineage.access (dataset, lineage.version_key(facets #>> '{version,1,datasetVersion}'))
    WHERE NOT output AND facets ? 'version';
CREATE INDEX access_read_versions ON lineage.access (dataset) WHERE NOT output AND facets ? 'lineage_versions';
-- Returns the last overwrite without reading the other writes.
CREATE INDEX access_replacing ON lineage.access (dataset, last_seen)
    WHERE output AND lineage.is_overwrite(facets);
CREATE INDEX access_adding ON lineage.access (dataset, job) WHERE output AND lineage.is_append(facets);
-- The runs of a job that accessed a dataset, from the index alone.
CREATE INDEX access_job ON lineage.access (dataset, output, job, last_seen) INCLUDE (run);
-- Checks and metrics of producers: dataQualityAssertions and dataQualityMetrics of datasets, stored with the access of
-- the run that reported them, and the test facet of runs.
CREATE INDEX access_quality ON lineage.access (dataset)
    WHERE facets ?| '{dataQualityAssertions,dataQualityMetrics}';

-- The jobs of which any run, in whatever state, read or wrote a dataset, under the reported name. A dataset has few jobs
-- and many runs. Rows are only added.
CREATE TABLE lineage.dataset_job (
    dataset bigint NOT NULL,
    output  boolean NOT NULL,
    job     bigint NOT NULL,
    PRIMARY KEY (dataset, output, job)
);
COMMENT ON TABLE lineage.dataset_job IS 'The jobs that ever read or wrote each dataset';

-- The datasets that the lineage facets of a run name. If one of them is reassigned to another vertex, the contribution
-- of the run is computed again.
CREATE TABLE lineage.explicit_source (
    run     bigint NOT NULL,
    dataset bigint NOT NULL,
    PRIMARY KEY (dataset, run)
);
COMMENT ON TABLE lineage.explicit_source IS 'Datasets that the lineage facets of a run name';

-- The job that first used a run id, recorded if a token for some namespaces needs it.
CREATE TABLE lineage.run_owner (
    run_id     text COLLATE "C" PRIMARY KEY,
    namespace  text NOT NULL,
    job        text,
    claimed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.run_owner IS 'The job that first used a run id, or is named as the job of a parent run; tokens for other namespaces may not write to that run';
COMMENT ON COLUMN lineage.run_owner.job IS 'Null for a run that plan documents or its children name, and that has no event of its own';

-- Jobs that run after other jobs, as reported by jobDependencies facets of runs. Job lineage follows them in addition
-- to the data; such an edge has no dataset.
CREATE TABLE lineage.job_dependency (
    upstream   bigint NOT NULL,
    downstream bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    PRIMARY KEY (upstream, downstream)
);
COMMENT ON TABLE lineage.job_dependency IS 'Order of jobs, as reported by runs';
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

-- The columns of the newest schema of each dataset, and those that a columnLineage facet names. id is the id of the
-- Field vertex, dataset the id of the Dataset vertex.
CREATE TABLE lineage.field (
    id      bigint PRIMARY KEY,
    dataset bigint NOT NULL,
    name    text COLLATE "C" NOT NULL,
    type    text,
    nested  boolean NOT NULL DEFAULT false,
    UNIQUE (dataset, name)
);
-- The datasets that have a column of a name.
CREATE INDEX field_of_name ON lineage.field (name);
COMMENT ON TABLE lineage.field IS 'Columns of datasets; the vertices Field';
COMMENT ON COLUMN lineage.field.nested IS
    'Whether the name is the path of a nested field: by the newest schema, else by its form';
-- For two searches: whether any nested field exists, and which fields a column contains.
CREATE INDEX field_nested ON lineage.field (dataset, name) WHERE nested;

-- The distinct columnLineage facets; many runs may report the same one.
CREATE TABLE lineage.column_mapping (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,
    target bigint NOT NULL,
    unreadable jsonb NOT NULL
);
COMMENT ON TABLE lineage.column_mapping IS 'Distinct column mappings of datasets';
COMMENT ON COLUMN lineage.column_mapping.unreadable IS 'Paths in the facet that could not be parsed';
CREATE INDEX mapping_target ON lineage.column_mapping (target);

-- Datasets are the reported names. An empty target_field is the whole dataset.
CREATE TABLE lineage.column_mapping_entry (
    mapping      bigint NOT NULL,
    source       bigint NOT NULL,
    source_field text COLLATE "C" NOT NULL,
    target_field text COLLATE "C" NOT NULL,
    type         text COLLATE "C" NOT NULL CHECK (type IN ('DIRECT', 'INDIRECT')),
    subtype      text COLLATE "C" NOT NULL,
    masking      boolean NOT NULL
);
COMMENT ON TABLE lineage.column_mapping_entry IS 'Source and target columns of each column mapping';
CREATE INDEX derivation_target ON lineage.column_mapping_entry (mapping, target_field);
CREATE INDEX derivation_source ON lineage.column_mapping_entry (source, source_field);

-- The last column mapping that a run reported for an output. The greater revision wins.
CREATE TABLE lineage.run_column_mapping (
    run     bigint NOT NULL,
    job     bigint NOT NULL,
    dataset bigint NOT NULL,
    revision   text COLLATE "C" NOT NULL,
    mapping bigint NOT NULL,
    PRIMARY KEY (run, job, dataset)
) WITH (fillfactor = 90);
COMMENT ON TABLE lineage.run_column_mapping IS 'The column mapping that a run reported for an output';
CREATE INDEX run_mapping_mapping ON lineage.run_column_mapping (mapping);

-- ----------------------------------------------------------------------------------------------------
-- Summaries: the edges FEEDS and DERIVES.

-- One row per source, target and job, aggregated over the contributing runs of the job.
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
COMMENT ON TABLE lineage.feeds IS 'Datasets that feed others, by job; the edges FEEDS';
CREATE INDEX feeds_target ON lineage.feeds (target, source);
CREATE UNIQUE INDEX feeds_edge ON lineage.feeds (edge);
-- Inputs and outputs of a job are searched by the job alone.
CREATE INDEX feeds_job ON lineage.feeds (job);

-- Aggregated over the contributing runs of the job. source is a column; target is a column or, if all columns of a
-- dataset depend on the source, that dataset.
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
COMMENT ON TABLE lineage.derives IS 'Columns that derive from others, by job; the edges DERIVES';
CREATE INDEX derives_target ON lineage.derives (target, source);
CREATE UNIQUE INDEX derives_edge ON lineage.derives (edge);

-- Contributions of runs that the summaries do not contain yet. They are written in the transaction of the runs, and
-- deleted in the transaction that adds them to the summaries.
CREATE TABLE lineage.deferred_feeds (
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    job        bigint NOT NULL,
    runs       bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL
);
COMMENT ON TABLE lineage.deferred_feeds IS 'Contributions to lineage.feeds that are not added yet';
CREATE INDEX deferred_feeds_job ON lineage.deferred_feeds (job);

-- By column mappings, so that equal runs are one row however many columns they have.
CREATE TABLE lineage.deferred_derives (
    job        bigint NOT NULL,
    mappings   bigint[] NOT NULL,
    runs       bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL
);
COMMENT ON TABLE lineage.deferred_derives IS 'Contributions to lineage.derives that are not added yet';
CREATE INDEX deferred_derives_job ON lineage.deferred_derives (job);

-- ----------------------------------------------------------------------------------------------------
-- Archived runs: their accesses are in files of an event lake. The summaries count them, and no event changes them.
-- See docs/decisions/archived-runs.md.

CREATE TABLE lineage.run_archive (
    archived_at     timestamptz PRIMARY KEY DEFAULT now(),
    archived_before timestamptz NOT NULL,
    lake            text NOT NULL,
    runs            bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE lineage.run_archive IS 'The commands that archived runs, and their numbers of runs';

CREATE TABLE lineage.archived_run (
    run_id   text COLLATE "C" PRIMARY KEY,
    in_graph boolean NOT NULL,
    job      bigint
);
COMMENT ON TABLE lineage.archived_run IS 'Runs that no event changes until the next rebuild';
COMMENT ON COLUMN lineage.archived_run.job IS 'The first job of a run that is not in the graph; it owns the run id';
COMMENT ON COLUMN lineage.archived_run.in_graph IS
    'Whether the run is in the graph: it is the last before the archived time that accessed a dataset, or is not moved yet';

-- Runs of a job with equal pairs of datasets, by the reported names: sources[i] fed targets[i].
CREATE TABLE lineage.archived_feeds (
    job        bigint NOT NULL,
    sources    bigint[] NOT NULL,
    targets    bigint[] NOT NULL,
    runs       bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL
);
COMMENT ON TABLE lineage.archived_feeds IS 'What archived runs contribute to lineage.feeds';
CREATE INDEX archived_feeds_job ON lineage.archived_feeds (job);
-- For names that are assigned to another dataset.
CREATE INDEX archived_feeds_sources ON lineage.archived_feeds USING gin (sources);
CREATE INDEX archived_feeds_targets ON lineage.archived_feeds USING gin (targets);

CREATE TABLE lineage.archived_derives (
    job        bigint NOT NULL,
    mappings   bigint[] NOT NULL,
    runs       bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL
);
COMMENT ON TABLE lineage.archived_derives IS 'What archived runs contribute to lineage.derives';
CREATE INDEX archived_derives_job ON lineage.archived_derives (job);
CREATE INDEX archived_derives_mappings ON lineage.archived_derives USING gin (mappings);

CREATE TABLE lineage.late_run (
    run_id     text COLLATE "C" PRIMARY KEY,
    events     bigint NOT NULL,
    last_event timestamptz NOT NULL
);
COMMENT ON TABLE lineage.late_run IS 'Archived runs with later events, which are not in the graph until the next rebuild';

-- ----------------------------------------------------------------------------------------------------
-- Designs: the edges DECLARED.

-- The holders of designs: jobs, or datasets with a design of their own, by id. The newest design replaces older ones.
CREATE TABLE lineage.design (
    holder bigint PRIMARY KEY,
    job    bigint,
    revision  text COLLATE "C" NOT NULL
);
COMMENT ON TABLE lineage.design IS 'Jobs and datasets with a design, and its newest revision';

-- The pairs of a design, by the reported names. Pairs that the newest design does not contain have an older revision.
CREATE TABLE lineage.design_source (
    holder     bigint NOT NULL,
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    revision      text COLLATE "C" NOT NULL,
    confidence double precision NOT NULL DEFAULT 1,
    PRIMARY KEY (holder, source, target)
);
COMMENT ON TABLE lineage.design_source IS 'Datasets that feed others by a design, under the reported names';
CREATE INDEX design_source_source ON lineage.design_source (source);
CREATE INDEX design_source_target ON lineage.design_source (target);

-- The column mapping of a design for a target.
CREATE TABLE lineage.design_mapping (
    holder     bigint NOT NULL,
    target     bigint NOT NULL,
    mapping    bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    revision      text COLLATE "C" NOT NULL,
    PRIMARY KEY (holder, target, mapping)
);
COMMENT ON TABLE lineage.design_mapping IS 'The column mappings that a design reports for a dataset';
CREATE INDEX design_mapping_mapping ON lineage.design_mapping (mapping);
CREATE INDEX design_mapping_target ON lineage.design_mapping (target);

-- The pairs of the newest designs, by vertices of datasets. observed: FEEDS has the pair for this job or, if no job
-- declares it, for any job; the pair then has no DECLARED edge.
CREATE TABLE lineage.declared (
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    holder     bigint NOT NULL,
    job        bigint,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    observed   boolean NOT NULL,
    confidence double precision NOT NULL DEFAULT 1,
    edge       bigint NOT NULL,
    PRIMARY KEY (source, target, holder)
);
COMMENT ON COLUMN lineage.declared.confidence IS '0 to 1; below 1 the design was inferred';
COMMENT ON TABLE lineage.declared IS 'Datasets that feed others by the newest designs';
CREATE INDEX declared_holder ON lineage.declared (holder);
CREATE INDEX declared_source ON lineage.declared (source) WHERE NOT observed;
CREATE INDEX declared_target ON lineage.declared (target) WHERE NOT observed;
CREATE TRIGGER observed AFTER UPDATE OF observed ON lineage.declared
    FOR EACH ROW WHEN (NEW.observed AND NOT OLD.observed) EXECUTE FUNCTION lineage.delete_observed_edge();

-- The same between columns, or from a column to a whole dataset, whether or not DERIVES has the pair too.
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
COMMENT ON TABLE lineage.declared_column IS 'Columns that derive from others by the newest designs';
CREATE INDEX declared_column_holder ON lineage.declared_column (holder);
CREATE INDEX declared_column_target ON lineage.declared_column (target);

-- ----------------------------------------------------------------------------------------------------
-- Graph models: the vertices Asset, the edges IS and those of the types of the model.

-- The nodes of graph models, merged from all their reports. texts, attributes: {"key": [revision, agtype text]},
-- tags: {"tag": [revision, ""]}; the greater revision wins, by lineage.merge_facets(). jsonb would change numbers such as 1e16.
-- entity: the reported name of the dataset, or the job, that the node is, by the greatest revision of the node.
CREATE TABLE lineage.node (
    node_id    text COLLATE "C" PRIMARY KEY,
    vertex     bigint NOT NULL UNIQUE,
    entity     bigint NOT NULL,
    of_job     boolean NOT NULL,
    revision   text COLLATE "C" NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    texts      jsonb NOT NULL,
    attributes jsonb NOT NULL,
    tags       jsonb NOT NULL,
    is_edge    bigint NOT NULL
);
COMMENT ON TABLE lineage.node IS 'Nodes of graph models; the vertices Asset';
COMMENT ON COLUMN lineage.node.entity IS 'The dataset, under its reported name, or the job that the node is';
CREATE INDEX node_entity ON lineage.node (entity);

-- The edges of graph models. confidence and attributes: agtype texts, by the greatest revision. An edge is in the graph once
-- both of its nodes are.
CREATE TABLE lineage.link (
    source     text COLLATE "C" NOT NULL,
    target     text COLLATE "C" NOT NULL,
    type       text COLLATE "C" NOT NULL CHECK (
        type IN ('produces', 'consumes', 'transforms', 'materializes', 'has_schema', 'member_of')),
    revision   text COLLATE "C" NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    confidence text NOT NULL,
    attributes text NOT NULL,
    edge       bigint NOT NULL,
    PRIMARY KEY (source, target, type)
);
COMMENT ON TABLE lineage.link IS 'Edges of graph models, by the ids of their nodes';
CREATE INDEX link_target ON lineage.link (target);

-- ----------------------------------------------------------------------------------------------------
-- Items: what became of single rows in the functions of a run. They have ids and no values.

-- The nodes of a run, numbered in the order in which they were stored. Counts are of rows, and null until the report
-- of the run has arrived. sample: share of the items that was sampled.
CREATE TABLE lineage.record_node (
    run           uuid NOT NULL,
    ordinal       int NOT NULL,
    node          text NOT NULL,
    operator      text,
    pipeline_id   uuid NOT NULL,
    pipeline      text,
    sample        double precision,
    rows_in       bigint,
    rows_out      bigint,
    emitted       bigint,
    filtered_out  bigint,
    joined        bigint,
    aggregated    bigint,
    retried       bigint,
    error         bigint,
    dead_lettered bigint,
    recorded_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run, ordinal)
);
COMMENT ON TABLE lineage.record_node IS 'Nodes of the runs whose items are recorded, with counts of their rows';

-- The sampled items of a run. outcome: the flags of all hops together. hops: 6 to 30 bytes a hop, in order;
-- lineage.record_hops decodes them. contributors: 16 bytes for each id of a row of a group, at most 16 ids.
CREATE TABLE lineage.record_item (
    run          uuid NOT NULL,
    id           uuid NOT NULL,
    outcome      smallint NOT NULL,
    hops         bytea NOT NULL,
    contributors bytea,
    error        text,
    PRIMARY KEY (id, run)
);
COMMENT ON TABLE lineage.record_item IS 'Sampled items of runs, and their hops through the nodes of record_node';
COMMENT ON COLUMN lineage.record_item.error IS 'Type of the last error; with its message if values are not redacted';
-- Entries of equal runs are stored once: a few bytes an item.
CREATE INDEX record_item_run ON lineage.record_item (run);

-- ----------------------------------------------------------------------------------------------------
-- Saved traces: the rows that rows of a dataset are made of. No event has them, so a rebuild keeps them. Datasets have
-- their full names, because ids change with a rebuild.

-- One question: the rows of a dataset that meet a condition. columns: those of the condition. condition_hash: of its
-- text, with the key of the user. condition and row_values: null unless values are saved. rows: the number of traced
-- rows. counts: [{"hop", "target", "source", "rows", "saved"}]: the exact number of distinct rows of a source that rows of a target
-- are made of, and how many of them are stored. reproduced: whether the query gave the rows again on the contributing rows alone; null if that was not tried.
CREATE TABLE lineage.record_trace (
    id             uuid PRIMARY KEY,
    dataset        text NOT NULL,
    run            text,
    columns        text[] NOT NULL,
    condition_hash bytea NOT NULL CHECK (length(condition_hash) = 16),
    condition      text,
    way            text NOT NULL CHECK (way IN ('live', 'dry run')),
    fidelity       text NOT NULL CHECK (fidelity IN ('exact', 'superset', 'sampled', 'unverified', 'stale', 'unknown')),
    reasons        text[] NOT NULL,
    rows           bigint NOT NULL,
    counts         jsonb NOT NULL,
    reproduced     boolean,
    row_values     jsonb,
    saved_at       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.record_trace IS 'Saved traces: conditions on rows of a dataset, and how exact the answers are';
COMMENT ON COLUMN lineage.record_trace.condition_hash IS 'HMAC of the condition, with the key of the user';
CREATE INDEX record_trace_dataset ON lineage.record_trace USING hash (dataset);

-- The first contributing rows of a trace. hop: the number of writes from the row to the traced rows; target: the
-- dataset of the first of these writes. A row without a
-- position is named by its key alone. key: see lineage.records.row_keys.
CREATE TABLE lineage.record_witness (
    trace      uuid NOT NULL REFERENCES lineage.record_trace ON DELETE CASCADE,
    ordinal    int NOT NULL CHECK (ordinal BETWEEN 1 AND 1000),
    hop        int NOT NULL CHECK (hop > 0),
    target     text NOT NULL,
    source     text NOT NULL,
    file       text,
    row_index  bigint,
    key        bytea NOT NULL CHECK (length(key) = 16),
    row_values jsonb,
    PRIMARY KEY (trace, ordinal),
    CHECK ((file IS NULL) = (row_index IS NULL))
);
COMMENT ON TABLE lineage.record_witness IS 'Contributing rows of saved traces; the edges WITNESS';

-- ----------------------------------------------------------------------------------------------------
-- Imported query logs. The events of a run are a function of the set of its rows, so they do not depend on the order
-- of imports. server: the namespace of the datasets. unit: the run, process or session whose rows are read together.

-- What is read of a text, as JSON: names of tables and the shape of the statement, no literals.
CREATE TABLE lineage.imported_statement (
    sha256 bytea PRIMARY KEY CHECK (length(sha256) = 32),
    body   text NOT NULL
);
COMMENT ON TABLE lineage.imported_statement IS 'Statements of imported query logs, without literals, each once';

CREATE TABLE lineage.imported_row (
    server    text COLLATE "C" NOT NULL,
    unit      text COLLATE "C" NOT NULL,
    time      timestamptz NOT NULL,
    sha256    bytea NOT NULL CHECK (length(sha256) = 32),
    body      text NOT NULL,
    statement bytea,
    detail    smallint NOT NULL,
    text      text,
    PRIMARY KEY (server, unit, time, sha256)
);
COMMENT ON TABLE lineage.imported_row IS 'Rows of imported query logs, each once';
COMMENT ON COLUMN lineage.imported_row.sha256 IS 'SHA-256 of the fields of the row and the shape of its text';
COMMENT ON COLUMN lineage.imported_row.body IS 'The fields of the row without its text, as JSON';
COMMENT ON COLUMN lineage.imported_row.detail IS 'How much of the text is kept: 0 nothing, 1 its shape, 2 all';
COMMENT ON COLUMN lineage.imported_row.text IS 'The text, if detail is 2';
CREATE INDEX imported_row_statement ON lineage.imported_row (statement) WHERE statement IS NOT NULL;

-- The rows of a unit without a pause between them.
CREATE TABLE lineage.imported_part (
    server     text COLLATE "C" NOT NULL,
    unit       text COLLATE "C" NOT NULL,
    first_time timestamptz NOT NULL,
    last_time  timestamptz NOT NULL,
    is_open    boolean NOT NULL,
    is_stale   boolean NOT NULL,
    PRIMARY KEY (server, unit, first_time)
);
COMMENT ON TABLE lineage.imported_part IS 'Periods of imported rows, whose events are written together';
COMMENT ON COLUMN lineage.imported_part.is_open IS 'Whether its end is not known yet';
COMMENT ON COLUMN lineage.imported_part.is_stale IS 'Whether its events are still to be written';
CREATE INDEX imported_part_last ON lineage.imported_part (server, last_time);
CREATE INDEX imported_part_stale ON lineage.imported_part (server, unit, first_time) WHERE is_stale;

-- What catalogs report: columns of tables and the statements of routines. The newest report of an object wins.
CREATE TABLE lineage.imported_object (
    server text COLLATE "C" NOT NULL,
    kind   text NOT NULL CHECK (kind IN ('table', 'routine')),
    name   text COLLATE "C" NOT NULL,
    time   timestamptz NOT NULL,
    body   text NOT NULL,
    PRIMARY KEY (server, kind, name)
);
COMMENT ON TABLE lineage.imported_object IS 'Columns of tables and statements of routines, by imported catalogs';
COMMENT ON COLUMN lineage.imported_object.name IS 'The parts of the name, as a JSON array';
COMMENT ON COLUMN lineage.imported_object.body IS 'Columns, or statements without literals, as JSON';

-- ----------------------------------------------------------------------------------------------------
-- Tokens of the collector, and backends that events are forwarded to.

-- The tokens of the collector. A token is 256 random bits, so it cannot be derived from its SHA-256.
CREATE TABLE lineage.token (
    name       text PRIMARY KEY,
    sha256     bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
    scope      text NOT NULL CHECK (scope IN ('read', 'write')),
    namespaces text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.token IS 'Bearer tokens of the collector, hashed';
COMMENT ON COLUMN lineage.token.namespaces IS 'Namespaces the token is valid for, * matches any text; empty for all';

-- The progress of each backend that events are forwarded to.
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
COMMENT ON COLUMN lineage.forward.position IS 'All events up to this id are sent or rejected';
COMMENT ON COLUMN lineage.forward.sent IS 'Number of acknowledged events; an event that is sent again counts again';
COMMENT ON COLUMN lineage.forward.error IS 'Why forwarding fails; null if it does not';

-- Events that a backend rejected as invalid. They are not sent again, because it would reject them again.
CREATE TABLE lineage.rejected_forward (
    target     text NOT NULL REFERENCES lineage.forward ON DELETE CASCADE,
    event      bigint NOT NULL,
    reason     text NOT NULL,
    rejected_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (target, event)
);
COMMENT ON TABLE lineage.rejected_forward IS 'Events that a backend rejected, and its response';

-- ----------------------------------------------------------------------------------------------------
-- Types of results.

-- A read and one of the writes it saw. writer is null if no run is known to have written the data.
CREATE TYPE lineage.run_dependency AS (
    reader bigint, reader_job bigint, dataset bigint, version text,
    writer bigint, writer_job bigint, written timestamptz, exact boolean);

-- A read of a dataset, and the period in which it sees writes. reader is null for a hypothetical read at a time.
CREATE TYPE lineage.dataset_read AS (
    reader bigint, reader_job bigint, dataset bigint, version text, read_at timestamptz,
    read_until timestamptz, by_version timestamptz, as_of timestamptz, barrier timestamptz);

CREATE TYPE lineage.visible_write AS (
    reader_job bigint, dataset bigint, run bigint, job bigint, written timestamptz, exact boolean);
COMMENT ON TYPE lineage.visible_write IS
    'A run whose write of a dataset runs of a job read; run is null if no run is known to have written it';

-- A write that is visible at the first of two times (times = 1), at the second (2) or at both (3).
CREATE TYPE lineage.compared_write AS (
    times int, dataset bigint, run bigint, job bigint, written timestamptz, exact boolean);
COMMENT ON TYPE lineage.compared_write IS
    'A run whose write of a dataset is visible at one or both of two times; run is null if none is known to have written it';

-- A job read a dataset that another job had written. runs: number of runs of the far job; run: the newest of them;
-- first and last: times of their first and last write (or read); exact: number of runs matched by version;
-- perhaps: number of further runs that may be visible; since: time from which on these are.
CREATE TYPE lineage.run_lineage_step AS (
    distance int, reader_job bigint, dataset bigint, writer_job bigint, runs bigint, run bigint,
    first timestamptz, last timestamptz, exact bigint, perhaps bigint, since timestamptz);
COMMENT ON TYPE lineage.run_lineage_step IS 'Runs of a job read a dataset that runs of another job had written';

CREATE TYPE lineage.run_reader AS (
    distance int, reader bigint, reader_job bigint, dataset bigint, job bigint, read_at timestamptz,
    exact boolean, perhaps boolean);
COMMENT ON TYPE lineage.run_reader IS 'A run that read a dataset which one of several runs had written';

-- ----------------------------------------------------------------------------------------------------
-- Privileges. lineage_reader reads everything except tokens; raw Cypher reads only the labels. lineage_writer appends to
-- the log and never changes an event. Functions of the owner delete on its behalf what the facts no longer support.

GRANT USAGE ON SCHEMA ag_catalog TO lineage_writer, lineage_reader, lineage_cypher;
GRANT SELECT ON ALL TABLES IN SCHEMA ag_catalog TO lineage_writer, lineage_reader, lineage_cypher;
GRANT SELECT
    ON lineage.access, lineage.alias, lineage.archived_derives, lineage.archived_feeds, lineage.archived_file,
       lineage.archived_run, lineage.dataset, lineage.dataset_job, lineage.late_run, lineage.run_archive,
       lineage.declared, lineage.declared_column, lineage.column_mapping_entry, lineage.deferred_derives, lineage.deferred_feeds, lineage.derives,
       lineage.design, lineage.design_mapping, lineage.design_source, lineage.plan_document, lineage.event, lineage.execution,
       lineage.explicit_source, lineage.feeds, lineage.field, lineage.forward, lineage.rejected_forward,
       lineage.job, lineage.job_dependency, lineage.column_mapping, lineage.link, lineage.node,
       lineage.projection_queue, lineage.record_item,
       lineage.imported_object, lineage.imported_part, lineage.imported_row, lineage.imported_statement,
       lineage.record_node, lineage.record_trace, lineage.record_witness, lineage.rejected_event,
       lineage.superseded_event, lineage.retention, lineage.run, lineage.run_column_mapping, lineage.run_owner,
       lineage.plan_document_queue, lineage.search_text, lineage.search_word,
       provenance."DECLARED", provenance."DERIVES",
       provenance."Dataset", provenance."EXECUTES", provenance."FEEDS", provenance."Field", provenance."HAS_FIELD",
       provenance."INPUT_TO", provenance."Job", provenance."OUTPUTS", provenance."PARENT",
       provenance."Record", provenance."Run", provenance."WITNESS", provenance."Asset", provenance."CONSUMES", provenance."HAS_SCHEMA", provenance."IS",
       provenance."MATERIALIZES", provenance."MEMBER_OF", provenance."PRODUCES", provenance."TRANSFORMS"
    TO lineage_reader;
GRANT USAGE
    ON SCHEMA lineage, provenance
    TO lineage_reader;
GRANT SELECT
    ON provenance."DECLARED", provenance."DERIVES", provenance."Dataset", provenance."EXECUTES",
       provenance."FEEDS", provenance."Field", provenance."HAS_FIELD", provenance."INPUT_TO",
       provenance."Job", provenance."OUTPUTS", provenance."PARENT", provenance."Record", provenance."Run",
       provenance."WITNESS", provenance."Asset", provenance."CONSUMES", provenance."HAS_SCHEMA", provenance."IS",
       provenance."MATERIALIZES", provenance."MEMBER_OF", provenance."PRODUCES", provenance."TRANSFORMS"
    TO lineage_cypher;
GRANT USAGE
    ON SCHEMA provenance
    TO lineage_cypher;
GRANT SELECT
    ON lineage.archived_derives, lineage.archived_feeds, lineage.archived_file, lineage.archived_run,
       lineage.run_archive, lineage.superseded_event, lineage.retention
    TO lineage_writer;
GRANT SELECT, INSERT
    ON lineage.dataset_job, lineage.declared_column, lineage.column_mapping_entry, lineage.plan_document, lineage.event,
       lineage.explicit_source, lineage.column_mapping, lineage.imported_statement, lineage.record_trace, lineage.record_witness,
       lineage.rejected_event, lineage.run_owner, lineage.search_word, provenance."DECLARED", provenance."EXECUTES",
       provenance."HAS_FIELD", provenance."PARENT", provenance."Record", provenance."WITNESS"
    TO lineage_writer;
GRANT SELECT, INSERT, UPDATE
    ON lineage.access, lineage.alias, lineage.dataset, lineage.declared, lineage.derives, lineage.design,
       lineage.design_mapping, lineage.design_source, lineage.execution, lineage.feeds, lineage.field,
       lineage.imported_object, lineage.imported_row, lineage.job, lineage.job_dependency, lineage.late_run,
       lineage.record_item, lineage.record_node, lineage.run,
       lineage.link, lineage.node, provenance."Asset", provenance."CONSUMES", provenance."HAS_SCHEMA", provenance."IS",
       provenance."MATERIALIZES", provenance."MEMBER_OF", provenance."PRODUCES", provenance."TRANSFORMS",
       lineage.run_column_mapping, lineage.search_text, provenance."DERIVES", provenance."Dataset", provenance."FEEDS", provenance."Field", provenance."INPUT_TO",
       provenance."Job", provenance."OUTPUTS", provenance."Run"
    TO lineage_writer;
GRANT SELECT, INSERT, UPDATE, DELETE
    ON lineage.forward, lineage.rejected_forward, lineage.projection_queue, lineage.plan_document_queue,
       lineage.imported_part, lineage.deferred_derives, lineage.deferred_feeds
    TO lineage_writer;
GRANT SELECT, USAGE
    ON SEQUENCE lineage.event_id_seq, lineage.column_mapping_id_seq, provenance."DECLARED_id_seq",
       provenance."DERIVES_id_seq", provenance."Dataset_id_seq", provenance."EXECUTES_id_seq",
       provenance."FEEDS_id_seq", provenance."Field_id_seq", provenance."HAS_FIELD_id_seq",
       provenance."INPUT_TO_id_seq", provenance."Job_id_seq", provenance."OUTPUTS_id_seq",
       provenance."PARENT_id_seq", provenance."Record_id_seq", provenance."Run_id_seq",
       provenance."WITNESS_id_seq", provenance."Asset_id_seq", provenance."CONSUMES_id_seq",
       provenance."HAS_SCHEMA_id_seq", provenance."IS_id_seq", provenance."MATERIALIZES_id_seq",
       provenance."MEMBER_OF_id_seq", provenance."PRODUCES_id_seq", provenance."TRANSFORMS_id_seq"
    TO lineage_writer;
GRANT USAGE
    ON SCHEMA lineage, provenance
    TO lineage_writer;
-- The parent tables of the labels: Cypher patterns without a label read them.
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
REVOKE EXECUTE ON FUNCTION lineage.add_search_words FROM PUBLIC;

-- Settings for plain psql: it needs no LOAD and no search_path, and property maps use the indexes. search_path omits
-- "$user", which for a role named lineage would be our schema. The owner of the database may set the first; the others
-- require a superuser or a role with SET on the parameter.
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

-- Only a superuser can limit the temporary files of a query, or allow the role to do so. The privilege belongs to
-- the server: if two migrations in two databases granted it at the same time, one would fail.
DO $$
BEGIN
    IF NOT has_parameter_privilege('lineage_cypher', 'temp_file_limit', 'SET') THEN
        GRANT SET ON PARAMETER temp_file_limit TO lineage_cypher;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING USING
        MESSAGE = format('role "%s" may not limit the temporary files of raw Cypher', current_user),
        HINT = 'Let a superuser run: GRANT SET ON PARAMETER temp_file_limit TO lineage_cypher;';
END $$;

GRANT SELECT ON lineage.migration, lineage.function_set TO lineage_reader, lineage_writer;
