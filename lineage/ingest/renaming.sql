-- name: select_names() -> NameRow
-- All names of datasets, and those of the datasets that they resolve to.
SELECT n.namespace, n.name, c.namespace AS canonical_namespace, c.name AS canonical_name
FROM lineage.dataset n
JOIN lineage.dataset c ON c.id = n.canonical
