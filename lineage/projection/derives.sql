-- name: select_pairs(runs) -> DerivesPairRow
-- Contributions of runs to each pair of columns. Runs that report the same mappings are counted
-- together before the mappings are expanded into pairs. Twin: select_pairs_of_groups.
SELECT source, target, job, type, subtype, masking, runs,
       lineage.iso8601(first_seen) AS first, lineage.iso8601(last_seen) AS last
FROM (
    SELECT source, target, job, type, subtype, masking, sum(runs)::bigint AS runs,
           min(first_seen) AS first_seen, max(last_seen) AS last_seen
    FROM (SELECT s.source, d.target, d.type, d.subtype, d.masking, min(job) AS job,
                 min(runs) AS runs, min(first_seen) AS first_seen, max(last_seen) AS last_seen
          FROM (SELECT row_number() OVER () AS n, * FROM (
                    SELECT job, mappings, count(*) AS runs, min(first_seen) AS first_seen,
                           max(last_seen) AS last_seen
                    FROM unnest(%(runs)s::bigint[]) AS requested (run)
                    CROSS JOIN LATERAL (
                        SELECT m.job, array_agg(m.mapping ORDER BY m.mapping) AS mappings
                        FROM lineage.run_column_mapping m WHERE m.run = requested.run GROUP BY m.job OFFSET 0) AS m
                    CROSS JOIN LATERAL (
                        SELECT e.first_seen, e.last_seen FROM lineage.execution e
                        WHERE e.run = requested.run AND e.job = m.job OFFSET 0) AS e
                    GROUP BY job, mappings) AS counted) AS groups
          CROSS JOIN unnest(mappings) AS each_mapping (mapping)
          CROSS JOIN LATERAL (
              SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = m.target) AS target
              FROM lineage.column_mapping m WHERE m.id = each_mapping.mapping OFFSET 0) AS m
          CROSS JOIN LATERAL (
              SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = d.source) AS source,
                     d.source_field,
                     CASE d.target_field WHEN '' THEN m.target
                     ELSE (SELECT f.id FROM lineage.field f
                           WHERE f.dataset = m.target AND f.name = d.target_field) END AS target,
                     d.type, d.subtype, d.masking
              FROM lineage.column_mapping_entry d WHERE d.mapping = each_mapping.mapping OFFSET 0) AS d
          CROSS JOIN LATERAL (
              SELECT (SELECT f.id FROM lineage.field f
                      WHERE f.dataset = d.source AND f.name = d.source_field) AS source OFFSET 0) AS s
          GROUP BY groups.n, s.source, d.target, d.type, d.subtype, d.masking) AS contribution
    GROUP BY source, target, job, type, subtype, masking) AS pair

-- name: select_pairs_of_groups(jobs, mappings, runs, first, last) -> DerivesPairRow
-- Contributions of groups of runs to each pair of columns. Twins: select_pairs, add_groups.
SELECT source, target, job, type, subtype, masking, runs,
       lineage.iso8601(first_seen) AS first, lineage.iso8601(last_seen) AS last
FROM (
    SELECT source, target, job, type, subtype, masking, sum(runs)::bigint AS runs,
           min(first_seen) AS first_seen, max(last_seen) AS last_seen
    FROM (SELECT s.source, d.target, d.type, d.subtype, d.masking, min(job) AS job,
                 min(runs) AS runs, min(first_seen) AS first_seen, max(last_seen) AS last_seen
          FROM (SELECT row_number() OVER () AS n, * FROM (
                    SELECT job, mappings::bigint[], runs, first_seen, last_seen
                    FROM unnest(%(jobs)s::bigint[], %(mappings)s::text[], %(runs)s::bigint[],
                                %(first)s::timestamptz[], %(last)s::timestamptz[])
                         AS grouped (job, mappings, runs, first_seen, last_seen)) AS counted) AS groups
          CROSS JOIN unnest(mappings) AS each_mapping (mapping)
          CROSS JOIN LATERAL (
              SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = m.target) AS target
              FROM lineage.column_mapping m WHERE m.id = each_mapping.mapping OFFSET 0) AS m
          CROSS JOIN LATERAL (
              SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = d.source) AS source,
                     d.source_field,
                     CASE d.target_field WHEN '' THEN m.target
                     ELSE (SELECT f.id FROM lineage.field f
                           WHERE f.dataset = m.target AND f.name = d.target_field) END AS target,
                     d.type, d.subtype, d.masking
              FROM lineage.column_mapping_entry d WHERE d.mapping = each_mapping.mapping OFFSET 0) AS d
          CROSS JOIN LATERAL (
              SELECT (SELECT f.id FROM lineage.field f
                      WHERE f.dataset = d.source AND f.name = d.source_field) AS source OFFSET 0) AS s
          GROUP BY groups.n, s.source, d.target, d.type, d.subtype, d.masking) AS contribution
    GROUP BY source, target, job, type, subtype, masking) AS pair

