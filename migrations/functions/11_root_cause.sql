-- A run and all its child runs, recursively.
CREATE OR REPLACE FUNCTION lineage.run_tree(root bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
    WITH RECURSIVE started (id) AS (
        SELECT root
        UNION
        SELECT e.start_id::text::bigint
        FROM started s
        JOIN provenance."PARENT" e ON e.end_id OPERATOR(ag_catalog.=) lineage.to_graphid(s.id)
    )
    SELECT id FROM started
$$;
COMMENT ON FUNCTION lineage.run_tree IS 'A run and all its child runs, recursively';

-- The last run of a job that had begun by then and should have written a dataset: a run that reports it as an output,
-- or reports no output at all, like one that failed early.
CREATE OR REPLACE FUNCTION lineage.last_expected_writer(
    dataset bigint, job bigint, until timestamptz, reader bigint)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET enable_sort = off AS $$
    SELECT last.run
    FROM (
        SELECT e.run, e.first_seen, e.last_seen
        FROM lineage.execution e
        WHERE e.job = last_expected_writer.job AND e.first_seen <= until AND e.run <> reader
          AND (EXISTS (SELECT FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
                       WHERE a.run = e.run AND a.job = e.job AND a.output
                         AND n.canonical = last_expected_writer.dataset)
               OR NOT EXISTS (SELECT FROM lineage.access a
                              WHERE a.run = e.run AND a.job = e.job AND a.output))
        ORDER BY e.first_seen DESC FETCH FIRST 1 ROW WITH TIES) AS last
    JOIN lineage.run r ON r.id = last.run
    ORDER BY last.last_seen DESC, r.run_id DESC LIMIT 1
$$;

-- Inputs that were stale when they were read: the last run of a job that writes them had failed, or had not ended.
-- fault: failed, aborted, running (it ended after the read) or unended. seen is the newest run whose write was read.
-- Inputs that another run has overwritten since are omitted. Of several reads of a dataset that a run should have
-- written, only the nearest is returned, and of those the last.
CREATE OR REPLACE FUNCTION lineage.stale_inputs(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, read_at timestamptz,
               run bigint, job bigint, fault text, seen bigint, seen_at timestamptz)
LANGUAGE sql STABLE ROWS 10 AS $$
    WITH upstream AS MATERIALIZED (
        SELECT * FROM lineage.upstream_run_set(root, depth) AS b
            WHERE coalesce(b.distance < depth OR b.distance = 0, true)
    ), read AS MATERIALIZED (
        SELECT i AS read, (i).dataset, b.distance + 1 AS distance
        FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs FROM upstream b) AS readers
        CROSS JOIN LATERAL lineage.reads_of_runs(readers.runs, readers.jobs) AS i
        JOIN upstream b ON b.run = i.reader AND b.job = i.reader_job
    ), writer AS MATERIALIZED (
        SELECT d.dataset, w.job, lineage.is_streaming_job(w.job) AS stream,
               -- If false, no read saw an overwrite later than its barrier: no writer is streaming, and each write has
               -- one name.
               bool_or(lineage.is_streaming_job(w.job)) OVER (PARTITION BY d.dataset)
               OR (SELECT count(*) FROM lineage.dataset n WHERE n.canonical = d.dataset) > 1 AS unsure
        FROM (SELECT DISTINCT r.dataset FROM read r) AS d
        CROSS JOIN LATERAL lineage.jobs_accessing_dataset(d.dataset, true) AS w (job)
    ), last AS MATERIALIZED (
        SELECT r.read, r.distance, w.job, w.stream, w.unsure,
               lineage.last_expected_writer(r.dataset, w.job, (r.read).read_at, (r.read).reader) AS run
        FROM read r JOIN writer w USING (dataset)
    ), wrong AS MATERIALIZED (
        SELECT l.*, coalesce(r.ended_at, r.last_seen) AS over,
               CASE WHEN r.ended_at IS NULL AND r.state IN ('START', 'RUNNING') THEN 'unended'
                    WHEN r.ended_at > (l.read).read_at THEN 'running'
                    WHEN r.state = 'FAIL' THEN 'failed'
                    WHEN r.state = 'ABORT' THEN 'aborted' END AS fault
        FROM last l JOIN lineage.run r ON r.id = l.run
    ), nearest AS MATERIALIZED (
        SELECT DISTINCT ON (w.run, w.job, (w.read).dataset, w.fault) w.*
        FROM wrong w
        WHERE w.fault IS NOT NULL AND NOT (w.stream AND w.fault IN ('running', 'unended'))
          AND NOT lineage.sees_run(w.read, w.run)
          AND NOT ((w.unsure OR (w.read).barrier > w.over) AND lineage.sees_overwrite_since(w.read, w.over))
        ORDER BY w.run, w.job, (w.read).dataset, w.fault, w.distance, (w.read).read_at DESC,
                 (w.read).reader, (w.read).reader_job, (w.read).version
    )
    SELECT n.distance, (n.read).reader, (n.read).reader_job, (n.read).dataset, (n.read).read_at,
           n.run, n.job, n.fault, s.run, s.written
    FROM nearest n
    LEFT JOIN LATERAL (
        SELECT w.run, w.written
        FROM lineage.visible_writes((n.read).dataset, (n.read).read_at, (n.read).read_until, (n.read).version,
                                 (n.read).reader) AS w
        JOIN lineage.run r ON r.id = w.run
        ORDER BY w.written DESC, r.run_id DESC LIMIT 1) AS s ON true
