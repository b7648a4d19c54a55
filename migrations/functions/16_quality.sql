-- The results in a dataQualityAssertions or a test facet, in its order. success is null if a test was skipped or its
-- result cannot be parsed. expectationType is the name of an assertion in the facet of Great Expectations.
CREATE OR REPLACE FUNCTION lineage.check_results(entry jsonb)
RETURNS TABLE (ordinal bigint, assertion text, name text, column_name text, success boolean, severity text,
               expected text, actual text, description text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 5 AS $$
    SELECT row_number() OVER (), coalesce(c ->> 'assertion', c ->> 'expectationType', c ->> 'type'), c ->> 'name', c ->> 'column',
           CASE WHEN jsonb_typeof(c -> 'success') = 'boolean' THEN (c -> 'success')::boolean
                WHEN c ->> 'status' = 'pass' THEN true
                WHEN c ->> 'status' = 'fail' THEN false END,
           c ->> 'severity', c ->> 'expected', c ->> 'actual', c ->> 'description'
    FROM (SELECT jsonb_path_query(entry, 'lax $[1].assertions[*] ? (@.type() == "object")')
          UNION ALL
          SELECT jsonb_path_query(entry, 'lax $[1].tests[*] ? (@.type() == "object")')) AS reported (c)
$$;

-- The last checks of each of these datasets up to a time: the newest report of each job, which replaces its older ones
-- as a whole. A DatasetEvent has neither run nor job. The tests of a run that only checks its inputs, and reports no
-- assertions of them, are checks of each.
CREATE OR REPLACE FUNCTION lineage.latest_checks(ids bigint[], until timestamptz DEFAULT 'infinity')
RETURNS TABLE (dataset bigint, run bigint, job bigint, checked_at timestamptz, entry jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT DISTINCT ON (c.dataset, c.job) c.dataset, c.run, c.job, lineage.facet_time(c.entry), c.entry
    FROM (
        SELECT n.canonical AS dataset, a.run, a.job, a.facets -> 'dataQualityAssertions' AS entry
        FROM unnest(ids) AS i (id)
        JOIN lineage.dataset n ON n.canonical = i.id
        JOIN lineage.access a ON a.dataset = n.id
         AND a.facets ?| '{dataQualityAssertions,dataQualityMetrics}' AND a.facets ? 'dataQualityAssertions'
        UNION ALL
        SELECT n.canonical, a.run, a.job, r.facets -> 'test'
        FROM lineage.checks_of_datasets(ids) AS checking (job)
        CROSS JOIN unnest(ids) AS i (id)
        JOIN lineage.dataset n ON n.canonical = i.id
        JOIN lineage.access a ON a.dataset = n.id AND NOT a.output AND a.job = checking.job
        JOIN lineage.run r ON r.id = a.run AND r.facets ? 'test'
        WHERE NOT EXISTS (SELECT FROM lineage.access own WHERE own.run = a.run AND own.facets ? 'dataQualityAssertions')
        UNION ALL
        SELECT n.canonical, NULL, NULL, n.facets -> 'dataQualityAssertions'
        FROM unnest(ids) AS i (id)
        JOIN lineage.dataset n ON n.canonical = i.id AND n.facets ? 'dataQualityAssertions'
        WHERE NOT EXISTS (
            SELECT FROM lineage.access a
            WHERE a.dataset = n.id AND a.facets ?| '{dataQualityAssertions,dataQualityMetrics}'
              AND a.facets #>> '{dataQualityAssertions,0}' = n.facets #>> '{dataQualityAssertions,0}')) AS c
    LEFT JOIN lineage.run r ON r.id = c.run
    WHERE lineage.facet_time(c.entry) <= until
    ORDER BY c.dataset, c.job, (c.entry ->> 0) COLLATE "C" DESC, r.run_id, c.entry
$$;
COMMENT ON FUNCTION lineage.latest_checks IS 'The newest reports of checks of datasets, one per job';

-- The newest metrics of a dataset: those of a run, or of a DatasetEvent.
CREATE OR REPLACE FUNCTION lineage.latest_metrics(id bigint)
    RETURNS TABLE (run bigint, measured timestamptz, metrics jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT m.run, lineage.facet_time(m.entry), m.entry -> 1
    FROM (
        SELECT a.run, r.run_id, a.facets -> 'dataQualityMetrics' AS entry
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id
         AND a.facets ?| '{dataQualityAssertions,dataQualityMetrics}' AND a.facets ? 'dataQualityMetrics'
        JOIN lineage.run r ON r.id = a.run
        WHERE n.canonical = latest_metrics.id
        UNION ALL
        SELECT NULL, NULL, n.facets -> 'dataQualityMetrics' FROM lineage.dataset n
        WHERE n.canonical = latest_metrics.id AND n.facets ? 'dataQualityMetrics') AS m
    ORDER BY (m.entry ->> 0) COLLATE "C" DESC, m.run_id, m.entry LIMIT 1
$$;
COMMENT ON FUNCTION lineage.latest_metrics IS 'The newest metrics of a dataset';

-- The checks of the datasets that a run read or wrote. part: test, without a dataset; output and input, checked by the
-- run itself; before, the last checks of an input before the run read it.
CREATE OR REPLACE FUNCTION lineage.checks_of_run(id bigint)
RETURNS TABLE (part text, dataset bigint, run bigint, job bigint, checked_at timestamptz, entry jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    WITH touched AS MATERIALIZED (
        SELECT n.canonical AS dataset, a.output, a.job, a.first_seen, a.facets
        FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
        WHERE a.run = checks_of_run.id
    )
    SELECT 'test', NULL, r.id, lineage.job_of_run(r.id), lineage.facet_time(r.facets -> 'test'), r.facets -> 'test'
    FROM lineage.run r
    WHERE r.id = checks_of_run.id AND r.facets ? 'test'
    UNION ALL
    SELECT CASE WHEN t.output THEN 'output' ELSE 'input' END, t.dataset, checks_of_run.id, t.job,
           lineage.facet_time(t.facets -> 'dataQualityAssertions'), t.facets -> 'dataQualityAssertions'
    FROM touched t WHERE t.facets ? 'dataQualityAssertions'
    UNION ALL
    SELECT 'before', c.dataset, c.run, c.job, c.checked_at, c.entry
    FROM (SELECT t.dataset, min(t.first_seen) AS read FROM touched t WHERE NOT t.output GROUP BY t.dataset) AS t
    CROSS JOIN LATERAL lineage.latest_checks(ARRAY[t.dataset], t.read) AS c
    WHERE c.run IS DISTINCT FROM checks_of_run.id
$$;
COMMENT ON FUNCTION lineage.checks_of_run IS 'The reports of checks of the datasets that a run read or wrote';

-- For interactive use: the last checks of a dataset or, with upstream, also of all datasets upstream of it. failed:
-- only failed checks.
CREATE OR REPLACE FUNCTION lineage.quality(
    dataset text, upstream boolean DEFAULT false, failed boolean DEFAULT false, depth int DEFAULT NULL)
RETURNS TABLE (distance int, namespace text, name text, job text, run text, checked_at timestamptz, assertion text,
               check_name text, column_name text, success boolean, severity text, expected text, actual text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    WITH traced AS MATERIALIZED (
        SELECT t.id, t.distance FROM lineage.trace_datasets(
            lineage.dataset_id(quality.dataset), 'upstream', CASE WHEN upstream THEN depth ELSE 0 END) AS t
    )
    SELECT t.distance, d.namespace, d.name, j.name, r.run_id, c.checked_at, s.assertion, s.name, s.column_name,
           s.success, s.severity, s.expected, s.actual
    FROM lineage.latest_checks(ARRAY(SELECT traced.id FROM traced)) AS c
    JOIN traced t ON t.id = c.dataset
    JOIN lineage.dataset d ON d.id = c.dataset
    LEFT JOIN lineage.job j ON j.id = c.job
    LEFT JOIN lineage.run r ON r.id = c.run
    CROSS JOIN LATERAL lineage.check_results(c.entry) AS s
    WHERE NOT failed OR s.success IS FALSE
    ORDER BY t.distance, d.namespace, d.name, j.namespace, j.name, s.ordinal
$$;
COMMENT ON FUNCTION lineage.quality IS 'The last checks of a dataset, or also of all datasets upstream of it';

-- For interactive use: the checks of the datasets that a run read or wrote.
CREATE OR REPLACE FUNCTION lineage.run_quality(run_id text, failed boolean DEFAULT false)
RETURNS TABLE (part text, namespace text, name text, job text, run text, checked_at timestamptz, assertion text,
               check_name text, column_name text, success boolean, severity text, expected text, actual text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT c.part, d.namespace, d.name, j.name, r.run_id, c.checked_at, s.assertion, s.name, s.column_name,
           s.success, s.severity, s.expected, s.actual
    FROM lineage.checks_of_run(lineage.id_of_run(run_quality.run_id)) AS c
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    LEFT JOIN lineage.job j ON j.id = c.job
    LEFT JOIN lineage.run r ON r.id = c.run
    CROSS JOIN LATERAL lineage.check_results(c.entry) AS s
    WHERE NOT failed OR s.success IS FALSE
    ORDER BY array_position('{test,output,input,before}', c.part), d.namespace, d.name, j.namespace, j.name,
             c.checked_at, r.run_id, c.entry, s.ordinal
$$;
COMMENT ON FUNCTION lineage.run_quality IS 'The checks of a run, and the last checks of its inputs';

-- The failed checks of datasets that these executions read or wrote. A check made before a run read the dataset is one
-- step from the reader.
CREATE OR REPLACE FUNCTION lineage.failed_checks_of_runs(runs bigint[], jobs bigint[], distances int[])
RETURNS TABLE (distance int, reader bigint, reader_job bigint, part text, dataset bigint, run bigint, job bigint,
               checked_at timestamptz, entry jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT min(b.distance + (c.part = 'before')::int),
           (array_agg(b.run ORDER BY b.distance, r.run_id, j.namespace, j.name))[1],
           (array_agg(b.job ORDER BY b.distance, r.run_id, j.namespace, j.name))[1],
           CASE WHEN bool_or(c.part <> 'before') THEN min(c.part) FILTER (WHERE c.part <> 'before')
                ELSE 'before' END,
           c.dataset, c.run, c.job, c.checked_at, c.entry
    FROM unnest(runs, jobs, distances) AS b (run, job, distance)
    JOIN lineage.run r ON r.id = b.run
    JOIN lineage.job j ON j.id = b.job
    CROSS JOIN LATERAL lineage.checks_of_run(b.run) AS c
    WHERE EXISTS (SELECT FROM lineage.check_results(c.entry) AS s WHERE s.success IS FALSE)
      AND (c.part = 'before' OR c.job = b.job OR c.job IS NULL)
    GROUP BY c.dataset, c.run, c.job, c.checked_at, c.entry
$$;
COMMENT ON FUNCTION lineage.failed_checks_of_runs IS 'Failed checks of the datasets of runs';

-- The failed checks of datasets that a run, its child runs and the runs upstream of them read or wrote.
CREATE OR REPLACE FUNCTION lineage.failed_checks(id bigint, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, part text, dataset bigint, run bigint, job bigint,
               checked_at timestamptz, entry jsonb)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT c.*
    FROM (SELECT array_agg(b.run) AS runs, array_agg(b.job) AS jobs, array_agg(b.distance) AS distances
          FROM lineage.upstream_run_set(failed_checks.id, depth) AS b) AS b
    CROSS JOIN LATERAL lineage.failed_checks_of_runs(b.runs, b.jobs, b.distances) AS c
$$;
COMMENT ON FUNCTION lineage.failed_checks IS 'Failed checks of the datasets of a run and of the runs upstream of it';
