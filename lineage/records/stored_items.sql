-- name: select_runs_of_prefix(low, high, limit) -> str
-- The runs with stored items whose ids are between two ids.
SELECT DISTINCT n.run::text FROM lineage.record_node n
WHERE n.run BETWEEN %(low)s AND %(high)s ORDER BY 1 LIMIT %(limit)s

-- name: select_nodes_of_run(run) -> StoredNodeRow
-- The nodes of a run, with their counts.
SELECT n.ordinal, n.node, n.operator, n.pipeline_id, n.pipeline, n.rows_in, n.rows_out, n.emitted, n.filtered_out,
       n.joined, n.aggregated, n.retried, n.error, n.dead_lettered
FROM lineage.record_node n WHERE n.run = %(run)s::uuid ORDER BY n.ordinal

-- name: select_items_of_run(run, outcome, id, limit) -> StoredItemRow
-- The items of a run, with one of the flags of outcome and with this id; null for all.
SELECT i.id, i.hops, i.contributors, i.error
FROM lineage.record_item i
WHERE i.run = %(run)s::uuid
  AND (%(outcome)s::int IS NULL OR i.outcome & %(outcome)s::int > 0)
  AND (%(id)s::uuid IS NULL OR i.id = %(id)s::uuid)
ORDER BY i.id LIMIT %(limit)s

-- name: count_items_of_run(run, outcome) -> int
-- The number of items of a run, with one of the flags of outcome; null for all.
SELECT count(*)::int
FROM lineage.record_item i
WHERE i.run = %(run)s::uuid AND (%(outcome)s::int IS NULL OR i.outcome & %(outcome)s::int > 0)
