-- name: select_job_accesses(since) -> AccessRow
-- The datasets that runs wrote and read since a time. jobs: the job of the run, that of its parent run, and so on upward;
-- of several parents, the first by id. No chain of parents is followed for more than 32 runs. The aggregate keeps a plan
-- without statistics from reading all executions for each run. Runs that began earlier count if their job is a stream. has_rows: whether rows were read or
-- written; a run that removes or alters a dataset writes none.
-- last_success: when a run that completed began to access the dataset, for the last time. sound: how many runs of the
-- chain, from the bottom, did not fail up to the first one that did. last_committed: the last access of a run that has
-- ended.
WITH RECURSIVE began AS MATERIALIZED (
    SELECT r.id, r.contributing, r.state, lineage.had_committed(r, 'infinity') AS committed
    FROM lineage.run r WHERE r.first_seen >= %(since)s::timestamptz
    UNION
    SELECT r.id, r.contributing, r.state, lineage.had_committed(r, 'infinity')
    FROM lineage.job j
    -- Streams are few, which the planner does not know.
    CROSS JOIN LATERAL (SELECT x.run FROM lineage.execution x
                        WHERE x.job = j.id AND x.last_seen >= %(since)s::timestamptz OFFSET 0) AS x
    JOIN lineage.run r ON r.id = x.run
    WHERE lineage.is_stream(j.facets)
), accessed AS MATERIALIZED (
    SELECT b.id AS run, b.contributing, b.state, b.committed, a.job, d.canonical AS dataset, a.output, a.first_seen, a.last_seen,
           NOT a.output OR lineage.writes_rows(a.facets) AS has_rows,
           CASE WHEN a.output THEN lineage.write_mode(a.facets) END AS mode
    FROM began b
    JOIN lineage.access a ON a.run = b.id
    JOIN lineage.dataset d ON d.id = a.dataset
), climbed (run, job, top, jobs, sound) AS (
    SELECT DISTINCT a.run, a.job, a.run, ARRAY[a.job], a.contributing::int FROM accessed a
    UNION ALL
    SELECT c.run, c.job, parent.run, c.jobs || parent.job,
           c.sound + (c.sound = cardinality(c.jobs)
                      AND (SELECT r.contributing FROM lineage.run r WHERE r.id = parent.run))::int
    FROM climbed c
    CROSS JOIN LATERAL (
        SELECT p.run, e.job
        FROM (SELECT p.end_id::text::bigint AS run FROM provenance."PARENT" p
              WHERE p.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(c.top)) AS p
        -- Most runs have one job, and a call for each run takes longer than this.
        CROSS JOIN LATERAL (SELECT CASE WHEN count(*) > 1 THEN lineage.job_of_run(p.run) ELSE min(e.job) END AS job
                            FROM lineage.execution e WHERE e.run = p.run) AS e
        WHERE e.job IS NOT NULL
        ORDER BY (SELECT r.run_id FROM lineage.run r WHERE r.id = p.run) LIMIT 1) AS parent
    WHERE cardinality(c.jobs) < 32
), chain AS MATERIALIZED (
    SELECT DISTINCT ON (c.run, c.job) c.run, c.job, c.jobs, c.sound FROM climbed c
    ORDER BY c.run, c.job, cardinality(c.jobs) DESC
)
SELECT c.jobs, c.sound, a.dataset, a.output, a.has_rows, bool_or(a.contributing) AS contributing,
       lineage.iso8601(min(a.first_seen) FILTER (WHERE a.contributing)) AS first_seen,
       lineage.iso8601(max(a.last_seen) FILTER (WHERE a.contributing)) AS last_seen,
       lineage.iso8601(max(a.first_seen) FILTER (WHERE a.contributing AND a.state = 'COMPLETE')) AS last_success,
       lineage.iso8601(max(a.last_seen) FILTER (WHERE a.committed)) AS last_committed,
       array_agg(DISTINCT a.mode) FILTER (WHERE a.contributing AND a.mode IS NOT NULL) AS modes,
       (count(DISTINCT a.run) FILTER (WHERE a.contributing))::int AS runs
FROM accessed a JOIN chain c ON c.run = a.run AND c.job = a.job
GROUP BY c.jobs, c.sound, a.dataset, a.output, a.has_rows

-- name: select_declared_accesses() -> DeclaredRow
-- The inputs and outputs in the newest designs of jobs, whether or not runs show them. The pairs have the sources that
-- facets of outputs name.
SELECT g.job, n.canonical AS dataset, a.output, lineage.iso8601(min(a.first_seen)) AS first_seen,
       lineage.iso8601(max(a.last_seen)) AS last_seen
FROM lineage.design g
JOIN lineage.design_access a ON a.holder = g.holder AND a.revision = g.revision
JOIN lineage.dataset n ON n.id = a.dataset
WHERE g.job IS NOT NULL
GROUP BY 1, 2, 3
UNION ALL
SELECT d.job, e.dataset, e.output, lineage.iso8601(min(d.first_seen)), lineage.iso8601(max(d.last_seen))
FROM lineage.declared d CROSS JOIN LATERAL (VALUES (d.source, false), (d.target, true)) AS e (dataset, output)
WHERE d.job IS NOT NULL
GROUP BY 1, 2, 3

