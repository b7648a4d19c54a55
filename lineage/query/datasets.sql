-- name: select_trace(root, upstream, downstream, depth, observed, min_confidence, tags) -> TraceRow
-- The edges of a trace and the datasets and jobs that they connect, in one snapshot: a row for each edge, then for each
-- dataset, then for each job. Times are microseconds since 1970. A result has few distinct times, and each is formatted
-- as text once.
WITH passed AS MATERIALIZED (
    SELECT *, true AS upstream
    FROM lineage.dataset_closure_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(upstream)s
    UNION ALL
    SELECT *, false
    FROM lineage.dataset_closure_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s,
        %(observed)s, %(min_confidence)s) WHERE %(downstream)s
)
SELECT p.source, p.target, p.job, p.distance, p.upstream, p.runs,
       (extract(epoch FROM p.first_seen) * 1000000)::bigint AS first_seen,
       (extract(epoch FROM p.last_seen) * 1000000)::bigint AS last_seen, p.declared, p.confidence,
       NULL AS namespace, NULL AS name, NULL::jsonb AS more
FROM passed p
UNION ALL
SELECT d.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, d.namespace, d.name,
       CASE WHEN %(tags)s THEN (
           SELECT lineage.facet_tags_json(lineage.merged_facets(n.facets))
           FROM lineage.dataset n WHERE n.canonical = d.id) END
FROM lineage.dataset d
WHERE d.id = ANY (ARRAY(SELECT source FROM passed UNION SELECT target FROM passed))
UNION ALL
SELECT NULL, NULL, j.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, j.namespace, j.name,
       jsonb_build_array(CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END,
                         j.facets #>> '{jobType,1,jobType}', lineage.iso8601(n.last_write))
FROM lineage.latest_runs(ARRAY(SELECT DISTINCT job FROM passed)) AS n
JOIN lineage.job j ON j.id = n.job
LEFT JOIN lineage.run r ON r.id = n.run