$$;
COMMENT ON FUNCTION lineage.stale_inputs IS 'Inputs that a failed or late run should have refreshed';

-- The durations, in seconds, of the last 20 runs of the job that completed and began before this one. The index is read
-- from the newest run on, up to the 20th and those that began at the same time. Without enable_sort = off, the planner
-- would read all runs and sort them.
CREATE OR REPLACE FUNCTION lineage.previous_durations(run bigint, job bigint) RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET enable_sort = off
RETURN ARRAY(
    SELECT extract(epoch FROM b.ended_at - b.started_at)::double precision
    FROM lineage.execution own
    CROSS JOIN LATERAL (
        SELECT e.first_seen, r.run_id, r.started_at, r.ended_at
        FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
        WHERE e.job = own.job AND e.first_seen < own.first_seen
          AND r.state = 'COMPLETE' AND r.started_at IS NOT NULL AND r.ended_at IS NOT NULL
        ORDER BY e.first_seen DESC FETCH FIRST 20 ROWS WITH TIES) AS b
    WHERE own.run = previous_durations.run AND own.job = previous_durations.job
    ORDER BY b.first_seen DESC, b.run_id DESC LIMIT 20);

-- Seconds from the nominal start time of a run (nominalTime) to its end; null if it was not reported.
CREATE OR REPLACE FUNCTION lineage.run_delay(r lineage.run) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN pg_input_is_valid(r.facets #>> '{nominalTime,1,nominalStartTime}', 'timestamptz')
            THEN extract(epoch FROM r.ended_at
                         - (r.facets #>> '{nominalTime,1,nominalStartTime}')::timestamptz) END;

-- The delays of the last 20 runs of the job that completed and began before this one.
CREATE OR REPLACE FUNCTION lineage.previous_delays(run bigint, job bigint) RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET enable_sort = off
RETURN ARRAY(
    SELECT b.delay
    FROM lineage.execution own
    CROSS JOIN LATERAL (
        SELECT e.first_seen, r.run_id, d.delay
        FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
        CROSS JOIN LATERAL (SELECT lineage.run_delay(r) AS delay OFFSET 0) AS d
        WHERE e.job = own.job AND e.first_seen < own.first_seen
          AND r.state = 'COMPLETE' AND d.delay IS NOT NULL
        ORDER BY e.first_seen DESC FETCH FIRST 20 ROWS WITH TIES) AS b
    WHERE own.run = previous_delays.run AND own.job = previous_delays.job
    ORDER BY b.first_seen DESC, b.run_id DESC LIMIT 20);

-- As previous_row_counts(), if the 20 runs are among the 30 newest writes of the dataset before this run, as with a
-- single writer; else null.
CREATE OR REPLACE FUNCTION lineage.recent_row_counts(run bigint, job bigint, dataset bigint) RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET enable_sort = off
RETURN (
    SELECT CASE WHEN count(*) = 20 THEN array_agg(b.rows::double precision) END
    FROM (
        SELECT c.rows
        FROM lineage.access own
        CROSS JOIN LATERAL (
            SELECT a.run, a.job, a.last_seen, a.facets FROM lineage.access a
            WHERE a.dataset = own.dataset AND a.output AND a.last_seen < own.last_seen
            ORDER BY a.last_seen DESC FETCH FIRST 30 ROWS WITH TIES) AS a
        JOIN lineage.run r ON r.id = a.run
        CROSS JOIN LATERAL (SELECT lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}') AS rows
                            OFFSET 0) AS c
        WHERE own.run = recent_row_counts.run AND own.job = recent_row_counts.job
          AND own.dataset = recent_row_counts.dataset AND own.output
          AND a.job = own.job AND a.run <> own.run AND r.contributing AND c.rows IS NOT NULL
        ORDER BY a.last_seen DESC, r.run_id DESC LIMIT 20) AS b);

-- Row counts of the last 20 runs of the job that did not fail and reported one, under that name of the dataset.
CREATE OR REPLACE FUNCTION lineage.previous_row_counts(run bigint, job bigint, dataset bigint)
RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN coalesce(lineage.recent_row_counts(run, job, dataset), ARRAY(
    SELECT lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}')::double precision
    FROM lineage.access own
    JOIN lineage.access a ON a.dataset = own.dataset AND a.output AND a.job = own.job
         AND a.last_seen < own.last_seen
    JOIN lineage.run r ON r.id = a.run
    WHERE own.run = previous_row_counts.run AND own.job = previous_row_counts.job
        AND own.dataset = previous_row_counts.dataset
      AND own.output AND r.contributing AND a.run <> own.run
      AND lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}') IS NOT NULL
    ORDER BY a.last_seen DESC, r.run_id DESC LIMIT 20));

