-- The entries of a node, {"key": [revision, agtype text]}, as the members of an agtype map: "key": value, …
CREATE OR REPLACE FUNCTION lineage.agtype_members(entries jsonb) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(to_json(key) || ': ' || (entry ->> 1), ', ' ORDER BY key COLLATE "C")
        FROM jsonb_each(entries) AS e (key, entry));

-- The tags of a node as a JSON list, in the order of their revisions.
CREATE OR REPLACE FUNCTION lineage.node_tags(tags jsonb) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT '[' || coalesce(string_agg(to_json(tag)::text, ', ' ORDER BY (entry ->> 0) COLLATE "C"), '') || ']'
        FROM jsonb_each(tags) AS t (tag, entry));

-- The properties of a vertex Asset, as agtype text: all values of the node, absent texts as null.
CREATE OR REPLACE FUNCTION lineage.asset_text(n lineage.node) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN '{"node_id": ' || to_json(n.node_id) || ', '
    || lineage.agtype_members(
        '{"environment_id": ["", "null"], "environment_name": ["", "null"], "cluster_id": ["", "null"],
          "cluster_name": ["", "null"], "catalog_type": ["", "null"], "url": ["", "null"]}'::jsonb || n.texts)
    || ', "attributes": {' || coalesce(lineage.agtype_members(n.attributes), '') || '}, "tags": '
    || lineage.node_tags(n.tags)
    || ', "first_seen": "' || lineage.iso8601(n.first_seen) || '", "last_seen": "' || lineage.iso8601(n.last_seen)
    || '"}';

-- The properties of an edge between two vertices Asset, as agtype text.
CREATE OR REPLACE FUNCTION lineage.link_text(l lineage.link) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN '{"confidence": ' || l.confidence || ', "attributes": ' || l.attributes
    || ', "first_seen": "' || lineage.iso8601(l.first_seen) || '", "last_seen": "' || lineage.iso8601(l.last_seen)
    || '"}';

-- The label of an edge type of the model.
CREATE OR REPLACE FUNCTION lineage.link_label(type text) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN upper(type)::name;

-- Write the edges at these nodes whose other end is known too.
CREATE OR REPLACE FUNCTION lineage.write_links(node_ids text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, ag_catalog, pg_temp AS $$
DECLARE
    links lineage.link[] := ARRAY(SELECT l FROM lineage.link l
                                  WHERE l.source = ANY (node_ids) OR l.target = ANY (node_ids));
    kind  text;
BEGIN
    FOR kind IN SELECT DISTINCT l.type FROM unnest(links) AS l LOOP
        EXECUTE format($write$
            INSERT INTO provenance.%1$I AS e (id, start_id, end_id, properties)
            SELECT lineage.to_graphid(l.edge), lineage.to_graphid(s.vertex), lineage.to_graphid(t.vertex),
                   lineage.link_text(l)::agtype
            FROM unnest($1) AS l
            JOIN lineage.node s ON s.node_id = l.source
            JOIN lineage.node t ON t.node_id = l.target
            WHERE l.type = $2
            ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
            WHERE e.properties IS DISTINCT FROM excluded.properties$write$, lineage.link_label(kind))
        USING links, kind;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.write_links IS 'Write the edges of graph models at these nodes';

-- The display name of a node, for search; null if the names of its dataset or job, which contain its id, contain it too.
CREATE OR REPLACE FUNCTION lineage.node_search_text(n lineage.node) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN strpos(n.node_id, display.name) = 0 THEN display.name END
        FROM (SELECT (n.texts #>> '{display_name,1}')::json #>> '{}' AS name) AS display);

-- The dataset or the job that a node is, by the id of its vertex.
CREATE OR REPLACE FUNCTION lineage.entity_of_asset(vertex bigint) RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT coalesce(d.canonical, n.entity)
        FROM lineage.node n LEFT JOIN lineage.dataset d ON d.id = n.entity AND NOT n.of_job
        WHERE n.vertex = entity_of_asset.vertex);

-- The types of the nodes that datasets or jobs are.
CREATE OR REPLACE FUNCTION lineage.node_types(entities bigint[]) RETURNS TABLE (entity bigint, node_type text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT DISTINCT each.entity, (n.texts #>> '{node_type,1}')::json #>> '{}'
    FROM (SELECT e.id AS entity, e.id AS name FROM unnest(entities) AS e (id)
          UNION
          SELECT d.canonical, d.id FROM lineage.dataset d WHERE d.canonical = ANY (entities)) AS each
    JOIN lineage.node n ON n.entity = each.name
$$;
COMMENT ON FUNCTION lineage.node_types IS 'The types of the nodes that datasets or jobs are in graph models';
