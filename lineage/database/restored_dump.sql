-- name: adopt_graph() -> None
-- Set the graph OID of AGE to that of this database. One statement, because the foreign key from labels to graphs is
-- checked at its end.
WITH graph AS (
    SELECT graphid AS old, namespace::oid AS new FROM ag_catalog.ag_graph
    WHERE name = 'provenance' AND graphid <> namespace::oid
), adopted AS (
    UPDATE ag_catalog.ag_graph g SET graphid = graph.new FROM graph WHERE g.graphid = graph.old
)
UPDATE ag_catalog.ag_label l SET graph = graph.new FROM graph WHERE l.graph = graph.old
