-- name: select_nodes() -> str
-- The nodes of graph models, as agtype texts.
SELECT lineage.asset_text(n) FROM lineage.node n ORDER BY n.node_id

-- name: select_links() -> LinkRow
-- The edges of graph models.
SELECT l.source, l.target, l.type, lineage.link_text(l) AS body
FROM lineage.link l ORDER BY l.source, l.target, l.type

-- name: select_ids_of_entity(node_id, entity) -> str
-- The node with an id, or the nodes that a job or a dataset is.
SELECT n.node_id FROM lineage.node n WHERE n.node_id = %(node_id)s::text
UNION
SELECT n.node_id FROM lineage.node n WHERE n.entity = %(entity)s::bigint
UNION
SELECT n.node_id FROM lineage.dataset d JOIN lineage.node n ON n.entity = d.id WHERE d.canonical = %(entity)s::bigint
ORDER BY 1

-- name: select_assets(entity) -> str
-- The nodes that a job or a dataset is, as agtype texts.
SELECT lineage.asset_text(n)
FROM (SELECT n.* FROM lineage.node n WHERE n.entity = %(entity)s::bigint
      UNION
      SELECT n.* FROM lineage.dataset d JOIN lineage.node n ON n.entity = d.id WHERE d.canonical = %(entity)s::bigint) AS n
ORDER BY n.node_id

-- name: select_entity_of_node(node_id) -> EntityRow
-- The dataset or the job that a node is.
SELECT n.of_job, coalesce(j.id, c.id) AS id, coalesce(j.namespace, c.namespace) AS namespace,
       coalesce(j.name, c.name) AS name
FROM lineage.node n
LEFT JOIN lineage.job j ON n.of_job AND j.id = n.entity
LEFT JOIN lineage.dataset d ON NOT n.of_job AND d.id = n.entity
LEFT JOIN lineage.dataset c ON c.id = d.canonical
WHERE n.node_id = %(node_id)s
