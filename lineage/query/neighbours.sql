-- name: select_neighbours(id, direction, text, limit, offset, observed, namespaces, tags, jobs, types, since, include_stale, min_confidence) -> NeighbourRow
-- The neighbours of a dataset in one direction whose full name contains a text, ignoring case. Those with the most runs
-- come first. Twin: select_neighbours_as_of.
WITH adjacent AS MATERIALIZED (
    SELECT a.far AS id, sum(a.runs) AS runs, max(a.last_seen) AS last_seen
    FROM lineage.adjacent_edges(ARRAY[%(id)s::bigint], %(direction)s, %(observed)s, %(namespaces)s, %(tags)s,
        %(jobs)s::bigint[], %(types)s, %(since)s::timestamptz, %(include_stale)s, %(min_confidence)s) AS a
    GROUP BY a.far)
SELECT d.id, count(*) OVER () AS total
FROM adjacent a JOIN lineage.dataset d ON d.id = a.id
WHERE %(text)s = '' OR strpos(lower(lineage.full_name(d.namespace, d.name)), lower(%(text)s)) > 0
ORDER BY a.runs DESC, a.last_seen DESC, d.namespace, d.name
LIMIT %(limit)s OFFSET %(offset)s

-- name: select_edges_at(id, direction, neighbours, observed, namespaces, tags, jobs, types, since, include_stale, min_confidence) -> EdgeRow
-- The edges between a dataset and some of its neighbours. Twin: select_edges_at_as_of.
SELECT CASE %(direction)s WHEN 'upstream' THEN a.far ELSE a.near END AS source,
       CASE %(direction)s WHEN 'upstream' THEN a.near ELSE a.far END AS target, a.job, a.runs,
       lineage.iso8601(a.first_seen) AS first_seen, lineage.iso8601(a.last_seen) AS last_seen, a.declared,
       a.confidence
FROM lineage.adjacent_edges(ARRAY[%(id)s::bigint], %(direction)s, %(observed)s, %(namespaces)s, %(tags)s,
    %(jobs)s::bigint[], %(types)s, %(since)s::timestamptz, %(include_stale)s, %(min_confidence)s) AS a
WHERE a.far = ANY (%(neighbours)s::bigint[])

-- name: select_graph_nodes(ids, observed, namespaces, tags, jobs, types, since, include_stale, min_confidence) -> GraphNodeRow
-- Datasets with the number of their neighbours in each direction, and the newest run that has each as an output, unless
-- the run reports a change that writes no rows. At equal times the run id decides. If the run reports several aliases of the dataset, the greatest number of rows is returned.
-- Twin: select_graph_nodes_as_of.
WITH adjacent AS MATERIALIZED (
    SELECT a.near AS id, count(DISTINCT a.far) FILTER (WHERE a.upstream) AS upstream,
           count(DISTINCT a.far) FILTER (WHERE NOT a.upstream) AS downstream
    FROM (SELECT true AS upstream, u.near, u.far
          FROM lineage.adjacent_edges(%(ids)s::bigint[], 'upstream', %(observed)s, %(namespaces)s, %(tags)s,
              %(jobs)s::bigint[], %(types)s, %(since)s::timestamptz, %(include_stale)s, %(min_confidence)s) AS u
          UNION ALL
          SELECT false, w.near, w.far
          FROM lineage.adjacent_edges(%(ids)s::bigint[], 'downstream', %(observed)s, %(namespaces)s, %(tags)s,
              %(jobs)s::bigint[], %(types)s, %(since)s::timestamptz, %(include_stale)s, %(min_confidence)s) AS w) AS a
    GROUP BY a.near)
SELECT d.id, d.namespace, d.name, seen.first_seen,
       coalesce(adjacent.upstream, 0) AS upstream, coalesce(adjacent.downstream, 0) AS downstream,
       (SELECT count(*) FROM lineage.field f WHERE f.dataset = d.id AND NOT f.nested) AS columns,
       written.state, written.time, written.rows,
       seen.tags
FROM lineage.dataset d
CROSS JOIN LATERAL (
    SELECT lineage.iso8601(min(n.first_seen)) AS first_seen,
           lineage.facet_tags(lineage.merged_facets(n.facets)) AS tags
    FROM lineage.dataset n WHERE n.canonical = d.id) AS seen
