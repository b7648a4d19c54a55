-- name: select_newest_schemas(ids) -> SchemaRow
-- The newest schema facet of each of these datasets, and all names of it.
SELECT n.canonical AS dataset, lineage.merged_facets(n.facets) #>> '{schema,0}' AS stamp,
       lineage.merged_facets(n.facets) #> '{schema,1}' AS body,
       jsonb_agg(jsonb_build_array(n.namespace, n.name)) AS names
FROM lineage.dataset n WHERE n.canonical = ANY (%(ids)s::bigint[]) GROUP BY n.canonical

-- name: select_kept_from() -> KeptFromRow
-- Since when the log is kept; null where all of it is.
SELECT lineage.iso(max(kept_from)) AS kept_from FROM lineage.retention

-- name: select_events_about(ids, at, runs, events) -> EventRow
-- Events that may state the schemas of datasets at a time; there may be others before the floor.
SELECT wanted.id AS dataset, e.sha256, e.body, lineage.iso(e.floor) AS floor
FROM unnest(%(ids)s::bigint[]) AS wanted (id)
CROSS JOIN LATERAL lineage.events_about(
    wanted.id, %(at)s::timestamptz, %(runs)s, %(events)s) AS e

-- name: select_events_of_runs(run_ids) -> RunEventRow
-- The events of these runs that count.
SELECT e.run_id, e.sha256, e.body FROM lineage.event e
WHERE e.run_id = ANY (%(run_ids)s::text[])
  AND NOT EXISTS (SELECT FROM lineage.refused x WHERE x.event = e.id)
  AND NOT EXISTS (SELECT FROM lineage.replaced x WHERE x.event = e.id)
