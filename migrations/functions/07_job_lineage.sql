-- The time of the last event of the newest run of a job that did not fail and wrote (or read) a dataset; null if there
-- is none. A change without rows, such as ALTER, is no write. Reads the runs of the job from the newest on, and nearly always stops at the first.
CREATE OR REPLACE FUNCTION lineage.last_access_time(job bigint, dataset bigint, output boolean) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET enable_seqscan = off SET jit = off
RETURN (SELECT e.last_seen
        FROM (SELECT x.run, x.job, x.last_seen FROM lineage.execution x
              WHERE x.job = last_access_time.job AND x.last_seen IS NOT NULL
              ORDER BY x.last_seen DESC OFFSET 0) AS e
        WHERE (SELECT r.contributing FROM lineage.run r WHERE r.id = e.run)
          AND (SELECT true FROM lineage.access a
               WHERE a.run = e.run AND a.job = e.job AND a.output = last_access_time.output
                 AND (NOT a.output OR lineage.may_have_sources(a.facets))
                 AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) = last_access_time.dataset
               LIMIT 1)
        ORDER BY e.last_seen DESC LIMIT 1);
COMMENT ON FUNCTION lineage.last_access_time IS 'When a job last wrote or read a dataset in a run that did not fail';

-- The time of the last write by which a job had written all that it ever made from a dataset, for pairs of both; -infinity
-- if one of these writes has no successful run. A pair without an edge in FEEDS has no row.
CREATE OR REPLACE FUNCTION lineage.last_rewrites(jobs bigint[], datasets bigint[])
RETURNS TABLE (job bigint, dataset bigint, last_write timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_hashjoin = on SET jit = off AS $$
    SELECT p.job, p.dataset, min(coalesce(lineage.last_successful_write(f.target, f.job), '-infinity'))
    FROM unnest(jobs, datasets) AS p (job, dataset)
    JOIN (SELECT f.job, f.source, f.target FROM lineage.feeds f WHERE f.job = ANY (jobs) OFFSET 0) AS f
        ON f.job = p.job AND f.source = p.dataset
    GROUP BY p.job, p.dataset
$$;
COMMENT ON FUNCTION lineage.last_rewrites IS 'When jobs had last written all that they made from datasets';

-- The jobs that wrote (or read) these datasets in runs that did not fail. fed: time of the last event of the newest run
-- that contributes to FEEDS. Runs that only wrote or only read are not in FEEDS.
CREATE OR REPLACE FUNCTION lineage.jobs_accessing(datasets bigint[], output boolean)
RETURNS TABLE (dataset bigint, job bigint, fed timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    WITH counted AS MATERIALIZED (
        SELECT f.target AS dataset, f.job, max(f.last_seen) AS fed
        FROM lineage.feeds f WHERE jobs_accessing.output AND f.target = ANY (datasets) GROUP BY 1, 2
        UNION ALL
        SELECT f.source, f.job, max(f.last_seen)
        FROM lineage.feeds f WHERE NOT jobs_accessing.output AND f.source = ANY (datasets) GROUP BY 1, 2
    ), other AS MATERIALIZED (
        -- The given names are canonical. The index dataset_aliases has the others, of which there are few.
        (SELECT u.dataset, u.job
         FROM lineage.dataset_job u WHERE u.dataset = ANY (datasets) AND u.output = jobs_accessing.output
         UNION ALL
         SELECT n.canonical, u.job
         FROM lineage.dataset n
         JOIN lineage.dataset_job u ON u.dataset = n.id AND u.output = jobs_accessing.output
         WHERE n.canonical = ANY (datasets) AND n.canonical <> n.id)
        EXCEPT SELECT c.dataset, c.job FROM counted c
    )
    SELECT c.dataset, c.job, c.fed FROM counted c
    UNION ALL
    SELECT o.dataset, o.job, NULL FROM other o
    WHERE lineage.last_access_time(o.job, o.dataset, jobs_accessing.output) IS NOT NULL
$$;
COMMENT ON FUNCTION lineage.jobs_accessing IS 'The jobs that wrote or read datasets in runs that did not fail';

-- The datasets that a job wrote (or read) in runs that did not fail, in FEEDS or not. A change without rows is no write.
CREATE OR REPLACE FUNCTION lineage.datasets_accessed(job bigint, output boolean) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET jit = off AS $$
    SELECT DISTINCT d.canonical
    FROM lineage.execution e
    JOIN lineage.run r ON r.id = e.run AND r.contributing
    JOIN lineage.access a ON a.run = e.run AND a.job = e.job AND a.output = datasets_accessed.output
        AND (NOT a.output OR lineage.may_have_sources(a.facets))
    JOIN lineage.dataset d ON d.id = a.dataset
    WHERE e.job = datasets_accessed.job
$$;

-- The jobs of a trace, and the accesses that lead from one to the next. A row without a dataset is a job with its least
-- distance, or the root at 0. The other rows are accesses: far is false for those of the job nearer to the root (the
-- reads, if the trace goes upstream), true for those of the other job. A root that is a dataset accesses itself.
-- distance: that of the farther job when the access was followed. Declared reads and writes count like those of runs. Each job and each dataset is looked up once.
-- The sets are arrays as in lineage.dataset_closure_levels(). The functions for each step have no SET clause, so that the
-- planner can inline them.
CREATE OR REPLACE FUNCTION lineage.job_closure_accesses(
    root bigint, direction text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (job bigint, dataset bigint, distance int, far boolean, fed timestamptz, declared timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    job_label bigint := (SELECT j.id >> 48 << 48 FROM lineage.job j LIMIT 1);
    dataset_label bigint := (SELECT d.id >> 48 << 48 FROM lineage.dataset d LIMIT 1);
    step bigint[] := ARRAY[root];
    met_jobs int[] := ARRAY(SELECT (j.id - job_label)::int FROM lineage.job j WHERE j.id = root);
    met_datasets int[] := '{}';
    accessed int[];
    next int[];
    jobs bigint[];
    datasets bigint[];
    fed_at timestamptz[];
    declared_at timestamptz[];
BEGIN
    IF direction IN ('upstream', 'downstream') IS NOT TRUE THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    distance := 0;
    WHILE cardinality(step) > 0 LOOP
        RETURN QUERY SELECT unnest(step), NULL::bigint, job_closure_accesses.distance, NULL::boolean,
                            NULL::timestamptz, NULL::timestamptz;
        EXIT WHEN distance >= depth;
        SELECT array_agg(a.job), array_agg(a.dataset), array_agg(a.fed), array_agg(a.declared)
        INTO jobs, datasets, fed_at, declared_at
        FROM lineage.accesses_of_jobs(step, distance = 0, direction, observed, min_confidence) AS a;
        distance := distance + 1;
        RETURN QUERY SELECT a.job, a.dataset, job_closure_accesses.distance, false, a.fed, a.declared
                     FROM unnest(jobs, datasets, fed_at, declared_at) AS a (job, dataset, fed, declared);
        accessed := lineage.int_array_difference(
            ARRAY(SELECT DISTINCT (d - dataset_label)::int FROM unnest(datasets) AS d), met_datasets);
        met_datasets := lineage.int_array_union(met_datasets, accessed);
        SELECT array_agg(a.job), array_agg(a.dataset), array_agg(a.fed), array_agg(a.declared)
        INTO jobs, datasets, fed_at, declared_at
        FROM lineage.accesses_of_datasets(
            ARRAY(SELECT dataset_label + n FROM unnest(accessed) AS n), direction = 'upstream', observed,
            min_confidence) AS a;
        RETURN QUERY SELECT a.job, a.dataset, job_closure_accesses.distance, true, a.fed, a.declared
                     FROM unnest(jobs, datasets, fed_at, declared_at) AS a (job, dataset, fed, declared);
        next := ARRAY(SELECT DISTINCT (j - job_label)::int FROM unnest(jobs) AS j);
        IF NOT observed THEN
            next := next || ARRAY(SELECT (CASE direction WHEN 'upstream' THEN d.upstream ELSE d.downstream END - job_label)::int
                                  FROM lineage.job_dependency d
                                  WHERE direction = 'upstream' AND d.downstream = ANY (step)
                                     OR direction = 'downstream' AND d.upstream = ANY (step));
        END IF;
        next := lineage.int_array_difference(next, met_jobs);
        met_jobs := lineage.int_array_union(met_jobs, next);
        step := ARRAY(SELECT job_label + n FROM unnest(next) AS n);
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.job_closure_accesses IS 'The jobs of a trace, and the accesses that lead from one to the next';

-- The datasets to which a trace leads from these jobs: those that they read or, downstream, wrote, in runs or by their
-- designs. is_root: the trace begins here, at a job or a dataset.
CREATE OR REPLACE FUNCTION lineage.accesses_of_jobs(
    jobs bigint[], is_root boolean, direction text, observed boolean, min_confidence double precision)
RETURNS TABLE (job bigint, dataset bigint, fed timestamptz, declared timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH done AS MATERIALIZED (
        SELECT jobs[1] AS job, s.dataset, NULL::timestamptz AS fed
        FROM unnest(CASE WHEN is_root THEN lineage.job_trace_datasets(jobs[1], direction) END) AS s (dataset)
        UNION ALL
        SELECT f.job, CASE direction WHEN 'upstream' THEN f.source ELSE f.target END, max(f.last_seen)
        FROM lineage.feeds f WHERE NOT is_root AND f.job = ANY (jobs)
        GROUP BY 1, 2
    )
    SELECT d.job, d.dataset, d.fed, NULL::timestamptz FROM done d
    UNION ALL
    SELECT b.job, b.dataset, NULL, b.declared
    FROM (SELECT * FROM lineage.datasets_declared(jobs, direction, min_confidence)
          UNION ALL
          SELECT * FROM lineage.unpaired_datasets(jobs, direction, min_confidence) WHERE is_root) AS b
    WHERE NOT observed AND (b.job, b.dataset) NOT IN (SELECT d.job, d.dataset FROM done d)
$$;
COMMENT ON FUNCTION lineage.accesses_of_jobs IS 'The datasets to which a trace of jobs leads';

-- The jobs that wrote (or read) these datasets, in runs that did not fail or by their designs.
CREATE OR REPLACE FUNCTION lineage.accesses_of_datasets(
    datasets bigint[], output boolean, observed boolean, min_confidence double precision)
RETURNS TABLE (job bigint, dataset bigint, fed timestamptz, declared timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH accessed AS MATERIALIZED (
        SELECT a.job, a.dataset, a.fed FROM lineage.jobs_accessing(datasets, accesses_of_datasets.output) AS a
    )
    SELECT a.job, a.dataset, a.fed, NULL::timestamptz FROM accessed a
    UNION ALL
    SELECT b.job, b.dataset, NULL, b.declared
    FROM lineage.jobs_declaring_access(datasets, accesses_of_datasets.output, min_confidence) AS b
    WHERE NOT observed AND (b.job, b.dataset) NOT IN (SELECT a.job, a.dataset FROM accessed a)
$$;
COMMENT ON FUNCTION lineage.accesses_of_datasets IS 'The jobs that wrote or read datasets, in runs or by their designs';

-- The datasets at which a trace of jobs begins: the root itself or, if it is a job, all that it read (or wrote). Sources
-- that only lineage facets name are in FEEDS alone.
CREATE OR REPLACE FUNCTION lineage.job_trace_datasets(root bigint, direction text) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN EXISTS (SELECT FROM lineage.job j WHERE j.id = root)
            THEN ARRAY(SELECT lineage.datasets_accessed(root, direction = 'downstream')
                       UNION SELECT CASE direction WHEN 'upstream' THEN f.source ELSE f.target END
                             FROM lineage.feeds f WHERE f.job = root)
            ELSE ARRAY[root] END;

-- The steps from job to job that a trace follows: source wrote a dataset that target read, with the times of the last
-- events of the newest runs that did so. distance is that of the far end when the step was reached. If the root is a
-- dataset, the end at it is null. stale: target has since rewritten all datasets that it had made from the dataset, without
-- reading it; a job that no longer writes the dataset is still its last writer.
-- The newest runs of all jobs of a trace are read at once.
CREATE OR REPLACE FUNCTION lineage.job_closure_edges(
    root bigint, direction text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (source bigint, dataset bigint, target bigint, distance int,
               written timestamptz, read timestamptz, stale boolean, depended timestamptz, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    WITH walk AS MATERIALIZED (
        SELECT * FROM lineage.job_closure_accesses(root, direction, depth, observed, min_confidence)
    ), far AS MATERIALIZED (
        SELECT w.job, w.dataset, w.fed, w.declared FROM walk w WHERE w.far
    ), near AS MATERIALIZED (
        -- Most inputs have no writer and are at no step. A root that is a dataset accesses itself.
        SELECT nullif(w.job, w.dataset) AS job, w.dataset, w.distance, w.fed, w.declared
        FROM walk w WHERE NOT w.far AND w.dataset IN (SELECT far.dataset FROM far)
    ), met AS MATERIALIZED (
        SELECT n.job, n.last_seen AS last_run
        FROM lineage.latest_runs(ARRAY(
            SELECT near.job FROM near WHERE near.job IS NOT NULL UNION SELECT far.job FROM far)) AS n
    ), touched AS MATERIALIZED (
        -- If the newest run contributes to FEEDS, no newer access can exist and the search is skipped.
        SELECT t.job, t.dataset, t.output, t.declared IS NOT NULL AS declared,
               CASE WHEN t.declared IS NOT NULL THEN t.declared
                    WHEN t.fed = m.last_run THEN t.fed
                    -- A source that only lineage facets name has no access.
                    ELSE greatest(t.fed, lineage.last_access_time(t.job, t.dataset, t.output)) END AS last_seen
        FROM (SELECT far.job, far.dataset, direction = 'upstream' AS output, far.fed, far.declared FROM far
              UNION ALL
              SELECT near.job, near.dataset, direction = 'downstream', near.fed, near.declared FROM near) AS t
        JOIN met m USING (job)
    ), older AS MATERIALIZED (
        SELECT t.job, t.dataset FROM touched t JOIN met m USING (job)
        WHERE NOT t.output AND NOT t.declared AND t.last_seen < m.last_run
    ), rewritten AS MATERIALIZED (
        SELECT w.*
        FROM (SELECT array_agg(o.job) AS jobs, array_agg(o.dataset) AS datasets FROM older o) AS k
        CROSS JOIN LATERAL lineage.last_rewrites(k.jobs, k.datasets) AS w
    )
    SELECT s.source, s.dataset, s.target, s.distance, w.last_seen, r.last_seen,
           lineage.is_stale(r.last_seen, z.last_write), NULL, coalesce(w.declared, false) OR coalesce(r.declared, false)
    FROM (SELECT CASE direction WHEN 'upstream' THEN far.job ELSE near.job END AS source, dataset,
                 CASE direction WHEN 'upstream' THEN near.job ELSE far.job END AS target, near.distance
          FROM near JOIN far USING (dataset)) AS s
    LEFT JOIN touched w ON w.job = s.source AND w.dataset = s.dataset AND w.output
    LEFT JOIN touched r ON r.job = s.target AND r.dataset = s.dataset AND NOT r.output
    LEFT JOIN rewritten z ON z.job = s.target AND z.dataset = s.dataset
    UNION ALL
    SELECT d.upstream, NULL, d.downstream, n.distance + 1, NULL, NULL, false, d.last_seen, false
    FROM walk n JOIN lineage.job_dependency d
      ON direction = 'upstream' AND d.downstream = n.job OR direction = 'downstream' AND d.upstream = n.job
    WHERE NOT observed AND n.dataset IS NULL AND (depth IS NULL OR n.distance < depth)
$$;
COMMENT ON FUNCTION lineage.job_closure_edges IS 'The steps from job to job that a trace follows';

-- For interactive use: the steps from job to job, of a job or of a dataset.
CREATE OR REPLACE FUNCTION lineage.job_lineage(
    entity text, direction text DEFAULT 'upstream', depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, source_namespace text, source text, dataset_namespace text, dataset text,
               target_namespace text, target text, written timestamptz, read timestamptz, stale boolean,
               depended timestamptz, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT e.distance, s.namespace, s.name, d.namespace, d.name, t.namespace, t.name,
           e.written, e.read, e.stale, e.depended, e.declared
    FROM lineage.job_closure_edges(lineage.job_or_dataset_id(job_lineage.entity), direction, depth, observed,
        min_confidence) AS e
    LEFT JOIN lineage.dataset d ON d.id = e.dataset
    LEFT JOIN lineage.job s ON s.id = e.source
    LEFT JOIN lineage.job t ON t.id = e.target
    ORDER BY e.distance, s.namespace, s.name, d.namespace, d.name, t.namespace, t.name
$$;
COMMENT ON FUNCTION lineage.job_lineage IS 'The steps from job to job by name, and whether they are stale or declared';

-- The jobs that write or read these datasets by their designs. A pair that a run shows is omitted. The pairs of a design include the sources
-- that a facet of an output names.
CREATE OR REPLACE FUNCTION lineage.jobs_declaring_access(datasets bigint[], output boolean, min_confidence double precision DEFAULT 0)
RETURNS TABLE (dataset bigint, job bigint, declared timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT d.target, d.job, max(d.last_seen) FROM lineage.declared d
    WHERE jobs_declaring_access.output AND d.target = ANY (datasets) AND NOT d.observed AND d.job IS NOT NULL
      AND d.confidence >= coalesce(min_confidence, 0)
    GROUP BY 1, 2
    UNION ALL
    SELECT d.source, d.job, max(d.last_seen) FROM lineage.declared d
    WHERE NOT jobs_declaring_access.output AND d.source = ANY (datasets) AND NOT d.observed AND d.job IS NOT NULL
      AND d.confidence >= coalesce(min_confidence, 0)
    GROUP BY 1, 2
    UNION ALL
    SELECT n.canonical, a.holder, max(a.last_seen)
    FROM lineage.dataset n
    JOIN lineage.design_access a ON a.dataset = n.id AND a.output = jobs_declaring_access.output
    WHERE n.canonical = ANY (datasets) AND a.confidence >= coalesce(min_confidence, 0) AND lineage.is_unpaired(a, n.canonical)
    GROUP BY 1, 2
$$;
COMMENT ON FUNCTION lineage.jobs_declaring_access IS 'The jobs that write or read datasets by their designs';

-- Whether an input or output is in the newest design of its job, and in none of its pairs: the job only reads, as the
-- exposures of dbt, or only writes. canonical: its dataset.
CREATE OR REPLACE FUNCTION lineage.is_unpaired(access lineage.design_access, canonical bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.design g WHERE g.holder = access.holder AND g.revision = access.revision)
   AND CASE WHEN access.output
            THEN NOT EXISTS (SELECT FROM lineage.declared d
                             WHERE d.holder = access.holder AND d.target = canonical)
            ELSE NOT EXISTS (SELECT FROM lineage.declared d
                             WHERE d.holder = access.holder AND d.source = canonical) END;
COMMENT ON FUNCTION lineage.is_unpaired IS 'Whether an input or output of the newest design of a job is in no pair';

-- The sources of the datasets that jobs write by their designs or, downstream, the targets of those they read.
CREATE OR REPLACE FUNCTION lineage.datasets_declared(jobs bigint[], direction text, min_confidence double precision DEFAULT 0)
RETURNS TABLE (job bigint, dataset bigint, declared timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT d.job, CASE direction WHEN 'upstream' THEN d.source ELSE d.target END, max(d.last_seen)
    FROM lineage.declared d WHERE d.holder = ANY (jobs) AND d.job = d.holder AND NOT d.observed AND d.confidence >= coalesce(min_confidence, 0)
    GROUP BY 1, 2
$$;
COMMENT ON FUNCTION lineage.datasets_declared IS 'The datasets that jobs read or write by their designs';

-- The inputs or, downstream, the outputs of the designs of jobs that are in no pair. A trace of jobs follows those of its root.
CREATE OR REPLACE FUNCTION lineage.unpaired_datasets(jobs bigint[], direction text, min_confidence double precision DEFAULT 0)
RETURNS TABLE (job bigint, dataset bigint, declared timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT a.holder, n.canonical, max(a.last_seen)
    FROM lineage.design_access a
    JOIN lineage.dataset n ON n.id = a.dataset
    WHERE a.holder = ANY (jobs) AND a.output = (direction = 'downstream') AND a.confidence >= coalesce(min_confidence, 0)
      AND lineage.is_unpaired(a, n.canonical)
    GROUP BY 1, 2
$$;
COMMENT ON FUNCTION lineage.unpaired_datasets IS 'The inputs or outputs of designs of jobs that are in no pair';
