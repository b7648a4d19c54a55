-- name: select_archive() -> RunArchive
-- The time before which runs are archived, and the lake of the last command that archived some.
SELECT lineage.iso8601(max(a.archived_before) OVER ()) AS before, a.lake
FROM lineage.run_archive a ORDER BY a.archived_at DESC LIMIT 1

-- name: select_are_archived(runs) -> bool
-- Whether some of these runs in the graph are from before the time of the archive.
SELECT EXISTS (SELECT FROM lineage.run r JOIN lineage.archived_run a ON a.run_id = r.run_id
               WHERE r.id = ANY (%(runs)s::bigint[]))

-- name: select_is_archived(run_id) -> bool
-- Whether a run is archived and not in the graph.
SELECT EXISTS (SELECT FROM lineage.archived_run WHERE run_id = %(run_id)s AND NOT in_graph)
