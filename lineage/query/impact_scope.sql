-- name: select_affected_datasets(root, depth, observed, min_confidence, ids, distances, since, limit) -> AffectedRow
-- The datasets downstream of a dataset, or those of a column trace if root is null. First row: total number, number in
-- use, and number by owner; they exclude the dataset of the root, the only one at distance 0. Then the datasets within
-- the limit.
WITH reached AS MATERIALIZED (
    SELECT * FROM lineage.trace_datasets(%(root)s, 'downstream', %(depth)s, %(observed)s, %(min_confidence)s)
    WHERE %(root)s::bigint IS NOT NULL
    UNION ALL
    SELECT * FROM unnest(%(ids)s::bigint[], %(distances)s::int[])
), farthest (distance) AS MATERIALIZED (
    -- The greatest distance of a dataset within the limit. The reads of farther datasets are not counted.
    SELECT coalesce((SELECT r.distance FROM reached r WHERE %(limit)s::bigint IS NOT NULL
                     ORDER BY r.distance OFFSET %(limit)s LIMIT 1), max(r.distance)) FROM reached r
), used AS MATERIALIZED (
    SELECT * FROM lineage.read_counts(
        ARRAY(SELECT r.id FROM reached r JOIN farthest l ON r.distance <= l.distance),
        coalesce(%(since)s::timestamptz, '-infinity'))
), checks AS MATERIALIZED (
    SELECT c.job FROM lineage.checks_of_datasets(ARRAY(SELECT r.id FROM reached r)) AS c (job)
), candidates AS MATERIALIZED (
    SELECT d.id, r.distance, d.namespace, d.name, coalesce(u.reads, 0) AS reads,
           CASE WHEN r.distance <= l.distance THEN u.reads > 0
           ELSE (SELECT true
                 FROM (SELECT d.id UNION ALL
                       SELECT n.id FROM lineage.dataset n WHERE n.canonical = d.id AND n.canonical <> n.id) AS n (id)
                 JOIN lineage.dataset_job u ON u.dataset = n.id AND NOT u.output
                 JOIN lineage.access a ON a.dataset = n.id AND NOT a.output AND a.job = u.job
                     AND a.last_seen >= coalesce(%(since)s::timestamptz, '-infinity')
                 WHERE u.job NOT IN (SELECT c.job FROM checks c) LIMIT 1) END AS in_use,
           CASE WHEN EXISTS (SELECT FROM lineage.dataset n WHERE n.canonical = d.id AND n.canonical <> n.id)
                THEN (SELECT lineage.merged_facets(n.facets) FROM lineage.dataset n WHERE n.canonical = d.id)
                ELSE d.facets END #> '{ownership,1}' AS ownership
    FROM reached r JOIN lineage.dataset d ON d.id = r.id LEFT JOIN used u ON u.id = r.id CROSS JOIN farthest l
), reported AS MATERIALIZED (
    SELECT f.*, row_number() OVER (ORDER BY f.distance, f.reads DESC, f.namespace, f.name) AS place
    FROM candidates f ORDER BY place LIMIT %(limit)s + 1
)
SELECT 0 AS place, jsonb_build_array(
    (SELECT count(*) FROM candidates WHERE distance > 0),
    (SELECT count(*) FROM candidates WHERE distance > 0 AND in_use),
    (SELECT lineage.owner_counts(array_agg(groups.ownership), array_agg(groups.entities))
     FROM (SELECT ownership, count(*) AS entities FROM candidates WHERE distance > 0
           GROUP BY ownership) AS groups)) AS record
UNION ALL
SELECT t.place, jsonb_build_array(
    t.id, t.namespace, t.name, t.distance, lineage.facet_owners(m.facets), lineage.facet_tags(m.facets),
    lineage.iso8601(u.last_written), lineage.iso8601(u.last_read), u.writes, u.reads,
    lineage.iso8601((SELECT max(f.last_seen) FROM lineage.feeds f
                     WHERE f.target = t.id AND t.distance > 0 AND f.source <> t.id
                       AND f.source IN (SELECT r.id FROM reached r
                                        WHERE %(depth)s::int IS NULL OR r.distance < %(depth)s))))
FROM reported t
JOIN lineage.dataset_usage(ARRAY(SELECT id FROM reported), coalesce(%(since)s::timestamptz, '-infinity')) AS u
    ON u.id = t.id
CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                    FROM lineage.dataset n WHERE n.canonical = t.id) AS m
ORDER BY place

