-- name: add_mappings(digests, targets, unread) -> MappingIdRow
-- Mappings that are new, with their ids.
INSERT INTO lineage.mapping (digest, target, unread)
SELECT digest, target, unread::jsonb
FROM unnest(%(digests)b::bytea[], %(targets)s::bigint[], %(unread)b::text[]) AS stated (digest, target, unread)
ON CONFLICT (digest) DO NOTHING
RETURNING digest, id

-- name: add_entries(mappings, sources, source_fields, target_fields, types, subtypes, masking) -> None
-- The entries of new mappings.
INSERT INTO lineage.derivation
    (mapping, source, source_field, target_field, type, subtype, masking)
SELECT * FROM unnest(%(mappings)s::bigint[], %(sources)s::bigint[], %(source_fields)b::text[], %(target_fields)b::text[], %(types)b::text[], %(subtypes)b::text[],
                     %(masking)s::boolean[])

-- name: set_run_mappings(runs, jobs, datasets, stamps, mappings) -> None
-- The mapping that a run reports of an output; the greater stamp wins.
INSERT INTO lineage.run_mapping AS m (run, job, dataset, stamp, mapping)
SELECT * FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[], %(datasets)s::bigint[], %(stamps)s::text[], %(mappings)s::bigint[])
ON CONFLICT (run, job, dataset) DO UPDATE SET stamp = excluded.stamp, mapping = excluded.mapping
WHERE m.stamp < excluded.stamp

-- name: select_run_mappings(runs) -> ExistingMappingRow
-- What runs have reported.
SELECT r.run, r.job, r.dataset, r.stamp, m.digest, r.mapping
FROM lineage.run_mapping r
CROSS JOIN LATERAL (
    SELECT m.digest FROM lineage.mapping m WHERE m.id = r.mapping OFFSET 0) AS m
WHERE r.run = ANY (%(runs)s::bigint[])

-- name: select_columns_of_names(names) -> ColumnRow
-- Columns in mappings under these names of datasets, as reported.
SELECT source AS dataset, source_field AS name FROM lineage.derivation WHERE source = ANY (%(names)s::bigint[])
UNION
SELECT m.target, d.target_field FROM lineage.mapping m
CROSS JOIN LATERAL (
    SELECT d.target_field FROM lineage.derivation d
    WHERE d.mapping = m.id AND d.target_field <> '' OFFSET 0) AS d
WHERE m.target = ANY (%(names)s::bigint[])
