-- name: insert_archive(before, lake) -> str
-- Store that runs from before a time are archived; an earlier command may have archived more.
INSERT INTO lineage.run_archive (archived_before, lake)
VALUES (greatest(%(before)s::timestamptz, lineage.runs_archived_before()), %(lake)s)
RETURNING lineage.iso8601(archived_at)

-- name: select_oldest_month() -> MonthRow
-- The oldest month with runs to be moved.
SELECT to_char(start AT TIME ZONE 'UTC', 'YYYY-MM') AS month, lineage.iso8601(start) AS start,
       lineage.iso8601((start AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC') AS "end"
FROM (SELECT date_trunc('month', min(r.last_seen), 'UTC') AS start
      FROM lineage.archived_run a JOIN lineage.run r ON r.run_id = a.run_id
      WHERE NOT a.in_graph) AS oldest
WHERE start IS NOT NULL

-- name: select_runs(start, end) -> int
-- The runs of a month to be moved, by job, so that equal runs are moved together.
SELECT r.id
FROM lineage.archived_run a
JOIN lineage.run r ON r.run_id = a.run_id
LEFT JOIN lineage.execution e ON e.run = r.id
WHERE NOT a.in_graph AND r.last_seen >= %(start)s::timestamptz AND r.last_seen < %(end)s::timestamptz
GROUP BY r.id ORDER BY min(e.job), r.id

-- name: select_accesses(runs, archived_at) -> ArchivedAccess
-- The accesses of runs, with names; one row without a dataset for an execution without accesses.
SELECT r.run_id, j.namespace || '/' || j.name AS job, r.state,
       lineage.iso8601(r.started_at) AS started_at, lineage.iso8601(r.ended_at) AS ended_at,
       lineage.iso8601(e.first_seen) AS first_event, lineage.iso8601(e.last_seen) AS last_event,
       r.facets #>> '{parent,1,run,runId}' AS parent_run_id, lineage.facet_bodies(r.facets)::text AS run_facets,
       lineage.full_name(d.namespace, d.name) AS dataset, a.output AS is_output,
       lineage.facet_bodies(a.facets)::text AS facets, %(archived_at)s AS archived_at
FROM unnest(%(runs)s::bigint[]) WITH ORDINALITY AS input (run, number)
JOIN lineage.run r ON r.id = input.run
LEFT JOIN lineage.execution e ON e.run = r.id
LEFT JOIN lineage.job j ON j.id = e.job
LEFT JOIN lineage.access a ON a.run = e.run AND a.job = e.job
LEFT JOIN lineage.dataset d ON d.id = a.dataset
ORDER BY input.number, job, a.output, dataset

-- name: add_runs(archived_at, runs) -> None
-- Store which command moves runs, and their number.
WITH moved AS (
    UPDATE lineage.archived_run a SET archived_at = %(archived_at)s::timestamptz
    FROM lineage.run r WHERE r.id = ANY (%(runs)s::bigint[]) AND a.run_id = r.run_id
    RETURNING a.run_id
)
UPDATE lineage.run_archive a SET runs = a.runs + (SELECT count(*) FROM moved)
WHERE a.archived_at = %(archived_at)s::timestamptz
