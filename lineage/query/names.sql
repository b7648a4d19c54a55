-- name: select_last_run_of_job(id, failed) -> str
-- The run of a job with the latest event, or the latest of those that failed. Among runs of the same time the run id
-- decides.
SELECT r.run_id FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
WHERE x.job = %(id)s AND (NOT %(failed)s OR r.state IN ('FAIL', 'ABORT'))
ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT 1

-- name: select_last_write(id, failed) -> str
-- The last run that wrote a dataset or was to write it, or the last of those that failed.
SELECT r.run_id FROM lineage.dataset n
JOIN lineage.access a ON a.dataset = n.id AND a.output JOIN lineage.run r ON r.id = a.run
WHERE n.canonical = %(id)s AND (NOT %(failed)s OR r.state IN ('FAIL', 'ABORT'))
ORDER BY a.last_seen DESC NULLS LAST, r.run_id LIMIT 1

-- name: select_named_datasets(names) -> NamedDatasetRow
-- The datasets that names match, each name by its position. A full name is found by one look-up; only other names are
-- compared with aliases and endings.
WITH requested AS MATERIALIZED (
    SELECT r.name, r.position, d.canonical
    FROM unnest(%(names)s::text[]) WITH ORDINALITY AS r (name, position)
    LEFT JOIN LATERAL (
        SELECT min(d.canonical) AS canonical FROM lineage.dataset d
        WHERE reverse(lineage.full_name(d.namespace, d.name)) COLLATE "C" = reverse(r.name)
        HAVING count(DISTINCT d.canonical) = 1) AS d ON true)
SELECT r.position, d.id, d.namespace, d.name
FROM requested r JOIN lineage.dataset d ON d.id = r.canonical
UNION ALL
SELECT r.position, m.id, m.namespace, m.name
FROM requested r CROSS JOIN LATERAL lineage.match_datasets(r.name) AS m
WHERE r.canonical IS NULL
ORDER BY 1, 3, 4
