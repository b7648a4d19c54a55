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

-- Whether an execution should have written a dataset: it reports it as an output, or reports no output at all, like one that
-- failed early.
CREATE OR REPLACE FUNCTION lineage.is_expected_writer(run bigint, job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((SELECT bool_or(n.canonical = is_expected_writer.dataset)
                 FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
                 WHERE a.run = is_expected_writer.run AND a.job = is_expected_writer.job AND a.output), true);

-- The last run of a job that had begun by then and should have written a dataset, by the place of the question in the
-- arrays; and the runs of the same execution that had not.
CREATE OR REPLACE FUNCTION lineage.last_expected_writers(
    datasets bigint[], jobs bigint[], times timestamptz[], readers bigint[])
RETURNS TABLE (place bigint, run bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_sort = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH last AS MATERIALIZED (
        SELECT k.*, last.run
        FROM unnest(datasets, jobs, times, readers) WITH ORDINALITY AS k (dataset, job, until, reader, place)
        CROSS JOIN LATERAL (
            SELECT recent.run
            FROM (
                SELECT e.run, e.first_seen, e.last_seen
                FROM lineage.execution e
                WHERE e.job = k.job AND e.first_seen <= k.until AND e.run <> k.reader
                  AND lineage.is_expected_writer(e.run, e.job, k.dataset)
                ORDER BY e.first_seen DESC FETCH FIRST 1 ROW WITH TIES) AS recent
            JOIN lineage.run r ON r.id = recent.run
            ORDER BY recent.last_seen DESC, r.run_id DESC LIMIT 1) AS last
    )
    SELECT l.place, l.run FROM last l
    UNION ALL
    SELECT l.place, s.run
    FROM last l CROSS JOIN LATERAL lineage.unfinished_siblings(l.run, l.job, l.dataset, l.until, l.reader) AS s (run)
$$;

-- The other runs of the same execution that should have written a dataset and had failed, or had not ended, at a time. A run
-- that a later one attempted again is omitted.
CREATE OR REPLACE FUNCTION lineage.unfinished_siblings(
    run bigint, job bigint, dataset bigint, until timestamptz, reader bigint)
RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    WITH sibling AS MATERIALIZED (
        SELECT e.first_seen, e.last_seen, r
        FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
        WHERE e.job = unfinished_siblings.job
          AND e.first_seen BETWEEN (SELECT lineage.execution_start(unfinished_siblings.run, unfinished_siblings.job)) AND until
          AND e.run <> reader AND lineage.is_same_execution(unfinished_siblings.run, e.run)
          AND lineage.is_expected_writer(e.run, e.job, unfinished_siblings.dataset)
    )
    SELECT (s.r).id FROM sibling s
    WHERE (s.r).id <> unfinished_siblings.run
      AND NOT coalesce((s.r).state = 'COMPLETE' AND (s.r).ended_at <= until, false)
      AND NOT EXISTS (
          SELECT FROM sibling n
          WHERE (n.first_seen, n.last_seen, (n.r).run_id) > (s.first_seen, s.last_seen, (s.r).run_id)
            AND lineage.is_same_instance(s.r, n.r, unfinished_siblings.job))
$$;
COMMENT ON FUNCTION lineage.unfinished_siblings IS 'Runs of the same execution that should have written a dataset and had not';

-- Inputs of these executions that were stale when they were read: the last run of a job that writes them, or a run of the
-- same execution, had failed or had not ended. fault: failed, aborted, running (it ended after the read) or unended. seen is the newest run whose write
-- was read. Inputs that another run has overwritten since are omitted. Of several reads of a dataset that a run should
-- have written, only the nearest is returned, and of those the last.
CREATE OR REPLACE FUNCTION lineage.stale_inputs_of_runs(runs bigint[], jobs bigint[], distances int[], depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, read_at timestamptz,
               run bigint, job bigint, fault text, seen bigint, seen_at timestamptz)
LANGUAGE sql STABLE ROWS 10 AS $$
    WITH upstream AS MATERIALIZED (
        SELECT * FROM unnest(runs, jobs, distances) AS b (run, job, distance)
            WHERE coalesce(b.distance < depth OR b.distance = 0, true)
    ), read AS MATERIALIZED (
        SELECT i AS read, (i).dataset, b.distance + 1 AS distance
        FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs FROM upstream b) AS readers
        CROSS JOIN LATERAL lineage.reads_without_period(readers.runs, readers.jobs) AS i
        JOIN upstream b ON b.run = i.reader AND b.job = i.reader_job
    ), writer AS MATERIALIZED (
        SELECT d.dataset, w.job, lineage.is_streaming_job(w.job) AS stream,
               -- If false, no read saw an overwrite later than its barrier: no writer is streaming, and each write has
               -- one name.
               bool_or(lineage.is_streaming_job(w.job)) OVER (PARTITION BY d.dataset)
               OR (SELECT count(*) FROM lineage.dataset n WHERE n.canonical = d.dataset) > 1 AS unsure
        FROM (SELECT DISTINCT r.dataset FROM read r) AS d
        CROSS JOIN LATERAL lineage.jobs_accessing_dataset(d.dataset, true) AS w (job)
    ), pair AS MATERIALIZED (
        SELECT r.read, r.distance, r.dataset, w.job, w.stream, w.unsure, row_number() OVER () AS place
        FROM read r JOIN writer w USING (dataset)
    ), last AS MATERIALIZED (
        SELECT p.*, l.run
        FROM (SELECT array_agg(p.dataset ORDER BY p.place) AS datasets, array_agg(p.job ORDER BY p.place) AS jobs,
                     array_agg((p.read).read_at ORDER BY p.place) AS times,
                     array_agg((p.read).reader ORDER BY p.place) AS readers
              FROM pair p) AS k
        CROSS JOIN LATERAL lineage.last_expected_writers(k.datasets, k.jobs, k.times, k.readers) AS l
        JOIN pair p ON p.place = l.place
    ), wrong AS MATERIALIZED (
        SELECT w.*
        FROM (SELECT l.*, coalesce(r.ended_at, r.last_seen) AS over,
                     CASE WHEN r.ended_at IS NULL AND r.state IN ('START', 'RUNNING') THEN 'unended'
                          WHEN r.ended_at > (l.read).read_at THEN 'running'
                          WHEN r.state = 'FAIL' THEN 'failed'
                          WHEN r.state = 'ABORT' THEN 'aborted' END AS fault
              FROM last l JOIN lineage.run r ON r.id = l.run) AS w
        WHERE w.fault IS NOT NULL AND NOT (w.stream AND w.fault IN ('running', 'unended'))
    ), seen AS MATERIALIZED (
        -- Few reads are left, so their periods are determined only now.
        SELECT p AS read, w.run, w.job, w.fault, w.over, w.unsure, w.distance
        FROM wrong w CROSS JOIN LATERAL lineage.reads_with_period(ARRAY[w.read]) AS p
    ), nearest AS MATERIALIZED (
        SELECT DISTINCT ON (w.run, w.job, (w.read).dataset, w.fault) w.*
        FROM seen w
        LEFT JOIN lineage.run r ON r.id = (w.read).reader
        LEFT JOIN lineage.job j ON j.id = (w.read).reader_job
        WHERE NOT lineage.sees_run(w.read, w.run)
          AND NOT ((w.unsure OR (w.read).barrier > w.over) AND lineage.sees_overwrite_since(w.read, w.over))
        ORDER BY w.run, w.job, (w.read).dataset, w.fault, w.distance, (w.read).read_at DESC,
                 r.run_id, j.namespace, j.name, (w.read).version
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
COMMENT ON FUNCTION lineage.stale_inputs_of_runs IS 'Inputs of runs that a failed or late run should have refreshed';

-- The stale inputs of a run, its child runs and the runs upstream.
CREATE OR REPLACE FUNCTION lineage.stale_inputs(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, read_at timestamptz,
               run bigint, job bigint, fault text, seen bigint, seen_at timestamptz)
LANGUAGE sql STABLE ROWS 10 AS $$
    SELECT s.*
    FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs, array_agg(b.followed_at) AS distances
          FROM lineage.upstream_run_set(root, depth) AS b WHERE b.followed_at IS NOT NULL) AS b
    CROSS JOIN LATERAL lineage.stale_inputs_of_runs(b.runs, b.jobs, b.distances, depth) AS s
$$;
COMMENT ON FUNCTION lineage.stale_inputs IS 'Inputs that a failed or late run should have refreshed';

-- Seconds from the nominal time of a run to its end; null if it was not reported.
CREATE OR REPLACE FUNCTION lineage.run_delay(r lineage.run) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE
RETURN extract(epoch FROM r.ended_at - lineage.nominal_time(r));

-- Seconds from the start of a run to its end; null if one of them is unknown.
CREATE OR REPLACE FUNCTION lineage.run_duration(r lineage.run) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN extract(epoch FROM r.ended_at - r.started_at)::double precision;

-- The delays of those of these executions that have one, except backfills, with samples: those of the last 20 runs of the
-- job that completed and began before, without backfills. An execution is a backfill if one of these runs has the same or
-- a later nominal time. Only the last 1,000 runs are examined.
CREATE OR REPLACE FUNCTION lineage.run_delay_samples(runs bigint[], jobs bigint[])
RETURNS TABLE (run bigint, job bigint, observed double precision, samples double precision[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH own AS MATERIALIZED (
        SELECT e.run, e.job, e.first_seen AS time, lineage.run_delay(r) AS observed,
               lineage.scheduled_time(r, e.first_seen) AS nominal
        FROM unnest(runs, jobs) AS k (run, job)
        JOIN lineage.execution e ON e.run = k.run AND e.job = k.job
        JOIN lineage.run r ON r.id = k.run
        WHERE e.first_seen IS NOT NULL
    )
    SELECT o.run, o.job, o.observed, previous.samples
    FROM own o
    CROSS JOIN LATERAL lineage.start_delay_limit(o.job, o.time) AS latest
    CROSS JOIN LATERAL (
        SELECT array_agg(b.value) AS samples, max(b.nominal) AS nominal
        FROM (SELECT v.value, v.nominal
              FROM (SELECT e.run, e.first_seen FROM lineage.execution e
                    WHERE e.job = o.job AND e.first_seen < o.time ORDER BY e.first_seen DESC LIMIT 1000) AS e
              JOIN lineage.run r ON r.id = e.run AND r.state = 'COMPLETE'
              CROSS JOIN LATERAL (SELECT lineage.run_delay(r) AS value,
                                         lineage.scheduled_time(r, e.first_seen) AS nominal OFFSET 0) AS v
              WHERE v.value IS NOT NULL AND extract(epoch FROM e.first_seen - v.nominal) <= latest.delay
              ORDER BY e.first_seen DESC, r.run_id DESC LIMIT 20) AS b) AS previous
    WHERE o.observed IS NOT NULL AND (previous.nominal IS NULL OR o.nominal > previous.nominal)
$$;
COMMENT ON FUNCTION lineage.run_delay_samples IS 'Delays of runs, with those of the previous runs of the job';

-- The duration of these executions, null where unknown, with samples: those of the last 20 runs of the job that completed
-- and began before. If the executions of a job are close together, all its runs between the first and the last are read
-- once; else the runs before each of them, from the newest on, up to the 20th and those that began at the same time.
-- place counts the samples before an execution, whose empty run_id sorts before the runs that began at the same time.
-- Their delays follow; see run_delay_samples.
CREATE OR REPLACE FUNCTION lineage.run_time_samples(runs bigint[], jobs bigint[])
RETURNS TABLE (kind text, run bigint, job bigint, observed double precision, samples double precision[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH own AS MATERIALIZED (
        SELECT e.run, e.job, e.first_seen AS time, lineage.run_duration(r) AS observed
        FROM unnest(runs, jobs) AS k (run, job)
        JOIN lineage.execution e ON e.run = k.run AND e.job = k.job
        JOIN lineage.run r ON r.id = k.run
        WHERE e.first_seen IS NOT NULL
    ), span AS MATERIALIZED (
        SELECT o.job, min(o.time) AS first, max(o.time) AS last, 20 * count(*) AS most
        FROM own o GROUP BY o.job
    ), series AS MATERIALIZED (
        SELECT s.*, (SELECT count(*) FROM (SELECT FROM lineage.execution e
                                           WHERE e.job = s.job AND e.first_seen >= s.first AND e.first_seen < s.last
                                           LIMIT s.most) AS e) < s.most AS is_dense
        FROM span s
    ), sample AS MATERIALIZED (
        SELECT s.job, e.first_seen AS time, r.run_id, lineage.run_duration(r) AS value
        FROM series s
        JOIN lineage.execution e ON e.job = s.job AND e.first_seen >= s.first AND e.first_seen < s.last
        JOIN lineage.run r ON r.id = e.run AND r.state = 'COMPLETE'
        WHERE s.is_dense AND lineage.run_duration(r) IS NOT NULL
        UNION
        SELECT s.job, b.first_seen, b.run_id, b.value
        FROM (SELECT DISTINCT o.job, o.time FROM own o) AS o
        JOIN series s ON s.job = o.job AND (o.time = s.first OR NOT s.is_dense)
        CROSS JOIN LATERAL (
            SELECT e.first_seen, r.run_id, lineage.run_duration(r) AS value
            FROM lineage.execution e
            JOIN lineage.run r ON r.id = e.run AND r.state = 'COMPLETE'
            WHERE e.job = o.job AND e.first_seen < o.time AND lineage.run_duration(r) IS NOT NULL
            ORDER BY e.first_seen DESC FETCH FIRST 20 ROWS WITH TIES) AS b
    ), numbered AS (
        SELECT u.*, count(u.value) OVER (PARTITION BY u.job ORDER BY u.time, u.run_id ROWS UNBOUNDED PRECEDING) AS place
        FROM (SELECT s.*, NULL::bigint AS run, NULL::double precision AS observed FROM sample s
              UNION ALL
              SELECT o.job, o.time, '', NULL, o.run, o.observed FROM own o) AS u
    ), previous AS (
        SELECT n.*, array_agg(n.value) FILTER (WHERE n.value IS NOT NULL)
                   OVER (PARTITION BY n.job ORDER BY n.place RANGE BETWEEN 19 PRECEDING AND CURRENT ROW) AS samples
        FROM numbered n
    )
    SELECT 'duration', p.run, p.job, p.observed, p.samples FROM previous p WHERE p.run IS NOT NULL
    UNION ALL
    SELECT 'delay', d.run, d.job, d.observed, d.samples
    FROM lineage.run_delay_samples(run_time_samples.runs, run_time_samples.jobs) AS d
$$;
COMMENT ON FUNCTION lineage.run_time_samples IS 'Durations and delays of runs, with those of the previous runs of the job';

-- The number of rows that these executions wrote, where it is known, and samples: those of the last 20 writes of the
-- dataset, under that name, by runs of the job that did not fail. They are found like run_time_samples.
CREATE OR REPLACE FUNCTION lineage.row_count_samples(runs bigint[], jobs bigint[])
RETURNS TABLE (run bigint, job bigint, dataset bigint, observed double precision, samples double precision[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH own AS MATERIALIZED (
        SELECT a.run, a.job, a.dataset, a.last_seen AS time, c.rows::double precision AS observed
        FROM unnest(runs, jobs) AS k (run, job)
        JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND a.output
        CROSS JOIN LATERAL (SELECT lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}') AS rows
                            OFFSET 0) AS c
        WHERE c.rows IS NOT NULL
    ), span AS MATERIALIZED (
        SELECT o.job, o.dataset, min(o.time) AS first, max(o.time) AS last, 20 * count(*) AS most
        FROM own o GROUP BY o.job, o.dataset
    ), series AS MATERIALIZED (
        SELECT s.*, (SELECT count(*) FROM (SELECT FROM lineage.access a
                                           WHERE a.dataset = s.dataset AND a.output AND a.job = s.job
                                             AND a.last_seen >= s.first AND a.last_seen < s.last
                                           LIMIT s.most) AS a) < s.most AS is_dense
        FROM span s
    ), sample AS MATERIALIZED (
        SELECT s.job, s.dataset, a.last_seen AS time, r.run_id, c.rows::double precision AS value
        FROM series s
        JOIN lineage.access a ON a.dataset = s.dataset AND a.output AND a.job = s.job
             AND a.last_seen >= s.first AND a.last_seen < s.last
        JOIN lineage.run r ON r.id = a.run AND r.contributing
        CROSS JOIN LATERAL (SELECT lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}') AS rows
                            OFFSET 0) AS c
        WHERE s.is_dense AND c.rows IS NOT NULL
        UNION
        SELECT s.job, s.dataset, b.last_seen, b.run_id, b.rows::double precision
        FROM (SELECT DISTINCT o.job, o.dataset, o.time FROM own o) AS o
        JOIN series s ON s.job = o.job AND s.dataset = o.dataset AND (o.time = s.first OR NOT s.is_dense)
        CROSS JOIN LATERAL (
            SELECT a.last_seen, r.run_id, c.rows
            FROM lineage.access a
            JOIN lineage.run r ON r.id = a.run AND r.contributing
            CROSS JOIN LATERAL (SELECT lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}') AS rows
                                OFFSET 0) AS c
            WHERE a.dataset = o.dataset AND a.output AND a.job = o.job AND a.last_seen < o.time AND c.rows IS NOT NULL
            ORDER BY a.last_seen DESC FETCH FIRST 20 ROWS WITH TIES) AS b
    ), numbered AS (
        SELECT u.*, count(u.value) OVER (PARTITION BY u.job, u.dataset ORDER BY u.time, u.run_id
                                         ROWS UNBOUNDED PRECEDING) AS place
        FROM (SELECT s.*, NULL::bigint AS run, NULL::double precision AS observed FROM sample s
              UNION ALL
              SELECT o.job, o.dataset, o.time, '', NULL, o.run, o.observed FROM own o) AS u
    ), previous AS (
        SELECT n.*, array_agg(n.value) FILTER (WHERE n.value IS NOT NULL)
                   OVER (PARTITION BY n.job, n.dataset ORDER BY n.place RANGE BETWEEN 19 PRECEDING AND CURRENT ROW)
                   AS samples
        FROM numbered n
    )
    SELECT p.run, p.job, p.dataset, p.observed, p.samples FROM previous p WHERE p.run IS NOT NULL
$$;
COMMENT ON FUNCTION lineage.row_count_samples IS 'Rows that runs wrote, with those of the previous runs of the job';

-- What differs from the samples by more than is expected. The least and the greatest sample suffice for most: median and
-- spread are computed only if the value is beyond what they allow at most.
CREATE OR REPLACE FUNCTION lineage.unusual_values(runs bigint[], jobs bigint[])
RETURNS TABLE (kind text, run bigint, job bigint, dataset bigint, observed double precision,
               median double precision, spread double precision, runs_before int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT CASE s.kind WHEN 'delay' THEN 'late' ELSE 'took long' END, s.run, s.job, NULL::bigint,
           s.observed, m.median, m.spread, m.runs
    FROM (SELECT * FROM lineage.run_time_samples(unusual_values.runs, jobs) AS s
          WHERE s.observed > (SELECT min(v) FROM unnest(s.samples) AS v) + 60 OFFSET 0) AS s
    CROSS JOIN LATERAL lineage.expected_range(s.samples, 60) AS m
    WHERE s.observed > m.high
    UNION ALL
    SELECT 'few rows', s.run, s.job, n.canonical, s.observed, m.median, m.spread, m.runs
    FROM (SELECT * FROM lineage.row_count_samples(unusual_values.runs, jobs) AS s
          WHERE s.observed < (SELECT max(v) FROM unnest(s.samples) AS v) / 2 OFFSET 0) AS s
    JOIN lineage.dataset n ON n.id = s.dataset
    CROSS JOIN LATERAL lineage.expected_range(s.samples, 0) AS m
    WHERE s.observed < m.low
$$;
COMMENT ON FUNCTION lineage.unusual_values IS 'Durations, delays and row counts of runs that previous runs do not explain';

-- The runs upstream of a run, by execution, with the least distance; the run and its child runs are at 0.
-- followed_at: the least distance at which its own reads are upstream; null if it only defined views that others read.
CREATE OR REPLACE FUNCTION lineage.upstream_run_set(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (run bigint, job bigint, distance int, followed_at int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH own AS MATERIALIZED (
        SELECT e.run, e.job
        FROM lineage.run_tree(root) AS r (id) JOIN lineage.execution e ON e.run = r.id
    )
    SELECT b.run, b.job, min(b.distance), min(b.distance) FILTER (WHERE NOT b.is_definition)
    FROM (SELECT o.run, o.job, 0 AS distance, false AS is_definition FROM own o
          UNION ALL
          SELECT w.run, w.job, w.distance,
                 (SELECT lineage.has_views()) AND lineage.is_definition(w.run, w.job, w.dataset)
          FROM (SELECT array_agg(o.run) AS runs, array_agg(o.job) AS jobs FROM own o) AS first
          CROSS JOIN LATERAL lineage.visible_writes_upstream(
              ARRAY(SELECT r FROM lineage.reads_of_runs(first.runs, first.jobs) AS r), depth) AS w
          WHERE w.run IS NOT NULL) AS b
    GROUP BY b.run, b.job
$$;
COMMENT ON FUNCTION lineage.upstream_run_set IS 'The runs upstream of a run and of its child runs, with their distance';

-- Possible causes, among these executions, of a run that failed, was late or gave a bad result: the worst kind first,
-- within a kind the nearest. kind: stale input, failed, aborted, not ended, took long, late, few rows. observed differs
-- from the median by more than is allowed, in seconds or rows. runs: number of previous runs compared, at least five.
-- followed_at: the distances at which the reads of the executions count, as of lineage.upstream_run_set(); by default all.
CREATE OR REPLACE FUNCTION lineage.root_causes_of_runs(
    runs bigint[], jobs bigint[], distances int[], depth int DEFAULT NULL, followed_at int[] DEFAULT NULL)
RETURNS TABLE (kind text, distance int, run bigint, job bigint, dataset bigint, fault text,
               reader bigint, read_at timestamptz, seen bigint, seen_at timestamptz,
               observed double precision, median double precision, spread double precision, runs_before int)
LANGUAGE sql STABLE ROWS 10 AS $$
    WITH upstream AS MATERIALIZED (
        SELECT b.*, lineage.is_streaming_job(b.job) AS stream
        FROM unnest(root_causes_of_runs.runs, jobs, distances, coalesce(root_causes_of_runs.followed_at, distances))
             AS b (run, job, distance, followed_at)
    ), stale AS (
        SELECT 'stale input' AS kind, min(s.distance) AS distance, s.run, s.job, s.dataset, s.fault,
               (array_agg(s.reader ORDER BY s.distance, s.read_at DESC, r.run_id))[1] AS reader,
               (array_agg(s.read_at ORDER BY s.distance, s.read_at DESC, r.run_id))[1] AS read_at,
               (array_agg(s.seen ORDER BY s.distance, s.read_at DESC, r.run_id))[1] AS seen,
               (array_agg(s.seen_at ORDER BY s.distance, s.read_at DESC, r.run_id))[1] AS seen_at
        FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs, array_agg(b.followed_at) AS distances
              FROM upstream b WHERE b.followed_at IS NOT NULL) AS b
        CROSS JOIN LATERAL lineage.stale_inputs_of_runs(b.runs, b.jobs, b.distances, depth) AS s
        LEFT JOIN lineage.run r ON r.id = s.reader
        GROUP BY s.run, s.job, s.dataset, s.fault
    ), ended AS MATERIALIZED (
        SELECT max(coalesce(r.ended_at, 'infinity')) AS at
        FROM upstream b JOIN lineage.run r ON r.id = b.run WHERE b.distance = 0
    ), unusual AS (
        SELECT u.*, b.distance
        FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs FROM upstream b WHERE NOT b.stream) AS batch
        CROSS JOIN LATERAL lineage.unusual_values(batch.runs, batch.jobs) AS u
        JOIN upstream b ON b.run = u.run AND b.job = u.job
    )
    SELECT c.kind, c.distance, c.run, c.job, c.dataset, c.fault, c.reader, c.read_at, c.seen, c.seen_at,
           c.observed, c.median, c.spread, c.runs_before
    FROM (
        SELECT 1 AS rank, s.*, NULL::double precision AS observed, NULL::double precision AS median,
               NULL::double precision AS spread, NULL::int AS runs_before FROM stale s
        UNION ALL
        SELECT CASE r.state WHEN 'FAIL' THEN 2 WHEN 'ABORT' THEN 3 ELSE 4 END,
               CASE r.state WHEN 'FAIL' THEN 'failed' WHEN 'ABORT' THEN 'aborted' ELSE 'not ended' END,
               b.distance, b.run, b.job, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        FROM upstream b JOIN lineage.run r ON r.id = b.run
        -- A stream upstream may have failed later.
        WHERE r.state IN ('FAIL', 'ABORT')
              AND (b.distance = 0 OR coalesce(r.ended_at <= (SELECT e.at FROM ended e), true))
           OR r.ended_at IS NULL AND r.state IN ('START', 'RUNNING') AND NOT b.stream
        UNION ALL
        SELECT array_position('{took long,late,few rows}', u.kind) + 4, u.kind, u.distance, u.run, u.job, u.dataset,
               NULL, NULL, NULL, NULL, NULL, u.observed, u.median, u.spread, u.runs_before
        FROM unusual u
    ) AS c
    LEFT JOIN lineage.run r ON r.id = c.run
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    LEFT JOIN lineage.job j ON j.id = c.job
    ORDER BY c.rank, c.distance, r.ended_at DESC NULLS FIRST, r.run_id, d.namespace, d.name, j.namespace, j.name, c.fault
$$;
COMMENT ON FUNCTION lineage.root_causes_of_runs IS 'Possible causes of a bad result, among the runs that lead to it';

-- Possible causes of a run that failed, was late or gave a bad result, by its id.
CREATE OR REPLACE FUNCTION lineage.root_cause_candidates(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (kind text, distance int, run bigint, job bigint, dataset bigint, fault text,
               reader bigint, read_at timestamptz, seen bigint, seen_at timestamptz,
               observed double precision, median double precision, spread double precision, runs int)
LANGUAGE sql STABLE ROWS 10 AS $$
    SELECT c.*
    FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs, array_agg(b.distance) AS distances,
                 array_agg(b.followed_at) AS followed_at
          FROM lineage.upstream_run_set(root, depth) AS b) AS b
    CROSS JOIN LATERAL lineage.root_causes_of_runs(b.runs, b.jobs, b.distances, depth, b.followed_at) AS c
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
                 1 AS place, c.ordinality, NULL::timestamptz AS checked_at
          FROM lineage.root_cause_candidates(lineage.id_of_run(root_cause.run_id), depth) WITH ORDINALITY AS c
          UNION ALL
          SELECT 'failed check', c.distance, c.run, c.job, c.dataset, NULL,
                 CASE WHEN c.part = 'before' THEN c.reader END, (
                     SELECT count(*) FROM lineage.check_results(c.entry) AS s WHERE s.success IS FALSE),
                 NULL, NULL, 2, NULL, c.checked_at
          FROM lineage.failed_checks(lineage.id_of_run(root_cause.run_id), depth) AS c) AS c
    LEFT JOIN lineage.run r ON r.id = c.run
    LEFT JOIN lineage.job j ON j.id = c.job
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    LEFT JOIN lineage.run reader ON reader.id = c.reader
    ORDER BY c.place, c.ordinality, c.distance, c.checked_at DESC, r.run_id, d.namespace, d.name, j.namespace, j.name
$$;
COMMENT ON FUNCTION lineage.root_cause IS 'Possible causes by the id of a run';
