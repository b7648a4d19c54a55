-- name: select_pairs(runs) -> FeedsPairRow
-- Contributions of runs to each pair of datasets. If lineage facets report the inputs of an output,
-- they replace the other inputs of the run. Without such a facet, a change that writes no rows feeds nothing.
-- An output that its own columns name, by any of its names, feeds itself only if the run reads it.
SELECT source, target, job, count(*) AS runs,
       lineage.iso8601(min(first_seen)) AS first, lineage.iso8601(max(last_seen)) AS last
FROM (SELECT DISTINCT requested.run, o.job, i.vertex AS source, o.vertex AS target,
                      e.first_seen, e.last_seen
      FROM unnest(%(runs)s::bigint[]) AS requested (run)
      CROSS JOIN LATERAL (
          SELECT a.job, lineage.reported_inputs(a.facets) AS reported,
                 (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex
          FROM lineage.access a
          WHERE a.run = requested.run AND a.output AND lineage.may_have_sources(a.facets) OFFSET 0) AS o
      CROSS JOIN LATERAL (
          SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex
          FROM lineage.access a
          WHERE a.run = requested.run AND a.job = o.job AND NOT a.output
            AND (o.reported IS NULL OR o.reported @> '[{"type": "JOB"}]')
          UNION ALL
          SELECT s.id FROM lineage.reported_sources(o.reported) AS s (id)
          WHERE o.reported IS NOT NULL AND NOT (s.id = o.vertex AND lineage.has_column_sources(o.reported))
          OFFSET 0) AS i
      CROSS JOIN LATERAL (
          SELECT e.first_seen, e.last_seen FROM lineage.execution e
          WHERE e.run = requested.run AND e.job = o.job OFFSET 0) AS e) AS contribution
GROUP BY source, target, job

-- name: add_pairs(sources, targets, jobs, runs, first, last) -> FeedsEdgeRow
-- Add contributions to pairs and write their edges.
WITH counted AS (
    INSERT INTO lineage.feeds AS f
        (source, target, job, runs, first_seen, last_seen, edge, declared)
    SELECT source, target, job, runs, first_seen, last_seen, lineage.next_id('FEEDS'),
           lineage.is_declared(source, target, job)
    FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[], %(runs)s::bigint[],
                %(first)s::timestamptz[], %(last)s::timestamptz[])
         AS delta (source, target, job, runs, first_seen, last_seen)
    ON CONFLICT (source, target, job) DO UPDATE SET
        runs = f.runs + excluded.runs,
        first_seen = least(f.first_seen, excluded.first_seen),
        last_seen = greatest(f.last_seen, excluded.last_seen)
    RETURNING f
), in_graph AS (
    INSERT INTO provenance."FEEDS" AS e (id, start_id, end_id, properties)
    SELECT lineage.to_graphid((f).edge), lineage.to_graphid((f).source), lineage.to_graphid((f).target),
           lineage.feeds_properties(f, j.namespace, j.name)
    FROM counted CROSS JOIN LATERAL (
        SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = (f).job OFFSET 0) AS j
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE e.properties IS DISTINCT FROM excluded.properties
), observed AS (
    -- Lock unconditionally: a transaction that concurrently removes the last run waits, and re-checks.
    UPDATE lineage.declared d SET observed = true
    FROM counted
    WHERE (f).declared AND d.source = (f).source AND d.target = (f).target
      AND coalesce(d.job, (f).job) = (f).job
    -- A trigger deletes the edge of the design.
)
SELECT (f).source, (f).target, (f).job, (f).edge FROM counted

-- name: defer_pairs(sources, targets, jobs, runs, first, last) -> None
-- Store contributions to pairs, to be added later.
INSERT INTO lineage.deferred_feeds (source, target, job, runs, first_seen, last_seen)
SELECT * FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[], %(runs)s::bigint[],
                     %(first)s::timestamptz[], %(last)s::timestamptz[])

