-- name: select_job_history(id, limit) -> HistoryRow
-- The newest runs of a job with their durations and the rows that they wrote, each with the range that root causes expect
-- after the runs before it. Streaming runs have no such range, nor outputs without a number of rows.
WITH newest AS MATERIALIZED (
    SELECT x.run, x.job, x.last_seen
    FROM lineage.execution x WHERE x.job = %(id)s
    ORDER BY x.last_seen DESC NULLS LAST FETCH FIRST %(limit)s ROWS WITH TIES
), batch AS MATERIALIZED (
    SELECT array_agg(x.run) AS runs, array_agg(x.job) AS jobs FROM newest x WHERE NOT lineage.is_streaming_job(x.job)
), durations AS MATERIALIZED (
    SELECT s.run, m.low, m.high
    FROM batch CROSS JOIN LATERAL lineage.run_time_samples(batch.runs, batch.jobs) AS s
    CROSS JOIN LATERAL lineage.expected_range(s.samples, 60) AS m
    WHERE s.kind = 'duration'
), row_counts AS MATERIALIZED (
    SELECT s.run, s.dataset, m.low, m.high
    FROM batch CROSS JOIN LATERAL lineage.row_count_samples(batch.runs, batch.jobs) AS s
    CROSS JOIN LATERAL lineage.expected_range(s.samples, 0) AS m
)
SELECT r.id, lineage.run_record(r) AS run, lineage.run_duration(r) AS duration,
       greatest(d.low, 0) AS low, d.high, written.outputs
FROM newest x
JOIN lineage.run r ON r.id = x.run
LEFT JOIN durations d ON d.run = x.run
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_array(jsonb_build_array(c.id, c.namespace, c.name), o.rows, greatest(e.low, 0), e.high)
                     ORDER BY c.namespace, c.name, n.namespace, n.name) AS outputs
    FROM lineage.access a
    CROSS JOIN LATERAL (SELECT lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}')::bigint AS rows
                        OFFSET 0) AS o
    JOIN lineage.dataset n ON n.id = a.dataset
    JOIN lineage.dataset c ON c.id = n.canonical
    LEFT JOIN row_counts e ON e.run = a.run AND e.dataset = a.dataset
    WHERE a.run = x.run AND a.job = x.job AND a.output) AS written ON true
ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT %(limit)s
