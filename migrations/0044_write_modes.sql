-- Writes of which nobody says how they wrote.
--
-- A write replaces what was there, adds to it, or nobody says. Of a job that does not say, the newest write
-- hides its own earlier ones: these may still be there, and are counted as "perhaps". What a job said of a
-- dataset in any of its runs holds for all of them: an append once is an append always.

-- The write says that it leaves what was there.
CREATE FUNCTION lineage.adds(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets) NOT IN
                ('overwrite', 'create', 'rename', 'truncate', 'drop', 'alter'), false);

CREATE INDEX access_adding ON lineage.access (dataset, job) WHERE output AND lineage.adds(facets);

-- In the order of time, so that the newest write of a job is one probe.
DROP INDEX lineage.access_job;
CREATE INDEX access_job ON lineage.access (dataset, output, job, last_seen);

-- Is it known that writes of the job, where they do not say how they write, leave what was there?
CREATE FUNCTION lineage.is_adding(job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN lineage.is_stream(job)
    OR EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.job = is_adding.job
                    AND a.output AND lineage.adds(a.facets)
               WHERE n.canonical = is_adding.dataset);

-- When the newest write of the job, of which it is not said how it wrote, was there for a read; its earlier
-- ones are hidden. Null where there is none.
CREATE FUNCTION lineage.hides_before(
    dataset bigint, job bigint, barrier timestamptz, moment timestamptz, by_version timestamptz,
    version text, reader bigint)
RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT max(newest.last_seen)
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND a.job = hides_before.job
              AND a.last_seen BETWEEN barrier AND moment
              AND lineage.write_mode(a.facets) IS NULL AND a.run IS DISTINCT FROM reader
              AND (lineage.had_written(r, moment)
                   OR r.feeding AND lineage.is_version(a, by_version, version))
            ORDER BY a.last_seen DESC LIMIT 1) AS newest
        WHERE n.canonical = hides_before.dataset);

