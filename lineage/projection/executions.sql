-- name: select_executions(runs, jobs) -> ExecutionKey
-- Each execution that exists.
SELECT e.run, e.job
FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[]) AS stated (run, job)
CROSS JOIN LATERAL (
    SELECT e.run, e.job FROM lineage.execution e
    WHERE e.run = stated.run AND e.job = stated.job OFFSET 0) AS e

-- name: merge_executions(runs, jobs, first, last) -> ExecutionRow
-- Runs as work of jobs, with EXECUTES.
WITH stated AS (
    SELECT * FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[], %(first)s::timestamptz[],
                         %(last)s::timestamptz[])
        AS stated (run, job, first_seen, last_seen)
), merged AS (
    INSERT INTO lineage.execution AS e (run, job, first_seen, last_seen)
    SELECT run, job, first_seen, last_seen FROM stated
    ON CONFLICT (run, job) DO UPDATE SET
        first_seen = least(e.first_seen, excluded.first_seen),
        last_seen = greatest(e.last_seen, excluded.last_seen)
    RETURNING run, job, first_seen, last_seen
), drawn AS (
    INSERT INTO provenance."EXECUTES" (start_id, end_id)
    SELECT lineage.graphid(job), lineage.graphid(run) FROM stated
    ON CONFLICT (start_id, end_id) DO NOTHING
)
SELECT run, job, lineage.iso(first_seen) AS first, lineage.iso(last_seen) AS last
FROM merged
