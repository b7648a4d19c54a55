-- name: select_datasets() -> NameRow
-- All datasets, without aliases.
SELECT d.id, d.namespace, d.name FROM lineage.dataset d WHERE d.canonical = d.id

-- name: select_accesses(ids) -> AccessRow
-- Whether runs or designs write and read each of these datasets.
SELECT i.id,
       lineage.is_written(i.id) OR EXISTS (SELECT FROM lineage.declared e WHERE e.target = i.id) AS is_written,
       lineage.is_read(i.id) OR EXISTS (SELECT FROM lineage.declared e WHERE e.source = i.id) AS is_read
FROM unnest(%(ids)s::bigint[]) AS i (id)
