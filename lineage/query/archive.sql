-- name: select_archive() -> ArchiveRow
-- The time before which runs are archived, and the lakes that have some.
SELECT lineage.iso8601(max(a.archived_before)) AS before,
       coalesce(array_agg(DISTINCT a.lake) FILTER (WHERE a.runs > 0), '{}') AS lakes
FROM lineage.run_archive a HAVING count(*) > 0

-- name: select_are_archived(runs) -> bool
-- Whether some of these runs in the graph are from before the time of the archive.
SELECT EXISTS (SELECT FROM lineage.run r JOIN lineage.archived_run a ON a.run_id = r.run_id
               WHERE r.id = ANY (%(runs)s::bigint[]))

-- name: select_end_at_archive(runs, jobs) -> bool
-- Whether archived runs may have written what these executions read.
SELECT lineage.ends_at_archive(%(runs)s::bigint[], %(jobs)s::bigint[])

-- name: select_began_before(run) -> bool
-- Whether a run in the graph began before the time of the archive.
SELECT EXISTS (SELECT FROM lineage.run r
               WHERE r.id = %(run)s AND r.first_seen < lineage.runs_archived_before())

-- name: select_archived_runs(prefix, upper) -> str
-- Up to two archived runs whose ids begin with a text. In this collation an id sorts before the longer ids of which it is
-- a prefix.
SELECT a.run_id FROM lineage.archived_run a
WHERE a.run_id >= %(prefix)s AND a.run_id < %(upper)s AND NOT a.in_graph
ORDER BY a.run_id LIMIT 2

-- name: select_lakes_of_run(run_id) -> str
-- The lake of a run that is archived and not in the graph. Of old archives, it is not known which lake has a run.
SELECT DISTINCT c.lake
FROM lineage.archived_run a
JOIN lineage.run_archive c ON c.archived_at = coalesce(a.archived_at, c.archived_at)
WHERE a.run_id = %(run_id)s AND NOT a.in_graph
ORDER BY c.lake
