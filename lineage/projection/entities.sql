-- name: select_datasets(namespaces, names) -> DatasetIdRow
-- Existing names of datasets, each with its canonical dataset.
SELECT d.namespace, d.name, d.id, c.namespace AS canonical_namespace, c.name AS canonical_name,
       c.id AS canonical
FROM unnest(%(namespaces)s::text[], %(names)s::text[]) AS input (namespace, name)
CROSS JOIN LATERAL (
    SELECT d.namespace, d.name, d.id, d.canonical FROM lineage.dataset d
    WHERE d.namespace = input.namespace AND d.name = input.name OFFSET 0) AS d
CROSS JOIN LATERAL (
    SELECT c.namespace, c.name, c.id FROM lineage.dataset c WHERE c.id = d.canonical OFFSET 0) AS c

-- name: select_jobs(namespaces, names) -> EntityIdRow
-- Existing names of jobs.
SELECT j.namespace, j.name, j.id
FROM unnest(%(namespaces)s::text[], %(names)s::text[]) AS input (namespace, name)
CROSS JOIN LATERAL (
    SELECT j.namespace, j.name, j.id FROM lineage.job j
    WHERE j.namespace = input.namespace AND j.name = input.name OFFSET 0) AS j

-- name: add_datasets(namespaces, names, first, last, facets) -> EntityIdRow
-- Insert new datasets. Existing ones must not consume ids: traces rely on small dataset ids
-- (dataset_closure_levels).
WITH added AS (
    INSERT INTO lineage.dataset (id, canonical, namespace, name, first_seen, last_seen, facets)
    SELECT id, id, namespace, name, first_seen, last_seen, facets::jsonb
    FROM (SELECT lineage.next_id('Dataset') AS id, *
          FROM unnest(%(namespaces)s::text[], %(names)s::text[], %(first)s::timestamptz[], %(last)s::timestamptz[],
              %(facets)s::text[])
               AS input (namespace, name, first_seen, last_seen, facets)) AS input
    ON CONFLICT (namespace, name) DO NOTHING
    RETURNING namespace, name, id
), searchable AS (
    INSERT INTO lineage.search_text (kind, field, id, text)
    SELECT 'dataset', 'name', id, lineage.full_name(namespace, name) FROM added
)
SELECT namespace, name, id FROM added

-- name: merge_datasets(ids, namespaces, names, first, last, facets) -> None
-- Merge existing datasets.
INSERT INTO lineage.dataset AS d (id, canonical, namespace, name, first_seen, last_seen, facets)
SELECT id, id, namespace, name, first_seen, last_seen, facets::jsonb
FROM unnest(%(ids)s::bigint[], %(namespaces)s::text[], %(names)s::text[], %(first)s::timestamptz[],
    %(last)s::timestamptz[], %(facets)s::text[])
     AS input (id, namespace, name, first_seen, last_seen, facets)
ON CONFLICT (namespace, name) DO UPDATE SET
    first_seen = least(d.first_seen, excluded.first_seen),
    last_seen = greatest(d.last_seen, excluded.last_seen),
    facets = lineage.merge_facets(d.facets, excluded.facets)

-- name: add_jobs(namespaces, names, first, last, facets) -> EntityIdRow
-- Insert new jobs, with their vertices. Twins: merge_jobs, and add_runs of runs.sql.
WITH merged AS (
    INSERT INTO lineage.job AS j (id, namespace, name, first_seen, last_seen, facets)
    SELECT lineage.next_id('Job'), namespace, name, first_seen, last_seen, facets::jsonb
    FROM unnest(%(namespaces)s::text[], %(names)s::text[], %(first)s::timestamptz[],
                %(last)s::timestamptz[], %(facets)s::text[])
         AS input (namespace, name, first_seen, last_seen, facets)
    ON CONFLICT (namespace, name) DO NOTHING
    RETURNING j AS fact
), in_graph AS (
    INSERT INTO provenance."Job" AS v (id, properties)
    SELECT lineage.to_graphid((fact).id), lineage.job_properties(fact) FROM merged
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE v.properties IS DISTINCT FROM excluded.properties
), searchable AS (
    INSERT INTO lineage.search_text (kind, field, id, text)
    SELECT 'job', 'name', (fact).id, (fact).namespace || '/' || (fact).name FROM merged
), described AS (
    INSERT INTO lineage.search_text AS s (kind, field, id, text)
    SELECT 'job', t.field, (fact).id, t.text
    FROM merged CROSS JOIN LATERAL lineage.entity_texts((fact).id, (fact).facets) AS t
    ON CONFLICT (id, field) DO UPDATE SET text = excluded.text WHERE s.text <> excluded.text
)
SELECT (fact).namespace, (fact).name, (fact).id FROM merged

-- name: merge_jobs(ids, namespaces, names, first, last, facets) -> EntityIdRow
-- Merge existing jobs, with their vertices. Twin: add_jobs.
WITH merged AS (
    INSERT INTO lineage.job AS j (id, namespace, name, first_seen, last_seen, facets)
    SELECT id, namespace, name, first_seen, last_seen, facets::jsonb
    FROM unnest(%(ids)s::bigint[], %(namespaces)s::text[], %(names)s::text[],
                %(first)s::timestamptz[], %(last)s::timestamptz[], %(facets)s::text[])
         AS input (id, namespace, name, first_seen, last_seen, facets)
    ON CONFLICT (namespace, name) DO UPDATE SET
        first_seen = least(j.first_seen, excluded.first_seen),
        last_seen = greatest(j.last_seen, excluded.last_seen),
        facets = lineage.merge_facets(j.facets, excluded.facets)
    RETURNING j AS fact
), in_graph AS (
    INSERT INTO provenance."Job" AS v (id, properties)
    SELECT lineage.to_graphid((fact).id), lineage.job_properties(fact) FROM merged
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE v.properties IS DISTINCT FROM excluded.properties
), described AS (
    INSERT INTO lineage.search_text AS s (kind, field, id, text)
    SELECT 'job', t.field, (fact).id, t.text
    FROM merged CROSS JOIN LATERAL lineage.entity_texts((fact).id, (fact).facets) AS t
    ON CONFLICT (id, field) DO UPDATE SET text = excluded.text WHERE s.text <> excluded.text
)
SELECT (fact).namespace, (fact).name, (fact).id FROM merged