-- name: select_job_kinds(ids) -> KindRow
-- What decides whether a job is a unit.
SELECT j.id, j.namespace, j.name, j.facets #>> '{jobType,1,jobType}' AS type,
       j.facets #>> '{jobType,1,integration}' AS integration,
       lineage.is_stream(j.facets) AS is_stream,
       lineage.is_check(j.facets) AS is_check
FROM lineage.job j WHERE j.id = ANY (%(ids)s::bigint[])

-- name: select_test_names(jobs, datasets, since) -> TestNamesRow
-- The names of the tests of datasets that runs of jobs reported since a time. A run may have been of some of the tests only.
SELECT a.job, array_agg(DISTINCT s.name ORDER BY s.name) AS names
FROM lineage.dataset n
JOIN lineage.access a ON a.dataset = n.id AND a.facets ?| '{dataQualityAssertions,dataQualityMetrics}'
    AND a.job = ANY (%(jobs)s::bigint[]) AND a.last_seen >= %(since)s::timestamptz
CROSS JOIN LATERAL lineage.check_results(a.facets -> 'dataQualityAssertions') AS s
WHERE n.canonical = ANY (%(datasets)s::bigint[]) AND s.name IS NOT NULL
GROUP BY a.job

-- name: select_durations(ids) -> DurationRow
-- The durations of the last 20 completed runs of jobs, and when the last of these began.
SELECT j.job AS id, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds) AS median,
       percentile_cont(0.9) WITHIN GROUP (ORDER BY r.seconds) AS p90, count(r.seconds)::int AS runs,
       lineage.iso8601(max(r.began)) AS began
FROM unnest(%(ids)s::bigint[]) AS j (job)
CROSS JOIN LATERAL (
    SELECT extract(epoch FROM r.ended_at - r.started_at)::double precision AS seconds,
           coalesce(r.started_at, r.first_seen) AS began
    FROM lineage.execution x JOIN lineage.run r ON r.id = x.run AND r.state = 'COMPLETE'
    WHERE x.job = j.job AND x.last_seen IS NOT NULL
    ORDER BY x.last_seen DESC LIMIT 20) AS r
GROUP BY j.job

-- name: select_view_sources() -> ViewRow
-- The datasets that views are made of, by their newest runs of any time and by designs. What an earlier definition read is
-- no part of a view. A materialized view has rows (stored), which a refresh writes: a run that names no sources. Catalogs do
-- not say which views are materialized. Its sources here are those that no job declares, as catalogs do.
WITH typed AS MATERIALIZED (
    SELECT d.canonical AS id,
           bool_or(coalesce(position('MATERIALIZED' IN upper(d.facets #>> '{datasetType,1,subType}')), 0) > 0) AS materialized
    FROM lineage.dataset d WHERE upper(d.facets #>> '{datasetType,1,datasetType}') = 'VIEW'
    GROUP BY d.canonical
), view AS MATERIALIZED (
    SELECT t.id, t.materialized OR EXISTS (
               SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.output AND lineage.is_overwrite(a.facets)
                   AND lineage.reported_inputs(a.facets) = '[]' AND lineage.write_mode(a.facets) = 'overwrite'
               JOIN lineage.run r ON r.id = a.run AND r.contributing
               -- What was a table before its definition as a view had rows at that time only.
               WHERE n.canonical = t.id AND NOT EXISTS (
                   SELECT FROM lineage.dataset m JOIN lineage.access b ON b.dataset = m.id AND b.output
                   WHERE m.canonical = t.id AND b.last_seen > a.last_seen AND lineage.defines_view(b))) AS stored
    FROM typed t
), newest AS MATERIALIZED (
    SELECT v.id AS view, w.job, w.last_seen
    FROM view v
    CROSS JOIN LATERAL (
        SELECT a.job, x.last_seen
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND lineage.may_have_sources(a.facets)
            -- Rows that were changed through the view are those of its sources.
            AND coalesce(lineage.write_mode(a.facets) NOT IN ('append', 'update'), true)
        JOIN lineage.run r ON r.id = a.run AND r.contributing
        JOIN lineage.execution x ON x.run = a.run AND x.job = a.job
        WHERE n.canonical = v.id
        ORDER BY a.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS w
    WHERE NOT v.stored
)
-- Runs that were archived have no accesses.
SELECT f.target AS view, f.source, false AS stored FROM view v
JOIN lineage.feeds f ON f.target = v.id
LEFT JOIN newest w ON w.view = v.id
WHERE NOT v.stored AND (w.view IS NULL OR (f.job = w.job AND f.last_seen >= w.last_seen))
UNION
SELECT e.target, e.source, v.stored FROM view v
JOIN lineage.declared e ON e.target = v.id AND (e.job IS NULL OR NOT v.stored)
