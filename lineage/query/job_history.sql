-- name: select_job_history(id, limit) -> HistoryRow
-- The newest runs of a job with their durations and the rows that they wrote, each with the range that root causes expect
-- after the runs before it. Streaming runs have no such range, nor outputs without a number of rows.
SELECT lineage.run_record(r) AS run, extract(epoch FROM r.ended_at - r.started_at)::double precision AS duration,
       greatest(d.low, 0) AS low, d.high, written.outputs
FROM (SELECT x.run, x.job, x.last_seen, lineage.is_streaming_job(x.job) AS stream
      FROM lineage.execution x WHERE x.job = %(id)s
      ORDER BY x.last_seen DESC NULLS LAST FETCH FIRST %(limit)s ROWS WITH TIES) AS x
JOIN lineage.run r ON r.id = x.run
LEFT JOIN LATERAL lineage.expected_range(
    CASE WHEN NOT x.stream THEN lineage.previous_durations(x.run, x.job) END, 60) AS d ON true
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_array(jsonb_build_array(c.id, c.namespace, c.name), o.rows, greatest(e.low, 0), e.high)
                     ORDER BY c.namespace, c.name, n.namespace, n.name) AS outputs
    FROM lineage.access a
    CROSS JOIN LATERAL (SELECT lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}')::bigint AS rows
                        OFFSET 0) AS o
    JOIN lineage.dataset n ON n.id = a.dataset
    JOIN lineage.dataset c ON c.id = n.canonical
    LEFT JOIN LATERAL lineage.expected_range(
        CASE WHEN NOT x.stream AND o.rows IS NOT NULL
             THEN lineage.previous_row_counts(a.run, a.job, a.dataset) END, 0) AS e ON true
    WHERE a.run = x.run AND a.job = x.job AND a.output) AS written ON true
ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT %(limit)s
