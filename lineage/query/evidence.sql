-- name: select_runs_of_edges(sources, targets, jobs) -> str
-- For each edge, a run with its last time and a run with its first time. Together they prove the times of the edge.
SELECT DISTINCT r.run_id
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[]) AS e (source, target, job)
JOIN lineage.feeds f USING (source, target, job)
CROSS JOIN LATERAL (
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = f.job AND x.last_seen = f.last_seen
       AND lineage.contributes_to_feeds(x.run, x.job, f.source, f.target) LIMIT 1)
    UNION ALL
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = f.job AND x.first_seen = f.first_seen
       AND lineage.contributes_to_feeds(x.run, x.job, f.source, f.target) LIMIT 1)) AS seen
JOIN lineage.run r ON r.id = seen.run

-- name: select_runs_of_column_edges(sources, targets, jobs, types, subtypes, maskings) -> str
-- Runs as in select_runs_of_edges, for edges between columns.
SELECT DISTINCT r.run_id
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[], %(types)s::text[], %(subtypes)s::text[],
    %(maskings)s::boolean[])
     AS e (source, target, job, type, subtype, masking)
JOIN lineage.derives d USING (source, target, job, type, subtype, masking)
JOIN lineage.field source_field ON source_field.id = d.source
LEFT JOIN lineage.field target_field ON target_field.id = d.target
CROSS JOIN LATERAL (
    SELECT array_agg(v.mapping) AS mappings
    FROM lineage.dataset s JOIN lineage.column_mapping_entry v ON v.source = s.id
    JOIN lineage.column_mapping m ON m.id = v.mapping
    WHERE s.canonical = source_field.dataset AND v.source_field = source_field.name
      AND (v.type, v.subtype, v.masking) = (d.type, d.subtype, d.masking)
      AND v.target_field = coalesce(target_field.name, '')
      AND (SELECT t.canonical FROM lineage.dataset t WHERE t.id = m.target)
          = coalesce(target_field.dataset, d.target)) AS input
CROSS JOIN LATERAL (
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = d.job AND x.last_seen = d.last_seen
       AND lineage.contributes_to_derives(x.run, x.job, input.mappings) LIMIT 1)
    UNION ALL
    (SELECT x.run FROM lineage.execution x
     WHERE x.job = d.job AND x.first_seen = d.first_seen
       AND lineage.contributes_to_derives(x.run, x.job, input.mappings) LIMIT 1)) AS seen
JOIN lineage.run r ON r.id = seen.run

-- name: select_archived_bounds(sources, targets, jobs) -> ArchivedBound
-- The first and the last times of edges that no run in the graph proves: archived runs have them.
SELECT DISTINCT j.namespace AS job_namespace, j.name AS job, lineage.iso8601(bound.time) AS time,
       s.namespace AS source_namespace, s.name AS source, t.namespace AS target_namespace, t.name AS target
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[]) AS e (source, target, job)
JOIN lineage.feeds f USING (source, target, job)
CROSS JOIN LATERAL (
    SELECT f.first_seen AS time
    WHERE f.first_seen < lineage.runs_archived_before() AND NOT EXISTS (
        SELECT FROM lineage.execution x
        WHERE x.job = f.job AND x.first_seen = f.first_seen
          AND lineage.contributes_to_feeds(x.run, x.job, f.source, f.target))
    UNION
    SELECT f.last_seen
    WHERE f.last_seen < lineage.runs_archived_before() AND NOT EXISTS (
        SELECT FROM lineage.execution x
        WHERE x.job = f.job AND x.last_seen = f.last_seen
          AND lineage.contributes_to_feeds(x.run, x.job, f.source, f.target))) AS bound
JOIN lineage.job j ON j.id = f.job
JOIN lineage.dataset s ON s.id = f.source
JOIN lineage.dataset t ON t.id = f.target
ORDER BY 1, 2, 3, 4, 5, 6, 7

