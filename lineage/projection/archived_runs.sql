-- name: select_archived(run_ids) -> ArchivedRow
-- Those of some runs that are archived.
SELECT a.run_id, a.in_graph
FROM unnest(%(run_ids)s::text[]) AS input (run_id)
CROSS JOIN LATERAL (
    SELECT a.run_id, a.in_graph FROM lineage.archived_run a WHERE a.run_id = input.run_id OFFSET 0) AS a

-- name: add_late(run_ids, events, last) -> None
-- Count later events of archived runs.
INSERT INTO lineage.late_run AS l (run_id, events, last_event)
SELECT * FROM unnest(%(run_ids)s::text[], %(events)s::bigint[], %(last)s::timestamptz[])
ON CONFLICT (run_id) DO UPDATE SET
    events = l.events + excluded.events, last_event = greatest(l.last_event, excluded.last_event)

-- name: close_runs(before, previous) -> None
-- Mark the ended runs from before a time as archived. Those that answers need remain in the graph.
INSERT INTO lineage.archived_run AS a (run_id, in_graph)
SELECT r.run_id, n.id IS NOT NULL
FROM lineage.run r
LEFT JOIN lineage.runs_needed_after(%(before)s::timestamptz, %(previous)s) AS n (id) ON n.id = r.id
WHERE r.ended_at IS NOT NULL AND r.last_seen < %(before)s::timestamptz
ON CONFLICT (run_id) DO UPDATE SET in_graph = excluded.in_graph

-- name: reopen_needed(before, previous) -> None
-- Keep runs in the graph that were moved, but that answers need since their late events, or that have late events.
UPDATE lineage.archived_run a SET in_graph = true
FROM lineage.run r
WHERE r.run_id = a.run_id AND NOT a.in_graph
  AND (EXISTS (SELECT FROM lineage.late_run l WHERE l.run_id = a.run_id)
       OR r.id IN (SELECT lineage.runs_needed_after(%(before)s::timestamptz, %(previous)s)))

-- name: delete_late() -> None
-- Forget the late events, which a rebuild has projected.
DELETE FROM lineage.late_run

-- name: select_closed(limit) -> int
-- Runs that were moved before a rebuild and are in the graph again, by job, so that equal runs are moved together.
SELECT r.id
FROM lineage.archived_run a
JOIN lineage.run r ON r.run_id = a.run_id AND r.last_seen IS NOT NULL
LEFT JOIN lineage.execution e ON e.run = r.id
WHERE NOT a.in_graph
GROUP BY r.id ORDER BY min(e.job), r.id LIMIT %(limit)s

-- name: add_feeds(runs) -> None
-- Add what runs contribute to FEEDS: a row for each job and content. One run stands for all with the same content.
INSERT INTO lineage.archived_feeds (job, sources, targets, runs, first_seen, last_seen)
SELECT g.job, p.sources, p.targets, g.runs, g.first_seen, g.last_seen
FROM (SELECT x.job, x.accesses, min(x.run) AS example, count(*) AS runs,
             min(x.first_seen) AS first_seen, max(x.last_seen) AS last_seen
      FROM (SELECT e.run, e.job, e.first_seen, e.last_seen,
                   ARRAY(SELECT concat_ws(' ', a.dataset, a.output, lineage.reported_inputs(a.facets))
                         FROM lineage.access a WHERE a.run = e.run AND a.job = e.job ORDER BY 1) AS accesses
            FROM lineage.run r JOIN lineage.execution e ON e.run = r.id
            WHERE r.id = ANY (%(runs)s::bigint[]) AND r.contributing AND e.first_seen IS NOT NULL) AS x
      GROUP BY x.job, x.accesses) AS g
CROSS JOIN LATERAL (
    SELECT array_agg(p.source ORDER BY p.source, p.target) AS sources,
           array_agg(p.target ORDER BY p.source, p.target) AS targets
    FROM lineage.reported_feeds(g.example, g.job) AS p) AS p
WHERE p.sources IS NOT NULL

