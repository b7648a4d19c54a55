-- name: select_designs(namespace, project, server) -> StoredDesign
-- What imports recorded of the designs of a project of dbt, on one server and in one namespace of jobs.
SELECT j.name AS job, f.body ->> 'node' AS node, f.body ->> 'time' AS time, f.body ->> 'checksum' AS checksum,
       coalesce(f.body -> 'unchanged' = 'true', false) AS unchanged,
       EXISTS (SELECT FROM lineage.declared d WHERE d.job = j.id)
       OR EXISTS (SELECT FROM lineage.design g JOIN lineage.design_access a ON a.holder = g.holder AND a.revision = g.revision
                  WHERE g.holder = j.id) AS declared,
       f.body ->> 'place' AS place
FROM lineage.job j
CROSS JOIN LATERAL (SELECT j.facets #> '{lineage_dbt,1}' AS body) AS f
WHERE j.namespace = %(namespace)s AND j.facets ? 'lineage_dbt'
  AND f.body ->> 'project' = %(project)s AND f.body ->> 'namespace' = %(server)s
  AND f.body ->> 'node' IS NOT NULL AND f.body ->> 'time' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$'
ORDER BY j.name
