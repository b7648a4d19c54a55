-- name: select_field(id) -> int
-- The id of the column, in the form of the other two statements.
SELECT %(id)s::bigint AS id

-- name: select_fields_of_dataset(id) -> int
-- The columns of a dataset.
SELECT id FROM lineage.field WHERE dataset = %(id)s

-- name: select_fields_of_job(id) -> int
-- The columns of the datasets that a job writes.
SELECT f.id FROM lineage.field f
WHERE f.dataset IN (SELECT target FROM lineage.feeds WHERE job = %(id)s)

-- name: select_field_names(ids) -> NameRow
-- Columns by their ids. The id of a dataset stands for all of its columns.
SELECT n.id, d.namespace, d.name, f.name AS field, f.type
FROM unnest(%(ids)s::bigint[]) AS n (id)
LEFT JOIN lineage.field f ON f.id = n.id
JOIN lineage.dataset d ON d.id = coalesce(f.dataset, n.id)
