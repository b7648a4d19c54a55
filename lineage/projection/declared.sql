-- name: merge_designs(holders, jobs, revisions) -> None
-- Merge the holders of designs, each with its newest revision.
INSERT INTO lineage.design AS d (holder, job, revision)
SELECT holder, job, revision
FROM unnest(%(holders)s::bigint[], %(jobs)s::bigint[], %(revisions)s::text[]) AS input (holder, job, revision)
ON CONFLICT (holder) DO UPDATE SET revision = greatest(d.revision, excluded.revision COLLATE "C")

-- name: merge_design_sources(holders, sources, targets, first, last, revisions, confidences) -> None
-- Merge the pairs of datasets in designs. Twins: merge_design_accesses, merge_design_mappings.
INSERT INTO lineage.design_source AS d (holder, source, target, first_seen, last_seen, revision, confidence)
SELECT * FROM unnest(%(holders)s::bigint[], %(sources)s::bigint[], %(targets)s::bigint[],
                     %(first)s::timestamptz[], %(last)s::timestamptz[], %(revisions)s::text[],
                     %(confidences)s::double precision[])
ON CONFLICT (holder, source, target) DO UPDATE SET
    confidence = CASE WHEN d.revision < excluded.revision COLLATE "C" THEN excluded.confidence ELSE d.confidence END,
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen),
    revision = greatest(d.revision, excluded.revision COLLATE "C")

-- name: merge_design_accesses(holders, datasets, outputs, first, last, revisions, confidences) -> None
-- Merge the inputs and outputs of designs of jobs. Twin: merge_design_sources.
INSERT INTO lineage.design_access AS d (holder, dataset, output, first_seen, last_seen, revision, confidence)
SELECT * FROM unnest(%(holders)s::bigint[], %(datasets)s::bigint[], %(outputs)s::boolean[],
                     %(first)s::timestamptz[], %(last)s::timestamptz[], %(revisions)s::text[],
                     %(confidences)s::double precision[])
ON CONFLICT (holder, dataset, output) DO UPDATE SET
    confidence = CASE WHEN d.revision < excluded.revision COLLATE "C" THEN excluded.confidence ELSE d.confidence END,
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen),
    revision = greatest(d.revision, excluded.revision COLLATE "C")

-- name: merge_design_mappings(holders, targets, mappings, first, last, revisions) -> None
-- Merge the column mappings in designs. Twin: merge_design_sources.
INSERT INTO lineage.design_mapping AS d (holder, target, mapping, first_seen, last_seen, revision)
SELECT * FROM unnest(%(holders)s::bigint[], %(targets)s::bigint[], %(mappings)s::bigint[],
                     %(first)s::timestamptz[], %(last)s::timestamptz[], %(revisions)s::text[])
ON CONFLICT (holder, target, mapping) DO UPDATE SET
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen),
    revision = greatest(d.revision, excluded.revision COLLATE "C")

-- name: select_holders(names) -> int
-- Holders of designs that name one of these datasets.
SELECT holder FROM lineage.design WHERE holder = ANY (%(names)s::bigint[])
UNION
SELECT holder FROM lineage.design_source WHERE source = ANY (%(names)s::bigint[])
UNION
SELECT holder FROM lineage.design_source WHERE target = ANY (%(names)s::bigint[])
UNION
SELECT m.holder FROM lineage.design_mapping m WHERE m.target = ANY (%(names)s::bigint[])
UNION
SELECT m.holder FROM lineage.column_mapping_entry d JOIN lineage.design_mapping m ON m.mapping = d.mapping
WHERE d.source = ANY (%(names)s::bigint[])

-- name: select_canonical_holders(holders) -> int
-- Canonical holders: a dataset is one holder under all its names.
SELECT DISTINCT coalesce(n.canonical, input.holder)
FROM unnest(%(holders)s::bigint[]) AS input (holder)
LEFT JOIN lineage.dataset n ON n.id = input.holder

-- name: delete_declared(holders) -> EdgePair
-- Delete the pairs that designs declared, with their edges.
SELECT edge, source, target FROM lineage.delete_declared(%(holders)s::bigint[])

-- name: add_declared(holders) -> EdgePair
-- Insert the pairs declared by the current designs of each holder: a job, or a dataset under all its names.
-- Twin: add_declared_columns.
INSERT INTO lineage.declared
    (source, target, holder, job, first_seen, last_seen, observed, confidence, edge)
SELECT source, target, holder, job, first_seen, last_seen,
       lineage.is_observed(source, target, job), confidence, lineage.next_id('DECLARED')
