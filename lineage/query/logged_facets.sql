-- name: select_newest_schemas(ids, since) -> SchemaRow
-- The latest schema facet of each dataset that has reported one after a time, and all its names.
SELECT n.canonical AS dataset, lineage.merged_facets(n.facets) #>> '{schema,0}' AS revision,
       lineage.merged_facets(n.facets) #> '{schema,1}' AS body,
       jsonb_agg(jsonb_build_array(n.namespace, n.name)) AS names
FROM lineage.dataset n WHERE n.canonical = ANY (%(ids)s::bigint[]) GROUP BY n.canonical
HAVING left(lineage.merged_facets(n.facets) #>> '{schema,0}', length(%(since)s)) COLLATE "C" > %(since)s

-- name: select_retained_from() -> RetainedFromRow
-- The time from which the log is retained; null if nothing was deleted.
SELECT lineage.iso8601(max(retained_from)) AS retained_from FROM lineage.retention

-- name: select_events_about(ids, at, runs, events) -> EventRow
-- Events that may report the schemas of datasets at a time. Events of the floor or before may be missing.
SELECT requested.id AS dataset, e.sha256, e.body, lineage.iso8601(e.floor) AS floor
FROM unnest(%(ids)s::bigint[]) AS requested (id)
CROSS JOIN LATERAL lineage.events_mentioning(
    requested.id, %(at)s::timestamptz, %(runs)s, %(events)s) AS e

-- name: select_events_of_runs(run_ids) -> RunEventRow
-- The events of these runs, except rejected and superseded ones.
SELECT e.run_id, e.sha256, e.body FROM lineage.event e
WHERE e.run_id = ANY (%(run_ids)s::text[])
  AND NOT EXISTS (SELECT FROM lineage.rejected_event x WHERE x.event = e.id)
  AND NOT EXISTS (SELECT FROM lineage.superseded_event x WHERE x.event = e.id)