LEFT JOIN adjacent ON adjacent.id = d.id
LEFT JOIN LATERAL (
    SELECT r.state, lineage.iso8601(a.last_seen) AS time,
           lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}')::bigint AS rows
    FROM (SELECT o.run, o.last_seen, o.facets
          FROM lineage.dataset n CROSS JOIN LATERAL (
              SELECT o.* FROM lineage.access o
              WHERE o.dataset = n.id AND o.output AND lineage.writes_rows(o.facets)
              ORDER BY o.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS o
          WHERE n.canonical = d.id
          ORDER BY o.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS a
    JOIN lineage.run r ON r.id = a.run
    ORDER BY r.run_id, 3 DESC NULLS LAST LIMIT 1) AS written ON true
WHERE d.id = ANY (%(ids)s::bigint[])

-- name: select_neighbours_as_of(id, direction, text, limit, offset, observed, namespaces, tags, jobs, types, time, min_confidence) -> NeighbourRow
-- The neighbours that a dataset had at a time, as select_neighbours. Those with the most runs until now come first.
-- Twin: select_neighbours.
WITH adjacent AS MATERIALIZED (
    SELECT a.far AS id, sum(a.runs) AS runs, max(a.last_seen) AS last_seen
    FROM lineage.adjacent_edges_as_of(ARRAY[%(id)s::bigint], %(direction)s, %(observed)s, %(namespaces)s, %(tags)s,
        %(jobs)s::bigint[], %(types)s, %(time)s::timestamptz, %(min_confidence)s) AS a
    GROUP BY a.far)
SELECT d.id, count(*) OVER () AS total
FROM adjacent a JOIN lineage.dataset d ON d.id = a.id
WHERE %(text)s = '' OR strpos(lower(lineage.full_name(d.namespace, d.name)), lower(%(text)s)) > 0
ORDER BY a.runs DESC, a.last_seen DESC, d.namespace, d.name
LIMIT %(limit)s OFFSET %(offset)s

-- name: select_edges_at_as_of(id, direction, neighbours, observed, namespaces, tags, jobs, types, time, min_confidence) -> EdgeRow
-- The edges between a dataset and some of its neighbours at a time. Twin: select_edges_at.
SELECT CASE %(direction)s WHEN 'upstream' THEN a.far ELSE a.near END AS source,
       CASE %(direction)s WHEN 'upstream' THEN a.near ELSE a.far END AS target, a.job, a.runs,
       lineage.iso8601(a.first_seen) AS first_seen, lineage.iso8601(a.last_seen) AS last_seen, a.declared,
       a.confidence
FROM lineage.adjacent_edges_as_of(ARRAY[%(id)s::bigint], %(direction)s, %(observed)s, %(namespaces)s, %(tags)s,
    %(jobs)s::bigint[], %(types)s, %(time)s::timestamptz, %(min_confidence)s) AS a
WHERE a.far = ANY (%(neighbours)s::bigint[])

-- name: select_graph_nodes_as_of(ids, observed, namespaces, tags, jobs, types, time, min_confidence) -> GraphNodeRow
-- Datasets as select_graph_nodes returns them, as of a time. A write that went on after that time counts as of its first
-- event; its rows are not known. Twin: select_graph_nodes.
WITH adjacent AS MATERIALIZED (
    SELECT a.near AS id, count(DISTINCT a.far) FILTER (WHERE a.upstream) AS upstream,
           count(DISTINCT a.far) FILTER (WHERE NOT a.upstream) AS downstream
    FROM (SELECT true AS upstream, u.near, u.far
          FROM lineage.adjacent_edges_as_of(%(ids)s::bigint[], 'upstream', %(observed)s, %(namespaces)s, %(tags)s,
              %(jobs)s::bigint[], %(types)s, %(time)s::timestamptz, %(min_confidence)s) AS u
          UNION ALL
          SELECT false, w.near, w.far
          FROM lineage.adjacent_edges_as_of(%(ids)s::bigint[], 'downstream', %(observed)s, %(namespaces)s, %(tags)s,
              %(jobs)s::bigint[], %(types)s, %(time)s::timestamptz, %(min_confidence)s) AS w) AS a
    GROUP BY a.near)
SELECT d.id, d.namespace, d.name, seen.first_seen,
       coalesce(adjacent.upstream, 0) AS upstream, coalesce(adjacent.downstream, 0) AS downstream, NULL::bigint AS columns,
       written.state, written.time, written.rows,
       seen.tags
FROM lineage.dataset d
CROSS JOIN LATERAL (
    SELECT lineage.iso8601(min(n.first_seen)) AS first_seen,
           lineage.facet_tags(lineage.merged_facets(n.facets)) AS tags
    FROM lineage.dataset n WHERE n.canonical = d.id) AS seen
LEFT JOIN adjacent ON adjacent.id = d.id
LEFT JOIN LATERAL (
    SELECT lineage.run_record_as_of(r, a.seen, %(time)s::timestamptz) ->> 1 AS state, lineage.iso8601(a.seen) AS time,
           CASE WHEN a.seen = a.last_seen
                THEN lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}')::bigint END AS rows
    FROM (SELECT o.run, o.last_seen, o.facets, o.last_seen AS seen
          FROM lineage.dataset n CROSS JOIN LATERAL (
              SELECT o.* FROM lineage.access o
              WHERE o.dataset = n.id AND o.output AND o.last_seen <= %(time)s::timestamptz
                AND lineage.writes_rows(o.facets)
              ORDER BY o.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS o
          WHERE n.canonical = d.id
          UNION ALL
          -- The columns of the index access_latest, so that only the later writes that had begun are read.
          SELECT o.run, o.last_seen, NULL::jsonb, o.first_seen
          FROM lineage.dataset n JOIN lineage.access o ON o.dataset = n.id AND o.output
          WHERE n.canonical = d.id AND o.last_seen > %(time)s::timestamptz
            AND o.first_seen <= %(time)s::timestamptz
            AND (SELECT lineage.writes_rows(w.facets) FROM lineage.access w
                 WHERE w.run = o.run AND w.job = o.job AND w.dataset = o.dataset AND w.output)) AS a
    JOIN lineage.run r ON r.id = a.run
    ORDER BY a.seen DESC, r.run_id, 3 DESC NULLS LAST LIMIT 1) AS written ON true
WHERE d.id = ANY (%(ids)s::bigint[])
