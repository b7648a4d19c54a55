-- name: select_edges_between_as_of(ids, observed, time) -> EdgeRow
-- The edges between some datasets that existed at a time.
SELECT e.source, e.target, e.job, e.runs, lineage.iso8601(e.first_seen) AS first_seen,
       lineage.iso8601(e.last_seen) AS last_seen, e.declared
FROM lineage.edges_as_of(%(ids)s::bigint[], 'downstream', %(observed)s, %(time)s::timestamptz) AS e
WHERE e.target = ANY (%(ids)s::bigint[])

-- name: select_runs_of_edges(sources, targets, jobs, time) -> EdgeRunsRow
-- The number of runs that had shown each edge at a time, and the last event of the newest. A run that went on after that
-- time counts as of its first event. The runs are those of lineage.contributes_to_feeds().
SELECT e.source, e.target, e.job, count(DISTINCT shown.run) AS runs,
       lineage.iso8601(max(CASE WHEN shown.last_seen <= %(time)s::timestamptz THEN shown.last_seen
                                ELSE shown.first_seen END)) AS last_seen
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[]) AS e (source, target, job)
CROSS JOIN LATERAL (
    SELECT o.run, x.first_seen, x.last_seen
    FROM lineage.dataset t
    JOIN lineage.access o ON o.dataset = t.id AND o.output AND o.job = e.job
    JOIN lineage.run r ON r.id = o.run AND r.contributing
    JOIN lineage.execution x ON x.run = o.run AND x.job = o.job AND x.first_seen <= %(time)s::timestamptz
    CROSS JOIN LATERAL (SELECT lineage.reported_inputs(o.facets) AS inputs) AS reported
    WHERE t.canonical = e.target
      AND (e.source IN (SELECT lineage.reported_sources(reported.inputs))
           OR (reported.inputs IS NULL OR reported.inputs @> '[{"type": "JOB"}]') AND EXISTS (
               SELECT FROM lineage.dataset s
               JOIN lineage.access i ON i.dataset = s.id AND i.run = o.run AND i.job = o.job AND NOT i.output
               WHERE s.canonical = e.source))) AS shown
GROUP BY e.source, e.target, e.job

-- name: select_jobs_as_of(ids, time) -> JobRow
-- Jobs with the latest run and the last successful write of each at a time. A run that went on after that time counts as
-- of its first event, and is not a successful write yet.
SELECT j.id, j.namespace, j.name,
       CASE WHEN r.id IS NOT NULL THEN lineage.run_record_as_of(r, latest.seen, %(time)s::timestamptz) END AS run,
       lineage.iso8601(written.last_seen) AS last_write
FROM lineage.job j
LEFT JOIN LATERAL (
    SELECT x.run, x.seen
    FROM (SELECT x.run, x.last_seen AS seen
          FROM (SELECT x.run, x.last_seen FROM lineage.execution x
                WHERE x.job = j.id AND x.last_seen <= %(time)s::timestamptz
                ORDER BY x.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS x
          UNION ALL
          SELECT x.run, x.first_seen
          FROM lineage.execution x
          WHERE x.job = j.id AND x.last_seen > %(time)s::timestamptz AND x.first_seen <= %(time)s::timestamptz) AS x
    JOIN lineage.run r ON r.id = x.run
    ORDER BY x.seen DESC, r.run_id LIMIT 1) AS latest ON true
LEFT JOIN lineage.run r ON r.id = latest.run
LEFT JOIN LATERAL (
    SELECT e.last_seen
    FROM (SELECT x.run, x.job, x.last_seen FROM lineage.execution x
          WHERE x.job = j.id AND x.last_seen <= %(time)s::timestamptz
          ORDER BY x.last_seen DESC OFFSET 0) AS e
    WHERE (SELECT r.state FROM lineage.run r WHERE r.id = e.run) = 'COMPLETE'
      AND (SELECT true FROM lineage.access a WHERE a.run = e.run AND a.job = e.job AND a.output LIMIT 1)
    LIMIT 1) AS written ON true
WHERE j.id = ANY (%(ids)s::bigint[])