-- name: dequeue_deferred(jobs) -> FeedsPairRow
-- Delete the deferred contributions of jobs, and return them by pair. Rows are locked in one order.
WITH dequeued AS (
    DELETE FROM lineage.deferred_feeds d
    USING (SELECT l.ctid FROM lineage.deferred_feeds l
           WHERE l.job = ANY (%(jobs)s::bigint[]) ORDER BY l.ctid FOR UPDATE) AS locked
    WHERE d.ctid = locked.ctid
    RETURNING d.source, d.target, d.job, d.runs, d.first_seen, d.last_seen
)
SELECT source, target, job, sum(runs)::bigint AS runs,
       lineage.iso8601(min(first_seen)) AS first, lineage.iso8601(max(last_seen)) AS last
FROM dequeued GROUP BY source, target, job

-- name: recompute_bounds(edges) -> None
-- Recompute first and last time of pairs from which a run was removed. That run may have been the first or
-- the last one. The executions of the job are read in order of time up to the first that contributes.
UPDATE lineage.feeds f SET
    first_seen = least(
        (SELECT e.first_seen FROM lineage.execution e
         WHERE e.job = f.job AND lineage.contributes_to_feeds(e.run, e.job, f.source, f.target)
         ORDER BY e.first_seen LIMIT 1),
        (SELECT min(g.first_seen) FROM lineage.archived_feeds_of(f.source, f.target, f.job) AS g)),
    last_seen = greatest(
        (SELECT e.last_seen FROM lineage.execution e
         WHERE e.job = f.job AND lineage.contributes_to_feeds(e.run, e.job, f.source, f.target)
         ORDER BY e.last_seen DESC LIMIT 1),
        (SELECT max(g.last_seen) FROM lineage.archived_feeds_of(f.source, f.target, f.job) AS g))
WHERE f.edge = ANY (%(edges)s::bigint[])

-- name: delete_unreferenced(edges) -> EdgePair
-- Delete pairs without a contributing run, with their edges.
SELECT edge, source, target FROM lineage.delete_unused_feeds(%(edges)s::bigint[])

-- name: write_edges(edges) -> None
-- Write FEEDS edges from the summary.
INSERT INTO provenance."FEEDS" AS e (id, start_id, end_id, properties)
SELECT lineage.to_graphid(f.edge), lineage.to_graphid(f.source), lineage.to_graphid(f.target),
       lineage.feeds_properties(f, j.namespace, j.name)
FROM lineage.feeds f
CROSS JOIN LATERAL (
    SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = f.job OFFSET 0) AS j
WHERE f.edge = ANY (%(edges)s::bigint[])
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties

-- name: select_accesses(runs) -> ExistingAccessRow
-- The accesses of runs.
SELECT a.run, a.job, a.dataset,
       (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS canonical, a.output, a.explicit
FROM unnest(%(runs)s::bigint[]) AS requested (run)
CROSS JOIN LATERAL (
    SELECT a.run, a.job, a.dataset, a.output,
           a.facets ? 'lineage' OR a.output AND NOT lineage.writes_rows(a.facets) AS explicit
    FROM lineage.access a
    WHERE a.run = requested.run OFFSET 0) AS a

-- name: select_archived_pairs(names) -> FeedsPairRow
-- Contributions to each pair of the groups of archived runs that name one of these datasets.
SELECT source, target, job, sum(runs)::bigint AS runs,
       lineage.iso8601(min(first_seen)) AS first, lineage.iso8601(max(last_seen)) AS last
FROM (SELECT DISTINCT g.number, s.canonical AS source, t.canonical AS target, g.job, g.runs, g.first_seen, g.last_seen
      FROM (SELECT row_number() OVER () AS number, g.* FROM lineage.archived_feeds g
            WHERE g.sources && %(names)s::bigint[] OR g.targets && %(names)s::bigint[]) AS g
      CROSS JOIN LATERAL unnest(g.sources, g.targets) AS p (source, target)
      CROSS JOIN LATERAL (SELECT d.canonical FROM lineage.dataset d WHERE d.id = p.source OFFSET 0) AS s
      CROSS JOIN LATERAL (SELECT d.canonical FROM lineage.dataset d WHERE d.id = p.target OFFSET 0) AS t
     ) AS contribution
GROUP BY source, target, job
