-- name: list_datasets(text, namespaces, tags, limit, offset) -> ListedDatasetRow
-- Datasets whose full name contains a text, ignoring case. The other columns are read only for datasets within the
-- limit.
WITH listed AS MATERIALIZED (
    SELECT d.id, d.namespace, d.name FROM lineage.dataset d
    WHERE d.id = d.canonical
      AND strpos(lower(lineage.full_name(d.namespace, d.name)), lower(%(text)s)) > 0
      AND lineage.matches_filters(%(namespaces)s, %(tags)s, '{}', d.namespace, (
          SELECT lineage.facet_tags(lineage.merged_facets(n.facets))
          FROM lineage.dataset n WHERE n.canonical = d.id), NULL)
    ORDER BY d.namespace, d.name LIMIT %(limit)s OFFSET %(offset)s)
SELECT l.namespace, l.name, s.tags, s.last_seen
FROM listed l CROSS JOIN LATERAL (
    SELECT lineage.facet_tags(lineage.merged_facets(n.facets)) AS tags,
           lineage.iso8601(max(n.last_seen)) AS last_seen
    FROM lineage.dataset n WHERE n.canonical = l.id) AS s
ORDER BY l.namespace, l.name

-- name: list_jobs(text, namespaces, tags, types, limit, offset) -> ListedJobRow
-- Jobs whose full name contains a text, ignoring case.
SELECT j.namespace, j.name, lineage.facet_tags(j.facets) AS tags, lineage.iso8601(j.last_seen) AS last_seen,
       j.facets #>> '{jobType,1,jobType}' AS type
FROM lineage.job j
WHERE strpos(lower(j.namespace || '/' || j.name), lower(%(text)s)) > 0
  AND lineage.matches_filters(%(namespaces)s, %(tags)s, %(types)s, j.namespace,
      lineage.facet_tags(j.facets), j.facets #>> '{jobType,1,jobType}')
ORDER BY j.namespace, j.name LIMIT %(limit)s OFFSET %(offset)s
