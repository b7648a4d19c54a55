-- name: add_mappings(digests, targets, unreadable) -> MappingIdRow
-- Insert new mappings; return their ids.
INSERT INTO lineage.column_mapping (digest, target, unreadable)
SELECT digest, target, unreadable::jsonb
FROM unnest(%(digests)b::bytea[], %(targets)s::bigint[], %(unreadable)b::text[]) AS input (digest, target, unreadable)
ON CONFLICT (digest) DO NOTHING
RETURNING digest, id

-- name: add_entries(mappings, sources, source_fields, target_fields, types, subtypes, masking) -> None
-- Insert the entries of new mappings.
INSERT INTO lineage.column_mapping_entry
    (mapping, source, source_field, target_field, type, subtype, masking)
SELECT * FROM unnest(%(mappings)s::bigint[], %(sources)s::bigint[], %(source_fields)b::text[],
    %(target_fields)b::text[], %(types)b::text[], %(subtypes)b::text[],
                     %(masking)s::boolean[])

-- name: set_run_mappings(runs, jobs, datasets, revisions, mappings) -> None
-- Set the mapping that a run reports for an output; the greater revision wins.
INSERT INTO lineage.run_column_mapping AS m (run, job, dataset, revision, mapping)
SELECT * FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[], %(datasets)s::bigint[], %(revisions)s::text[],
    %(mappings)s::bigint[])
ON CONFLICT (run, job, dataset) DO UPDATE SET revision = excluded.revision, mapping = excluded.mapping
WHERE m.revision < excluded.revision

-- name: select_run_mappings(runs) -> ExistingMappingRow
-- The mappings that runs have reported.
SELECT r.run, r.job, r.dataset, r.revision, m.digest, r.mapping
FROM lineage.run_column_mapping r
CROSS JOIN LATERAL (
    SELECT m.digest FROM lineage.column_mapping m WHERE m.id = r.mapping OFFSET 0) AS m
WHERE r.run = ANY (%(runs)s::bigint[])

-- name: select_columns_of_names(names) -> ColumnRow
-- Columns in mappings that use these names of datasets, as reported.
SELECT source AS dataset, source_field AS name FROM lineage.column_mapping_entry
    WHERE source = ANY (%(names)s::bigint[])
UNION
SELECT m.target, d.target_field FROM lineage.column_mapping m
CROSS JOIN LATERAL (
    SELECT d.target_field FROM lineage.column_mapping_entry d
    WHERE d.mapping = m.id AND d.target_field <> '' OFFSET 0) AS d
WHERE m.target = ANY (%(names)s::bigint[])
