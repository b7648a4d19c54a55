-- name: select_run(run_id) -> RunRow
-- A run, its facets, and the full names of its jobs.
SELECT lineage.run_record(r) AS run, lineage.facet_bodies(r.facets) AS facets,
       (SELECT array_agg(j.namespace || '/' || j.name ORDER BY j.namespace, j.name)
        FROM lineage.execution e JOIN lineage.job j ON j.id = e.job WHERE e.run = r.id) AS jobs
FROM lineage.run r WHERE r.run_id = %(run_id)s

-- name: select_accessed_datasets(run_id) -> AccessedRow
-- The datasets that a run read or wrote, with the reported facets of each access.
SELECT a.output, c.id AS dataset, c.namespace, c.name,
       jsonb_agg(jsonb_build_array(d.namespace, d.name)) AS names,
       lineage.merged_facets(a.facets) #>> '{version,1,datasetVersion}' AS version,
       lineage.write_mode(lineage.merged_facets(a.facets)) AS mode,
       lineage.nonnegative_count(
           lineage.merged_facets(a.facets) #> '{outputStatistics,1,rowCount}')::bigint AS rows,
       lineage.nonnegative_count(
           lineage.merged_facets(a.facets) #> '{outputStatistics,1,size}')::bigint AS bytes
FROM lineage.run r
JOIN lineage.access a ON a.run = r.id
JOIN lineage.dataset d ON d.id = a.dataset
JOIN lineage.dataset c ON c.id = d.canonical
WHERE r.run_id = %(run_id)s
GROUP BY a.output, c.id, c.namespace, c.name

-- name: select_columns(schemas) -> ColumnRow
-- The columns of schema facets, in the order of the facets. One that is null has none. The facets are a text of JSON,
-- because psycopg writes long texts more slowly as an array.
SELECT f.number AS schema, s.name, coalesce(s.type, 'unknown type') AS type
FROM jsonb_array_elements(%(schemas)s::text::jsonb) WITH ORDINALITY AS f (facet, number)
CROSS JOIN LATERAL
    lineage.schema_fields(jsonb_build_object('schema', jsonb_build_array('', f.facet))) AS s
ORDER BY f.number, s.name COLLATE "C"
