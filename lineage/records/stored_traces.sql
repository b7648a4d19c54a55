-- name: select_traces(dataset, trace, limit) -> SavedTraceRow
-- A trace, or those of a dataset under any of its names, newest first.
SELECT t.id::text AS trace_id, t.dataset, t.run, t.columns, t.condition, t.way, t.fidelity, t.reasons, t.rows, t.counts,
       t.reproduced, t.row_values, lineage.iso8601(t.saved_at) AS saved_at, count(*) OVER () AS total
FROM lineage.record_trace t
WHERE t.id IN (SELECT %(trace)s::uuid
               UNION ALL
               SELECT s.id FROM lineage.dataset d
               JOIN lineage.record_trace s ON s.dataset = lineage.full_name(d.namespace, d.name)
               WHERE d.canonical = %(dataset)s)
ORDER BY t.saved_at DESC, t.id
LIMIT %(limit)s

-- name: select_witnesses(trace, limit) -> WitnessRow
-- The saved rows of a trace, the first ones of each source of a target.
SELECT w.hop, w.target, w.source, w.file, w.row_index, encode(w.key, 'hex') AS key, w.row_values
FROM (SELECT r.*, row_number() OVER (PARTITION BY r.hop, r.target, r.source ORDER BY r.ordinal) AS position
      FROM lineage.record_witness r WHERE r.trace = %(trace)s::uuid) AS w
WHERE %(limit)s::int IS NULL OR w.position <= %(limit)s::int
ORDER BY w.ordinal