-- name: select_archived_column_bounds(sources, targets, jobs, types, subtypes, maskings) -> ArchivedColumnBound
-- Times as in select_archived_bounds, for edges between columns.
SELECT DISTINCT j.namespace AS job_namespace, j.name AS job, lineage.iso8601(bound.time) AS time,
       s.namespace AS source_namespace, s.name AS source, sf.name AS source_field,
       t.namespace AS target_namespace, t.name AS target, coalesce(tf.name, '') AS target_field,
       d.type, d.subtype, d.masking
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[], %(types)s::text[], %(subtypes)s::text[],
    %(maskings)s::boolean[])
     AS e (source, target, job, type, subtype, masking)
JOIN lineage.derives d USING (source, target, job, type, subtype, masking)
CROSS JOIN LATERAL (SELECT lineage.mappings_of_edge(d) AS mappings OFFSET 0) AS m
CROSS JOIN LATERAL (
    SELECT d.first_seen AS time
    WHERE d.first_seen < lineage.runs_archived_before() AND NOT EXISTS (
        SELECT FROM lineage.execution x
        WHERE x.job = d.job AND x.first_seen = d.first_seen
          AND lineage.contributes_to_derives(x.run, x.job, m.mappings))
    UNION
    SELECT d.last_seen
    WHERE d.last_seen < lineage.runs_archived_before() AND NOT EXISTS (
        SELECT FROM lineage.execution x
        WHERE x.job = d.job AND x.last_seen = d.last_seen
          AND lineage.contributes_to_derives(x.run, x.job, m.mappings))) AS bound
JOIN lineage.job j ON j.id = d.job
JOIN lineage.field sf ON sf.id = d.source
JOIN lineage.dataset s ON s.id = sf.dataset
LEFT JOIN lineage.field tf ON tf.id = d.target
JOIN lineage.dataset t ON t.id = coalesce(tf.dataset, d.target)
ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12

-- name: select_runs_of_accesses(jobs, datasets, outputs) -> AccessRow
-- The latest run of each access that did not fail, and the newest FEEDS edge of the job at the dataset.
SELECT newest.run_id, edge.source, edge.target, edge.job
FROM unnest(%(jobs)s::bigint[], %(datasets)s::bigint[], %(outputs)s::boolean[]) AS k (job, dataset, output)
LEFT JOIN LATERAL (
    SELECT r.run_id FROM lineage.execution e JOIN lineage.run r ON r.id = e.run AND r.contributing
    WHERE e.job = k.job AND e.last_seen = lineage.last_access_time(k.job, k.dataset, k.output)
      AND EXISTS (SELECT FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
                  WHERE a.run = e.run AND a.job = e.job AND a.output = k.output
                    AND d.canonical = k.dataset)
    ORDER BY r.run_id LIMIT 1) AS newest ON true
LEFT JOIN LATERAL (
    SELECT f.source, f.target, f.job FROM lineage.feeds f
    JOIN lineage.dataset d ON d.id = CASE WHEN k.output THEN f.source ELSE f.target END
    WHERE f.job = k.job AND CASE WHEN k.output THEN f.target ELSE f.source END = k.dataset
    ORDER BY f.last_seen DESC, d.namespace, d.name LIMIT 1) AS edge ON true

-- name: select_runs_seen(runs, datasets) -> str
-- The runs whose writes of the datasets were visible to reads by the given runs.
SELECT DISTINCT w.run_id
FROM lineage.run r JOIN lineage.execution e ON e.run = r.id
CROSS JOIN LATERAL lineage.run_dependencies_direct(e.run, e.job) AS l
JOIN lineage.run w ON w.id = l.writer
WHERE r.run_id = ANY (%(runs)s::text[]) AND l.dataset = ANY (%(datasets)s::bigint[])

-- name: select_runs_that_add(datasets, runs) -> str
-- For each job and dataset of writes by these runs, the first run of the job that reported an append to the dataset.
SELECT reported.run_id
FROM (SELECT DISTINCT a.job, n.canonical AS dataset
      FROM lineage.run r
      JOIN lineage.access a ON a.run = r.id AND a.output
      JOIN lineage.dataset n ON n.id = a.dataset AND n.canonical = ANY (%(datasets)s::bigint[])
      WHERE r.run_id = ANY (%(runs)s::text[])) AS k
