-- name: select_edges_between_as_of(ids, observed, min_confidence, time) -> EdgeRow
-- The edges between some datasets that existed at a time.
SELECT e.source, e.target, e.job, e.runs, lineage.iso8601(e.first_seen) AS first_seen,
       lineage.iso8601(e.last_seen) AS last_seen, e.declared, e.confidence
FROM lineage.edges_as_of(%(ids)s::bigint[], 'downstream', %(observed)s, %(time)s::timestamptz,
    %(min_confidence)s) AS e
WHERE e.target = ANY (%(ids)s::bigint[])

-- name: select_runs_of_edges(sources, targets, jobs, time) -> EdgeRunsRow
-- The number of runs that had shown each edge at a time, and the last event of the newest.
SELECT e.source, e.target, e.job, e.runs, lineage.iso8601(e.last_seen) AS last_seen
FROM lineage.edge_runs_as_of(%(sources)s::bigint[], %(targets)s::bigint[], %(jobs)s::bigint[],
    %(time)s::timestamptz) AS e

-- name: select_jobs_as_of(ids, time) -> JobRow
-- Jobs with the latest run of each at a time, and the last event of the runs without events after it. A run that went on
-- after that time counts as of its first event.
SELECT j.id, j.namespace, j.name,
       CASE WHEN r.id IS NOT NULL THEN lineage.run_record_as_of(r, latest.seen, %(time)s::timestamptz) END AS run,
       lineage.iso8601((SELECT max(x.last_seen) FROM lineage.execution x
                        WHERE x.job = j.id AND x.last_seen <= %(time)s::timestamptz)) AS last_seen
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
WHERE j.id = ANY (%(ids)s::bigint[])
