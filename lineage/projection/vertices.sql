-- name: write_dataset_vertices(datasets) -> SchemaRow
-- Write Dataset vertices from the facts. Return the datasets whose schema differs from their columns in the
-- graph, with the digest of the schema.
WITH vertex AS MATERIALIZED (
    SELECT c.id, c.namespace, c.name, c.schema, n.*,
           jsonb_hash_extended(n.facets #> '{schema,1,fields}', 0) AS digest
    FROM unnest(%(datasets)s::bigint[]) AS requested (id)
    CROSS JOIN LATERAL (
        SELECT c.id, c.namespace, c.name, c.schema FROM lineage.dataset c
        WHERE c.id = requested.id AND c.canonical = c.id OFFSET 0) AS c
    CROSS JOIN LATERAL (
        SELECT min(n.first_seen) AS first_seen, max(n.last_seen) AS last_seen,
               lineage.merged_facets(n.facets) AS facets,
               jsonb_agg(lineage.full_name(n.namespace, n.name) ORDER BY n.namespace, n.name)
                   FILTER (WHERE n.id <> c.id) AS aliases
        FROM lineage.dataset n WHERE n.canonical = c.id) AS n
), in_graph AS (
    INSERT INTO provenance."Dataset" AS v (id, properties)
    SELECT lineage.to_graphid(id), lineage.property_map(jsonb_build_object(
        'namespace', namespace, 'name', name,
        'first_seen', lineage.iso8601(first_seen), 'last_seen', lineage.iso8601(last_seen),
        'tags', lineage.facet_tags_json(facets),
        'attributes', CASE WHEN facets ?| '{datasetType,storage,documentation,ownership}'
                      THEN lineage.facet_attributes(facets) END,
        'aliases', aliases))
    FROM vertex
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE v.properties IS DISTINCT FROM excluded.properties
), described AS (
    INSERT INTO lineage.search_text AS s (kind, field, id, text)
    SELECT 'dataset', t.field, vertex.id, t.text
    FROM vertex CROSS JOIN LATERAL lineage.entity_texts(vertex.id, vertex.facets) AS t
    ON CONFLICT (id, field) DO UPDATE SET text = excluded.text WHERE s.text <> excluded.text
)
SELECT id, digest FROM vertex WHERE schema IS DISTINCT FROM digest
