-- name: select_bins(ids, start, end, bins, first_change, last_change) -> BinRow
-- The parts of a range, each with the completed runs that wrote rows of one of some datasets and the failed ones that had one as
-- an input or an output, by the time of their end. A part ends where the next one starts; the last one includes its
-- end. By default the range reaches from the first to the last access, end of a run or change of an edge.
WITH ended AS MATERIALIZED (
    SELECT r.ended_at AS time, r.state <> 'COMPLETE' AS failed
    FROM (SELECT a.run, bool_or(a.output AND lineage.writes_rows(a.facets)) AS writes
          FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id
          WHERE n.canonical = ANY (%(ids)s::bigint[])
          GROUP BY a.run) AS a
    JOIN lineage.run r ON r.id = a.run
    WHERE r.state = 'COMPLETE' AND a.writes OR r.state IN ('FAIL', 'ABORT')
), known AS (
    SELECT least(min(a.first), (SELECT min(e.time) FROM ended e), %(first_change)s::timestamptz) AS first,
           greatest(max(a.last), (SELECT max(e.time) FROM ended e), %(last_change)s::timestamptz) AS last
    FROM lineage.dataset n
    CROSS JOIN LATERAL (
        SELECT (SELECT a.last_seen FROM lineage.access a WHERE a.dataset = n.id
                ORDER BY a.last_seen LIMIT 1) AS first,
               (SELECT a.last_seen FROM lineage.access a WHERE a.dataset = n.id
                ORDER BY a.last_seen DESC LIMIT 1) AS last) AS a
    WHERE n.canonical = ANY (%(ids)s::bigint[])
), reach AS (
    SELECT coalesce(%(start)s::timestamptz, least(k.first, %(end)s::timestamptz)) AS start,
           coalesce(%(end)s::timestamptz, greatest(k.last, %(start)s::timestamptz)) AS end
    FROM known k
), part AS MATERIALIZED (
    SELECT ARRAY(SELECT r.start + make_interval(secs => extract(epoch FROM r.end - r.start)::double precision
                                                        * n / %(bins)s)
                 FROM generate_series(0, %(bins)s::int - 1) AS n ORDER BY n) AS starts
    FROM reach r WHERE r.start IS NOT NULL
), counted AS (
    SELECT width_bucket(e.time, p.starts) AS bin, count(*) FILTER (WHERE NOT e.failed) AS writes,
           count(*) FILTER (WHERE e.failed) AS failed
    FROM ended e, part p, reach r
    WHERE e.time BETWEEN r.start AND r.end
    GROUP BY 1
)
SELECT lineage.iso8601(s.start) AS start, coalesce(c.writes, 0) AS writes, coalesce(c.failed, 0) AS failed,
       lineage.iso8601(r.end) AS last
FROM part p CROSS JOIN reach r CROSS JOIN LATERAL unnest(p.starts) WITH ORDINALITY AS s (start, bin)
LEFT JOIN counted c ON c.bin = s.bin
ORDER BY s.bin

-- name: select_edge_changes(ids, observed) -> EdgeChange
-- The times at which edges between some datasets were added or removed, newest first.
SELECT lineage.iso8601(c.time) AS time, c.added, c.removed
FROM lineage.edge_changes(%(ids)s::bigint[], %(observed)s) AS c
ORDER BY c.time DESC