-- name: select_affected_jobs(root, depth, observed, min_confidence, jobs, read, steps, designs, since, limit) -> AffectedRow
-- The jobs that read the datasets downstream of a dataset, in runs or by designs, or those of a column trace if root is
-- null. First row: total number, and number by owner; then the jobs within the limit.
WITH reached AS MATERIALIZED (
    SELECT * FROM lineage.trace_datasets(%(root)s, 'downstream', %(depth)s, %(observed)s, %(min_confidence)s)
    WHERE %(root)s::bigint IS NOT NULL
), near (ids) AS MATERIALIZED (
    SELECT array_agg(r.id) FROM reached r WHERE %(depth)s::int IS NULL OR r.distance < %(depth)s
), read AS MATERIALIZED (
    SELECT j.job, j.dataset, r.distance + 1 AS distance, false AS declared
    FROM near n CROSS JOIN LATERAL lineage.reader_jobs(n.ids) AS j JOIN reached r ON r.id = j.dataset
    UNION
    SELECT j.job, j.dataset, r.distance + 1, true
    FROM near n CROSS JOIN LATERAL lineage.jobs_declaring_access(n.ids, false, %(min_confidence)s) AS j
    JOIN reached r ON r.id = j.dataset
    WHERE NOT %(observed)s
    UNION
    SELECT * FROM unnest(%(jobs)s::bigint[], %(read)s::bigint[], %(steps)s::int[], %(designs)s::boolean[])
), nearest AS MATERIALIZED (
    SELECT job, min(distance) AS distance, bool_and(declared) AS declared FROM read GROUP BY job
), farthest (distance) AS MATERIALIZED (
    -- The greatest distance of a job within the limit. The runs of farther jobs are not counted.
    SELECT coalesce((SELECT n.distance FROM nearest n WHERE %(limit)s::bigint IS NOT NULL
                     ORDER BY n.distance OFFSET %(limit)s LIMIT 1), max(n.distance)) FROM nearest n
), candidates AS MATERIALIZED (
    SELECT j.id, n.distance, n.declared, j.namespace, j.name, j.facets #> '{ownership,1}' AS ownership,
           CASE WHEN n.distance <= l.distance THEN (
               SELECT count(*) FROM lineage.execution x
               WHERE x.job = j.id AND x.last_seen >= coalesce(%(since)s::timestamptz, '-infinity')) END AS runs
    FROM nearest n JOIN lineage.job j ON j.id = n.job CROSS JOIN farthest l
), reported AS MATERIALIZED (
    SELECT f.*, row_number() OVER (ORDER BY f.distance, f.runs DESC, f.namespace, f.name) AS place
    FROM candidates f ORDER BY place LIMIT %(limit)s
), pair AS MATERIALIZED (
    SELECT array_agg(p.job) AS jobs, array_agg(p.dataset) AS datasets
    FROM (SELECT DISTINCT r.job, r.dataset FROM read r JOIN reported t ON t.id = r.job) AS p
), input AS MATERIALIZED (
    SELECT i.job, jsonb_agg(jsonb_build_array(
               jsonb_build_array(d.id, d.namespace, d.name), lineage.iso8601(i.last_read),
               coalesce(i.stale, false))) AS datasets
    FROM pair CROSS JOIN LATERAL lineage.last_reads(pair.jobs, pair.datasets) AS i
    JOIN lineage.dataset d ON d.id = i.dataset GROUP BY i.job
), counted AS MATERIALIZED (
    SELECT c.* FROM pair CROSS JOIN LATERAL lineage.read_counts_of_jobs(
        pair.jobs, pair.datasets, coalesce(%(since)s::timestamptz, '-infinity')) AS c
)
SELECT 0 AS place, jsonb_build_array(
    (SELECT count(*) FROM candidates),
    (SELECT lineage.owner_counts(array_agg(groups.ownership), array_agg(groups.entities))
     FROM (SELECT ownership, count(*) AS entities FROM candidates GROUP BY ownership) AS groups)) AS record
UNION ALL
SELECT t.place, jsonb_build_array(
    j.id, j.namespace, j.name, t.distance, j.facets #>> '{jobType,1,jobType}',
    lineage.facet_owners(j.facets), lineage.facet_tags(j.facets), i.datasets,
    CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END, t.runs, coalesce(c.reads, 0), t.declared)
FROM reported t JOIN lineage.job j ON j.id = t.id JOIN input i ON i.job = t.id
LEFT JOIN counted c ON c.job = t.id
JOIN lineage.latest_runs(ARRAY(SELECT id FROM reported)) AS n ON n.job = t.id
LEFT JOIN lineage.run r ON r.id = n.run
ORDER BY place