CROSS JOIN LATERAL (
    SELECT r.run_id
    FROM lineage.dataset n
    JOIN lineage.access a ON a.dataset = n.id AND a.job = k.job AND a.output
         AND lineage.is_append(a.facets)
    JOIN lineage.run r ON r.id = a.run
    WHERE n.canonical = k.dataset ORDER BY a.last_seen, r.run_id LIMIT 1) AS reported

-- name: select_reported_runs(datasets, runs) -> ReportedMappingRow
-- The reports of executions about some datasets.
SELECT r.run_id, r.state, lineage.iso8601(r.started_at) AS started_at,
       lineage.iso8601(r.ended_at) AS ended_at, r.streamed = 3 AS streamed,
       lineage.facet_bodies(r.facets) AS run_facets, j.namespace, j.name,
       lineage.facet_bodies(j.facets) AS job_facets,
       lineage.iso8601(x.first_seen) AS first_seen, lineage.iso8601(x.last_seen) AS last_seen,
       (SELECT jsonb_agg(jsonb_build_array(a.output, c.namespace, c.name, lineage.iso8601(a.first_seen),
                             lineage.iso8601(a.last_seen), lineage.facets_of_access(
                                 CASE WHEN a.inputs IS NULL THEN a.facets ELSE a.facets || jsonb_build_object(
                                     'lineage', jsonb_build_array('', jsonb_build_object('inputs', a.inputs))) END),
                             m.columns)
                         ORDER BY a.output, c.namespace, c.name)
        FROM (SELECT d.canonical, a.output, min(a.first_seen) AS first_seen,
                     max(a.last_seen) AS last_seen,
                     CASE WHEN a.output AND bool_or(lineage.writes_rows(a.facets))
                          THEN lineage.merged_facets(CASE WHEN lineage.writes_rows(a.facets) THEN a.facets
                                                     ELSE a.facets - '{lifecycleStateChange,lineage_write}'::text[] END)
                          ELSE lineage.merged_facets(a.facets) END AS facets,
                     -- Different reports under several names of one dataset are combined. A change without rows
                     -- has no inputs, and is left out beside a write.
                     CASE WHEN count(*) > 1 AND count(lineage.reported_inputs(a.facets)) > 0
                          THEN jsonb_path_query_array(
                              jsonb_agg(coalesce(lineage.reported_inputs(a.facets),
                                                 CASE WHEN a.output AND NOT lineage.writes_rows(a.facets) THEN jsonb '[]'
                                                 ELSE '[{"type": "JOB"}]' END)), '$[*][*]')
                     END AS inputs
              FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
              WHERE a.run = r.id AND a.job = j.id AND d.canonical = ANY (%(datasets)s::bigint[])
              GROUP BY d.canonical, a.output) AS a
        JOIN lineage.dataset c ON c.id = a.canonical
        LEFT JOIN LATERAL (
            SELECT jsonb_agg(DISTINCT jsonb_build_array(s.namespace, s.name, v.source_field,
                                 v.target_field, v.type, v.subtype, v.masking)) AS columns
            FROM lineage.run_column_mapping rm
            JOIN lineage.column_mapping_entry v ON v.mapping = rm.mapping
            JOIN lineage.dataset n ON n.id = v.source
            JOIN lineage.dataset s ON s.id = n.canonical
            WHERE a.output AND rm.run = r.id AND rm.job = j.id
              AND (SELECT d.canonical FROM lineage.dataset d WHERE d.id = rm.dataset) = a.canonical
              AND s.id = ANY (%(datasets)s::bigint[])) AS m ON true) AS accesses
FROM lineage.run r
JOIN lineage.execution x ON x.run = r.id
JOIN lineage.job j ON j.id = x.job
WHERE r.run_id = ANY (%(runs)s::text[]) AND x.first_seen IS NOT NULL
ORDER BY x.first_seen, r.run_id, j.namespace, j.name

