-- name: select_dependencies(run_id, direction, dataset, at, depth, perhaps, limit) -> LinkRow
-- The runs upstream of a run, whose writes it read, or downstream of it, which read its writes; or the runs whose writes
-- were visible in a dataset at a time. The job is that of the run at the far end. The server counts the rows over the
-- limit, so that they need not be transferred.
WITH link AS MATERIALIZED (
    SELECT u.*, u.writer_job AS job
    FROM lineage.run_dependencies(
        (SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s) AS u
    WHERE %(direction)s = 'upstream'
    UNION ALL
    SELECT u.*, u.reader_job
    FROM lineage.run_dependents(
        (SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s) AS u
    WHERE %(direction)s = 'downstream'
    UNION ALL
    SELECT u.*, u.writer_job
    FROM lineage.dependencies_at(%(dataset)s, %(at)s::timestamptz, %(depth)s, %(perhaps)s) AS u
    WHERE %(dataset)s::bigint IS NOT NULL
)
SELECT l.distance, CASE WHEN r.id IS NOT NULL THEN lineage.run_record(r) END AS reader,
       l.dataset, l.namespace, l.name, l.version,
       CASE WHEN w.id IS NOT NULL THEN lineage.run_record(w) END AS writer,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       lineage.iso8601(l.written) AS written, l.exact, l.total
FROM (
    SELECT l.*, d.namespace, d.name, count(*) OVER () AS total, row_number() OVER (
               ORDER BY l.distance, r.run_id NULLS FIRST, d.namespace, d.name, l.version, l.written,
                        w.run_id, j.namespace, j.name) AS number
    FROM link l
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run r ON r.id = l.reader
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.job
    ORDER BY number LIMIT %(limit)s) AS l
LEFT JOIN lineage.run r ON r.id = l.reader
LEFT JOIN lineage.run w ON w.id = l.writer
LEFT JOIN lineage.job j ON j.id = l.job
ORDER BY l.number

-- name: select_volumes(run_ids) -> VolumeRow
-- Runs in the order of their ids in the query, each with its job and the sums of the rows that it read and wrote. A sum
-- that is no bigint is null.
SELECT r.run_id, j.id AS job, j.namespace AS job_namespace, j.name AS job_name, a.rows_read, a.rows_written
FROM unnest(%(run_ids)s::text[]) WITH ORDINALITY AS requested (run_id, number)
JOIN lineage.run r ON r.run_id = requested.run_id
LEFT JOIN lineage.job j ON j.id = lineage.job_of_run(r.id)
CROSS JOIN LATERAL (
    SELECT lineage.nonnegative_count(to_jsonb(
               sum(lineage.nonnegative_count(a.facets #> '{inputStatistics,1,rowCount}'))
               FILTER (WHERE NOT a.output)))::bigint AS rows_read,
           lineage.nonnegative_count(to_jsonb(
               sum(lineage.nonnegative_count(a.facets #> '{outputStatistics,1,rowCount}'))
               FILTER (WHERE a.output)))::bigint AS rows_written
    FROM lineage.access a WHERE a.run = r.id) AS a
ORDER BY requested.number