-- name: add_pairs(sources, targets, jobs, types, subtypes, masking, runs, first, last) -> DerivesEdgeRow
-- Add contributions to pairs and write their edges. Twin: add_groups.
WITH counted AS (
    INSERT INTO lineage.derives AS d
        (source, target, job, type, subtype, masking, runs, first_seen, last_seen, edge)
    SELECT *, lineage.next_id('DERIVES') FROM (
        SELECT *
        FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[], %(types)s::text[],
                    %(subtypes)s::text[], %(masking)s::boolean[], %(runs)s::bigint[],
                    %(first)s::timestamptz[], %(last)s::timestamptz[])
             AS delta (source, target, job, type, subtype, masking, runs, first_seen, last_seen)) AS delta
    ON CONFLICT (source, target, job, type, subtype, masking) DO UPDATE SET
        runs = d.runs + excluded.runs,
        first_seen = least(d.first_seen, excluded.first_seen),
        last_seen = greatest(d.last_seen, excluded.last_seen)
    RETURNING d
), in_graph AS (
    INSERT INTO provenance."DERIVES" AS e (id, start_id, end_id, properties)
    SELECT lineage.to_graphid((d).edge), lineage.to_graphid((d).source), lineage.to_graphid((d).target),
           lineage.derives_properties(d, j.namespace, j.name)
    FROM counted CROSS JOIN LATERAL (
        SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = (d).job OFFSET 0) AS j
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE e.properties IS DISTINCT FROM excluded.properties
)
SELECT (d).source, (d).target, (d).job, (d).type, (d).subtype, (d).masking, (d).edge
FROM counted

-- name: add_groups(jobs, mappings, runs, first, last) -> int
-- Add the contributions of groups of runs, sorted like the pairs of add_pairs, so that two writers
-- cannot deadlock. Twins: add_pairs, select_pairs_of_groups.
WITH counted AS (
    INSERT INTO lineage.derives AS d
        (source, target, job, type, subtype, masking, runs, first_seen, last_seen, edge)
    SELECT *, lineage.next_id('DERIVES') FROM (
        SELECT source, target, job, type, subtype, masking, sum(runs)::bigint AS runs,
               min(first_seen) AS first_seen, max(last_seen) AS last_seen
        FROM (SELECT s.source, d.target, d.type, d.subtype, d.masking, min(job) AS job,
                     min(runs) AS runs, min(first_seen) AS first_seen, max(last_seen) AS last_seen
              FROM (SELECT row_number() OVER () AS n, * FROM (
                        SELECT job, mappings::bigint[], runs, first_seen, last_seen
                        FROM unnest(%(jobs)s::bigint[], %(mappings)s::text[], %(runs)s::bigint[],
                                    %(first)s::timestamptz[], %(last)s::timestamptz[])
                             AS grouped (job, mappings, runs, first_seen, last_seen)) AS counted) AS groups
              CROSS JOIN unnest(mappings) AS each_mapping (mapping)
              CROSS JOIN LATERAL (
                  SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = m.target) AS target
                  FROM lineage.column_mapping m WHERE m.id = each_mapping.mapping OFFSET 0) AS m
              CROSS JOIN LATERAL (
                  SELECT (SELECT n.canonical FROM lineage.dataset n WHERE n.id = d.source) AS source,
                         d.source_field,
                         CASE d.target_field WHEN '' THEN m.target
                         ELSE (SELECT f.id FROM lineage.field f
                               WHERE f.dataset = m.target AND f.name = d.target_field) END AS target,
                         d.type, d.subtype, d.masking
                  FROM lineage.column_mapping_entry d WHERE d.mapping = each_mapping.mapping OFFSET 0) AS d
              CROSS JOIN LATERAL (
                  SELECT (SELECT f.id FROM lineage.field f
                          WHERE f.dataset = d.source AND f.name = d.source_field) AS source OFFSET 0) AS s
              GROUP BY groups.n, s.source, d.target, d.type, d.subtype, d.masking) AS contribution
        GROUP BY source, target, job, type, subtype, masking
        ORDER BY source, target, job, type, subtype, masking) AS delta
    ON CONFLICT (source, target, job, type, subtype, masking) DO UPDATE SET
        runs = d.runs + excluded.runs,
        first_seen = least(d.first_seen, excluded.first_seen),
        last_seen = greatest(d.last_seen, excluded.last_seen)
    RETURNING d
), in_graph AS (
    INSERT INTO provenance."DERIVES" AS e (id, start_id, end_id, properties)
    SELECT lineage.to_graphid((d).edge), lineage.to_graphid((d).source), lineage.to_graphid((d).target),
           lineage.derives_properties(d, j.namespace, j.name)
    FROM counted CROSS JOIN LATERAL (
        SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = (d).job OFFSET 0) AS j
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE e.properties IS DISTINCT FROM excluded.properties
)
SELECT count(*) FROM counted

