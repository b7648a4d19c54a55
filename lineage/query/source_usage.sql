-- name: select_sources(since) -> SourceRow
-- The external sources (datasets that no run wrote), and the number of runs since a time of the jobs that read each: at
-- least the number of runs that read it.
WITH source AS MATERIALIZED (
    SELECT id, namespace, name FROM lineage.orphan_set() WHERE kind = 'external source'
), recent AS MATERIALIZED (
    SELECT e.job, count(*) AS runs FROM lineage.execution e WHERE e.last_seen >= %(since)s::timestamptz GROUP BY e.job
), possible AS (
    SELECT coalesce(a.canonical, u.dataset) AS id, sum(r.runs)::bigint AS reads
    FROM recent r
    JOIN lineage.dataset_job u ON u.job = r.job AND NOT u.output
    LEFT JOIN lineage.dataset a ON a.id = u.dataset AND a.alias_of IS NOT NULL
    GROUP BY 1
)
SELECT s.id, s.namespace, s.name, coalesce(p.reads, 0) AS most_reads
FROM source s LEFT JOIN possible p USING (id)
ORDER BY s.namespace, s.name

-- name: select_read_counts(ids, since) -> ReadCountRow
-- The number of runs that read each of these datasets since a time; datasets that were not read are omitted.
SELECT c.id, c.reads FROM lineage.read_counts(%(ids)s::bigint[], %(since)s::timestamptz) AS c