-- name: add_derives(runs) -> None
-- Add what runs contribute to DERIVES: a row for each job and set of column mappings.
INSERT INTO lineage.archived_derives (job, mappings, runs, first_seen, last_seen)
SELECT x.job, x.mappings, count(*), min(e.first_seen), max(e.last_seen)
FROM (SELECT m.run, m.job, array_agg(m.mapping ORDER BY m.mapping) AS mappings
      FROM lineage.run r JOIN lineage.run_column_mapping m ON m.run = r.id
      WHERE r.id = ANY (%(runs)s::bigint[]) AND r.contributing
      GROUP BY m.run, m.job) AS x
JOIN lineage.execution e ON e.run = x.run AND e.job = x.job AND e.first_seen IS NOT NULL
GROUP BY x.job, x.mappings

-- name: merge_feeds() -> None
-- Combine equal groups of archived runs.
WITH old AS (DELETE FROM lineage.archived_feeds RETURNING *)
INSERT INTO lineage.archived_feeds (job, sources, targets, runs, first_seen, last_seen)
SELECT o.job, o.sources, o.targets, sum(o.runs), min(o.first_seen), max(o.last_seen)
FROM old o GROUP BY o.job, o.sources, o.targets

-- name: merge_derives() -> None
-- Combine equal groups of archived runs.
WITH old AS (DELETE FROM lineage.archived_derives RETURNING *)
INSERT INTO lineage.archived_derives (job, mappings, runs, first_seen, last_seen)
SELECT o.job, o.mappings, sum(o.runs), min(o.first_seen), max(o.last_seen)
FROM old o GROUP BY o.job, o.mappings

-- name: select_unreported_parents(runs) -> int
-- Parents of runs of which there is no event and that no other run names.
SELECT DISTINCT p.id
FROM provenance."PARENT" e
JOIN lineage.run p ON lineage.to_graphid(p.id) = e.end_id
WHERE e.start_id = ANY (%(runs)s::bigint[]::text[]::ag_catalog.graphid[]) AND p.last_seen IS NULL
  AND NOT EXISTS (SELECT FROM provenance."PARENT" o
                  WHERE o.end_id = e.end_id
                    AND o.start_id <> ALL (%(runs)s::bigint[]::text[]::ag_catalog.graphid[]))

-- name: mark_moved(runs) -> None
-- Store that runs are no longer in the graph, and which job was their first.
UPDATE lineage.archived_run a SET in_graph = false, job = (
    SELECT x.job FROM lineage.execution x JOIN lineage.job j ON j.id = x.job
    WHERE x.run = r.id AND x.first_seen IS NOT NULL
    ORDER BY x.first_seen, j.namespace, j.name LIMIT 1)
FROM lineage.run r WHERE r.id = ANY (%(runs)s::bigint[]) AND a.run_id = r.run_id

-- name: delete_edges(runs) -> None
-- Delete runs from the graph, with their edges.
WITH run AS MATERIALIZED (
    SELECT lineage.to_graphid(id) AS id FROM unnest(%(runs)s::bigint[]) AS input (id)
), inputs AS (
    DELETE FROM provenance."INPUT_TO" e USING run WHERE e.end_id = run.id
), outputs AS (
    DELETE FROM provenance."OUTPUTS" e USING run WHERE e.start_id = run.id
), executes AS (
    DELETE FROM provenance."EXECUTES" e USING run WHERE e.end_id = run.id
), parents AS (
    DELETE FROM provenance."PARENT" e USING run WHERE e.start_id = run.id OR e.end_id = run.id
)
DELETE FROM provenance."Run" v USING run WHERE v.id = run.id

-- name: delete_facts(runs) -> None
-- Delete the facts of runs.
WITH accesses AS (
    DELETE FROM lineage.access WHERE run = ANY (%(runs)s::bigint[])
), executions AS (
    DELETE FROM lineage.execution WHERE run = ANY (%(runs)s::bigint[])
), mappings AS (
    DELETE FROM lineage.run_column_mapping WHERE run = ANY (%(runs)s::bigint[])
), sources AS (
    DELETE FROM lineage.explicit_source WHERE run = ANY (%(runs)s::bigint[])
)
DELETE FROM lineage.run WHERE id = ANY (%(runs)s::bigint[])
