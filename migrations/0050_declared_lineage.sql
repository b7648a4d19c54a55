-- What designs state: which datasets and columns feed which, without a run that showed it. Edges DECLARED stand
-- beside FEEDS and DERIVES; a pair that runs of the same job show too is FEEDS alone, and says that it is declared.

SET LOCAL search_path = pg_catalog, ag_catalog;
SELECT ag_catalog.create_elabel('provenance', 'DECLARED');
SET LOCAL search_path = pg_catalog;
CREATE UNIQUE INDEX declared_id ON provenance."DECLARED" (id);
CREATE INDEX declared_pair ON provenance."DECLARED" (start_id, end_id);
CREATE INDEX IF NOT EXISTS "DECLARED_end_id_idx" ON provenance."DECLARED" (end_id);
DROP INDEX IF EXISTS provenance."DECLARED_start_id_idx";

-- Whose design it is: a job's, or a dataset's own, by their ids. The newest statement holds.
CREATE TABLE lineage.design (
    holder bigint PRIMARY KEY,
    job    bigint,
    stamp  text COLLATE "C" NOT NULL
);

-- The pairs of a design, by the names that were stated. What the newest statement does not state has an older stamp.
CREATE TABLE lineage.design_source (
    holder     bigint NOT NULL,
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    stamp      text COLLATE "C" NOT NULL,
    PRIMARY KEY (holder, source, target)
);
CREATE INDEX design_source_source ON lineage.design_source (source);
CREATE INDEX design_source_target ON lineage.design_source (target);

-- What a design states of the columns of a target.
CREATE TABLE lineage.design_mapping (
    holder     bigint NOT NULL,
    target     bigint NOT NULL,
    mapping    bigint NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    stamp      text COLLATE "C" NOT NULL,
    PRIMARY KEY (holder, target, mapping)
);
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
CREATE INDEX declared_holder ON lineage.declared (holder);
CREATE INDEX declared_source ON lineage.declared (source) WHERE NOT observed;
CREATE INDEX declared_target ON lineage.declared (target) WHERE NOT observed;

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
CREATE INDEX declared_column_holder ON lineage.declared_column (holder);
CREATE INDEX declared_column_target ON lineage.declared_column (target);

COMMENT ON TABLE lineage.design IS 'Jobs and datasets that state a design, and the newest of each';
COMMENT ON TABLE lineage.design_source IS 'Which dataset feeds which by a design, as it was stated';
COMMENT ON TABLE lineage.design_mapping IS 'Which statement a design makes of the columns of a dataset';
COMMENT ON TABLE lineage.declared IS 'Which dataset feeds which by the newest designs';
COMMENT ON TABLE lineage.declared_column IS 'Which column derives from which by the newest designs';

-- Whether a design states a pair of FEEDS: of its job, or of no job.
ALTER TABLE lineage.feeds ADD COLUMN declared boolean NOT NULL DEFAULT false;

CREATE FUNCTION lineage.is_declared(source bigint, target bigint, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.declared d
               WHERE d.source = is_declared.source AND d.target = is_declared.target
                 AND coalesce(d.job, is_declared.job) = is_declared.job);

-- Whether FEEDS has a pair of a job, or where there is none of any job.
CREATE FUNCTION lineage.is_observed(source bigint, target bigint, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.feeds f
               WHERE f.source = is_observed.source AND f.target = is_observed.target
                 AND f.job = coalesce(is_observed.job, f.job));

CREATE OR REPLACE FUNCTION lineage.feeds_properties(f lineage.feeds, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'job_namespace', job_namespace, 'job', job, 'runs', f.runs,
    'first_seen', lineage.iso(f.first_seen), 'last_seen', lineage.iso(f.last_seen),
    'declared', nullif(f.declared, false));

CREATE FUNCTION lineage.declared_properties(d lineage.declared, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'job_namespace', job_namespace, 'job', job,
    'first_seen', lineage.iso(d.first_seen), 'last_seen', lineage.iso(d.last_seen));

CREATE FUNCTION lineage.declared_column_properties(d lineage.declared_column, job_namespace text, job text)
RETURNS ag_catalog.agtype LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'type', d.type, 'subtype', nullif(d.subtype, ''), 'masking', nullif(d.masking, false),
    'job_namespace', job_namespace, 'job', job,
    'first_seen', lineage.iso(d.first_seen), 'last_seen', lineage.iso(d.last_seen));

GRANT SELECT ON lineage.design, lineage.design_source, lineage.design_mapping, lineage.declared,
    lineage.declared_column, provenance."DECLARED" TO lineage_reader;
GRANT SELECT ON provenance."DECLARED" TO lineage_cypher;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON lineage.design, lineage.design_source, lineage.design_mapping,
    lineage.declared, lineage.declared_column, provenance."DECLARED" TO lineage_writer;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA provenance TO lineage_writer;