-- The runs upstream of a run, by execution, with the least distance; the run and its child runs are at 0.
CREATE OR REPLACE FUNCTION lineage.upstream_run_set(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (run bigint, job bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH own AS MATERIALIZED (
        SELECT e.run, e.job
        FROM lineage.run_tree(root) AS r (id) JOIN lineage.execution e ON e.run = r.id
    )
    SELECT b.run, b.job, min(b.distance)
    FROM (SELECT o.run, o.job, 0 AS distance FROM own o
          UNION ALL
          SELECT w.run, w.job, w.distance
          FROM (SELECT array_agg(o.run) AS runs, array_agg(o.job) AS jobs FROM own o) AS first
          CROSS JOIN LATERAL lineage.visible_writes_upstream(
              ARRAY(SELECT r FROM lineage.reads_of_runs(first.runs, first.jobs) AS r), depth) AS w
          WHERE w.run IS NOT NULL) AS b
    GROUP BY b.run, b.job
$$;
COMMENT ON FUNCTION lineage.upstream_run_set IS 'The runs upstream of a run and of its child runs, with their distance';

-- Possible causes of a run that failed, was late or gave a bad result: the worst kind first, within a kind the nearest.
-- kind: stale input, failed, aborted, not ended, took long, late, few rows. observed differs from the median by more
-- than is allowed, in seconds or rows. runs: number of previous runs compared, at least five.
-- OFFSET 0: previous runs are read only for runs that have a value to compare with theirs.
CREATE OR REPLACE FUNCTION lineage.root_cause_candidates(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (kind text, distance int, run bigint, job bigint, dataset bigint, fault text,
               reader bigint, read_at timestamptz, seen bigint, seen_at timestamptz,
               observed double precision, median double precision, spread double precision, runs int)
LANGUAGE sql STABLE ROWS 10 AS $$
    WITH upstream AS MATERIALIZED (
        SELECT b.*, lineage.is_streaming_job(b.job) AS stream FROM lineage.upstream_run_set(root, depth) AS b
    ), stale AS (
        SELECT 'stale input' AS kind, min(s.distance) AS distance, s.run, s.job, s.dataset, s.fault,
               (array_agg(s.reader ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS reader,
               (array_agg(s.read_at ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS read_at,
               (array_agg(s.seen ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS seen,
               (array_agg(s.seen_at ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS seen_at
        FROM lineage.stale_inputs(root, depth) AS s
        GROUP BY s.run, s.job, s.dataset, s.fault
    ), slow AS (
        SELECT b.*, m.*
        FROM (SELECT b.*, extract(epoch FROM r.ended_at - r.started_at)::double precision AS observed
              FROM upstream b JOIN lineage.run r ON r.id = b.run
              WHERE NOT b.stream AND r.started_at IS NOT NULL AND r.ended_at IS NOT NULL OFFSET 0) AS b
        CROSS JOIN LATERAL lineage.expected_range(lineage.previous_durations(b.run, b.job), 60) AS m
    ), late AS (
        SELECT b.*, m.*
        FROM (SELECT b.*, lineage.run_delay(r) AS observed
              FROM upstream b JOIN lineage.run r ON r.id = b.run
              WHERE NOT b.stream AND lineage.run_delay(r) IS NOT NULL OFFSET 0) AS b
        CROSS JOIN LATERAL lineage.expected_range(lineage.previous_delays(b.run, b.job), 60) AS m
    ), few AS (
        SELECT b.run, b.job, b.distance, n.canonical AS dataset, b.observed, m.*
        FROM (SELECT b.*, a.dataset,
                     lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}')::double precision AS observed
              FROM upstream b
              JOIN lineage.access a ON a.run = b.run AND a.job = b.job AND a.output
              WHERE NOT b.stream
                AND lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}') IS NOT NULL OFFSET 0) AS b
        JOIN lineage.dataset n ON n.id = b.dataset
        CROSS JOIN LATERAL lineage.expected_range(lineage.previous_row_counts(b.run, b.job, b.dataset), 0) AS m
    )
    SELECT c.kind, c.distance, c.run, c.job, c.dataset, c.fault, c.reader, c.read_at, c.seen, c.seen_at,
           c.observed, c.median, c.spread, c.runs
    FROM (
        SELECT 1 AS rank, s.*, NULL::double precision AS observed, NULL::double precision AS median,
               NULL::double precision AS spread, NULL::int AS runs FROM stale s
        UNION ALL
        SELECT CASE r.state WHEN 'FAIL' THEN 2 WHEN 'ABORT' THEN 3 ELSE 4 END,
               CASE r.state WHEN 'FAIL' THEN 'failed' WHEN 'ABORT' THEN 'aborted' ELSE 'not ended' END,
               b.distance, b.run, b.job, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        FROM upstream b JOIN lineage.run r ON r.id = b.run
        WHERE r.state IN ('FAIL', 'ABORT')
           OR r.ended_at IS NULL AND r.state IN ('START', 'RUNNING') AND NOT b.stream
        UNION ALL
        SELECT 5, 'took long', s.distance, s.run, s.job, NULL, NULL, NULL, NULL, NULL, NULL,
               s.observed, s.median, s.spread, s.runs
        FROM slow s
        WHERE s.observed > s.high
        UNION ALL
        SELECT 6, 'late', l.distance, l.run, l.job, NULL, NULL, NULL, NULL, NULL, NULL,
               l.observed, l.median, l.spread, l.runs
        FROM late l
        WHERE l.observed > l.high
        UNION ALL
        SELECT 7, 'few rows', f.distance, f.run, f.job, f.dataset, NULL, NULL, NULL, NULL, NULL,
               f.observed, f.median, f.spread, f.runs
        FROM few f
        WHERE f.observed < f.low
    ) AS c
    LEFT JOIN lineage.run r ON r.id = c.run
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    ORDER BY c.rank, c.distance, r.ended_at DESC NULLS FIRST, r.run_id, d.namespace, d.name, c.job
$$;
COMMENT ON FUNCTION lineage.root_cause_candidates IS 'Possible causes of a run that failed, was late or gave a bad result';

-- For interactive use: root_cause_candidates by the id of the run.
CREATE OR REPLACE FUNCTION lineage.root_cause(run_id text, depth int DEFAULT NULL)
RETURNS TABLE (kind text, distance int, run text, job text, namespace text, name text, fault text,
               read_by text, observed double precision, median double precision, runs int)
LANGUAGE sql STABLE AS $$
    SELECT c.kind, c.distance, r.run_id, j.name, d.namespace, d.name, c.fault, reader.run_id,
           c.observed, c.median, c.runs
    FROM (SELECT c.kind, c.distance, c.run, c.job, c.dataset, c.fault, c.reader, c.observed, c.median, c.runs,
                 1 AS place, c.ordinality
          FROM lineage.run requested CROSS
              JOIN LATERAL lineage.root_cause_candidates(requested.id, depth) WITH ORDINALITY AS c
          WHERE requested.run_id = root_cause.run_id
          UNION ALL
          SELECT 'failed check', c.distance, c.run, c.job, c.dataset, NULL,
                 CASE WHEN c.part = 'before' THEN c.reader END, (
                     SELECT count(*) FROM lineage.check_results(c.entry) AS s WHERE s.success IS FALSE),
                 NULL, NULL, 2, row_number() OVER (ORDER BY c.distance, c.checked_at DESC, c.run)
          FROM lineage.run requested CROSS JOIN LATERAL lineage.failed_checks(requested.id, depth) AS c
          WHERE requested.run_id = root_cause.run_id) AS c
    LEFT JOIN lineage.run r ON r.id = c.run
    LEFT JOIN lineage.job j ON j.id = c.job
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    LEFT JOIN lineage.run reader ON reader.id = c.reader
    ORDER BY c.place, c.ordinality
$$;
COMMENT ON FUNCTION lineage.root_cause IS 'Possible causes by the id of a run';
