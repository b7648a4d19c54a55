-- name: select_newest_schemas(ids, since) -> SchemaRow
-- The latest schema facet of each dataset that has reported one after a time, and all its names.
SELECT n.canonical AS dataset, lineage.merged_facets(n.facets) #>> '{schema,0}' AS revision,
       lineage.merged_facets(n.facets) #> '{schema,1}' AS body,
       jsonb_agg(jsonb_build_array(n.namespace, n.name)) AS names
FROM lineage.dataset n WHERE n.canonical = ANY (%(ids)s::bigint[]) GROUP BY n.canonical
HAVING left(lineage.merged_facets(n.facets) #>> '{schema,0}', length(%(since)s)) COLLATE "C" > %(since)s

-- name: select_complete_from() -> str
-- The time from which the log has all events; null if it has all.
SELECT lineage.iso8601(complete_from) FROM lineage.log_complete_from() AS complete_from

-- name: select_events_about(ids, at, runs, events) -> EventRow
-- Events that may report the schemas of datasets at a time. Events of the floor or before may be missing.
SELECT requested.id AS dataset, e.sha256, e.body, lineage.iso8601(e.floor) AS floor
FROM unnest(%(ids)s::bigint[]) AS requested (id)
CROSS JOIN LATERAL lineage.events_mentioning(
    requested.id, %(at)s::timestamptz, %(runs)s, %(events)s) AS e

-- name: select_unlogged(ids, since, at) -> int
-- The datasets that events which are not in the log mentioned after a time and up to ``at``. The log has all events of
-- an access if it has the first and the last one. If no time is given, no event reported a schema: events without a run
-- count too, of which only the dataset shows that they existed.
SELECT requested.id
FROM unnest(%(ids)s::bigint[], %(since)s::timestamptz[]) AS requested (id, since)
JOIN (SELECT lineage.log_complete_from() AS "from", %(at)s::timestamptz AS at) AS complete
    ON coalesce(requested.since, '-infinity') < complete."from"
WHERE EXISTS (
    SELECT FROM lineage.dataset n
    WHERE n.canonical = requested.id AND requested.since IS NULL
      AND n.first_seen <= complete.at AND n.first_seen < complete."from"
    UNION ALL
    SELECT FROM lineage.dataset n
    JOIN lineage.access a ON a.dataset = n.id
    JOIN lineage.run r ON r.id = a.run
    WHERE n.canonical = requested.id AND a.last_seen > requested.since
      AND a.first_seen <= complete.at AND a.first_seen < complete."from"
      AND (NOT EXISTS (SELECT FROM lineage.event e WHERE e.run_id = r.run_id AND e.event_time = a.first_seen)
           OR a.last_seen <= complete.at
              AND NOT EXISTS (SELECT FROM lineage.event e WHERE e.run_id = r.run_id AND e.event_time = a.last_seen)))

-- name: select_events_of_runs(run_ids) -> RunEventRow
-- The events of these runs, except rejected and superseded ones.
SELECT e.run_id, e.sha256, e.body FROM lineage.event e
WHERE e.run_id = ANY (%(run_ids)s::text[])
  AND NOT EXISTS (SELECT FROM lineage.rejected_event x WHERE x.event = e.id)
  AND NOT EXISTS (SELECT FROM lineage.superseded_event x WHERE x.event = e.id)
