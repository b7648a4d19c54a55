-- name: select_input_manifests(datasets) -> InputManifestRow
-- The inputs of the runs that completed writing each dataset from others, each run's rows together.
SELECT d.target, m.run, lineage.iso8601(m.ended_at) AS ended_at, m.overwrites_partitions, m.is_complete,
       m.namespace, m.name, m.type, m.version, m.manifest
FROM unnest(%(datasets)s::text[]) WITH ORDINALITY AS d (target, place)
CROSS JOIN LATERAL lineage.input_manifests(d.target) WITH ORDINALITY AS m
ORDER BY d.place, m.ordinality
