-- name: select_executions(runs, jobs) -> ExecutionKey
-- Existing executions.
SELECT e.run, e.job
FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[]) AS input (run, job)
CROSS JOIN LATERAL (
    SELECT e.run, e.job FROM lineage.execution e
    WHERE e.run = input.run AND e.job = input.job OFFSET 0) AS e

-- name: merge_executions(runs, jobs, first, last) -> ExecutionRow
-- Merge executions, with their EXECUTES edges.
WITH input AS (
    SELECT * FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[], %(first)s::timestamptz[],
                         %(last)s::timestamptz[])
        AS input (run, job, first_seen, last_seen)
), merged AS (
    INSERT INTO lineage.execution AS e (run, job, first_seen, last_seen)
    SELECT run, job, first_seen, last_seen FROM input
    ON CONFLICT (run, job) DO UPDATE SET
        first_seen = least(e.first_seen, excluded.first_seen),
        last_seen = greatest(e.last_seen, excluded.last_seen)
    RETURNING run, job, first_seen, last_seen
), in_graph AS (
    INSERT INTO provenance."EXECUTES" (start_id, end_id)
    SELECT lineage.to_graphid(job), lineage.to_graphid(run) FROM input
    ON CONFLICT (start_id, end_id) DO NOTHING
)
SELECT run, job, lineage.iso8601(first_seen) AS first, lineage.iso8601(last_seen) AS last
FROM merged
