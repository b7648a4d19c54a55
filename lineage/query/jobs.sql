-- name: select_job_edges(root, direction, depth, observed, min_confidence, tags) -> JobEdgeRow
-- The steps of a job trace and the datasets and jobs that they connect, in one snapshot: a row for each step, then for
-- each dataset, then for each job.
WITH step AS MATERIALIZED (
    SELECT * FROM lineage.job_closure_edges(%(root)s, %(direction)s, %(depth)s, %(observed)s,
        %(min_confidence)s)
)
SELECT 'step' AS kind, s.source, s.dataset, s.target, s.distance, s.stale,
       lineage.iso8601(s.written) AS written, lineage.iso8601(s.read) AS read,
       lineage.iso8601(s.depended) AS depended, s.declared, NULL::jsonb AS tags
FROM step s
UNION ALL
SELECT 'dataset', d.id, NULL, NULL, NULL, NULL, d.namespace, d.name, NULL, NULL, NULL
FROM lineage.dataset d WHERE d.id = ANY (ARRAY(SELECT DISTINCT dataset FROM step))
UNION ALL
SELECT 'job', j.id, NULL, NULL, NULL, NULL, j.namespace, j.name,
       j.facets #>> '{jobType,1,jobType}', NULL, CASE WHEN %(tags)s THEN to_jsonb(lineage.facet_tags(j.facets)) END
FROM lineage.job j
WHERE j.id = ANY (ARRAY(SELECT source FROM step UNION SELECT target FROM step))
