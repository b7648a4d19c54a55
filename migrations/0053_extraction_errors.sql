-- What a producer could not extract is unresolved, too.

-- What a run may have read or written and could not name: as its lineage_unresolved facet says, each as "operator:
-- reason: detail", and as its extractionError facet does, "task: message", each line its first; the first fifty.
CREATE OR REPLACE FUNCTION lineage.unresolved_of(facets jsonb) RETURNS ag_catalog.agtype
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT jsonb_agg(i.said)::text::ag_catalog.agtype
        FROM (SELECT left(concat_ws(': ', item ->> 'operator', item ->> 'reason', item ->> 'detail'), 500) AS said
              FROM jsonb_path_query(
                  facets, 'lax $.lineage_unresolved[1].items[*] ? (@.type() == "object")') AS item
              UNION ALL
              SELECT left(concat_ws(': ', nullif(split_part(item ->> 'task', E'\n', 1), ''),
                                    split_part(item ->> 'errorMessage', E'\n', 1)), 500)
              FROM jsonb_path_query(
                  facets, 'lax $.extractionError[1].errors[*] ? (@.type() == "object")') AS item
              LIMIT 50) AS i);

CREATE OR REPLACE FUNCTION lineage.run_properties(r lineage.run) RETURNS ag_catalog.agtype
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ag_catalog.agtype_build_map_nonull(
    'run_id', r.run_id, 'state', r.state, 'event_time', lineage.iso(r.last_seen),
    'started_at', lineage.iso(r.started_at), 'ended_at', lineage.iso(r.ended_at),
    'error', r.facets #>> '{errorMessage,1,message}',
    'unresolved', CASE WHEN r.facets ?| '{lineage_unresolved,extractionError}'
                       THEN lineage.unresolved_of(r.facets) END);

UPDATE provenance."Run" v SET properties = lineage.run_properties(r)
FROM lineage.run r
WHERE r.facets ? 'extractionError' AND v.id OPERATOR(ag_catalog.=) lineage.graphid(r.id);
