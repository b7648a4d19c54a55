-- name: select_induced_column_edges(ids, observed, limit) -> InducedColumnEdgeRow
-- The edges between the columns of some datasets.
SELECT count(*) OVER () AS total, e.source, s.dataset AS source_dataset, s.name AS source_name,
       e.target, coalesce(t.dataset, e.target) AS target_dataset, t.name AS target_name,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name, e.type, nullif(e.subtype, '') AS subtype,
       e.masking, e.runs, lineage.iso8601(e.first_seen) AS first_seen, lineage.iso8601(e.last_seen) AS last_seen,
       e.declared
FROM lineage.column_closure_edges(%(ids)s::bigint[] || ARRAY(
         SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (%(ids)s::bigint[])),
     'upstream', 1, true, %(observed)s) AS e
JOIN lineage.field s ON s.id = e.source
LEFT JOIN lineage.field t ON t.id = e.target
LEFT JOIN lineage.job j ON j.id = e.job
WHERE s.dataset = ANY (%(ids)s::bigint[])
ORDER BY s.dataset, s.name, 6, t.name, j.namespace, j.name, e.type, e.subtype, e.masking
LIMIT %(limit)s