FROM (SELECT s.vertex AS source, t.vertex AS target, requested.holder, d.job,
             min(p.first_seen) AS first_seen, max(p.last_seen) AS last_seen, max(p.confidence) AS confidence
      FROM unnest(%(holders)s::bigint[]) AS requested (holder)
      CROSS JOIN LATERAL lineage.current_designs(requested.holder) AS d
      CROSS JOIN LATERAL (
          SELECT p.* FROM lineage.design_source p
          WHERE p.holder = d.holder AND p.revision = d.revision OFFSET 0) AS p
      CROSS JOIN LATERAL (
          SELECT n.canonical AS vertex FROM lineage.dataset n WHERE n.id = p.source OFFSET 0) AS s
      CROSS JOIN LATERAL (
          SELECT n.canonical AS vertex FROM lineage.dataset n WHERE n.id = p.target OFFSET 0) AS t
      GROUP BY 1, 2, 3, 4) AS pair
RETURNING edge, source, target

-- name: add_declared_columns(holders) -> None
-- Insert the columns declared by the current designs of each holder. Twin: add_declared.
INSERT INTO lineage.declared_column
    (source, target, holder, type, subtype, masking, job, first_seen, last_seen, edge)
SELECT source, target, holder, type, subtype, masking, job, first_seen, last_seen,
       lineage.next_id('DECLARED')
FROM (SELECT s.id AS source, t.id AS target, requested.holder, v.type, v.subtype, v.masking,
             d.job,
             min(p.first_seen) AS first_seen, max(p.last_seen) AS last_seen
      FROM unnest(%(holders)s::bigint[]) AS requested (holder)
      CROSS JOIN LATERAL lineage.current_designs(requested.holder) AS d
      CROSS JOIN LATERAL (
          SELECT p.* FROM lineage.design_mapping p
          WHERE p.holder = d.holder AND p.revision = d.revision OFFSET 0) AS p
      CROSS JOIN LATERAL (
          SELECT v.* FROM lineage.column_mapping_entry v WHERE v.mapping = p.mapping OFFSET 0) AS v
      CROSS JOIN LATERAL (SELECT lineage.field_or_dataset_id(v.source, v.source_field) AS id) AS s
      CROSS JOIN LATERAL (SELECT lineage.field_or_dataset_id(p.target, v.target_field) AS id) AS t
      GROUP BY 1, 2, 3, 4, 5, 6, 7) AS pair

-- name: write_declared_edges(holders) -> None
-- Write DECLARED edges between datasets, for pairs that no run produced.
INSERT INTO provenance."DECLARED" (id, start_id, end_id, properties)
SELECT lineage.to_graphid(d.edge), lineage.to_graphid(d.source), lineage.to_graphid(d.target),
       lineage.declared_properties(d, j.namespace, j.name)
FROM lineage.declared d LEFT JOIN lineage.job j ON j.id = d.job
WHERE d.holder = ANY (%(holders)s::bigint[]) AND NOT d.observed

-- name: write_declared_column_edges(holders) -> None
-- Write DECLARED edges between columns.
INSERT INTO provenance."DECLARED" (id, start_id, end_id, properties)
SELECT lineage.to_graphid(d.edge), lineage.to_graphid(d.source), lineage.to_graphid(d.target),
       lineage.declared_column_properties(d, j.namespace, j.name)
FROM lineage.declared_column d LEFT JOIN lineage.job j ON j.id = d.job
WHERE d.holder = ANY (%(holders)s::bigint[])

-- name: mark_feeds(sources, targets) -> None
-- Update FEEDS edges of pairs that designs declare, or declared before.
WITH marked AS (
    UPDATE lineage.feeds f SET declared = lineage.is_declared(f.source, f.target, f.job)
    FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[]) AS pair (source, target)
    WHERE f.source = pair.source AND f.target = pair.target
      AND f.declared <> lineage.is_declared(f.source, f.target, f.job)
    RETURNING f
)
UPDATE provenance."FEEDS" e SET properties = lineage.feeds_properties(m.f, j.namespace, j.name)
FROM marked m JOIN lineage.job j ON j.id = (m.f).job
WHERE e.id = lineage.to_graphid((m.f).edge)

-- name: lock_declared(sources, targets) -> DeclaredPair
-- Lock the declarations of pairs. A concurrent transaction that produces a pair for the first time has
-- locked it or waits for this lock.
SELECT d.source, d.target, d.holder
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[]) AS pair (source, target)
JOIN lineage.declared d USING (source, target)
ORDER BY d.source, d.target, d.holder FOR UPDATE OF d

-- name: restore_declared(sources, targets, holders) -> None
-- Restore the DECLARED edges of pairs that no run produces any more.
WITH changed AS (
    UPDATE lineage.declared d SET observed = false
    FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(holders)s::bigint[]) AS pair (source, target, holder)
    WHERE d.source = pair.source AND d.target = pair.target AND d.holder = pair.holder
      AND d.observed AND NOT lineage.is_observed(d.source, d.target, d.job)
    RETURNING d
)
INSERT INTO provenance."DECLARED" (id, start_id, end_id, properties)
SELECT lineage.to_graphid((d).edge), lineage.to_graphid((d).source), lineage.to_graphid((d).target),
       lineage.declared_properties(d, j.namespace, j.name)
FROM changed LEFT JOIN lineage.job j ON j.id = (d).job
