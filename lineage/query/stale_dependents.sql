-- name: select_fresh_dependents(root, depth, observed, min_confidence, ids) -> FreshRow
-- Those of some datasets that a path without stale edges leads to from a dataset. The path may pass any dataset of the
-- trace.
WITH RECURSIVE edge AS MATERIALIZED (
    SELECT e.source, e.target, e.job, e.runs, e.last_seen
    FROM lineage.dataset_closure_edges(
        ARRAY[%(root)s::bigint], 'downstream', %(depth)s, %(observed)s, %(min_confidence)s) AS e
), work AS MATERIALIZED (
    SELECT w.target, w.job, lineage.last_successful_write(w.target, w.job) AS last_write
    FROM (SELECT DISTINCT e.target, e.job
          FROM edge e JOIN lineage.latest_runs(ARRAY(SELECT DISTINCT job FROM edge)) AS n ON n.job = e.job
          WHERE e.runs > 0 AND e.last_seen < n.last_seen) AS w
), step AS MATERIALIZED (
    SELECT DISTINCT e.source, e.target
    FROM edge e LEFT JOIN work w ON w.target = e.target AND w.job = e.job
    WHERE e.runs = 0 OR NOT lineage.is_stale(e.last_seen, w.last_write)
), fresh (id) AS (
    SELECT %(root)s::bigint
    UNION
    SELECT s.target FROM fresh f JOIN step s ON s.source = f.id
)
SELECT f.id FROM fresh f WHERE f.id = ANY (%(ids)s::bigint[])