-- The runs whose writes a read saw. Job for job: of one that adds all since the last replacement, of another
-- the newest. perhaps: those too that the newest hides.
DROP FUNCTION lineage.saw_replaced;
DROP FUNCTION lineage.writes_seen;
CREATE FUNCTION lineage.writes_seen(
    dataset bigint, from_time timestamptz, until_time timestamptz,
    version text DEFAULT NULL, reader bigint DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (run bigint, job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT w.run, w.job, max(w.written), bool_or(w.exact)
    FROM lineage.seen_between(writes_seen.dataset, from_time, until_time, writes_seen.version, reader) AS b
    CROSS JOIN LATERAL lineage.jobs_of(writes_seen.dataset, true) AS j (job)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN perhaps OR lineage.is_adding(j.job, writes_seen.dataset) THEN b.barrier
                    ELSE coalesce(lineage.hides_before(
                        writes_seen.dataset, j.job, b.barrier, b.moment, b.by_version,
                        writes_seen.version, reader), b.barrier) END AS time OFFSET 0) AS since
    CROSS JOIN LATERAL (
        SELECT a.run, a.job, a.last_seen AS written,
               lineage.is_version(a, b.by_version, writes_seen.version) AS exact
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = j.job
             AND a.last_seen BETWEEN since.time AND b.moment
        JOIN lineage.run r ON r.id = a.run
        WHERE n.canonical = writes_seen.dataset
          AND a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (lineage.had_written(r, b.moment)
               OR r.feeding AND lineage.is_version(a, b.by_version, writes_seen.version))
        UNION ALL
        -- A stream writes all the time, and what it wrote later has hidden what it had by then.
        SELECT a.run, a.job, least(a.last_seen, b.moment), false
        FROM lineage.job stream
        JOIN lineage.access a ON a.output AND a.job = stream.id
        JOIN lineage.dataset n ON n.id = a.dataset AND n.canonical = writes_seen.dataset
        JOIN lineage.run r ON r.id = a.run AND r.feeding
        WHERE stream.id = j.job AND stream.facets #>> '{jobType,1,processingType}' = 'STREAMING'
          AND a.first_seen <= b.moment AND a.last_seen >= b.barrier
          AND a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (a.last_seen > b.moment OR NOT lineage.had_written(r, b.moment))
          AND NOT lineage.is_version(a, b.by_version, writes_seen.version)) AS w
    GROUP BY w.run, w.job
$$;

-- The links of all that a run read, as work of a job.
DROP FUNCTION lineage.links_of;
CREATE FUNCTION lineage.links_of(reader bigint, reader_job bigint, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.link
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT reader, reader_job, i.dataset, i.version, w.run, w.job, w.written, w.exact
    FROM (SELECT d.canonical AS dataset, a.facets #>> '{version,1,datasetVersion}' AS version,
                 min(a.first_seen) AS first_seen, max(a.last_seen) AS last_seen
          FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
          WHERE a.run = reader AND a.job = reader_job AND NOT a.output
          GROUP BY 1, 2) AS i
    LEFT JOIN LATERAL lineage.writes_seen(
        i.dataset, i.first_seen, i.last_seen, i.version, reader, perhaps) AS w ON true
$$;

DROP FUNCTION lineage.links_behind;
CREATE FUNCTION lineage.links_behind(
    step lineage.link[], depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    done_runs bigint[];
    done_jobs bigint[];
    runs bigint[];
    jobs bigint[];
BEGIN
    SELECT array_agg(k.reader), array_agg(k.reader_job) INTO done_runs, done_jobs
    FROM (SELECT DISTINCT s.reader, s.reader_job FROM unnest(step) s) AS k;
    distance := 1;
    WHILE cardinality(step) > 0 LOOP
        RETURN QUERY SELECT links_behind.distance, s.* FROM unnest(step) s;
        EXIT WHEN distance >= depth;
        SELECT array_agg(k.writer), array_agg(k.writer_job) INTO runs, jobs
        FROM (SELECT s.writer, s.writer_job FROM unnest(step) s WHERE s.writer IS NOT NULL
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
        EXIT WHEN runs IS NULL;
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        step := ARRAY(SELECT l FROM unnest(runs, jobs) AS k (run, job)
                      CROSS JOIN LATERAL lineage.links_of(k.run, k.job, perhaps) AS l);
        distance := distance + 1;
    END LOOP;
END $$;

DROP FUNCTION lineage.links_of_run;
CREATE FUNCTION lineage.links_of_run(run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT * FROM lineage.links_behind(
        ARRAY(SELECT l FROM lineage.execution e
              CROSS JOIN LATERAL lineage.links_of(e.run, e.job, perhaps) AS l
              WHERE e.run = links_of_run.run), depth, perhaps)
$$;

DROP FUNCTION lineage.links_at;
CREATE FUNCTION lineage.links_at(
    dataset bigint, at timestamptz, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT * FROM lineage.links_behind(
        ARRAY(SELECT ROW(NULL, NULL, links_at.dataset, NULL, w.run, w.job, w.written, w.exact)::lineage.link
              FROM lineage.writes_seen(links_at.dataset, at, at, NULL, NULL, perhaps) AS w), depth, perhaps)
$$;

DROP FUNCTION lineage.run_provenance;
CREATE FUNCTION lineage.run_provenance(
    run_id text, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, run text, namespace text, name text, version text,
               source_run text, source_job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, r.run_id, d.namespace, d.name, l.version, w.run_id, j.name, l.written, l.exact
    FROM lineage.run asked CROSS JOIN LATERAL lineage.links_of_run(asked.id, depth, perhaps) AS l
    JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.writer_job
    WHERE asked.run_id = run_provenance.run_id
    ORDER BY l.distance, r.run_id, d.namespace, d.name, l.written, w.run_id
$$;

DROP FUNCTION lineage.provenance_at;
CREATE FUNCTION lineage.provenance_at(
    called text, at timestamptz, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, run text, namespace text, name text, version text,
               source_run text, source_job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, r.run_id, d.namespace, d.name, l.version, w.run_id, j.name, l.written, l.exact
    FROM lineage.links_at(lineage.dataset_id(called), at, depth, perhaps) AS l
    LEFT JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.writer_job
    ORDER BY l.distance, r.run_id NULLS FIRST, d.namespace, d.name, l.written, w.run_id
$$;

-- The reads that saw writes of these runs. As before; perhaps: those too that saw a newer write of the same
-- job, of which it is not said that it replaced them.
DROP FUNCTION lineage.links_from;
CREATE FUNCTION lineage.links_from(runs bigint[], jobs bigint[], perhaps boolean DEFAULT false)
RETURNS SETOF lineage.link
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    WITH wrote AS MATERIALIZED (
        SELECT d.canonical AS dataset, a.run, a.job, min(a.first_seen) AS since, max(a.last_seen) AS last_seen
        FROM (SELECT * FROM unnest(runs, jobs) AS k (run, job) OFFSET 0) AS k
        JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND a.output AND lineage.leaves_rows(a.facets)
        JOIN lineage.run r ON r.id = a.run AND r.feeding
        JOIN lineage.dataset d ON d.id = a.dataset
        GROUP BY d.canonical, a.run, a.job
    ), there AS MATERIALIZED (
        SELECT w.*, coalesce((
            SELECT CASE WHEN count(DISTINCT n.run) = 2 THEN max(n.over) END
            FROM (SELECT next.run, next.over
                  FROM lineage.dataset d
                  CROSS JOIN LATERAL (
                      SELECT a.run, a.last_seen, greatest(a.last_seen, r.ended_at) AS over
                      FROM lineage.access a JOIN lineage.run r ON r.id = a.run
                      WHERE a.dataset = d.id AND a.output AND a.last_seen > w.last_seen
                        AND lineage.replaces(a.facets) AND lineage.had_written(r, 'infinity')
                      ORDER BY a.last_seen LIMIT 2) AS next
                  WHERE d.canonical = w.dataset ORDER BY next.last_seen LIMIT 2) AS n), 'infinity') AS until
        FROM wrote w
    ), versioned AS MATERIALIZED (
        SELECT t.*, ARRAY(
            SELECT a.facets #>> '{version,1,datasetVersion}'
            FROM lineage.dataset d JOIN lineage.access a ON a.dataset = d.id AND a.output
                 AND a.last_seen BETWEEN t.since AND t.until
            WHERE d.canonical = t.dataset AND a.facets ? 'version') AS versions
        FROM there t
    ), reader AS MATERIALIZED (
        -- Who reads from a moment on is last seen after it: so far goes the index.
        SELECT a.run, a.job, v.dataset
        FROM versioned v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.run <> v.run AND a.last_seen >= v.since
        WHERE a.first_seen BETWEEN v.since AND v.until
        UNION
        SELECT a.run, a.job, v.dataset
        FROM versioned v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.run <> v.run
        WHERE v.versions <> '{}' AND a.facets #>> '{version,1,datasetVersion}' = ANY (v.versions)
    )
    SELECT s.* FROM (
        -- What was seen is found once for each read, and then compared.
        SELECT l.reader, l.reader_job, l.dataset, l.version, l.writer, l.writer_job, l.written, l.exact
        FROM reader k CROSS JOIN LATERAL lineage.links_of(k.run, k.job, perhaps) AS l
        WHERE l.dataset = k.dataset OFFSET 0) AS s
    WHERE (s.writer, s.writer_job) IN (SELECT wrote.run, wrote.job FROM wrote)
$$;

DROP FUNCTION lineage.links_from_run;
CREATE FUNCTION lineage.links_from_run(run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    runs bigint[];
    jobs bigint[];
    done_runs bigint[];
    done_jobs bigint[];
    step lineage.link[];
BEGIN
    SELECT array_agg(e.run), array_agg(e.job) INTO runs, jobs
    FROM lineage.execution e WHERE e.run = links_from_run.run;
    distance := 0;
    WHILE runs IS NOT NULL AND (depth IS NULL OR distance < depth) LOOP
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        step := ARRAY(SELECT l FROM lineage.links_from(runs, jobs, perhaps) AS l);
        distance := distance + 1;
        RETURN QUERY SELECT links_from_run.distance, s.* FROM unnest(step) AS s;
        SELECT array_agg(k.reader), array_agg(k.reader_job) INTO runs, jobs
        FROM (SELECT s.reader, s.reader_job FROM unnest(step) AS s
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
    END LOOP;
END $$;

DROP FUNCTION lineage.run_readers;
CREATE FUNCTION lineage.run_readers(run_id text, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, source_run text, namespace text, name text, version text,
               run text, job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, w.run_id, d.namespace, d.name, l.version, r.run_id, j.name, l.written, l.exact
    FROM lineage.run asked CROSS JOIN LATERAL lineage.links_from_run(asked.id, depth, perhaps) AS l
    JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.job j ON j.id = l.reader_job
    JOIN lineage.run w ON w.id = l.writer
    JOIN lineage.dataset d ON d.id = l.dataset
    WHERE asked.run_id = run_readers.run_id
    ORDER BY l.distance, w.run_id, d.namespace, d.name, r.run_id, j.namespace, j.name
$$;

-- Reads and writes as sets, generation for generation.

-- Writes of datasets by jobs between two times each, by the place in the arrays.
DROP FUNCTION lineage.writes_between;
CREATE FUNCTION lineage.writes_between(
    datasets bigint[], jobs bigint[], barriers timestamptz[], moments timestamptz[])
RETURNS TABLE (place bigint, run bigint, last_seen timestamptz, seen_from timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT w.place, a.run, a.last_seen, greatest(a.last_seen, r.ended_at)
    FROM unnest(datasets, jobs, barriers, moments) WITH ORDINALITY AS w (dataset, job, barrier, moment, place)
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
         AND a.last_seen BETWEEN w.barrier AND w.moment
    JOIN lineage.run r ON r.id = a.run
    WHERE lineage.leaves_rows(a.facets) AND lineage.had_written(r, w.moment)
    UNION ALL
    -- A stream writes all the time.
    SELECT w.place, a.run, a.last_seen, a.first_seen
    FROM unnest(datasets, jobs, barriers, moments) WITH ORDINALITY AS w (dataset, job, barrier, moment, place)
    JOIN lineage.job stream ON stream.id = w.job
         AND stream.facets #>> '{jobType,1,processingType}' = 'STREAMING'
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
    JOIN lineage.run r ON r.id = a.run AND r.feeding
    WHERE a.first_seen <= w.moment AND a.last_seen >= w.barrier AND lineage.leaves_rows(a.facets)
$$;

-- The newest writes of jobs that do not say how they write, for reads each, by the place in the arrays. hides is
-- when the newest was: earlier writes of the job are hidden.
CREATE FUNCTION lineage.newest_writes(
    datasets bigint[], jobs bigint[], barriers timestamptz[], moments timestamptz[],
    by_versions timestamptz[], versions text[], readers bigint[])
RETURNS TABLE (place bigint, run bigint, written timestamptz, hides timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT w.place, a.run, a.last_seen, s.hides
    FROM unnest(datasets, jobs, barriers, moments, by_versions, versions, readers) WITH ORDINALITY
         AS w (dataset, job, barrier, moment, by_version, version, reader, place)
    CROSS JOIN LATERAL (
        SELECT lineage.hides_before(w.dataset, w.job, w.barrier, w.moment, w.by_version, w.version,
                                    w.reader) AS hides OFFSET 0) AS s
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
         AND a.last_seen BETWEEN coalesce(s.hides, w.barrier) AND w.moment
    JOIN lineage.run r ON r.id = a.run
    WHERE a.run IS DISTINCT FROM w.reader AND lineage.leaves_rows(a.facets)
      AND (lineage.had_written(r, w.moment) OR r.feeding AND lineage.is_version(a, w.by_version, w.version))
$$;

-- Who writes what these reads read, and whether all of it is there or the newest alone.
CREATE FUNCTION lineage.writers_of(reads lineage.read[], perhaps boolean)
RETURNS TABLE (dataset bigint, job bigint, adding boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off SET jit = off AS $$
    SELECT d.dataset, w.job, perhaps OR lineage.is_adding(w.job, d.dataset)
    FROM (SELECT DISTINCT i.dataset FROM unnest(reads) AS i) AS d
    CROSS JOIN LATERAL lineage.jobs_of(d.dataset, true) AS w (job)
$$;

-- What any of these reads sees, each write once for each job that read it.
DROP FUNCTION lineage.writes_behind;
DROP FUNCTION lineage.seen_by;
DROP TYPE lineage.written;
CREATE TYPE lineage.written AS (
    reader_job bigint, dataset bigint, run bigint, job bigint, written timestamptz, exact boolean);
COMMENT ON TYPE lineage.written IS
    'A run whose write of a dataset runs of a job read; no run where nobody is known to have written it';

DROP FUNCTION lineage.exact_writes;
CREATE FUNCTION lineage.exact_writes(reads lineage.read[])
RETURNS TABLE (reader_job bigint, dataset bigint, run bigint, job bigint, written timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT DISTINCT i.reader_job, i.dataset, a.run, a.job, a.last_seen
    FROM unnest(reads) AS i
    JOIN lineage.dataset n ON n.canonical = i.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.last_seen = i.by_version
         AND lineage.is_version(a, i.by_version, i.version)
    JOIN lineage.run r ON r.id = a.run AND r.feeding
    WHERE a.run IS DISTINCT FROM i.reader AND lineage.leaves_rows(a.facets)
$$;

-- Of jobs that add, the last of all reads that know the same replacement sees what any of them sees, but for
-- what its own run wrote; for that the last read of another run is asked.
CREATE FUNCTION lineage.seen_by(reads lineage.read[], perhaps boolean DEFAULT false)
RETURNS SETOF lineage.written
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_mergejoin = off SET jit = off AS $$
    WITH writer AS MATERIALIZED (
        SELECT * FROM lineage.writers_of(reads, perhaps)
    ), read AS MATERIALIZED (
        SELECT i.*,
               dense_rank() OVER (ORDER BY i.reader_job, i.dataset, i.barrier) AS place,
               first_value(i.reader) OVER (PARTITION BY i.reader_job, i.dataset, i.barrier
                                           ORDER BY i.moment DESC) AS last
        FROM unnest(reads) WITH ORDINALITY AS i (
            reader, reader_job, dataset, version, read_at, read_until, by_version, moment, barrier, number)
    ), last AS MATERIALIZED (
        SELECT r.place, r.reader_job, r.dataset, r.barrier, r.last AS reader, max(r.moment) AS moment,
               max(r.moment) FILTER (WHERE r.reader <> r.last) AS moment_of_others
        FROM read r GROUP BY r.place, r.reader_job, r.dataset, r.barrier, r.last
    ), wanted AS MATERIALIZED (
        SELECT l.place, l.dataset, w.job, l.barrier, l.moment, row_number() OVER () AS number
        FROM last l JOIN writer w ON w.dataset = l.dataset AND w.adding
    ), known AS MATERIALIZED (
        SELECT a.place, w.run, a.job, w.last_seen, min(w.seen_from) AS seen_from
        FROM (SELECT array_agg(a.dataset ORDER BY a.number) AS datasets,
                     array_agg(a.job ORDER BY a.number) AS jobs,
                     array_agg(a.barrier ORDER BY a.number) AS barriers,
                     array_agg(a.moment ORDER BY a.number) AS moments FROM wanted a) AS asked
        CROSS JOIN LATERAL lineage.writes_between(
            asked.datasets, asked.jobs, asked.barriers, asked.moments) AS w
        JOIN wanted a ON a.number = w.place
        GROUP BY a.place, w.run, a.job, w.last_seen
    ), pair AS MATERIALIZED (
        SELECT r.*, w.job, row_number() OVER () AS pair
        FROM read r JOIN writer w ON w.dataset = r.dataset AND NOT w.adding
    ), newest AS MATERIALIZED (
        SELECT p.number, p.reader_job, p.dataset, w.run, p.job, w.written
        FROM (SELECT array_agg(p.dataset ORDER BY p.pair) AS datasets,
                     array_agg(p.job ORDER BY p.pair) AS jobs,
                     array_agg(p.barrier ORDER BY p.pair) AS barriers,
                     array_agg(p.moment ORDER BY p.pair) AS moments,
                     array_agg(p.by_version ORDER BY p.pair) AS by_versions,
                     array_agg(p.version ORDER BY p.pair) AS versions,
                     array_agg(p.reader ORDER BY p.pair) AS readers FROM pair p) AS asked
        CROSS JOIN LATERAL lineage.newest_writes(
            asked.datasets, asked.jobs, asked.barriers, asked.moments,
            asked.by_versions, asked.versions, asked.readers) AS w
        JOIN pair p ON p.pair = w.place
    ), earliest AS MATERIALIZED (
        SELECT DISTINCT ON (k.place) k.place, k.run, k.seen_from FROM known k ORDER BY k.place, k.seen_from
    ), next AS MATERIALIZED (
        SELECT k.place, min(k.seen_from) AS seen_from
        FROM known k JOIN earliest e ON e.place = k.place AND e.run <> k.run GROUP BY k.place
    )
    SELECT s.reader_job, s.dataset, s.run, s.job, max(s.written), bool_or(s.exact)
    FROM (
        SELECT l.reader_job, l.dataset, k.run, k.job, least(k.last_seen, m.moment) AS written, false AS exact
        FROM known k JOIN last l USING (place)
        CROSS JOIN LATERAL (SELECT CASE WHEN k.run = l.reader THEN l.moment_of_others ELSE l.moment END) AS m (moment)
        WHERE k.seen_from <= m.moment
        UNION ALL
        SELECT n.reader_job, n.dataset, n.run, n.job, n.written, false FROM newest n
        UNION ALL
        SELECT e.reader_job, e.dataset, e.run, e.job, e.written, true FROM lineage.exact_writes(reads) AS e
        UNION ALL
        SELECT r.reader_job, r.dataset, NULL, NULL, NULL, NULL
        FROM read r LEFT JOIN earliest e USING (place) LEFT JOIN next n USING (place)
        WHERE r.by_version IS NULL
          AND (e.place IS NULL OR r.moment < e.seen_from
               OR r.reader = e.run AND r.moment < coalesce(n.seen_from, 'infinity'))
          AND NOT EXISTS (SELECT FROM newest w WHERE w.number = r.number)
    ) AS s GROUP BY s.reader_job, s.dataset, s.run, s.job
$$;

-- What these reads see, which are at distance 1, and what the runs that wrote it had read, back to what
-- nobody is known to have written.
CREATE FUNCTION lineage.writes_behind(
    reads lineage.read[], depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader_job bigint, dataset bigint, run bigint, job bigint,
               written timestamptz, exact boolean)
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
        seen := ARRAY(SELECT s FROM lineage.seen_by(step, perhaps) AS s);
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

-- Did some run replace it all after that, before it was read, and did the read see it? What is hidden counts:
-- it is asked what was said.
CREATE FUNCTION lineage.saw_replaced(i lineage.read, since timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (
    SELECT FROM lineage.writes_seen((i).dataset, (i).read_at, (i).read_until, (i).version, (i).reader, true) AS w
    WHERE w.written > since AND lineage.replaces(lineage.write_facets(w.run, w.job, (i).dataset)));

COMMENT ON FUNCTION lineage.adds IS 'Whether a write says that it leaves what was there';
COMMENT ON FUNCTION lineage.is_adding IS 'Whether writes of a job are known to leave what was there';
COMMENT ON FUNCTION lineage.hides_before IS 'When the newest write of a job was that hides its earlier ones';
COMMENT ON FUNCTION lineage.writes_between IS 'Writes of datasets by jobs between two times';
COMMENT ON FUNCTION lineage.newest_writes IS 'The newest writes of jobs that do not say how they write';
COMMENT ON FUNCTION lineage.writers_of IS 'Which jobs write what reads read, and whether they add';
COMMENT ON FUNCTION lineage.seen_by IS 'What any of some reads sees';
COMMENT ON FUNCTION lineage.exact_writes IS 'Writes whose version reads state';
COMMENT ON FUNCTION lineage.writes_behind IS 'What reads see, and what is behind it, back to the sources';
COMMENT ON FUNCTION lineage.links_from_run IS 'Which runs read what a run wrote, and so on';
COMMENT ON FUNCTION lineage.run_readers IS 'The same by the id of a run';
