-- name: select_node_ordinals(run) -> NodeOrdinalRow
-- The nodes of a run.
SELECT n.ordinal, n.node FROM lineage.record_node n WHERE n.run = %(run)s::uuid

-- name: add_nodes(run, nodes, after, pipeline_id, pipeline) -> NodeOrdinalRow
-- Add nodes to a run, which has so many.
INSERT INTO lineage.record_node (run, ordinal, node, pipeline_id, pipeline)
SELECT %(run)s::uuid, %(after)s + added.position, added.node, %(pipeline_id)s::uuid, %(pipeline)s
FROM unnest(%(nodes)s::text[]) WITH ORDINALITY AS added (node, position)
RETURNING ordinal, node

-- name: select_present_items(run, ids) -> PresentItemRow
-- The stored pieces of some items.
SELECT i.id, i.hops, i.contributors, i.error
FROM lineage.record_item i
WHERE i.run = %(run)s::uuid AND i.id = ANY (%(ids)s::uuid[])

-- name: write_items(run, ids, outcomes, hops, contributors, errors) -> None
-- Write items, sorted by id as all writers do.
INSERT INTO lineage.record_item (run, id, outcome, hops, contributors, error)
SELECT %(run)s::uuid, item.*
FROM unnest(%(ids)s::uuid[], %(outcomes)s::smallint[], %(hops)s::bytea[], %(contributors)s::bytea[],
            %(errors)s::text[]) AS item (id, outcome, hops, contributors, error)
ORDER BY item.id
ON CONFLICT (id, run) DO UPDATE
SET outcome = excluded.outcome, hops = excluded.hops, contributors = excluded.contributors, error = excluded.error

-- name: write_counts(run, node, operator, sample, rows_in, rows_out, emitted, filtered_out, joined, aggregated, retried, error, dead_lettered) -> None
-- Write the counts of a node.
UPDATE lineage.record_node
SET operator = %(operator)s, sample = %(sample)s, rows_in = %(rows_in)s, rows_out = %(rows_out)s,
    emitted = %(emitted)s, filtered_out = %(filtered_out)s, joined = %(joined)s, aggregated = %(aggregated)s,
    retried = %(retried)s, error = %(error)s, dead_lettered = %(dead_lettered)s
WHERE run = %(run)s::uuid AND node = %(node)s