-- name: defer_groups(jobs, mappings, runs, first, last) -> None
-- Store contributions of groups of runs, to be added later.
INSERT INTO lineage.deferred_derives (job, mappings, runs, first_seen, last_seen)
SELECT job, mappings::bigint[], runs, first_seen, last_seen
FROM unnest(%(jobs)s::bigint[], %(mappings)s::text[], %(runs)s::bigint[],
            %(first)s::timestamptz[], %(last)s::timestamptz[])
     AS grouped (job, mappings, runs, first_seen, last_seen)

-- name: dequeue_deferred(jobs) -> GroupRow
-- Delete the deferred contributions of jobs, and return them by group. Rows are locked in one order.
WITH dequeued AS (
    DELETE FROM lineage.deferred_derives d
    USING (SELECT l.ctid FROM lineage.deferred_derives l
           WHERE l.job = ANY (%(jobs)s::bigint[]) ORDER BY l.ctid FOR UPDATE) AS locked
    WHERE d.ctid = locked.ctid
    RETURNING d.job, d.mappings, d.runs, d.first_seen, d.last_seen
)
SELECT job, mappings, sum(runs)::bigint AS runs,
       lineage.iso8601(min(first_seen)) AS first, lineage.iso8601(max(last_seen)) AS last
FROM dequeued GROUP BY job, mappings

-- name: recompute_bounds(edges) -> None
-- Recompute first and last time of pairs from which a run was removed.
UPDATE lineage.derives d SET (first_seen, last_seen) = (
    SELECT least((SELECT e.first_seen FROM lineage.execution e
                  WHERE e.job = d.job AND lineage.contributes_to_derives(e.run, e.job, m.mappings)
                  ORDER BY e.first_seen LIMIT 1), archived.first_seen),
           greatest((SELECT e.last_seen FROM lineage.execution e
                     WHERE e.job = d.job AND lineage.contributes_to_derives(e.run, e.job, m.mappings)
                     ORDER BY e.last_seen DESC LIMIT 1), archived.last_seen)
    FROM (SELECT lineage.mappings_of_edge(d) AS mappings OFFSET 0) AS m
    CROSS JOIN LATERAL (
        SELECT min(g.first_seen) AS first_seen, max(g.last_seen) AS last_seen
        FROM lineage.archived_derives g WHERE g.job = d.job AND g.mappings && m.mappings) AS archived)
WHERE d.edge = ANY (%(edges)s::bigint[])

-- name: delete_unreferenced(edges) -> DerivesDeletedRow
-- Delete pairs without a contributing run, with their edges.
SELECT edge FROM lineage.delete_unused_derives(%(edges)s::bigint[])

-- name: write_edges(edges) -> None
-- Write DERIVES edges from the summary.
INSERT INTO provenance."DERIVES" AS e (id, start_id, end_id, properties)
SELECT lineage.to_graphid(d.edge), lineage.to_graphid(d.source), lineage.to_graphid(d.target),
       lineage.derives_properties(d, j.namespace, j.name)
FROM lineage.derives d
CROSS JOIN LATERAL (
    SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = d.job OFFSET 0) AS j
WHERE d.edge = ANY (%(edges)s::bigint[])
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties

-- name: select_archived_groups(names) -> GroupRow
-- The groups of archived runs with mappings that name one of these datasets.
SELECT g.job, g.mappings, sum(g.runs)::bigint AS runs,
       lineage.iso8601(min(g.first_seen)) AS first, lineage.iso8601(max(g.last_seen)) AS last
FROM lineage.archived_derives g
WHERE g.mappings && ARRAY(
    SELECT m.id FROM lineage.column_mapping m WHERE m.target = ANY (%(names)s::bigint[])
    UNION
    SELECT d.mapping FROM lineage.column_mapping_entry d WHERE d.source = ANY (%(names)s::bigint[]))
GROUP BY g.job, g.mappings
