-- name: select_input_manifests(dataset) -> InputManifestRow
-- The inputs of the runs that completed writing a dataset from others, each run's rows together.
SELECT m.run, lineage.iso8601(m.ended_at) AS ended_at, m.overwrites_partitions, m.is_complete,
       m.namespace, m.name, m.type, m.version, m.manifest
FROM lineage.input_manifests(%(dataset)s) AS m
