-- name: compare_visible_writes(dataset, start, end, depth) -> VisibleWriteRow
-- The writes visible in a dataset, and transitively in their inputs, at two times, with their reported facets, read as by
-- lineage.facets_of_write(): a call for each write takes longer than the look-up.
SELECT d.id AS dataset, d.namespace, d.name,
       CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS run,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       lineage.iso8601(m.written) AS written, m.exact, m.before, m.after,
       w.facets #>> '{version,1,datasetVersion}' AS version, lineage.write_mode(w.facets) AS mode,
       lineage.nonnegative_count(w.facets #> '{outputStatistics,1,rowCount}')::bigint AS rows,
       lineage.nonnegative_count(w.facets #> '{outputStatistics,1,size}')::bigint AS bytes
FROM lineage.compare_visible_writes(%(dataset)s, %(start)s::timestamptz, %(end)s::timestamptz, %(depth)s) AS m
JOIN lineage.dataset d ON d.id = m.dataset
LEFT JOIN lineage.run r ON r.id = m.run
LEFT JOIN lineage.job j ON j.id = m.job
CROSS JOIN LATERAL (
    SELECT CASE WHEN m.run IS NOT NULL
                THEN (SELECT lineage.merged_facets(a.facets)
                      FROM lineage.dataset n
                      JOIN lineage.access a ON a.run = m.run AND a.job = m.job AND a.dataset = n.id AND a.output
                      WHERE n.canonical = m.dataset) END AS facets OFFSET 0) AS w
ORDER BY coalesce(m.after, m.before), d.namespace, d.name, m.written, r.run_id,
         j.namespace, j.name

-- name: diff_schemas(places, before, after) -> ColumnRow
-- The columns that differ between the schemas of each pair.
SELECT pair.place, c.name, nullif(c.old_type, '') AS before, nullif(c.new_type, '') AS after,
       c.old_type IS NULL AS is_new, c.new_type IS NULL AS is_gone
FROM unnest(%(places)s::int[], %(before)s::text[], %(after)s::text[]) AS pair (place, before, after)
CROSS JOIN LATERAL lineage.diff_schemas(pair.before::jsonb, pair.after::jsonb) AS c
ORDER BY pair.place, c.name COLLATE "C"
