-- name: merge_nodes(node_ids, entities, of_job, revisions, first, last, texts, attributes, tags) -> None
-- Merge nodes of graph models.
INSERT INTO lineage.node AS n (node_id, vertex, entity, of_job, revision, first_seen, last_seen, texts, attributes, tags, is_edge)
SELECT input.*, lineage.next_id('IS')
FROM (SELECT node_id, lineage.next_id('Asset') AS vertex, entity, of_job, revision, first_seen, last_seen,
             texts::jsonb, attributes::jsonb, tags::jsonb
      FROM unnest(%(node_ids)s::text[], %(entities)s::bigint[], %(of_job)s::boolean[], %(revisions)s::text[],
                  %(first)s::timestamptz[], %(last)s::timestamptz[], %(texts)s::text[], %(attributes)s::text[],
                  %(tags)s::text[])
          AS input (node_id, entity, of_job, revision, first_seen, last_seen, texts, attributes, tags)) AS input
ON CONFLICT (node_id) DO UPDATE SET
    entity = CASE WHEN n.revision < excluded.revision COLLATE "C" THEN excluded.entity ELSE n.entity END,
    of_job = CASE WHEN n.revision < excluded.revision COLLATE "C" THEN excluded.of_job ELSE n.of_job END,
    revision = greatest(n.revision, excluded.revision COLLATE "C"),
    first_seen = least(n.first_seen, excluded.first_seen),
    last_seen = greatest(n.last_seen, excluded.last_seen),
    texts = lineage.merge_facets(n.texts, excluded.texts),
    attributes = lineage.merge_facets(n.attributes, excluded.attributes),
    tags = lineage.merge_facets(n.tags, excluded.tags)

-- name: merge_links(sources, targets, types, revisions, first, last, confidences, attributes) -> None
-- Merge edges of graph models.
INSERT INTO lineage.link AS l (source, target, type, revision, first_seen, last_seen, confidence, attributes, edge)
SELECT input.*, lineage.next_id(lineage.link_label(input.type))
FROM unnest(%(sources)s::text[], %(targets)s::text[], %(types)s::text[], %(revisions)s::text[],
            %(first)s::timestamptz[], %(last)s::timestamptz[], %(confidences)s::text[], %(attributes)s::text[])
    AS input (source, target, type, revision, first_seen, last_seen, confidence, attributes)
ON CONFLICT (source, target, type) DO UPDATE SET
    confidence = CASE WHEN l.revision < excluded.revision COLLATE "C" THEN excluded.confidence ELSE l.confidence END,
    attributes = CASE WHEN l.revision < excluded.revision COLLATE "C" THEN excluded.attributes ELSE l.attributes END,
    revision = greatest(l.revision, excluded.revision COLLATE "C"),
    first_seen = least(l.first_seen, excluded.first_seen),
    last_seen = greatest(l.last_seen, excluded.last_seen)

-- name: write_assets(node_ids) -> None
-- Write the vertices of nodes, and the texts by which search finds them.
WITH written AS MATERIALIZED (
    SELECT n FROM lineage.node n WHERE n.node_id = ANY (%(node_ids)s::text[])
), searchable AS (
    INSERT INTO lineage.search_text AS s (kind, field, id, text)
    SELECT CASE WHEN (n).of_job THEN 'job' ELSE 'dataset' END, 'name', (n).vertex, coalesce(t.text, '')
    FROM written CROSS JOIN LATERAL lineage.node_search_text(n) AS t (text)
    WHERE t.text IS NOT NULL OR EXISTS (SELECT FROM lineage.search_text s WHERE s.id = (n).vertex)
    ON CONFLICT (id, field) DO UPDATE SET kind = excluded.kind, text = excluded.text
    WHERE (s.kind, s.text) IS DISTINCT FROM (excluded.kind, excluded.text)
)
INSERT INTO provenance."Asset" AS v (id, properties)
SELECT lineage.to_graphid((n).vertex), lineage.asset_text(n)::ag_catalog.agtype FROM written
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE v.properties IS DISTINCT FROM excluded.properties

-- name: write_identities(node_ids, names) -> None
-- Write the edges IS of nodes, and of those that are reassigned names of datasets.
INSERT INTO provenance."IS" AS e (id, start_id, end_id, properties)
SELECT lineage.to_graphid(n.is_edge), lineage.to_graphid(n.vertex),
       lineage.to_graphid(coalesce(d.canonical, n.entity)), ag_catalog.agtype_build_map()
FROM lineage.node n
LEFT JOIN lineage.dataset d ON d.id = n.entity
WHERE n.node_id = ANY (%(node_ids)s::text[]) OR n.entity = ANY (%(names)s::bigint[])
ON CONFLICT (id) DO UPDATE SET end_id = excluded.end_id WHERE e.end_id <> excluded.end_id

-- name: write_links(node_ids) -> str
-- Write the edges at nodes.
SELECT lineage.write_links(%(node_ids)s::text[])
