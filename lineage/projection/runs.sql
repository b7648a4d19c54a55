-- name: select_runs(run_ids) -> RunIdRow
-- Ids of existing runs.
SELECT r.run_id, r.id
FROM unnest(%(run_ids)s::text[]) AS input (run_id)
CROSS JOIN LATERAL (
    SELECT r.run_id, r.id FROM lineage.run r WHERE r.run_id = input.run_id OFFSET 0) AS r

-- name: add_runs(run_ids, states, first, last, started, ended, streamed, facets) -> RunRow
-- Insert new runs, with their vertices. Twin: merge_runs.
WITH merged AS (
    INSERT INTO lineage.run AS r
        (id, run_id, state, first_seen, last_seen, started_at, ended_at, contributing, streamed, facets)
    SELECT lineage.next_id('Run'), run_id, state, first_seen, last_seen, started_at, ended_at,
           lineage.is_contributing(state, facets::jsonb, streamed::smallint), streamed, facets::jsonb
    FROM unnest(%(run_ids)s::text[], %(states)s::text[], %(first)s::timestamptz[],
                %(last)s::timestamptz[], %(started)s::timestamptz[], %(ended)s::timestamptz[],
                %(streamed)s::bigint[], %(facets)s::text[])
         AS input (run_id, state, first_seen, last_seen, started_at, ended_at, streamed, facets)
    ON CONFLICT (run_id) DO NOTHING
    RETURNING r AS fact
), in_graph AS (
    INSERT INTO provenance."Run" AS v (id, properties)
    SELECT lineage.to_graphid((fact).id), lineage.run_properties(fact) FROM merged
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE v.properties IS DISTINCT FROM excluded.properties
)
SELECT (fact).run_id, (fact).id, (fact).contributing AS contributed,
       lineage.is_contributing((fact).state, (fact).facets, (fact).streamed) AS contributing
FROM merged

-- name: merge_runs(ids, run_ids, states, first, last, started, ended, streamed, facets) -> RunRow
-- Merge existing runs, with their vertices. ``contributed``: the summaries count the run before the batch.
-- ``contributing``: they count it after the batch. Twin: add_runs.
WITH merged AS (
    INSERT INTO lineage.run AS r
        (id, run_id, state, first_seen, last_seen, started_at, ended_at, contributing, streamed, facets)
    SELECT id, run_id, state, first_seen, last_seen, started_at, ended_at, false, streamed,
           facets::jsonb
    FROM unnest(%(ids)s::bigint[], %(run_ids)s::text[], %(states)s::text[],
                %(first)s::timestamptz[], %(last)s::timestamptz[],
                %(started)s::timestamptz[], %(ended)s::timestamptz[],
                %(streamed)s::bigint[], %(facets)s::text[])
         AS input (id, run_id, state, first_seen, last_seen, started_at, ended_at, streamed,
                    facets)
    ON CONFLICT (run_id) DO UPDATE SET
        state = lineage.latest_state(r.state, r.ended_at, excluded.state, excluded.ended_at),
        first_seen = least(r.first_seen, excluded.first_seen),
        last_seen = greatest(r.last_seen, excluded.last_seen),
        started_at = least(r.started_at, excluded.started_at),
        ended_at = greatest(r.ended_at, excluded.ended_at),
        streamed = r.streamed | excluded.streamed,
        facets = lineage.merge_facets(r.facets, excluded.facets)
    RETURNING r AS fact
), in_graph AS (
    INSERT INTO provenance."Run" AS v (id, properties)
    SELECT lineage.to_graphid((fact).id), lineage.run_properties(fact) FROM merged
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE v.properties IS DISTINCT FROM excluded.properties
)
SELECT (fact).run_id, (fact).id, (fact).contributing AS contributed,
       lineage.is_contributing((fact).state, (fact).facets, (fact).streamed) AS contributing
FROM merged
