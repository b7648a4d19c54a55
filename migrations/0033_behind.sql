-- What is behind a run or a moment, without each pair of a read and a write: of 1,300 appends each read
-- sees all that came before it, and the pairs are a million.
--
-- Reads of one dataset with the same replacement before them (the barrier) see more the later they are. So
-- of all such reads of a generation the last sees what any of them sees, but for what its own run wrote;
-- for that the last read of another run is asked.

-- The last write that replaced everything is found without a look at those that did not.
CREATE INDEX access_replacing ON lineage.access (dataset, last_seen)
    WHERE output AND lineage.replaces(facets);

-- From when to when a read sees writes: at which moment it is taken to look, and when what was there before
-- had last been replaced. by_version is the time of the write whose version it states.
CREATE FUNCTION lineage.seen_between(
    dataset bigint, from_time timestamptz, until_time timestamptz, version text, reader bigint)
RETURNS TABLE (by_version timestamptz, moment timestamptz, barrier timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT v.by_version, m.moment, b.barrier
    FROM (SELECT CASE WHEN seen_between.version IS NOT NULL THEN (
              SELECT max(a.last_seen)
              FROM lineage.dataset n
              JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.facets ? 'version'
                   AND a.facets #>> '{version,1,datasetVersion}' = seen_between.version
              JOIN lineage.run r ON r.id = a.run
              WHERE n.canonical = seen_between.dataset AND a.first_seen <= until_time
                AND r.feeding AND a.run IS DISTINCT FROM reader
                AND lineage.leaves_rows(a.facets)) END AS by_version OFFSET 0) AS v
    CROSS JOIN LATERAL (SELECT coalesce(v.by_version, from_time) AS moment OFFSET 0) AS m
    CROSS JOIN LATERAL (
        SELECT coalesce(max(latest.last_seen), '-infinity') AS barrier
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND a.last_seen <= m.moment
              AND lineage.replaces(a.facets) AND a.run IS DISTINCT FROM reader
              AND (lineage.had_written(r, m.moment)
                   OR r.feeding AND lineage.is_version(a, v.by_version, seen_between.version))
            ORDER BY a.last_seen DESC LIMIT 1) AS latest
        WHERE n.canonical = seen_between.dataset) AS b
$$;

CREATE OR REPLACE FUNCTION lineage.writes_seen(
    dataset bigint, from_time timestamptz, until_time timestamptz,
    version text DEFAULT NULL, reader bigint DEFAULT NULL)
RETURNS TABLE (run bigint, job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT w.run, w.job, max(w.written), bool_or(w.exact)
    FROM lineage.seen_between(writes_seen.dataset, from_time, until_time, writes_seen.version, reader) AS b
    CROSS JOIN LATERAL (
        SELECT a.run, a.job, a.last_seen AS written,
               lineage.is_version(a, b.by_version, writes_seen.version) AS exact
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output
             AND a.last_seen BETWEEN b.barrier AND b.moment
        JOIN lineage.run r ON r.id = a.run
        WHERE n.canonical = writes_seen.dataset
          AND a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (lineage.had_written(r, b.moment)
               OR r.feeding AND lineage.is_version(a, b.by_version, writes_seen.version))
        UNION ALL
        -- A stream writes all the time, and what it wrote later has hidden what it had by then.
        SELECT a.run, a.job, least(a.last_seen, b.moment), false
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = ANY (ARRAY(
            SELECT j.id FROM lineage.job j
            WHERE j.facets #>> '{jobType,1,processingType}' = 'STREAMING'))
        JOIN lineage.run r ON r.id = a.run AND r.feeding
        WHERE n.canonical = writes_seen.dataset
          AND a.first_seen <= b.moment AND a.last_seen >= b.barrier
          AND a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (a.last_seen > b.moment OR NOT lineage.had_written(r, b.moment))
          AND NOT lineage.is_version(a, b.by_version, writes_seen.version)) AS w
    GROUP BY w.run, w.job
$$;

-- A read of a dataset, and between when it sees writes. Without a reader it is what somebody would see.
CREATE TYPE lineage.read AS (
    reader bigint, reader_job bigint, dataset bigint, version text, read_at timestamptz,
    read_until timestamptz, by_version timestamptz, moment timestamptz, barrier timestamptz);

-- What runs read, each as work of a job. The planner knows nothing of the arrays: here and in the two
-- functions below every step is to go by index.
CREATE FUNCTION lineage.reads_of(runs bigint[], jobs bigint[]) RETURNS SETOF lineage.read
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT i.*, s.*
    FROM (SELECT a.run, a.job, d.canonical AS dataset,
                 a.facets #>> '{version,1,datasetVersion}' AS version,
                 min(a.first_seen) AS read_at, max(a.last_seen) AS read_until
          FROM unnest(runs, jobs) AS k (run, job)
          JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND NOT a.output
          JOIN lineage.dataset d ON d.id = a.dataset
          GROUP BY 1, 2, 3, 4) AS i
    CROSS JOIN LATERAL lineage.seen_between(i.dataset, i.read_at, i.read_until, i.version, i.run) AS s
$$;

-- Writes of datasets between two times each, by the place of the dataset in its array; seen_from is from
-- when on a read sees them.
CREATE FUNCTION lineage.writes_between(datasets bigint[], barriers timestamptz[], moments timestamptz[])
RETURNS TABLE (place bigint, run bigint, job bigint, last_seen timestamptz, seen_from timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT w.place, a.run, a.job, a.last_seen, greatest(a.last_seen, r.ended_at)
    FROM unnest(datasets, barriers, moments) WITH ORDINALITY AS w (dataset, barrier, moment, place)
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output
         AND a.last_seen BETWEEN w.barrier AND w.moment
    JOIN lineage.run r ON r.id = a.run
    WHERE lineage.leaves_rows(a.facets) AND lineage.had_written(r, w.moment)
    UNION ALL
    -- A stream writes all the time.
    SELECT w.place, a.run, a.job, a.last_seen, a.first_seen
    FROM unnest(datasets, barriers, moments) WITH ORDINALITY AS w (dataset, barrier, moment, place)
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = ANY (ARRAY(
        SELECT j.id FROM lineage.job j WHERE j.facets #>> '{jobType,1,processingType}' = 'STREAMING'))
    JOIN lineage.run r ON r.id = a.run AND r.feeding
    WHERE a.first_seen <= w.moment AND a.last_seen >= w.barrier AND lineage.leaves_rows(a.facets)
$$;

-- The writes whose version reads state.
CREATE FUNCTION lineage.exact_writes(reads lineage.read[])
RETURNS TABLE (dataset bigint, run bigint, job bigint, written timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT DISTINCT i.dataset, a.run, a.job, a.last_seen
    FROM unnest(reads) AS i
    JOIN lineage.dataset n ON n.canonical = i.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.last_seen = i.by_version
         AND lineage.is_version(a, i.by_version, i.version)
    JOIN lineage.run r ON r.id = a.run AND r.feeding
    WHERE a.run IS DISTINCT FROM i.reader AND lineage.leaves_rows(a.facets)
$$;

-- A run, as work of a job, whose write of a dataset was read; without a run nobody is known to have written
-- what was read there. exact: by a version that a read and the write state; else by time.
CREATE TYPE lineage.written AS (
    dataset bigint, run bigint, job bigint, written timestamptz, exact boolean);

-- What any of these reads sees, each write once.
CREATE FUNCTION lineage.seen_by(reads lineage.read[]) RETURNS SETOF lineage.written
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_mergejoin = off SET jit = off AS $$
    WITH read AS MATERIALIZED (
        SELECT i.reader, i.dataset, i.barrier, i.by_version, i.moment,
               dense_rank() OVER (ORDER BY i.dataset, i.barrier) AS place,
               first_value(i.reader) OVER (PARTITION BY i.dataset, i.barrier ORDER BY i.moment DESC) AS last
        FROM unnest(reads) AS i
    ), last AS MATERIALIZED (
        SELECT r.place, r.dataset, r.barrier, r.last AS reader, max(r.moment) AS moment,
               max(r.moment) FILTER (WHERE r.reader <> r.last) AS moment_of_others
        FROM read r GROUP BY r.place, r.dataset, r.barrier, r.last
    ), known AS MATERIALIZED (
        SELECT w.place, w.run, w.job, w.last_seen, min(w.seen_from) AS seen_from
        FROM (SELECT array_agg(l.dataset ORDER BY l.place) AS datasets,
                     array_agg(l.barrier ORDER BY l.place) AS barriers,
                     array_agg(l.moment ORDER BY l.place) AS moments FROM last l) AS asked
        CROSS JOIN LATERAL lineage.writes_between(asked.datasets, asked.barriers, asked.moments) AS w
        GROUP BY w.place, w.run, w.job, w.last_seen
    ), earliest AS MATERIALIZED (
        SELECT DISTINCT ON (k.place) k.place, k.run, k.seen_from FROM known k ORDER BY k.place, k.seen_from
    ), next AS MATERIALIZED (
        SELECT k.place, min(k.seen_from) AS seen_from
        FROM known k JOIN earliest e ON e.place = k.place AND e.run <> k.run GROUP BY k.place
    )
    SELECT s.dataset, s.run, s.job, max(s.written), bool_or(s.exact)
    FROM (
        SELECT l.dataset, k.run, k.job, least(k.last_seen, m.moment) AS written, false AS exact
        FROM known k JOIN last l USING (place)
        CROSS JOIN LATERAL (SELECT CASE WHEN k.run = l.reader THEN l.moment_of_others ELSE l.moment END) AS m (moment)
        WHERE k.seen_from <= m.moment
        UNION ALL
        SELECT e.dataset, e.run, e.job, e.written, true FROM lineage.exact_writes(reads) AS e
        UNION ALL
        SELECT r.dataset, NULL, NULL, NULL, NULL
        FROM read r LEFT JOIN earliest e USING (place) LEFT JOIN next n USING (place)
        WHERE r.by_version IS NULL
          AND (e.place IS NULL OR r.moment < e.seen_from
               OR r.reader = e.run AND r.moment < coalesce(n.seen_from, 'infinity'))
    ) AS s GROUP BY s.dataset, s.run, s.job
$$;

-- What these reads see, which are at distance 1, and what the runs that wrote it had read, back to what
-- nobody is known to have written.
CREATE FUNCTION lineage.writes_behind(reads lineage.read[], depth int DEFAULT NULL)
RETURNS TABLE (distance int, dataset bigint, run bigint, job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 AS $$
DECLARE
    step lineage.read[] := reads;
    seen lineage.written[];
    done_runs bigint[];
    done_jobs bigint[];
    runs bigint[];
    jobs bigint[];
BEGIN
    SELECT array_agg(k.reader), array_agg(k.reader_job) INTO done_runs, done_jobs
    FROM (SELECT DISTINCT s.reader, s.reader_job FROM unnest(step) AS s) AS k;
    distance := 1;
    WHILE cardinality(step) > 0 LOOP
        seen := ARRAY(SELECT s FROM lineage.seen_by(step) AS s);
        RETURN QUERY SELECT writes_behind.distance, s.* FROM unnest(seen) AS s;
        EXIT WHEN distance >= depth;
        SELECT array_agg(k.run), array_agg(k.job) INTO runs, jobs
        FROM (SELECT s.run, s.job FROM unnest(seen) AS s WHERE s.run IS NOT NULL
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
        EXIT WHEN runs IS NULL;
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        step := ARRAY(SELECT r FROM lineage.reads_of(runs, jobs) AS r);
        distance := distance + 1;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION lineage.made_of(root bigint, at timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (dataset bigint, run bigint, job bigint, distance int, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT b.dataset, b.run, b.job, min(b.distance), max(b.written), bool_or(b.exact)
    FROM lineage.writes_behind(
        ARRAY(SELECT ROW(NULL, NULL, root, NULL, at, at, s.by_version, s.moment, s.barrier)::lineage.read
              FROM lineage.seen_between(root, at, at, NULL, NULL) AS s), depth) AS b
    WHERE b.run IS NOT NULL OR b.distance > 1
    GROUP BY b.dataset, b.run, b.job
$$;

CREATE OR REPLACE FUNCTION lineage.runs_behind(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (run bigint, job bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH own AS MATERIALIZED (
        SELECT e.run, e.job
        FROM lineage.run_with_children(root) AS r (id) JOIN lineage.execution e ON e.run = r.id
    )
    SELECT b.run, b.job, min(b.distance)
    FROM (SELECT o.run, o.job, 0 AS distance FROM own o
          UNION ALL
          SELECT w.run, w.job, w.distance
          FROM (SELECT array_agg(o.run) AS runs, array_agg(o.job) AS jobs FROM own o) AS first
          CROSS JOIN LATERAL lineage.writes_behind(
              ARRAY(SELECT r FROM lineage.reads_of(first.runs, first.jobs) AS r), depth) AS w
          WHERE w.run IS NOT NULL) AS b
    GROUP BY b.run, b.job
$$;

-- Did the read see a write of the run?
CREATE FUNCTION lineage.saw(i lineage.read, run bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (
    SELECT FROM lineage.run r
    JOIN lineage.access a ON a.run = r.id AND a.output
    JOIN lineage.dataset n ON n.id = a.dataset AND n.canonical = (i).dataset
    WHERE r.id = saw.run AND r.id IS DISTINCT FROM (i).reader AND r.feeding
      AND lineage.leaves_rows(a.facets) AND a.last_seen >= (i).barrier
      AND (a.last_seen <= (i).moment AND lineage.had_written(r, (i).moment)
           OR lineage.is_version(a, (i).by_version, (i).version)
           OR a.first_seen <= (i).moment AND lineage.is_stream(a.job)));

-- Did some run replace it all after that, before it was read, and did the read see it?
CREATE FUNCTION lineage.saw_replaced(i lineage.read, since timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (
    SELECT FROM lineage.writes_seen((i).dataset, (i).read_at, (i).read_until, (i).version, (i).reader) AS w
    WHERE w.written > since AND lineage.replaces(lineage.write_facets(w.run, w.job, (i).dataset)));

CREATE OR REPLACE FUNCTION lineage.last_to_write(dataset bigint, job bigint, until timestamptz, reader bigint)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET enable_sort = off AS $$
    SELECT last.run
    FROM (
        SELECT e.run, e.first_seen, e.last_seen
        FROM lineage.execution e
        WHERE e.job = last_to_write.job AND e.first_seen <= until AND e.run <> reader
          AND (EXISTS (SELECT FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
                       WHERE a.run = e.run AND a.job = e.job AND a.output
                         AND n.canonical = last_to_write.dataset)
               OR NOT EXISTS (SELECT FROM lineage.access a
                              WHERE a.run = e.run AND a.job = e.job AND a.output))
        ORDER BY e.first_seen DESC FETCH FIRST 1 ROW WITH TIES) AS last
    JOIN lineage.run r ON r.id = last.run
    ORDER BY last.last_seen DESC, r.run_id DESC LIMIT 1
$$;

-- As before, but of several reads of what a run was to write only the nearest is told, and of those the last.
CREATE OR REPLACE FUNCTION lineage.stale_inputs(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, read_at timestamptz,
               run bigint, job bigint, fault text, seen bigint, seen_at timestamptz)
LANGUAGE sql STABLE ROWS 10 AS $$
    WITH behind AS MATERIALIZED (
        SELECT * FROM lineage.runs_behind(root, depth) AS b WHERE coalesce(b.distance < depth OR b.distance = 0, true)
    ), read AS MATERIALIZED (
        SELECT i AS read, (i).dataset, b.distance + 1 AS distance
        FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs FROM behind b) AS readers
        CROSS JOIN LATERAL lineage.reads_of(readers.runs, readers.jobs) AS i
        JOIN behind b ON b.run = i.reader AND b.job = i.reader_job
    ), writer AS MATERIALIZED (
        SELECT d.dataset, w.job, lineage.is_stream(w.job) AS stream,
               -- Nothing that replaced it all came after the last that did, where each write has one name.
               bool_or(lineage.is_stream(w.job)) OVER (PARTITION BY d.dataset)
               OR (SELECT count(*) FROM lineage.dataset n WHERE n.canonical = d.dataset) > 1 AS unsure
        FROM (SELECT DISTINCT r.dataset FROM read r) AS d
        CROSS JOIN LATERAL lineage.jobs_of(d.dataset, true) AS w (job)
    ), last AS MATERIALIZED (
        SELECT r.read, r.distance, w.job, w.stream, w.unsure,
               lineage.last_to_write(r.dataset, w.job, (r.read).read_at, (r.read).reader) AS run
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
          AND NOT lineage.saw(w.read, w.run)
          AND NOT ((w.unsure OR (w.read).barrier > w.over) AND lineage.saw_replaced(w.read, w.over))
        ORDER BY w.run, w.job, (w.read).dataset, w.fault, w.distance, (w.read).read_at DESC,
                 (w.read).reader, (w.read).reader_job, (w.read).version
    )
    SELECT n.distance, (n.read).reader, (n.read).reader_job, (n.read).dataset, (n.read).read_at,
           n.run, n.job, n.fault, s.run, s.written
    FROM nearest n
    LEFT JOIN LATERAL (
        SELECT w.run, w.written
        FROM lineage.writes_seen((n.read).dataset, (n.read).read_at, (n.read).read_until, (n.read).version,
                                 (n.read).reader) AS w
        JOIN lineage.run r ON r.id = w.run
        ORDER BY w.written DESC, r.run_id DESC LIMIT 1) AS s ON true
$$;

DROP FUNCTION lineage.links_of_all;

-- The 20 before: by a walk from the newest on that ends with them, and with what is of the same time as the
-- last of them. Without enable_sort = off the planner would rather look at all, and sort them.
CREATE OR REPLACE FUNCTION lineage.durations_before(run bigint, job bigint) RETURNS double precision[]
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
    WHERE own.run = durations_before.run AND own.job = durations_before.job
    ORDER BY b.first_seen DESC, b.run_id DESC LIMIT 20);

CREATE OR REPLACE FUNCTION lineage.delays_before(run bigint, job bigint) RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET enable_sort = off
RETURN ARRAY(
    SELECT b.delay
    FROM lineage.execution own
    CROSS JOIN LATERAL (
        SELECT e.first_seen, r.run_id, d.delay
        FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
        CROSS JOIN LATERAL (SELECT lineage.delay(r) AS delay OFFSET 0) AS d
        WHERE e.job = own.job AND e.first_seen < own.first_seen
          AND r.state = 'COMPLETE' AND d.delay IS NOT NULL
        ORDER BY e.first_seen DESC FETCH FIRST 20 ROWS WITH TIES) AS b
    WHERE own.run = delays_before.run AND own.job = delays_before.job
    ORDER BY b.first_seen DESC, b.run_id DESC LIMIT 20);

-- The same of rows, where 20 are among the 30 newest writes, as they are where one job writes; else null.
CREATE FUNCTION lineage.rows_lately(run bigint, job bigint, dataset bigint) RETURNS double precision[]
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
        CROSS JOIN LATERAL (SELECT lineage.count_of(a.facets #> '{outputStatistics,1,rowCount}') AS rows
                            OFFSET 0) AS c
        WHERE own.run = rows_lately.run AND own.job = rows_lately.job
          AND own.dataset = rows_lately.dataset AND own.output
          AND a.job = own.job AND a.run <> own.run AND r.feeding AND c.rows IS NOT NULL
        ORDER BY a.last_seen DESC, r.run_id DESC LIMIT 20) AS b);

CREATE OR REPLACE FUNCTION lineage.rows_before(run bigint, job bigint, dataset bigint)
RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN coalesce(lineage.rows_lately(run, job, dataset), ARRAY(
    SELECT lineage.count_of(a.facets #> '{outputStatistics,1,rowCount}')::double precision
    FROM lineage.access own
    JOIN lineage.access a ON a.dataset = own.dataset AND a.output AND a.job = own.job
         AND a.last_seen < own.last_seen
    JOIN lineage.run r ON r.id = a.run
    WHERE own.run = rows_before.run AND own.job = rows_before.job AND own.dataset = rows_before.dataset
      AND own.output AND r.feeding AND a.run <> own.run
      AND lineage.count_of(a.facets #> '{outputStatistics,1,rowCount}') IS NOT NULL
    ORDER BY a.last_seen DESC, r.run_id DESC LIMIT 20));

-- As before, with what was before each run looked up once, and the median where it is enough to have one.
CREATE OR REPLACE FUNCTION lineage.middle(given double precision[])
RETURNS TABLE (runs int, median double precision, spread double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT m.runs, m.median,
           (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(v - m.median)) FROM unnest(m.given) AS v)
    FROM (SELECT g.given, count(v)::int AS runs, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) AS median
          FROM (SELECT middle.given OFFSET 0) AS g CROSS JOIN LATERAL unnest(g.given) AS v
          GROUP BY g.given) AS m
$$;

COMMENT ON FUNCTION lineage.seen_between IS 'From when to when a read of a dataset sees writes';
COMMENT ON FUNCTION lineage.reads_of IS 'What runs read, and from when to when they see writes';
COMMENT ON FUNCTION lineage.writes_between IS 'Writes of datasets between two times';
COMMENT ON FUNCTION lineage.exact_writes IS 'Writes whose version reads state';
COMMENT ON FUNCTION lineage.seen_by IS 'What any of some reads sees';
COMMENT ON FUNCTION lineage.writes_behind IS 'What reads see, and what is behind it, back to the sources';
COMMENT ON FUNCTION lineage.stale_inputs IS 'What was read that a failed or late run was to refresh';
