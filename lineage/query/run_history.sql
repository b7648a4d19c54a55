-- name: select_accesses(id, states, since, until, limit, offset) -> AccessRow
-- The runs that read or wrote a dataset, newest first. Among runs of the same time the run id decides which ones the
-- limit omits.
SELECT lineage.run_record(r) AS run, j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       c.id AS dataset, c.namespace, c.name, a.output AS is_output,
       lineage.facet_bodies(a.facets) AS facets,
       a.output AND lineage.has_committed(r, a.job) AS committed
FROM (SELECT a.*, n.namespace, n.name FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id
      WHERE n.canonical = %(id)s AND EXISTS (
          SELECT FROM lineage.run r
          WHERE r.id = a.run AND (%(states)s::text[] = '{}' OR r.state = ANY (%(states)s))
            AND r.first_seen >= %(since)s::timestamptz AND r.first_seen < %(until)s::timestamptz)
      ORDER BY a.last_seen DESC FETCH FIRST (%(limit)s::bigint + %(offset)s) ROWS WITH TIES) AS a
JOIN lineage.run r ON r.id = a.run
JOIN lineage.job j ON j.id = a.job
JOIN lineage.dataset c ON c.id = %(id)s
ORDER BY a.last_seen DESC, r.run_id, a.output, j.namespace, j.name, a.namespace, a.name
LIMIT %(limit)s OFFSET %(offset)s

-- name: select_runs_of_job(id, states, since, until, limit, offset) -> RunRow
-- The runs of a job, newest first.
SELECT lineage.run_record(r) AS run
FROM (SELECT x.* FROM lineage.execution x
      WHERE x.job = %(id)s AND EXISTS (
          SELECT FROM lineage.run r
          WHERE r.id = x.run AND (%(states)s::text[] = '{}' OR r.state = ANY (%(states)s))
            AND coalesce(r.first_seen, '-infinity') >= %(since)s::timestamptz
            AND coalesce(r.first_seen, '-infinity') < %(until)s::timestamptz)
      ORDER BY x.last_seen DESC NULLS LAST FETCH FIRST (%(limit)s::bigint + %(offset)s) ROWS WITH TIES) AS x
JOIN lineage.run r ON r.id = x.run
ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT %(limit)s OFFSET %(offset)s

-- name: select_runs(states, since, until, limit, offset) -> JobRunRow
-- The runs of all jobs, the last to begin first. A run with several jobs is returned with the first of them by name. A
-- run without a time is omitted: only another run that names it as its parent has reported it.
SELECT lineage.run_record(r) AS run, j.id AS job, j.namespace AS job_namespace, j.name AS job_name
FROM (SELECT r.* FROM lineage.run r
      WHERE r.first_seen >= %(since)s::timestamptz AND r.first_seen < %(until)s::timestamptz
        AND (%(states)s::text[] = '{}' OR r.state = ANY (%(states)s))
      ORDER BY r.first_seen DESC, r.run_id LIMIT %(limit)s OFFSET %(offset)s) AS r
LEFT JOIN lineage.job j ON j.id = lineage.job_of_run(r.id)
ORDER BY r.first_seen DESC, r.run_id
