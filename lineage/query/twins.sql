-- name: select_names() -> NameRow
-- All names of datasets, and the name of the dataset that each resolves to.
SELECT d.canonical AS id, d.namespace, d.name, c.namespace AS dataset_namespace, c.name AS dataset_name
FROM lineage.dataset d JOIN lineage.dataset c ON c.id = d.canonical

-- name: select_accesses(ids) -> AccessRow
-- Whether runs or designs write and read each of these datasets.
SELECT i.id,
       lineage.is_written(i.id) OR EXISTS (SELECT FROM lineage.declared e WHERE e.target = i.id) AS is_written,
       lineage.is_read(i.id) OR EXISTS (SELECT FROM lineage.declared e WHERE e.source = i.id) AS is_read
FROM unnest(%(ids)s::bigint[]) AS i (id)