-- name: select_designs(sources, targets, jobs) -> Design
-- Designs of some edges. For an edge with a job: the designs of that job, and designs without a job.
SELECT DISTINCT j.namespace AS job_namespace, j.name AS job,
       s.namespace AS source_namespace, s.name AS source,
       t.namespace AS target_namespace, t.name AS target,
       lineage.iso8601(d.first_seen) AS first_seen, lineage.iso8601(d.last_seen) AS last_seen,
       d.confidence
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[]) AS e (source, target, job)
JOIN lineage.declared d ON d.source = e.source AND d.target = e.target
 AND coalesce(d.job, e.job) = e.job
LEFT JOIN lineage.job j ON j.id = d.job
JOIN lineage.dataset s ON s.id = d.source
JOIN lineage.dataset t ON t.id = d.target
ORDER BY 1, 2, 3, 4, 5, 6

-- name: select_designs_of_jobs(jobs) -> Design
-- The complete designs of jobs, including pairs that runs produced.
SELECT j.namespace AS job_namespace, j.name AS job,
       s.namespace AS source_namespace, s.name AS source,
       t.namespace AS target_namespace, t.name AS target,
       lineage.iso8601(d.first_seen) AS first_seen, lineage.iso8601(d.last_seen) AS last_seen,
       d.confidence
FROM lineage.declared d
JOIN lineage.job j ON j.id = d.job
JOIN lineage.dataset s ON s.id = d.source
JOIN lineage.dataset t ON t.id = d.target
WHERE d.holder = ANY (%(jobs)s::bigint[]) AND d.job = d.holder
ORDER BY 1, 2, 3, 4, 5, 6

-- name: select_unpaired_accesses(jobs) -> UnpairedAccess
-- The inputs and outputs of designs of jobs that are in no pair.
SELECT j.namespace AS job_namespace, j.name AS job, n.namespace, n.name, a.output,
       lineage.iso8601(a.first_seen) AS first_seen, lineage.iso8601(a.last_seen) AS last_seen, a.confidence
FROM lineage.design_access a
JOIN lineage.job j ON j.id = a.holder
JOIN lineage.dataset r ON r.id = a.dataset
JOIN lineage.dataset n ON n.id = r.canonical
WHERE a.holder = ANY (%(jobs)s::bigint[]) AND lineage.is_unpaired(a, n.id)
ORDER BY 1, 2, 3, 4, 5

-- name: select_column_designs(sources, targets, jobs, types, subtypes, maskings) -> ColumnDesign
-- Designs of some edges between columns.
SELECT DISTINCT j.namespace AS job_namespace, j.name AS job,
       s.namespace AS source_namespace, s.name AS source, sf.name AS source_field,
       t.namespace AS target_namespace, t.name AS target, coalesce(tf.name, '') AS target_field,
       d.type, d.subtype, d.masking,
       lineage.iso8601(d.first_seen) AS first_seen, lineage.iso8601(d.last_seen) AS last_seen
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[], %(types)s::text[], %(subtypes)s::text[],
    %(maskings)s::boolean[])
     AS e (source, target, job, type, subtype, masking)
JOIN lineage.declared_column d ON d.source = e.source AND d.target = e.target
 AND (d.type, d.subtype, d.masking) = (e.type, e.subtype, e.masking)
 AND coalesce(d.job, e.job) = e.job
LEFT JOIN lineage.job j ON j.id = d.job
JOIN lineage.field sf ON sf.id = d.source
JOIN lineage.dataset s ON s.id = sf.dataset
LEFT JOIN lineage.field tf ON tf.id = d.target
JOIN lineage.dataset t ON t.id = coalesce(tf.dataset, d.target)
ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11

-- name: select_described(ids) -> DescribedRow
-- The time of the last event of each dataset, its latest schema facet, and its other names.
SELECT c.namespace, c.name, lineage.iso8601(max(n.last_seen)) AS last_seen,
       lineage.facet_bodies(lineage.merged_facets(n.facets)) -> 'schema' AS schema,
       coalesce(jsonb_agg(jsonb_build_array(n.namespace, n.name) ORDER BY n.namespace, n.name)
                FILTER (WHERE n.id <> c.id), '[]') AS aliases
FROM lineage.dataset n JOIN lineage.dataset c ON c.id = n.canonical
WHERE n.canonical = ANY (%(ids)s::bigint[])
GROUP BY c.namespace, c.name ORDER BY c.namespace, c.name
