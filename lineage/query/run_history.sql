-- name: select_accesses(id, limit) -> AccessRow
-- The runs that read or wrote a dataset, newest first. Among runs of the same time the run id decides which ones the
-- limit omits.
SELECT lineage.run_record(r) AS run, j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       c.id AS dataset, c.namespace, c.name, a.output AS is_output,
       lineage.facet_bodies(a.facets) AS facets,
       a.output AND lineage.has_committed(r, a.job) AS committed
FROM (SELECT a.* FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id
      WHERE n.canonical = %(id)s
      ORDER BY a.last_seen DESC FETCH FIRST %(limit)s ROWS WITH TIES) AS a
JOIN lineage.run r ON r.id = a.run
JOIN lineage.job j ON j.id = a.job
JOIN lineage.dataset c ON c.id = %(id)s
ORDER BY a.last_seen DESC, r.run_id, a.output, j.namespace, j.name LIMIT %(limit)s

-- name: select_runs_of_job(id, limit) -> RunRow
-- The runs of a job, newest first.
SELECT lineage.run_record(r) AS run
FROM (SELECT x.* FROM lineage.execution x WHERE x.job = %(id)s
      ORDER BY x.last_seen DESC NULLS LAST FETCH FIRST %(limit)s ROWS WITH TIES) AS x
JOIN lineage.run r ON r.id = x.run
ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT %(limit)s
