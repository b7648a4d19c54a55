-- name: write_parent_edges(children, parents) -> None
-- Write PARENT edges of runs.
INSERT INTO provenance."PARENT" (start_id, end_id)
SELECT lineage.to_graphid(child), lineage.to_graphid(parent)
FROM unnest(%(children)s::bigint[], %(parents)s::bigint[]) AS input (child, parent)
ON CONFLICT (start_id, end_id) DO NOTHING

-- name: write_input_edges(runs) -> None
-- Write INPUT_TO edges of runs from the facts. Twin: write_output_edges.
INSERT INTO provenance."INPUT_TO" AS e (start_id, end_id, properties)
SELECT lineage.to_graphid(vertex), lineage.to_graphid(run),
       lineage.access_properties(
           false, min(first_seen), max(last_seen), lineage.merged_facets(facets))
FROM unnest(%(runs)s::bigint[]) AS requested (run)
CROSS JOIN LATERAL (
    SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex,
           a.first_seen, a.last_seen, a.facets
    FROM lineage.access a WHERE a.run = requested.run AND NOT a.output OFFSET 0) AS a
GROUP BY vertex, run
ON CONFLICT (start_id, end_id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties

-- name: write_output_edges(runs) -> None
-- Write OUTPUTS edges of runs from the facts. Twin: write_input_edges.
INSERT INTO provenance."OUTPUTS" AS e (start_id, end_id, properties)
SELECT lineage.to_graphid(run), lineage.to_graphid(vertex),
       lineage.access_properties(
           true, min(first_seen), max(last_seen), lineage.merged_facets(facets))
FROM unnest(%(runs)s::bigint[]) AS requested (run)
CROSS JOIN LATERAL (
    SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex,
           a.first_seen, a.last_seen, a.facets
    FROM lineage.access a WHERE a.run = requested.run AND a.output OFFSET 0) AS a
GROUP BY vertex, run
ON CONFLICT (start_id, end_id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties
