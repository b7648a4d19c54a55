-- name: adopt_graph() -> None
-- Let AGE know the graph by the number that it has here. In one statement: the foreign key from labels to graphs is
-- looked at when it ends.
WITH graph AS (
    SELECT graphid AS old, namespace::oid AS new FROM ag_catalog.ag_graph
    WHERE name = 'provenance' AND graphid <> namespace::oid
), adopted AS (
    UPDATE ag_catalog.ag_graph g SET graphid = graph.new FROM graph WHERE g.graphid = graph.old
)
UPDATE ag_catalog.ag_label l SET graph = graph.new FROM graph WHERE l.graph = graph.old
