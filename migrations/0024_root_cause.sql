-- Why a run failed, was late or gave a bad result: what is wrong with what it read, back to the sources.

-- A run and all that it started, and what these started.
CREATE FUNCTION lineage.run_with_children(root bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
    WITH RECURSIVE started (id) AS (
        SELECT root
        UNION
        SELECT e.start_id::text::bigint
        FROM started s
        JOIN provenance."PARENT" e ON e.end_id OPERATOR(ag_catalog.=) lineage.graphid(s.id)
    )
    SELECT id FROM started
$$;

-- Each read behind a run, with each write that it saw; the run and what it started read at distance 1.
CREATE FUNCTION lineage.links_of_all(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT * FROM lineage.links_behind(
        ARRAY(SELECT l FROM lineage.run_with_children(root) AS r (id)
              JOIN lineage.execution e ON e.run = r.id
              CROSS JOIN LATERAL lineage.links_of(e.run, e.job) AS l), depth)
$$;

-- Does the job go on all the time?
CREATE FUNCTION lineage.is_stream(job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((SELECT j.facets #>> '{jobType,1,processingType}' = 'STREAMING'
                 FROM lineage.job j WHERE j.id = job), false);

-- The last run of a job that had begun by then and was to write a dataset: it says that it writes it, or does
-- not say of anything that it writes it, as one that failed early.
CREATE FUNCTION lineage.last_to_write(dataset bigint, job bigint, until timestamptz, reader bigint)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
    SELECT e.run
    FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
    WHERE e.job = last_to_write.job AND e.first_seen <= until AND e.run <> reader
      AND (EXISTS (SELECT FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
                   WHERE a.run = e.run AND a.job = e.job AND a.output
                     AND n.canonical = last_to_write.dataset)
           OR NOT EXISTS (SELECT FROM lineage.access a
                          WHERE a.run = e.run AND a.job = e.job AND a.output))
    ORDER BY e.first_seen DESC, e.last_seen DESC, r.run_id DESC LIMIT 1
$$;

-- Inputs that were not what they should have been when they were read: the last run of a job that writes them
-- had failed, or was not over. fault: failed, aborted, running (it ended after the read) or unended. seen is
-- the newest run whose write was read. Not told is what another run has replaced since.
CREATE FUNCTION lineage.stale_inputs(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, read_at timestamptz,
               run bigint, job bigint, fault text, seen bigint, seen_at timestamptz)
LANGUAGE sql STABLE ROWS 10 AS $$
    WITH link AS MATERIALIZED (
        SELECT * FROM lineage.links_of_all(root, depth)
    ), read AS MATERIALIZED (
        SELECT l.reader, l.reader_job, l.dataset, l.version, min(l.distance) AS distance,
               (array_agg(l.writer ORDER BY l.written DESC, w.run_id DESC))[1] AS seen,
               max(l.written) AS seen_at, array_agg(l.writer) AS writers,
               (SELECT min(a.first_seen)
                FROM lineage.dataset n
                JOIN lineage.access a ON a.run = l.reader AND a.job = l.reader_job AND a.dataset = n.id
                     AND NOT a.output
                WHERE n.canonical = l.dataset
                  AND a.facets #>> '{version,1,datasetVersion}' IS NOT DISTINCT FROM l.version) AS read_at
        FROM link l LEFT JOIN lineage.run w ON w.id = l.writer
        GROUP BY l.reader, l.reader_job, l.dataset, l.version
    ), last AS MATERIALIZED (
        SELECT read.*, w.job,
               lineage.last_to_write(read.dataset, w.job, read.read_at, read.reader) AS run
        FROM read CROSS JOIN LATERAL lineage.jobs_of(read.dataset, true) AS w (job)
    ), wrong AS (
        SELECT last.*, coalesce(r.ended_at, r.last_seen) AS over,
               CASE WHEN r.ended_at IS NULL AND r.state IN ('START', 'RUNNING') THEN 'unended'
                    WHEN r.ended_at > last.read_at THEN 'running'
                    WHEN r.state = 'FAIL' THEN 'failed'
                    WHEN r.state = 'ABORT' THEN 'aborted' END AS fault
        FROM last JOIN lineage.run r ON r.id = last.run
        WHERE r.id <> ALL (array_remove(last.writers, NULL))
    )
    SELECT w.distance, w.reader, w.reader_job, w.dataset, w.read_at, w.run, w.job, w.fault, w.seen, w.seen_at
    FROM wrong w
    WHERE w.fault IS NOT NULL
      AND NOT (w.fault IN ('running', 'unended') AND lineage.is_stream(w.job))
      AND NOT EXISTS (
          SELECT FROM link l
          WHERE l.reader = w.reader AND l.reader_job = w.reader_job AND l.dataset = w.dataset
            AND l.version IS NOT DISTINCT FROM w.version AND l.written > w.over
            AND lineage.replaces(lineage.write_facets(l.writer, l.writer_job, l.dataset)))
$$;

-- How many, their median, and the median of how far they are from it: what one of them is does not move these.
CREATE FUNCTION lineage.middle(given double precision[])
RETURNS TABLE (runs int, median double precision, spread double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT count(v)::int, m.median, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(v - m.median))
    FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) AS median FROM unnest(given) AS v) AS m
    CROSS JOIN unnest(given) AS v
    GROUP BY m.median
$$;

-- Seconds that the last 20 runs of the job took that completed and began before this one.
CREATE FUNCTION lineage.durations_before(run bigint, job bigint) RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN ARRAY(
    SELECT extract(epoch FROM r.ended_at - r.started_at)::double precision
    FROM lineage.execution own
    JOIN lineage.execution e ON e.job = own.job AND e.first_seen < own.first_seen
    JOIN lineage.run r ON r.id = e.run
    WHERE own.run = durations_before.run AND own.job = durations_before.job
      AND r.state = 'COMPLETE' AND r.started_at IS NOT NULL AND r.ended_at IS NOT NULL
    ORDER BY e.first_seen DESC, r.run_id DESC LIMIT 20);

-- Seconds from when a run was scheduled for (nominalTime) to its end, null where that is not told.
CREATE FUNCTION lineage.delay(r lineage.run) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN pg_input_is_valid(r.facets #>> '{nominalTime,1,nominalStartTime}', 'timestamptz')
            THEN extract(epoch FROM r.ended_at
                         - (r.facets #>> '{nominalTime,1,nominalStartTime}')::timestamptz) END;

-- That of the last 20 runs of the job that completed and began before this one.
CREATE FUNCTION lineage.delays_before(run bigint, job bigint) RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN ARRAY(
    SELECT lineage.delay(r)
    FROM lineage.execution own
    JOIN lineage.execution e ON e.job = own.job AND e.first_seen < own.first_seen
    JOIN lineage.run r ON r.id = e.run
    WHERE own.run = delays_before.run AND own.job = delays_before.job
      AND r.state = 'COMPLETE' AND lineage.delay(r) IS NOT NULL
    ORDER BY e.first_seen DESC, r.run_id DESC LIMIT 20);

-- Rows that the last 20 runs of the job wrote under that name of a dataset that did not fail and told it.
CREATE FUNCTION lineage.rows_before(run bigint, job bigint, dataset bigint) RETURNS double precision[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN ARRAY(
    SELECT lineage.count_of(a.facets #> '{outputStatistics,1,rowCount}')::double precision
    FROM lineage.access own
    JOIN lineage.access a ON a.dataset = own.dataset AND a.output AND a.job = own.job
         AND a.last_seen < own.last_seen
    JOIN lineage.run r ON r.id = a.run
    WHERE own.run = rows_before.run AND own.job = rows_before.job AND own.dataset = rows_before.dataset
      AND own.output AND r.feeding AND a.run <> own.run
      AND lineage.count_of(a.facets #> '{outputStatistics,1,rowCount}') IS NOT NULL
    ORDER BY a.last_seen DESC, r.run_id DESC LIMIT 20);

-- Runs behind a run, each as work of a job, with the least distance; the run and what it started are at 0.
CREATE FUNCTION lineage.runs_behind(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (run bigint, job bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT b.run, b.job, min(b.distance)
    FROM (SELECT e.run, e.job, 0 AS distance
          FROM lineage.run_with_children(root) AS r (id) JOIN lineage.execution e ON e.run = r.id
          UNION ALL
          SELECT l.writer, l.writer_job, l.distance
          FROM lineage.links_of_all(root, depth) AS l WHERE l.writer IS NOT NULL) AS b
    GROUP BY b.run, b.job
$$;

-- What may be why a run failed, was late or gave a bad result: the worst kind first, of a kind the nearest.
-- kind: stale input, failed, aborted, not ended, took long, late, few rows. found is beyond median + what it may
-- differ by, in seconds or rows; runs is how many earlier runs it was compared with, five at least.
CREATE FUNCTION lineage.causes(root bigint, depth int DEFAULT NULL)
RETURNS TABLE (kind text, distance int, run bigint, job bigint, dataset bigint, fault text,
               reader bigint, read_at timestamptz, seen bigint, seen_at timestamptz,
               found double precision, median double precision, spread double precision, runs int)
LANGUAGE sql STABLE ROWS 10 AS $$
    WITH behind AS MATERIALIZED (
        SELECT b.*, lineage.is_stream(b.job) AS stream FROM lineage.runs_behind(root, depth) AS b
    ), stale AS (
        SELECT 'stale input' AS kind, min(s.distance) AS distance, s.run, s.job, s.dataset, s.fault,
               (array_agg(s.reader ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS reader,
               (array_agg(s.read_at ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS read_at,
               (array_agg(s.seen ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS seen,
               (array_agg(s.seen_at ORDER BY s.distance, s.read_at DESC, s.reader))[1] AS seen_at
        FROM lineage.stale_inputs(root, depth) AS s
        GROUP BY s.run, s.job, s.dataset, s.fault
    ), slow AS (
        SELECT b.*, extract(epoch FROM r.ended_at - r.started_at)::double precision AS found, m.*
        FROM behind b JOIN lineage.run r ON r.id = b.run
        CROSS JOIN LATERAL lineage.middle(lineage.durations_before(b.run, b.job)) AS m
        WHERE NOT b.stream AND r.started_at IS NOT NULL AND r.ended_at IS NOT NULL
    ), late AS (
        SELECT b.*, lineage.delay(r) AS found, m.*
        FROM behind b JOIN lineage.run r ON r.id = b.run
        CROSS JOIN LATERAL lineage.middle(lineage.delays_before(b.run, b.job)) AS m
        WHERE NOT b.stream AND lineage.delay(r) IS NOT NULL
    ), few AS (
        SELECT b.*, n.canonical AS dataset,
               lineage.count_of(a.facets #> '{outputStatistics,1,rowCount}')::double precision AS found, m.*
        FROM behind b
        JOIN lineage.access a ON a.run = b.run AND a.job = b.job AND a.output
        JOIN lineage.dataset n ON n.id = a.dataset
        CROSS JOIN LATERAL lineage.middle(lineage.rows_before(a.run, a.job, a.dataset)) AS m
        WHERE NOT b.stream AND lineage.count_of(a.facets #> '{outputStatistics,1,rowCount}') IS NOT NULL
    )
    SELECT c.kind, c.distance, c.run, c.job, c.dataset, c.fault, c.reader, c.read_at, c.seen, c.seen_at,
           c.found, c.median, c.spread, c.runs
    FROM (
        SELECT 1 AS rank, s.*, NULL::double precision AS found, NULL::double precision AS median,
               NULL::double precision AS spread, NULL::int AS runs FROM stale s
        UNION ALL
        SELECT CASE r.state WHEN 'FAIL' THEN 2 WHEN 'ABORT' THEN 3 ELSE 4 END,
               CASE r.state WHEN 'FAIL' THEN 'failed' WHEN 'ABORT' THEN 'aborted' ELSE 'not ended' END,
               b.distance, b.run, b.job, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
        FROM behind b JOIN lineage.run r ON r.id = b.run
        WHERE r.state IN ('FAIL', 'ABORT')
           OR r.ended_at IS NULL AND r.state IN ('START', 'RUNNING') AND NOT b.stream
        UNION ALL
        SELECT 5, 'took long', s.distance, s.run, s.job, NULL, NULL, NULL, NULL, NULL, NULL,
               s.found, s.median, s.spread, s.runs
        FROM slow s
        WHERE s.runs >= 5 AND s.found > s.median + greatest(4 * s.spread, s.median / 2, 60)
        UNION ALL
        SELECT 6, 'late', l.distance, l.run, l.job, NULL, NULL, NULL, NULL, NULL, NULL,
               l.found, l.median, l.spread, l.runs
        FROM late l
        WHERE l.runs >= 5 AND l.found > l.median + greatest(4 * l.spread, l.median / 2, 60)
        UNION ALL
        SELECT 7, 'few rows', f.distance, f.run, f.job, f.dataset, NULL, NULL, NULL, NULL, NULL,
               f.found, f.median, f.spread, f.runs
        FROM few f
        WHERE f.runs >= 5 AND f.found < f.median - greatest(4 * f.spread, f.median / 2)
    ) AS c
    LEFT JOIN lineage.run r ON r.id = c.run
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    ORDER BY c.rank, c.distance, r.ended_at DESC NULLS FIRST, r.run_id, d.namespace, d.name, c.job
$$;

-- For people: the same by the run's id.
CREATE FUNCTION lineage.root_cause(run_id text, depth int DEFAULT NULL)
RETURNS TABLE (kind text, distance int, run text, job text, namespace text, name text, fault text,
               read_by text, found double precision, median double precision, runs int)
LANGUAGE sql STABLE AS $$
    SELECT c.kind, c.distance, r.run_id, j.name, d.namespace, d.name, c.fault, reader.run_id,
           c.found, c.median, c.runs
    FROM lineage.run asked CROSS JOIN LATERAL lineage.causes(asked.id, depth) WITH ORDINALITY AS c
    JOIN lineage.run r ON r.id = c.run
    JOIN lineage.job j ON j.id = c.job
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    LEFT JOIN lineage.run reader ON reader.id = c.reader
    WHERE asked.run_id = root_cause.run_id
    ORDER BY c.ordinality
$$;

COMMENT ON FUNCTION lineage.run_with_children IS 'A run and all that it started';
COMMENT ON FUNCTION lineage.links_of_all IS 'What a run and all that it started read, back to the sources';
COMMENT ON FUNCTION lineage.runs_behind IS 'The runs whose writes a run read, back to the sources';
COMMENT ON FUNCTION lineage.stale_inputs IS 'What was read that a failed or late run was to refresh';
COMMENT ON FUNCTION lineage.causes IS 'What may be why a run failed, was late or gave a bad result';
COMMENT ON FUNCTION lineage.root_cause IS 'The same by the id of a run';
