-- Traces at the level of jobs and of runs.
--
-- A job feeds another where a run of the one wrote what a run of the other read; neither had failed. What a job
-- passes on is what it read in runs that wrote something, as FEEDS has it: so a trace goes on from a job to
-- the sources (or targets) of its FEEDS.

-- When the newest run of a job that did not fail and wrote (or read) a dataset last told of itself; null where
-- there is none. A walk through the runs of the job from the newest on, which nearly always ends at the first.
CREATE FUNCTION lineage.last_access(job bigint, dataset bigint, output boolean) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET enable_seqscan = off SET jit = off
RETURN (SELECT e.last_seen
        FROM (SELECT x.run, x.job, x.last_seen FROM lineage.execution x
              WHERE x.job = last_access.job AND x.last_seen IS NOT NULL
              ORDER BY x.last_seen DESC OFFSET 0) AS e
        WHERE (SELECT r.feeding FROM lineage.run r WHERE r.id = e.run)
          AND (SELECT true FROM lineage.access a
               WHERE a.run = e.run AND a.job = e.job AND a.output = last_access.output
                 AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) = last_access.dataset
               LIMIT 1)
        ORDER BY e.last_seen DESC LIMIT 1);

-- The jobs that wrote (or read) these datasets in runs that did not fail; fed is when the newest of the runs that
-- FEEDS counts last told of itself. Runs that wrote and read nothing, or read and wrote nothing, are not in FEEDS:
-- their jobs are those that an index has beside it, a step from job to job for all datasets at once.
CREATE FUNCTION lineage.accessing(datasets bigint[], output boolean)
RETURNS TABLE (dataset bigint, job bigint, fed timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    WITH RECURSIVE counted AS MATERIALIZED (
        SELECT f.target AS dataset, f.job, max(f.last_seen) AS fed
        FROM lineage.feeds f WHERE accessing.output AND f.target = ANY (datasets) GROUP BY 1, 2
        UNION ALL
        SELECT f.source, f.job, max(f.last_seen)
        FROM lineage.feeds f WHERE NOT accessing.output AND f.source = ANY (datasets) GROUP BY 1, 2
    ), step (name, dataset, job) AS (
        SELECT n.id, n.canonical, (SELECT min(a.job) FROM lineage.access a
                                   WHERE a.dataset = n.id AND a.output = accessing.output)
        FROM lineage.dataset n WHERE n.canonical = ANY (datasets)
        UNION ALL
        SELECT s.name, s.dataset, (SELECT min(a.job) FROM lineage.access a
                                   WHERE a.dataset = s.name AND a.output = accessing.output AND a.job > s.job)
        FROM step s WHERE s.job IS NOT NULL
    ), other AS MATERIALIZED (
        SELECT s.dataset, s.job FROM step s WHERE s.job IS NOT NULL
        EXCEPT SELECT c.dataset, c.job FROM counted c
    )
    SELECT c.dataset, c.job, c.fed FROM counted c
    UNION ALL
    SELECT o.dataset, o.job, NULL FROM other o
    WHERE lineage.last_access(o.job, o.dataset, accessing.output) IS NOT NULL
$$;

-- What a job wrote (or read) in runs that did not fail, FEEDS or not.
CREATE FUNCTION lineage.accessed_by(job bigint, output boolean) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET jit = off AS $$
    SELECT DISTINCT d.canonical
    FROM lineage.execution e
    JOIN lineage.run r ON r.id = e.run AND r.feeding
    JOIN lineage.access a ON a.run = e.run AND a.job = e.job AND a.output = accessed_by.output
    JOIN lineage.dataset d ON d.id = a.dataset
    WHERE e.job = accessed_by.job
$$;

-- The jobs that a trace meets, each once with its least distance. The root, a job or a dataset, is at 0; the
-- jobs that wrote the dataset (or read it) are at 1. Recursion is as in lineage.trace_nodes().
CREATE FUNCTION lineage.job_nodes(root bigint, direction text, depth int DEFAULT NULL)
RETURNS TABLE (id bigint, distance int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    start bigint[];
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    start := lineage.job_start(root, direction);
    RETURN QUERY
    WITH RECURSIVE met (id) AS (
        SELECT root::numeric
        UNION
        SELECT round(behind.job::numeric, step.distance + 1)
        FROM (SELECT array_agg(m.id::bigint) OVER () AS ids, scale(m.id) AS distance,
                     row_number() OVER () AS n FROM met m) AS step
        CROSS JOIN LATERAL lineage.accessing(
            CASE WHEN step.distance = 0 THEN start ELSE lineage.passed_on(step.ids, direction) END,
            direction = 'upstream') AS behind
        WHERE step.n = 1 AND step.distance < least(depth, 16383)
    )
    SELECT m.id::bigint, CASE WHEN scale(m.id) < 16383 THEN scale(m.id)
                              ELSE lineage.distance_of(m.id, depth) END
    FROM met m;
END $$;

-- The datasets at which a trace of jobs begins: the root itself, or all that it read (or wrote).
CREATE FUNCTION lineage.job_start(root bigint, direction text) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN EXISTS (SELECT FROM lineage.job j WHERE j.id = root)
            THEN ARRAY(SELECT lineage.accessed_by(root, direction = 'downstream'))
            ELSE ARRAY[root] END;

-- What jobs made what they wrote from, or what they made from what they read.
CREATE FUNCTION lineage.passed_on(jobs bigint[], direction text) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
RETURN ARRAY(SELECT DISTINCT CASE direction WHEN 'upstream' THEN f.source ELSE f.target END
             FROM lineage.feeds f WHERE f.job = ANY (jobs));

-- The steps from job to job that a trace passes: source wrote a dataset that target read, and when the newest
-- runs that did so last told of themselves. distance is that of the far end when the step was met. Where
-- the root is a dataset, the end at it is null. stale: the last good run of one of the two no longer did so.
CREATE FUNCTION lineage.job_edges(root bigint, direction text, depth int DEFAULT NULL)
RETURNS TABLE (source bigint, dataset bigint, target bigint, distance int,
               written timestamptz, read timestamptz, stale boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    WITH node AS MATERIALIZED (
        SELECT n.id, n.distance FROM lineage.job_nodes(root, direction, depth - 1) AS n
        WHERE depth IS NULL OR n.distance < depth
    ), near AS MATERIALIZED (
        SELECT nullif(root, s.dataset) AS job, s.dataset, 1 AS distance, NULL::timestamptz AS fed
        FROM node n CROSS JOIN unnest(lineage.job_start(root, direction)) AS s (dataset)
        WHERE n.distance = 0
        UNION ALL
        SELECT f.job, CASE direction WHEN 'upstream' THEN f.source ELSE f.target END,
               n.distance + 1, max(f.last_seen)
        FROM node n JOIN lineage.feeds f ON f.job = n.id
        WHERE n.distance > 0
        GROUP BY 1, 2, 3
    ), far AS MATERIALIZED (
        SELECT a.job, a.dataset, a.fed
        FROM lineage.accessing(ARRAY(SELECT DISTINCT near.dataset FROM near), direction = 'upstream') AS a
    ), met AS MATERIALIZED (
        SELECT j.job, lineage.last_good(j.job) AS last_good,
               (SELECT e.last_seen FROM lineage.execution e
                WHERE e.job = j.job AND e.last_seen IS NOT NULL
                ORDER BY e.last_seen DESC LIMIT 1) AS last_run
        FROM (SELECT near.job FROM near WHERE near.job IS NOT NULL UNION SELECT far.job FROM far) AS j
    ), touched AS MATERIALIZED (
        -- Nothing is newer than the newest run: where FEEDS counts it, nothing is to be looked for.
        SELECT t.job, t.dataset, t.output, m.last_good,
               CASE WHEN t.fed = m.last_run THEN t.fed
                    ELSE lineage.last_access(t.job, t.dataset, t.output) END AS last_seen
        FROM (SELECT far.job, far.dataset, direction = 'upstream' AS output, far.fed FROM far
              UNION ALL
              SELECT near.job, near.dataset, direction = 'downstream', near.fed FROM near) AS t
        JOIN met m USING (job)
    )
    SELECT s.source, s.dataset, s.target, s.distance, w.last_seen, r.last_seen,
           coalesce(w.last_seen < w.last_good, false) OR coalesce(r.last_seen < r.last_good, false)
    FROM (SELECT CASE direction WHEN 'upstream' THEN far.job ELSE near.job END AS source, dataset,
                 CASE direction WHEN 'upstream' THEN near.job ELSE far.job END AS target, near.distance
          FROM near JOIN far USING (dataset)) AS s
    LEFT JOIN touched w ON w.job = s.source AND w.dataset = s.dataset AND w.output
    LEFT JOIN touched r ON r.job = s.target AND r.dataset = s.dataset AND NOT r.output
$$;

-- The jobs and datasets that a name fits: where it is the full name of a job, jobs alone; else where it is that
-- of a dataset, datasets alone.
CREATE FUNCTION lineage.find_job_or_dataset(called text)
RETURNS TABLE (kind text, id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH fitting AS (
        SELECT 'job' AS kind, j.id, j.namespace, j.name,
               CASE WHEN called IN (j.namespace || '/' || j.name, j.namespace || ':' || j.name)
                    THEN 1 ELSE 3 END AS fit
        FROM lineage.find_job(called) AS j
        UNION ALL
        SELECT 'dataset', d.id, d.namespace, d.name,
               CASE WHEN called IN (lineage.full_name(d.namespace, d.name), d.namespace || ':' || d.name)
                    THEN 2 ELSE 3 END
        FROM lineage.find_dataset(called) AS d
    )
    SELECT f.kind, f.id, f.namespace, f.name FROM fitting f
    WHERE f.fit = (SELECT min(fitting.fit) FROM fitting)
    ORDER BY f.kind DESC, f.namespace, f.name
$$;

CREATE FUNCTION lineage.job_or_dataset_id(called text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint[];
    names text;
BEGIN
    SELECT array_agg(f.id), string_agg(concat(f.kind, ' ', CASE f.kind
               WHEN 'job' THEN f.namespace || '/' || f.name
               ELSE lineage.full_name(f.namespace, f.name) END), ', ')
    INTO found, names FROM lineage.find_job_or_dataset(called) AS f;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no job or dataset is called "%s"', called);
    ELSIF cardinality(found) > 1 THEN
        RAISE too_many_rows USING
            MESSAGE = format('"%s" fits %s jobs and datasets', called, cardinality(found)),
            HINT = 'Say more of the name: ' || names;
    END IF;
    RETURN found[1];
END $$;

-- For people: the steps from job to job, of a job or of a dataset.
CREATE FUNCTION lineage.job_steps(called text, direction text DEFAULT 'upstream', depth int DEFAULT NULL)
RETURNS TABLE (distance int, source_namespace text, source text, dataset_namespace text, dataset text,
               target_namespace text, target text, written timestamptz, read timestamptz, stale boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT e.distance, s.namespace, s.name, d.namespace, d.name, t.namespace, t.name,
           e.written, e.read, e.stale
    FROM lineage.job_edges(lineage.job_or_dataset_id(called), direction, depth) AS e
    JOIN lineage.dataset d ON d.id = e.dataset
    LEFT JOIN lineage.job s ON s.id = e.source
    LEFT JOIN lineage.job t ON t.id = e.target
    ORDER BY e.distance, s.namespace, s.name, d.namespace, d.name, t.namespace, t.name
$$;

-- The reads that saw writes of these runs, each as work of a job: the links of lineage.links_of() the other way
-- round. It gives the links; here is only decided of which reads they are asked for. A read sees a write from
-- the moment on that the write began, until two others have replaced all that was there: one of them is not
-- the reader's own. A read that states a version sees what was there when that version was written.
CREATE FUNCTION lineage.links_from(runs bigint[], jobs bigint[]) RETURNS SETOF lineage.link
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
        SELECT DISTINCT a.run, a.job, v.dataset
        FROM versioned v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.run <> v.run
        WHERE a.first_seen BETWEEN v.since AND v.until
           OR a.facets #>> '{version,1,datasetVersion}' = ANY (v.versions)
    )
    SELECT s.* FROM (
        -- What was seen is found once for each read, and then compared.
        SELECT l.reader, l.reader_job, l.dataset, l.version, l.writer, l.writer_job, l.written, l.exact
        FROM reader k CROSS JOIN LATERAL lineage.links_of(k.run, k.job) AS l
        WHERE l.dataset = k.dataset OFFSET 0) AS s
    WHERE (s.writer, s.writer_job) IN (SELECT wrote.run, wrote.job FROM wrote)
$$;

-- Which runs read what a run wrote, what these wrote from it, and so on; the reads of its own writes are at 1.
CREATE FUNCTION lineage.links_from_run(run bigint, depth int DEFAULT NULL)
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
        step := ARRAY(SELECT l FROM lineage.links_from(runs, jobs) AS l);
        distance := distance + 1;
        RETURN QUERY SELECT links_from_run.distance, s.* FROM unnest(step) AS s;
        SELECT array_agg(k.reader), array_agg(k.reader_job) INTO runs, jobs
        FROM (SELECT s.reader, s.reader_job FROM unnest(step) AS s
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
    END LOOP;
END $$;

-- For people: which runs read what a run wrote, by the run's id.
CREATE FUNCTION lineage.run_readers(run_id text, depth int DEFAULT NULL)
RETURNS TABLE (distance int, source_run text, namespace text, name text, version text,
               run text, job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, w.run_id, d.namespace, d.name, l.version, r.run_id, j.name, l.written, l.exact
    FROM lineage.run asked CROSS JOIN LATERAL lineage.links_from_run(asked.id, depth) AS l
    JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.job j ON j.id = l.reader_job
    JOIN lineage.run w ON w.id = l.writer
    JOIN lineage.dataset d ON d.id = l.dataset
    WHERE asked.run_id = run_readers.run_id
    ORDER BY l.distance, w.run_id, d.namespace, d.name, r.run_id, j.namespace, j.name
$$;

COMMENT ON FUNCTION lineage.last_access IS 'When a job last wrote or read a dataset in a run that did not fail';
COMMENT ON FUNCTION lineage.accessing IS 'The jobs that wrote or read datasets in runs that did not fail';
COMMENT ON FUNCTION lineage.job_nodes IS 'The jobs of a trace with their distance';
COMMENT ON FUNCTION lineage.job_edges IS 'The steps from job to job that a trace passes';
COMMENT ON FUNCTION lineage.job_steps IS 'The same by name, and which of them are stale';
COMMENT ON FUNCTION lineage.links_from_run IS 'Which runs read what a run wrote, and so on';
COMMENT ON FUNCTION lineage.run_readers IS 'The same by the id of a run';
