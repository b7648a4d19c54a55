-- name: write_edges_of_accesses(runs, jobs, datasets, outputs, first, last, facets, canonical) -> None
-- Write the INPUT_TO and OUTPUTS edges of accesses, each the only one of its run and dataset. Twin: merge_accesses.
WITH input AS MATERIALIZED (
    SELECT run, job, dataset, output, first_seen, last_seen, facets::jsonb, vertex
    FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[], %(datasets)s::bigint[],
                %(outputs)s::boolean[], %(first)s::timestamptz[], %(last)s::timestamptz[],
                %(facets)s::text[], %(canonical)s::bigint[])
         AS input (run, job, dataset, output, first_seen, last_seen, facets, vertex)
), inputs AS (
    INSERT INTO provenance."INPUT_TO" (start_id, end_id, properties)
    SELECT lineage.to_graphid(vertex), lineage.to_graphid(run),
           lineage.access_properties(false, first_seen, last_seen, facets)
    FROM input WHERE vertex IS NOT NULL AND NOT output
)
INSERT INTO provenance."OUTPUTS" (start_id, end_id, properties)
SELECT lineage.to_graphid(run), lineage.to_graphid(vertex),
       lineage.access_properties(true, first_seen, last_seen, facets)
FROM input WHERE vertex IS NOT NULL AND output

-- name: merge_accesses(runs, jobs, datasets, outputs, first, last, facets, canonical) -> None
-- Merge accesses, and write the edges of those with a canonical dataset, which are the only ones of
-- their run and dataset. Twin: write_edges_of_accesses.
WITH input AS MATERIALIZED (
    SELECT run, job, dataset, output, first_seen, last_seen, facets::jsonb, vertex
    FROM unnest(%(runs)s::bigint[], %(jobs)s::bigint[], %(datasets)s::bigint[],
                %(outputs)s::boolean[], %(first)s::timestamptz[], %(last)s::timestamptz[],
                %(facets)s::text[], %(canonical)s::bigint[])
         AS input (run, job, dataset, output, first_seen, last_seen, facets, vertex)
), merged AS (
    INSERT INTO lineage.access AS a (run, job, dataset, output, first_seen, last_seen, facets)
    SELECT run, job, dataset, output, first_seen, last_seen, facets FROM input
    ON CONFLICT (run, job, dataset, output) DO UPDATE SET
        first_seen = least(a.first_seen, excluded.first_seen),
        last_seen = greatest(a.last_seen, excluded.last_seen),
        facets = lineage.merge_access_facets(a.facets, excluded.facets)
), inputs AS (
    INSERT INTO provenance."INPUT_TO" (start_id, end_id, properties)
    SELECT lineage.to_graphid(vertex), lineage.to_graphid(run),
           lineage.access_properties(false, first_seen, last_seen, facets)
    FROM input WHERE vertex IS NOT NULL AND NOT output
)
INSERT INTO provenance."OUTPUTS" (start_id, end_id, properties)
SELECT lineage.to_graphid(run), lineage.to_graphid(vertex),
       lineage.access_properties(true, first_seen, last_seen, facets)
FROM input WHERE vertex IS NOT NULL AND output

-- name: add_jobs_of_datasets(datasets, outputs, jobs) -> None
-- Record that these jobs read or wrote these datasets. Rows are in one order, so that no writers wait for each other in a
-- cycle.
INSERT INTO lineage.dataset_job (dataset, output, job)
SELECT * FROM unnest(%(datasets)s::bigint[], %(outputs)s::boolean[], %(jobs)s::bigint[])
ON CONFLICT (dataset, output, job) DO NOTHING

-- name: add_explicit_sources(runs, datasets) -> None
-- Record the datasets that runs name in lineage facets.
INSERT INTO lineage.explicit_source (run, dataset)
SELECT run, dataset FROM unnest(%(runs)s::bigint[], %(datasets)s::bigint[]) AS input (run, dataset)
ON CONFLICT (dataset, run) DO NOTHING
