-- name: find_dataset(namespaces, names) -> int
-- The dataset with the longest of these namespaces.
SELECT d.canonical FROM unnest(%(namespaces)s::text[], %(names)s::text[]) AS n (namespace, name)
JOIN lineage.dataset d USING (namespace, name) ORDER BY length(namespace) DESC LIMIT 1

-- name: find_job(namespaces, names) -> int
-- The job with the longest of these namespaces.
SELECT j.id FROM unnest(%(namespaces)s::text[], %(names)s::text[]) AS n (namespace, name)
JOIN lineage.job j USING (namespace, name) ORDER BY length(namespace) DESC LIMIT 1

-- name: find_field(namespaces, names) -> int
-- The column, whose name begins after one of the colons in `names`.
SELECT f.id
FROM unnest(%(namespaces)s::text[], %(names)s::text[]) AS n (namespace, name)
CROSS JOIN LATERAL generate_series(1, length(n.name)) AS colon
JOIN lineage.dataset d ON d.namespace = n.namespace AND d.name = left(n.name, colon - 1)
JOIN lineage.field f ON f.dataset = d.canonical AND f.name = substr(n.name, colon + 1)
WHERE substr(n.name, colon, 1) = ':' ORDER BY length(n.namespace) DESC, colon DESC LIMIT 1
