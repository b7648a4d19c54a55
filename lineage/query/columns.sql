-- name: select_column_edges(root, direction, depth, indirect, observed, limit) -> ColumnEdgeRow
-- The edges of a column trace, nearest first, with its total numbers of edges and columns.
WITH e AS MATERIALIZED (
    SELECT * FROM lineage.column_closure_edges(
        ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, %(indirect)s, %(observed)s)
), whole AS MATERIALIZED (
    SELECT count(*) AS edges, count(DISTINCT far) FILTER (WHERE far <> %(root)s) AS nodes
    FROM (SELECT CASE %(direction)s WHEN 'upstream' THEN source ELSE target END AS far FROM e) AS f
), near AS MATERIALIZED (
    -- Only edges within the limit: names are not looked up for the others.
    SELECT min(distance) AS farthest
    FROM (SELECT distance, sum(count(*)) OVER (ORDER BY distance) AS edges
          FROM e GROUP BY distance) AS step
    WHERE edges >= %(limit)s
), direct AS MATERIALIZED (
    SELECT DISTINCT CASE %(direction)s WHEN 'upstream' THEN source ELSE target END AS id
    FROM lineage.column_closure_edges(
        ARRAY[%(root)s::bigint], %(direction)s, %(depth)s, false, %(observed)s)
), work AS MATERIALIZED (
    -- An edge that the newest run of its job showed is not stale; the others are few.
    SELECT w.target, w.job, lineage.last_successful_write(w.target, w.job) AS last_write
    FROM (SELECT DISTINCT coalesce(f.dataset, e.target) AS target, e.job
          FROM e CROSS JOIN near
          JOIN lineage.latest_runs(ARRAY(SELECT DISTINCT job FROM e)) AS n ON n.job = e.job
          LEFT JOIN lineage.field f ON f.id = e.target
          WHERE e.runs > 0 AND e.last_seen < n.last_seen
            AND (near.farthest IS NULL OR e.distance <= near.farthest)) AS w
)
SELECT whole.edges AS total, whole.nodes AS columns, e.distance, direct.id IS NOT NULL AS direct,
       e.source, source.id AS source_dataset, source.namespace AS source_namespace,
       source.name AS source_name, source_field.name AS source_field,
       e.target, target.id AS target_dataset, target.namespace AS target_namespace,
       target.name AS target_name, target_field.name AS target_field,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       e.type, nullif(e.subtype, '') AS subtype, e.masking, e.runs,
       lineage.iso8601(e.first_seen) AS first_seen, lineage.iso8601(e.last_seen) AS last_seen, e.declared,
       e.runs > 0 AND lineage.is_stale(e.last_seen, work.last_write) AS stale
FROM e CROSS JOIN whole CROSS JOIN near
JOIN lineage.field source_field ON source_field.id = e.source
JOIN lineage.dataset source ON source.id = source_field.dataset
LEFT JOIN lineage.field target_field ON target_field.id = e.target
JOIN lineage.dataset target ON target.id = coalesce(target_field.dataset, e.target)
LEFT JOIN lineage.job j ON j.id = e.job
LEFT JOIN work ON work.job = e.job AND work.target = target.id
LEFT JOIN direct ON direct.id = CASE %(direction)s WHEN 'upstream' THEN e.source ELSE e.target END
WHERE near.farthest IS NULL OR e.distance <= near.farthest
ORDER BY e.distance, source.namespace, source.name, source_field.name,
         target.namespace, target.name, target_field.name, j.namespace, j.name, e.type, e.subtype,
         e.masking
LIMIT %(limit)s

-- name: select_nested_columns(ids) -> NestedRow
-- Pairs of these columns of which one contains the other, or is another spelling of it. Of two spellings, that of the
-- newest schema is the other.
SELECT o.id, o.other FROM lineage.adjoining_columns(%(ids)s::bigint[]) AS o
JOIN lineage.field f ON f.id = o.id JOIN lineage.field other ON other.id = o.other
CROSS JOIN LATERAL (SELECT lower(f.name COLLATE "default") = lower(other.name COLLATE "default") AS same) AS spelling
WHERE o.other = ANY (%(ids)s::bigint[])
  AND CASE WHEN spelling.same THEN f.spelling_of IS NOT NULL AND (other.spelling_of IS NULL OR f.name < other.name)
      ELSE f.nested AND octet_length(f.name) > octet_length(other.name) END
