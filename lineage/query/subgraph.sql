-- name: select_induced_column_edges(ids, observed, limit) -> InducedColumnEdgeRow
-- The edges between the columns of some datasets. Twin: select_induced_column_edges_as_of.
SELECT count(*) OVER () AS total, e.source, s.dataset AS source_dataset, s.name AS source_name,
       e.target, coalesce(t.dataset, e.target) AS target_dataset, t.name AS target_name,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name, e.type, nullif(e.subtype, '') AS subtype,
       e.masking, e.runs, lineage.iso8601(e.first_seen) AS first_seen, lineage.iso8601(e.last_seen) AS last_seen,
       -- An edge that the newest run of its job showed is not stale; the others are few.
       e.declared, e.runs > 0
           AND e.last_seen < (SELECT max(x.last_seen) FROM lineage.execution x WHERE x.job = e.job)
           AND lineage.is_stale(e.last_seen, lineage.last_successful_write(coalesce(t.dataset, e.target), e.job)) AS stale
FROM lineage.column_closure_edges(%(ids)s::bigint[] || ARRAY(
         SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (%(ids)s::bigint[])),
     'upstream', 1, true, %(observed)s) AS e
JOIN lineage.field s ON s.id = e.source
LEFT JOIN lineage.field t ON t.id = e.target
LEFT JOIN lineage.job j ON j.id = e.job
JOIN lineage.dataset sd ON sd.id = s.dataset
JOIN lineage.dataset td ON td.id = coalesce(t.dataset, e.target)
WHERE s.dataset = ANY (%(ids)s::bigint[])
ORDER BY sd.namespace, sd.name, s.name, td.namespace, td.name, t.name, j.namespace, j.name, e.type, e.subtype, e.masking
LIMIT %(limit)s

-- name: select_induced_column_edges_as_of(ids, observed, limit, time) -> InducedColumnEdgeRow
-- The edges between the columns of some datasets that existed at a time. Number and last time of the runs, and whether the
-- edge was stale, are null if a run showed the edge later too. Twin: select_induced_column_edges.
WITH column_or_dataset AS MATERIALIZED (
    SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (%(ids)s::bigint[])
    UNION ALL SELECT unnest(%(ids)s::bigint[])
), edge AS MATERIALIZED (
    SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking, d.first_seen,
           CASE WHEN d.last_seen <= %(time)s::timestamptz THEN d.runs END AS runs,
           CASE WHEN d.last_seen <= %(time)s::timestamptz THEN d.last_seen END AS last_seen,
           EXISTS (SELECT FROM lineage.declared_column c
                   WHERE (c.source, c.target, c.type, c.subtype, c.masking)
                         = (d.source, d.target, d.type, d.subtype, d.masking)
                     AND coalesce(c.job, d.job) = d.job AND c.first_seen <= %(time)s::timestamptz) AS declared
    FROM column_or_dataset t JOIN lineage.derives d ON d.target = t.id
    WHERE d.first_seen <= %(time)s::timestamptz
    UNION ALL
    SELECT c.source, c.target, c.job, c.type, c.subtype, c.masking, c.first_seen, 0,
           CASE WHEN c.last_seen <= %(time)s::timestamptz THEN c.last_seen END, true
    FROM column_or_dataset t JOIN lineage.declared_column c ON c.target = t.id
    WHERE NOT %(observed)s AND c.first_seen <= %(time)s::timestamptz AND NOT EXISTS (
        SELECT FROM lineage.derives d
        WHERE (d.source, d.target, d.type, d.subtype, d.masking)
              = (c.source, c.target, c.type, c.subtype, c.masking)
          AND d.job = coalesce(c.job, d.job) AND d.first_seen <= %(time)s::timestamptz)
)
SELECT count(*) OVER () AS total, e.source, s.dataset AS source_dataset, s.name AS source_name,
       e.target, coalesce(t.dataset, e.target) AS target_dataset, t.name AS target_name,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name, e.type, nullif(e.subtype, '') AS subtype,
       e.masking, e.runs, lineage.iso8601(e.first_seen) AS first_seen, lineage.iso8601(e.last_seen) AS last_seen,
       e.declared, CASE WHEN e.runs IS NOT NULL THEN e.runs > 0 AND lineage.is_stale(
           e.last_seen, lineage.last_successful_write(coalesce(t.dataset, e.target), e.job, %(time)s::timestamptz))
       END AS stale
FROM edge e
JOIN lineage.field s ON s.id = e.source
LEFT JOIN lineage.field t ON t.id = e.target
LEFT JOIN lineage.job j ON j.id = e.job
JOIN lineage.dataset sd ON sd.id = s.dataset
JOIN lineage.dataset td ON td.id = coalesce(t.dataset, e.target)
WHERE s.dataset = ANY (%(ids)s::bigint[])
ORDER BY sd.namespace, sd.name, s.name, td.namespace, td.name, t.name, j.namespace, j.name, e.type, e.subtype, e.masking
LIMIT %(limit)s

-- name: select_jobs_of_types(ids, jobs, types) -> JobIdRow
-- Those of some jobs that are among jobs, if there are any, and have one of the types, if there are any.
SELECT j.id
FROM lineage.job j
WHERE j.id = ANY (%(ids)s::bigint[])
  AND (%(jobs)s::bigint[] = '{}' OR j.id = ANY (%(jobs)s::bigint[]))
  AND lineage.matches_filters('{}', '{}', %(types)s, '', '{}', j.facets #>> '{jobType,1,jobType}')
