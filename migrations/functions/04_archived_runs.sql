-- Archived runs; see docs/decisions/archived-runs.md.

-- The time before which runs are archived; null if none are.
CREATE OR REPLACE FUNCTION lineage.runs_archived_before() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT max(a.archived_before) FROM lineage.run_archive a);
COMMENT ON FUNCTION lineage.runs_archived_before IS 'The time before which runs are archived';

-- Whether an archived run may have written a version of a dataset: some run that remains has written one.
CREATE OR REPLACE FUNCTION lineage.may_be_archived_version(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN lineage.runs_archived_before() IS NOT NULL
    AND EXISTS (SELECT FROM lineage.dataset n
                JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.facets ? 'version'
                WHERE n.canonical = may_be_archived_version.dataset);

-- The pairs of datasets, by the reported names, that a run of a job contributes to FEEDS. Twin: select_pairs of
-- lineage/projection/feeds.sql.
CREATE OR REPLACE FUNCTION lineage.reported_feeds(run bigint, job bigint)
RETURNS TABLE (source bigint, target bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT DISTINCT i.dataset, o.dataset
    FROM (SELECT a.dataset, lineage.reported_inputs(a.facets) AS reported FROM lineage.access a
          WHERE a.run = reported_feeds.run AND a.job = reported_feeds.job AND a.output
            AND lineage.may_have_sources(a.facets) OFFSET 0) AS o
    CROSS JOIN LATERAL (
        SELECT a.dataset FROM lineage.access a
        WHERE a.run = reported_feeds.run AND a.job = reported_feeds.job AND NOT a.output
          AND (o.reported IS NULL OR o.reported @> '[{"type": "JOB"}]')
        UNION ALL
        SELECT d.id
        FROM jsonb_array_elements(o.reported) AS r (input)
        JOIN lineage.dataset d ON d.namespace = r.input ->> 'namespace' AND d.name = r.input ->> 'name'
        WHERE r.input ->> 'type' = 'DATASET'
          AND NOT (lineage.has_column_sources(o.reported)
                   AND d.canonical = (SELECT n.canonical FROM lineage.dataset n WHERE n.id = o.dataset))) AS i
$$;

-- The groups of archived runs that contribute to a FEEDS edge.
CREATE OR REPLACE FUNCTION lineage.archived_feeds_of(source bigint, target bigint, job bigint)
RETURNS SETOF lineage.archived_feeds
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT g.* FROM lineage.archived_feeds g
    WHERE g.job = archived_feeds_of.job
      AND EXISTS (
          SELECT FROM unnest(g.sources, g.targets) AS p (source, target)
          WHERE (SELECT d.canonical FROM lineage.dataset d WHERE d.id = p.source) = archived_feeds_of.source
            AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = p.target) = archived_feeds_of.target)
$$;

-- The ended runs from before a time that answers about later times need. They are the last in which a job ended in a state,
-- or accessed a dataset in a way; the parents of runs that remain; and those whose rows are recorded or traced.
-- Overwrites, appends and other writes are different ways, because the last overwrite hides earlier writes. So are accesses
-- with a version, from which lineage.may_be_archived_version() concludes that earlier ones had one, and accesses with
-- checks or with metrics, whose newest reports are listed separately.
-- previous: number of runs of each job, and of its writes with a number of rows, that later runs are compared with. Of a
-- job, these are the last ones, and the last that completed with a duration, with and without a nominal time. Those with
-- the last nominal times follow the schedule, also if a backfill has run since. Of executions of several runs, the first
-- run is their start.
-- The settings are those of a large query, in a rebuild too.
CREATE OR REPLACE FUNCTION lineage.runs_needed_after(before timestamptz, previous int) RETURNS SETOF bigint
LANGUAGE sql STABLE ROWS 100000
SET search_path = pg_catalog, ag_catalog
SET enable_seqscan = on SET enable_hashjoin = on SET enable_mergejoin = on SET jit = off AS $$
    WITH RECURSIVE ended AS MATERIALIZED (
        SELECT r.id, r.run_id, r.state, r.contributing, r.started_at IS NOT NULL AS has_duration,
               r.facets ? 'nominalTime' AS has_delay, lineage.nominal_time(r) AS nominal
        FROM lineage.run r
        WHERE r.ended_at IS NOT NULL AND r.last_seen < before
    ), last_execution AS (
        SELECT x.run, x.last_seen = max(x.last_seen) OVER (PARTITION BY x.job, x.state, x.has_output)
               OR dense_rank() OVER (PARTITION BY x.job ORDER BY x.first_seen DESC NULLS LAST) <= previous
               OR x.state = 'COMPLETE'
                  AND dense_rank() OVER (PARTITION BY x.job, x.state, x.has_duration, x.has_delay
                                         ORDER BY x.first_seen DESC NULLS LAST) <= previous
               OR x.nominal IS NOT NULL
                  AND (dense_rank() OVER (PARTITION BY x.job ORDER BY x.nominal DESC NULLS LAST) <= previous
                       OR x.state = 'COMPLETE'
                          AND dense_rank() OVER (PARTITION BY x.job, x.state
                                                 ORDER BY x.nominal DESC NULLS LAST) <= previous) AS is_last
        FROM (SELECT e.run, e.job, e.first_seen, e.last_seen, r.state, r.has_duration, r.has_delay,
                     CASE WHEN r.nominal IS NOT NULL THEN least(r.nominal, e.first_seen) END AS nominal,
                     EXISTS (SELECT FROM lineage.access a WHERE a.run = e.run AND a.job = e.job AND a.output) AS has_output
              FROM ended r JOIN lineage.execution e ON e.run = r.id) AS x
    ), last_start AS (
        -- Schedules are known from the starts of executions; see execution_starts.
        SELECT s.run, s.is_ended AND (dense_rank() OVER (PARTITION BY s.job ORDER BY s.first_seen DESC) <= previous
               OR s.nominal IS NOT NULL
                  AND dense_rank() OVER (PARTITION BY s.job ORDER BY s.nominal DESC NULLS LAST) <= previous) AS is_last
        FROM (SELECT e.run, e.job, e.first_seen, r.id IS NOT NULL AS is_ended,
                     least(r.nominal, e.first_seen) AS nominal,
                     (p.parents && lag(p.parents) OVER w) IS NOT TRUE
                     OR NOT lineage.continues_execution(e.first_seen, lag(e.last_seen) OVER w) AS is_start
              FROM lineage.execution e LEFT JOIN ended r ON r.id = e.run
              LEFT JOIN (SELECT p.start_id AS run, array_agg(p.end_id::text::bigint) AS parents
                         FROM provenance."PARENT" p GROUP BY p.start_id) AS p ON p.run = lineage.to_graphid(e.run)
              WINDOW w AS (PARTITION BY e.job ORDER BY e.first_seen, e.last_seen)) AS s
        WHERE s.is_start
    ), last_access AS (
        SELECT x.run, x.last_seen = max(x.last_seen) OVER way OR x.ended = max(x.ended) OVER way
               OR x.has_rows AND x.contributing AND x.output
                  AND dense_rank() OVER (PARTITION BY x.job, x.dataset, x.output, x.contributing, x.has_rows
                                         ORDER BY x.last_seen DESC) <= previous AS is_last
        FROM (SELECT a.run, a.job, a.dataset, a.output, a.last_seen, e.last_seen AS ended, r.contributing,
                     lineage.write_mode(a.facets) AS mode,
                     a.facets ? 'dataQualityAssertions' AS is_checked, a.facets ? 'dataQualityMetrics' AS is_measured,
                     a.facets ? 'version' AS is_versioned,
                     lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}') IS NOT NULL AS has_rows
              FROM ended r
              JOIN lineage.access a ON a.run = r.id
              JOIN lineage.execution e ON e.run = a.run AND e.job = a.job) AS x
        WINDOW way AS (PARTITION BY x.job, x.dataset, x.output, x.contributing, x.mode, x.is_checked,
                               x.is_measured, x.is_versioned)
    ), last_of_version AS (
        -- A table that is created again repeats its versions. A read of a version sees the newest write of it by another
        -- run, so the two newest stay.
        SELECT x.run, x.writers > 1 AND dense_rank() OVER (PARTITION BY x.dataset, x.version ORDER BY x.last_seen DESC) < 3
               AS is_last
        FROM (SELECT a.run, n.canonical AS dataset, a.facets #>> '{version,1,datasetVersion}' AS version,
                     max(a.last_seen) AS last_seen,
                     count(*) OVER (PARTITION BY n.canonical, a.facets #>> '{version,1,datasetVersion}') AS writers
              FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
              WHERE a.output AND a.facets ? 'version' AND a.last_seen < before
              GROUP BY 1, 2, 3) AS x
    ), remaining (run) AS (
        SELECT e.run FROM last_execution e WHERE e.is_last
        UNION
        SELECT s.run FROM last_start s WHERE s.is_last
        UNION
        SELECT a.run FROM last_access a WHERE a.is_last
        UNION
        SELECT r.id FROM ended r JOIN last_of_version v ON v.run = r.id WHERE v.is_last
        UNION
        SELECT r.id FROM ended r JOIN lineage.record_node n ON n.run::text = r.run_id
        UNION
        SELECT r.id FROM ended r JOIN lineage.record_trace t ON t.run = r.run_id
        UNION
        SELECT p.id FROM ended p JOIN provenance."PARENT" e ON e.end_id = lineage.to_graphid(p.id)
        JOIN lineage.run c ON lineage.to_graphid(c.id) = e.start_id
        WHERE c.ended_at IS NULL AND c.last_seen IS NOT NULL OR c.last_seen >= before
    ), closed (run) AS (
        SELECT r.run FROM remaining r
        UNION
        SELECT p.id FROM closed c
        JOIN provenance."PARENT" e ON e.start_id = lineage.to_graphid(c.run)
        JOIN ended p ON lineage.to_graphid(p.id) = e.end_id
    )
    SELECT c.run FROM closed c
$$;
COMMENT ON FUNCTION lineage.runs_needed_after IS 'Ended runs that answers about times after a given time need';
