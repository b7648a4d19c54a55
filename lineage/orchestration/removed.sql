-- name: select_removed_jobs(ids) -> RemovedRow
-- The jobs of dbt whose newest design is empty, because an import has ended it, and that have not run since. The revision of a
-- design begins with its time.
SELECT j.id
FROM lineage.job j
JOIN lineage.design g ON g.holder = j.id
WHERE j.id = ANY (%(ids)s::bigint[]) AND j.facets ? 'lineage_dbt'
  AND NOT EXISTS (SELECT FROM lineage.design_access a WHERE a.holder = g.holder AND a.revision = g.revision)
  AND NOT EXISTS (SELECT FROM lineage.declared d WHERE d.job = j.id)
  AND NOT EXISTS (SELECT FROM lineage.execution x
                  WHERE x.job = j.id AND x.last_seen >= split_part(g.revision, ' ', 1)::timestamptz)
