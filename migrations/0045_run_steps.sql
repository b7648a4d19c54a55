-- What runs read and who had written it, a row for each pair of jobs and the dataset between them: of a table
-- that is written daily each read is of another run, and people want one line.

-- Writes of datasets by jobs from a barrier on and before another time each, whether or not they were over, by the
-- place in the arrays.
CREATE FUNCTION lineage.writes_before(
    datasets bigint[], jobs bigint[], barriers timestamptz[], times timestamptz[])
RETURNS TABLE (place bigint, run bigint, last_seen timestamptz, seen_from timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT w.place, a.run, a.last_seen, greatest(a.last_seen, r.ended_at)
    FROM unnest(datasets, jobs, barriers, times) WITH ORDINALITY AS w (dataset, job, barrier, time, place)
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
         AND a.last_seen >= w.barrier AND a.last_seen < w.time
    JOIN lineage.run r ON r.id = a.run
    WHERE lineage.leaves_rows(a.facets) AND lineage.had_written(r, 'infinity')
$$;

-- The writes that reads may have seen too: a newer write of the same job hides them, and nobody says whether it
-- replaced them. Each once for each job that read it.
CREATE FUNCTION lineage.hidden_from(reads lineage.read[])
RETURNS TABLE (reader_job bigint, dataset bigint, run bigint, job bigint, written timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
    WITH pair AS MATERIALIZED (
        SELECT i.reader, i.reader_job, i.dataset, i.barrier, i.moment, w.job,
               lineage.hides_before(
                   i.dataset, w.job, i.barrier, i.moment, i.by_version, i.version, i.reader) AS hides,
               dense_rank() OVER (ORDER BY i.reader_job, i.dataset, i.barrier, w.job) AS place
        FROM lineage.writers_of(reads, false) AS w JOIN unnest(reads) AS i ON i.dataset = w.dataset
        WHERE NOT w.adding
    ), wanted AS MATERIALIZED (
        SELECT p.place, p.reader_job, p.dataset, p.job, p.barrier, max(p.hides) AS hides
        FROM pair p GROUP BY p.place, p.reader_job, p.dataset, p.job, p.barrier
    ), earlier AS MATERIALIZED (
        SELECT w.place, e.run, e.last_seen, e.seen_from
        FROM (SELECT array_agg(w.dataset ORDER BY w.place) AS datasets,
                     array_agg(w.job ORDER BY w.place) AS jobs,
                     array_agg(w.barrier ORDER BY w.place) AS barriers,
                     array_agg(w.hides ORDER BY w.place) AS times FROM wanted w) AS asked
        CROSS JOIN LATERAL lineage.writes_before(
            asked.datasets, asked.jobs, asked.barriers, asked.times) AS e
        JOIN wanted w ON w.place = e.place
    )
    SELECT w.reader_job, w.dataset, e.run, w.job, max(e.last_seen)
    FROM earlier e JOIN wanted w ON w.place = e.place
    WHERE EXISTS (SELECT FROM pair p
                  WHERE p.place = e.place AND e.last_seen < p.hides AND e.seen_from <= p.moment
                    AND e.run IS DISTINCT FROM p.reader)
    GROUP BY w.reader_job, w.dataset, e.run, w.job
$$;

-- A job read a dataset that another job had written: how many runs of the far job, the newest of them, when the
-- first and the last of their writes (or reads) was, how many of them are certain by their version; and how many
-- more may have been there, since when.
CREATE TYPE lineage.run_step AS (
    distance int, reader_job bigint, dataset bigint, writer_job bigint, runs bigint, run bigint,
    first timestamptz, last timestamptz, exact bigint, perhaps bigint, since timestamptz);

CREATE FUNCTION lineage.steps_behind(
    reads lineage.read[], depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_step
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET jit = off AS $$
    WITH seen AS MATERIALIZED (
        SELECT * FROM lineage.writes_behind(reads, depth, perhaps)
    ), walked AS MATERIALIZED (
        SELECT s.run, s.job FROM seen s WHERE s.run IS NOT NULL
        GROUP BY s.run, s.job HAVING depth IS NULL OR min(s.distance) < depth
    ), hidden AS MATERIALIZED (
        SELECT h.*
        FROM (SELECT array_agg(w.run) AS runs, array_agg(w.job) AS jobs FROM walked w) AS k
        CROSS JOIN LATERAL lineage.hidden_from(
            reads || ARRAY(SELECT r FROM lineage.reads_of(k.runs, k.jobs) AS r)) AS h
        WHERE NOT perhaps
          AND NOT EXISTS (
              SELECT FROM seen s
              WHERE s.run = h.run AND s.job = h.job AND s.dataset = h.dataset
                AND s.reader_job IS NOT DISTINCT FROM h.reader_job)
    )
    SELECT s.distance, s.reader_job, s.dataset, s.job, s.runs, s.run, s.first, s.last, s.exact,
           coalesce(h.runs, 0), h.since
    FROM (SELECT min(s.distance) AS distance, s.reader_job, s.dataset, s.job, count(DISTINCT s.run) AS runs,
                 (array_agg(s.run ORDER BY s.written DESC, r.run_id DESC))[1] AS run,
                 min(s.written) AS first, max(s.written) AS last,
                 count(DISTINCT s.run) FILTER (WHERE s.exact) AS exact
          FROM seen s LEFT JOIN lineage.run r ON r.id = s.run
          GROUP BY s.reader_job, s.dataset, s.job) AS s
    LEFT JOIN (SELECT h.reader_job, h.dataset, h.job, count(DISTINCT h.run) AS runs, min(h.written) AS since
               FROM hidden h GROUP BY h.reader_job, h.dataset, h.job) AS h
        ON h.reader_job IS NOT DISTINCT FROM s.reader_job AND h.dataset = s.dataset AND h.job = s.job
$$;

CREATE FUNCTION lineage.steps_of_run(run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_step
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT s.*
    FROM (SELECT array_agg(e.run) AS runs, array_agg(e.job) AS jobs
          FROM lineage.execution e WHERE e.run = steps_of_run.run) AS k
    CROSS JOIN LATERAL lineage.steps_behind(
        ARRAY(SELECT r FROM lineage.reads_of(k.runs, k.jobs) AS r), depth, perhaps) AS s
$$;

CREATE FUNCTION lineage.steps_at(
    dataset bigint, at timestamptz, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_step
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT s.*
    FROM lineage.steps_behind(
        ARRAY(SELECT ROW(NULL, NULL, steps_at.dataset, NULL, at, at, b.by_version, b.moment, b.barrier)::lineage.read
              FROM lineage.seen_between(steps_at.dataset, at, at, NULL, NULL) AS b), depth, perhaps) AS s
    WHERE s.writer_job IS NOT NULL OR s.distance > 1
$$;

-- The reads that saw writes of these runs, each as work of a job, once for each job that had written what was read.
-- perhaps: what the read saw of that job is hidden by a newer write of the same job.
CREATE FUNCTION lineage.reads_seeing(runs bigint[], jobs bigint[])
RETURNS TABLE (reader bigint, reader_job bigint, dataset bigint, job bigint, read_at timestamptz,
               exact boolean, perhaps boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
    WITH wrote AS MATERIALIZED (
        SELECT d.canonical AS dataset, a.run, a.job, a.first_seen, a.last_seen,
               CASE WHEN lineage.had_written(r, 'infinity') THEN greatest(a.last_seen, r.ended_at)
                    ELSE 'infinity' END AS over,
               lineage.is_stream(a.job) AS stream, a.facets #>> '{version,1,datasetVersion}' AS version
        FROM (SELECT * FROM unnest(runs, jobs) AS k (run, job) OFFSET 0) AS k
        JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND a.output AND lineage.leaves_rows(a.facets)
        JOIN lineage.run r ON r.id = a.run AND r.feeding
        JOIN lineage.dataset d ON d.id = a.dataset
    ), since AS MATERIALIZED (
        -- Until two others have replaced all that was there: one of them is not the reader's own.
        SELECT w.dataset, min(w.first_seen) AS first_seen, max(coalesce(n.over, 'infinity')) AS until
        FROM wrote w
        CROSS JOIN LATERAL (
            SELECT CASE WHEN count(DISTINCT n.run) = 2 THEN max(n.over) END AS over
            FROM (SELECT next.run, next.over
                  FROM lineage.dataset d
                  CROSS JOIN LATERAL (
                      SELECT a.run, a.last_seen, greatest(a.last_seen, r.ended_at) AS over
                      FROM lineage.access a JOIN lineage.run r ON r.id = a.run
                      WHERE a.dataset = d.id AND a.output AND a.last_seen > w.last_seen
                        AND lineage.replaces(a.facets) AND lineage.had_written(r, 'infinity')
                      ORDER BY a.last_seen LIMIT 2) AS next
                  WHERE d.canonical = w.dataset ORDER BY next.last_seen LIMIT 2) AS n) AS n
        GROUP BY w.dataset
    ), version AS MATERIALIZED (
        SELECT DISTINCT s.dataset, a.facets #>> '{version,1,datasetVersion}' AS version
        FROM since s
        JOIN lineage.dataset d ON d.canonical = s.dataset
        JOIN lineage.access a ON a.dataset = d.id AND a.output AND a.facets ? 'version'
             AND a.last_seen BETWEEN s.first_seen AND s.until
    ), reader AS MATERIALIZED (
        -- Who reads from a moment on is last seen after it: so far goes the index.
        SELECT a.run, a.job
        FROM since s
        JOIN lineage.dataset d ON d.canonical = s.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.last_seen >= s.first_seen
        WHERE a.first_seen BETWEEN s.first_seen AND s.until
        UNION
        SELECT a.run, a.job
        FROM (SELECT v.dataset, array_agg(v.version) AS versions FROM version v GROUP BY v.dataset) AS v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output
        WHERE a.facets #>> '{version,1,datasetVersion}' = ANY (v.versions)
    ), read AS MATERIALIZED (
        SELECT i.*
        FROM (SELECT array_agg(k.run) AS runs, array_agg(k.job) AS jobs FROM reader k) AS k
        CROSS JOIN LATERAL lineage.reads_of(k.runs, k.jobs) AS i
        JOIN since s ON s.dataset = i.dataset
    ), pair AS MATERIALIZED (
        SELECT i.*, w.job,
               CASE WHEN NOT lineage.is_adding(w.job, i.dataset) THEN lineage.hides_before(
                   i.dataset, w.job, i.barrier, i.moment, i.by_version, i.version, i.reader) END AS hides
        FROM read i JOIN (SELECT DISTINCT w.dataset, w.job FROM wrote w) AS w ON w.dataset = i.dataset
    )
    SELECT p.reader, p.reader_job, p.dataset, p.job, min(p.read_at), bool_or(e.exact),
           NOT bool_or(w.stream OR w.last_seen >= coalesce(p.hides, '-infinity'))
    FROM pair p
    JOIN wrote w ON w.dataset = p.dataset AND w.job = p.job AND w.run <> p.reader
    CROSS JOIN LATERAL (SELECT coalesce(w.last_seen = p.by_version AND w.version = p.version, false) AS exact) AS e
    WHERE w.last_seen BETWEEN p.barrier AND p.moment AND w.over <= p.moment OR e.exact
       OR w.stream AND w.first_seen <= p.moment AND w.last_seen >= p.barrier
    GROUP BY p.reader, p.reader_job, p.dataset, p.job
$$;

-- The reads that saw writes of these runs: which they are is asked first, and of these alone what they saw.
CREATE OR REPLACE FUNCTION lineage.links_from(runs bigint[], jobs bigint[], perhaps boolean DEFAULT false)
RETURNS SETOF lineage.link
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT s.* FROM (
        SELECT l.reader, l.reader_job, l.dataset, l.version, l.writer, l.writer_job, l.written, l.exact
        FROM (SELECT DISTINCT r.reader, r.reader_job, r.dataset
              FROM lineage.reads_seeing(runs, jobs) AS r WHERE links_from.perhaps OR NOT r.perhaps) AS k
        CROSS JOIN LATERAL lineage.links_of(k.reader, k.reader_job, links_from.perhaps) AS l
        WHERE l.dataset = k.dataset OFFSET 0) AS s
    WHERE (s.writer, s.writer_job) IN (SELECT * FROM unnest(runs, jobs))
$$;

CREATE TYPE lineage.reader_of AS (
    distance int, reader bigint, reader_job bigint, dataset bigint, job bigint, read_at timestamptz,
    exact boolean, perhaps boolean);

CREATE FUNCTION lineage.steps_from_run(run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_step
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 AS $$
DECLARE
    runs bigint[];
    jobs bigint[];
    done_runs bigint[];
    done_jobs bigint[];
    step lineage.reader_of[];
    met lineage.reader_of[];
    distance int := 0;
BEGIN
    SELECT array_agg(e.run), array_agg(e.job) INTO runs, jobs
    FROM lineage.execution e WHERE e.run = steps_from_run.run;
    WHILE runs IS NOT NULL AND (depth IS NULL OR distance < depth) LOOP
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        distance := distance + 1;
        step := ARRAY(
            SELECT ROW(distance, s.reader, s.reader_job, s.dataset, s.job, s.read_at, s.exact,
                       s.perhaps AND NOT steps_from_run.perhaps)::lineage.reader_of
            FROM lineage.reads_seeing(runs, jobs) AS s);
        met := met || step;
        SELECT array_agg(k.reader), array_agg(k.reader_job) INTO runs, jobs
        FROM (SELECT s.reader, s.reader_job FROM unnest(step) AS s WHERE NOT s.perhaps
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
    END LOOP;
    RETURN QUERY
    WITH once AS MATERIALIZED (
        SELECT m.reader, m.reader_job, m.dataset, m.job, min(m.distance) AS distance,
               min(m.read_at) AS read_at, bool_or(m.exact) AS exact, bool_and(m.perhaps) AS perhaps
        FROM unnest(met) AS m GROUP BY m.reader, m.reader_job, m.dataset, m.job
    )
    SELECT min(o.distance), o.reader_job, o.dataset, o.job,
           count(DISTINCT o.reader) FILTER (WHERE NOT o.perhaps),
           (array_agg(o.reader ORDER BY o.read_at DESC, r.run_id DESC) FILTER (WHERE NOT o.perhaps))[1],
           min(o.read_at) FILTER (WHERE NOT o.perhaps), max(o.read_at) FILTER (WHERE NOT o.perhaps),
           count(DISTINCT o.reader) FILTER (WHERE o.exact),
           count(DISTINCT o.reader) FILTER (WHERE o.perhaps), min(o.read_at) FILTER (WHERE o.perhaps)
    FROM once o JOIN lineage.run r ON r.id = o.reader
    GROUP BY o.reader_job, o.dataset, o.job;
END $$;

-- For people: these by name.
CREATE FUNCTION lineage.run_steps(run_id text, direction text DEFAULT 'upstream', depth int DEFAULT NULL,
                                  perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader text, namespace text, name text, writer text, runs bigint,
               first timestamptz, last timestamptz, maybe bigint, since timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 AS $$
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    RETURN QUERY
    SELECT s.distance, i.name, d.namespace, d.name, o.name, s.runs, s.first, s.last, s.perhaps, s.since
    FROM lineage.run r
    CROSS JOIN LATERAL (
        SELECT * FROM lineage.steps_of_run(r.id, depth, run_steps.perhaps) WHERE direction = 'upstream'
        UNION ALL
        SELECT * FROM lineage.steps_from_run(r.id, depth, run_steps.perhaps) WHERE direction = 'downstream') AS s
    JOIN lineage.dataset d ON d.id = s.dataset
    LEFT JOIN lineage.job i ON i.id = s.reader_job
    LEFT JOIN lineage.job o ON o.id = s.writer_job
    WHERE r.run_id = run_steps.run_id
    ORDER BY s.distance, i.name, d.namespace, d.name, o.name;
END $$;

COMMENT ON TYPE lineage.run_step IS 'Runs of a job read a dataset that runs of another had written';
COMMENT ON TYPE lineage.reader_of IS 'A run that read what one of some runs had written';
COMMENT ON FUNCTION lineage.writes_before IS 'Writes of datasets by jobs before a time';
COMMENT ON FUNCTION lineage.hidden_from IS 'Writes that may have been there too when something was read';
COMMENT ON FUNCTION lineage.steps_behind IS 'What reads see, back to the sources, a row for two jobs and a dataset';
COMMENT ON FUNCTION lineage.steps_of_run IS 'The same of all that a run read';
COMMENT ON FUNCTION lineage.steps_at IS 'The same of a dataset at a time';
COMMENT ON FUNCTION lineage.reads_seeing IS 'The reads that saw what some runs wrote';
COMMENT ON FUNCTION lineage.steps_from_run IS 'Which jobs read what a run wrote, and so on';
COMMENT ON FUNCTION lineage.run_steps IS 'Steps from job to job behind a run, or on from it, by its id';
