-- name: select_namespaces(namespace, limit, offset) -> NamespaceRow
-- All namespaces, or one.
SELECT namespace, lineage.iso8601(min(first_seen)) AS first_seen,
       lineage.iso8601(max(last_seen)) AS last_seen
FROM (SELECT namespace, first_seen, last_seen FROM lineage.dataset WHERE canonical = id
      UNION ALL SELECT namespace, first_seen, last_seen FROM lineage.job) AS n
WHERE namespace = %(namespace)s OR %(namespace)s::text IS NULL
GROUP BY namespace ORDER BY namespace LIMIT %(limit)s OFFSET %(offset)s

-- name: select_datasets(ids) -> DatasetRow
-- The datasets with these ids, in their order. A change of their life, such as DROP, is that of the newest write, or was
-- reported after it.
SELECT d.namespace, d.name, n.first_seen, n.last_seen, lineage.facet_bodies(n.facets) AS facets,
       (SELECT jsonb_agg(jsonb_build_array(f.name, f.type) ORDER BY f.name)
        FROM lineage.field f WHERE f.dataset = d.id AND strpos(f.name, '.') = 0) AS columns,
       w.run_id,
       coalesce(w.change, CASE WHEN w.run_id IS NULL OR w.last_seen <= n.changed_at THEN n.change END) AS change
FROM unnest(%(ids)s::bigint[]) WITH ORDINALITY AS requested (id, place)
JOIN lineage.dataset d ON d.id = requested.id
CROSS JOIN LATERAL (
    SELECT n.first_seen, n.last_seen, n.facets,
           n.facets #>> '{lifecycleStateChange,1,lifecycleStateChange}' AS change,
           split_part(n.facets #>> '{lifecycleStateChange,0}', ' ', 1)::timestamptz AS changed_at
    FROM (SELECT lineage.iso8601(min(n.first_seen)) AS first_seen, lineage.iso8601(max(n.last_seen)) AS last_seen,
                 lineage.merged_facets(n.facets) AS facets
          FROM lineage.dataset n WHERE n.canonical = d.id) AS n) AS n
LEFT JOIN LATERAL (
    SELECT r.run_id, a.last_seen, a.facets #>> '{lifecycleStateChange,1,lifecycleStateChange}' AS change
    FROM lineage.dataset n
    CROSS JOIN LATERAL (SELECT * FROM lineage.access a WHERE a.dataset = n.id AND a.output
                        ORDER BY a.last_seen DESC LIMIT 20) AS a
    JOIN lineage.run r ON r.id = a.run AND r.contributing
    WHERE n.canonical = d.id ORDER BY a.last_seen DESC, r.run_id LIMIT 1) AS w ON true
ORDER BY requested.place

-- name: select_jobs(ids) -> JobRow
-- The jobs with these ids, in their order, with the inputs and outputs of their ten latest runs. A run is the
-- argument of representations.run_form, as in each statement of this file.
WITH requested AS MATERIALIZED (
    SELECT * FROM unnest(%(ids)s::bigint[]) WITH ORDINALITY AS requested (id, place)
), latest AS MATERIALIZED (
    SELECT w.id AS job, x.run, x.last_seen FROM requested w
    CROSS JOIN LATERAL (SELECT x.run, x.last_seen FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
                        WHERE x.job = w.id
                        ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT 10) AS x
), accessed AS MATERIALIZED (
    SELECT DISTINCT l.job, a.output, c.namespace, c.name FROM latest l
    JOIN lineage.access a ON a.run = l.run AND a.job = l.job
    JOIN lineage.dataset d ON d.id = a.dataset JOIN lineage.dataset c ON c.id = d.canonical
)
SELECT j.namespace, j.name, lineage.iso8601(j.first_seen) AS first_seen,
       lineage.iso8601(j.last_seen) AS last_seen, lineage.facet_bodies(j.facets) AS facets,
       (SELECT jsonb_agg(jsonb_build_array(a.namespace, a.name) ORDER BY a.namespace, a.name)
        FROM accessed a WHERE a.job = j.id AND NOT a.output) AS inputs,
       (SELECT jsonb_agg(jsonb_build_array(a.namespace, a.name) ORDER BY a.namespace, a.name)
        FROM accessed a WHERE a.job = j.id AND a.output) AS outputs,
       (SELECT jsonb_agg(
            jsonb_build_array(r.run_id, r.state, lineage.iso8601(r.first_seen), lineage.iso8601(r.last_seen),
                lineage.iso8601(r.started_at), lineage.iso8601(r.ended_at), lineage.facet_bodies(r.facets),
                j.namespace, j.name)
            ORDER BY l.last_seen DESC NULLS LAST, r.run_id)
        FROM latest l JOIN lineage.run r ON r.id = l.run WHERE l.job = j.id) AS runs
FROM requested w JOIN lineage.job j ON j.id = w.id ORDER BY w.place

-- name: select_job_ids(namespace, states, limit, offset) -> int
-- The jobs of a namespace whose last run is in one of these states.
SELECT j.id
FROM lineage.job j
WHERE (j.namespace = %(namespace)s OR %(namespace)s::text IS NULL)
  AND (%(states)s::text[] IS NULL OR (
      SELECT coalesce(r.state, 'NEW') FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
      WHERE x.job = j.id ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT 1) = ANY (%(states)s::text[]))
ORDER BY j.last_seen DESC, j.namespace, j.name LIMIT %(limit)s OFFSET %(offset)s

-- name: count_jobs(namespace, states) -> int
-- The number of these jobs: a twin of select_job_ids.
SELECT count(*)
FROM lineage.job j
WHERE (j.namespace = %(namespace)s OR %(namespace)s::text IS NULL)
  AND (%(states)s::text[] IS NULL OR (
      SELECT coalesce(r.state, 'NEW') FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
      WHERE x.job = j.id ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT 1) = ANY (%(states)s::text[]))

-- name: select_runs_of_job(job, limit, offset) -> RunRow
-- The runs of a job, newest first.
SELECT jsonb_build_array(r.run_id, r.state, lineage.iso8601(r.first_seen), lineage.iso8601(r.last_seen),
           lineage.iso8601(r.started_at), lineage.iso8601(r.ended_at), lineage.facet_bodies(r.facets),
           j.namespace, j.name) AS run
FROM (SELECT x.* FROM lineage.execution x JOIN lineage.run r ON r.id = x.run WHERE x.job = %(job)s
      ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT %(limit)s OFFSET %(offset)s) AS x
JOIN lineage.run r ON r.id = x.run JOIN lineage.job j ON j.id = x.job
ORDER BY x.last_seen DESC NULLS LAST, r.run_id

-- name: select_run(run_id) -> RunRow
-- A run with its job.
SELECT jsonb_build_array(r.run_id, r.state, lineage.iso8601(r.first_seen), lineage.iso8601(r.last_seen),
           lineage.iso8601(r.started_at), lineage.iso8601(r.ended_at), lineage.facet_bodies(r.facets),
           j.namespace, j.name) AS run FROM lineage.run r
LEFT JOIN lineage.job j ON j.id = lineage.job_of_run(r.id)
WHERE r.run_id = %(run_id)s

-- name: select_versions(dataset, limit, offset) -> VersionRow
-- The contributing runs that wrote a dataset, newest first, with the facets of this output.
SELECT jsonb_build_array(r.run_id, r.state, lineage.iso8601(r.first_seen), lineage.iso8601(r.last_seen),
           lineage.iso8601(r.started_at), lineage.iso8601(r.ended_at), lineage.facet_bodies(r.facets),
           j.namespace, j.name) AS run,
       lineage.iso8601(a.last_seen) AS written_at, lineage.facet_bodies(a.facets) AS facets
FROM (SELECT a.* FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id AND a.output
      JOIN lineage.run r ON r.id = a.run AND r.contributing
      WHERE n.canonical = %(dataset)s
      ORDER BY a.last_seen DESC, r.run_id LIMIT %(limit)s OFFSET %(offset)s) AS a
JOIN lineage.run r ON r.id = a.run JOIN lineage.job j ON j.id = a.job
ORDER BY a.last_seen DESC, r.run_id

-- name: search(q, filter, namespace, after, before, sort, limit) -> NodeRow
-- Datasets and jobs whose names contain a text.
SELECT kind, namespace, name, lineage.iso8601(last_seen) AS updated_at FROM (
    SELECT 'DATASET' AS kind, d.namespace, d.name, d.last_seen FROM lineage.dataset d
    WHERE d.canonical = d.id AND strpos(lower(d.name), lower(%(q)s)) > 0
    UNION ALL
    SELECT 'JOB', j.namespace, j.name, j.last_seen FROM lineage.job j
    WHERE strpos(lower(j.name), lower(%(q)s)) > 0) AS matches
WHERE (kind = %(filter)s OR %(filter)s::text IS NULL)
  AND (namespace = %(namespace)s OR %(namespace)s::text IS NULL)
  AND (last_seen >= %(after)s::timestamptz OR %(after)s::text IS NULL)
  AND (last_seen < %(before)s::timestamptz OR %(before)s::text IS NULL)
ORDER BY CASE WHEN %(sort)s = 'UPDATE_AT' THEN last_seen END DESC NULLS LAST, name, namespace, kind
LIMIT %(limit)s

-- name: select_newest_events(after, before, namespace, limit, offset) -> str
-- Events of runs in a period, of one namespace or all, the last received first.
SELECT e.body
FROM lineage.event e
WHERE e.run_id IS NOT NULL AND e.event_time >= %(after)s::timestamptz
  AND e.event_time < %(before)s::timestamptz
  AND (%(namespace)s::text IS NULL OR EXISTS (
      SELECT FROM lineage.run r JOIN lineage.execution x ON x.run = r.id
      JOIN lineage.job j ON j.id = x.job
      WHERE r.run_id = e.run_id AND j.namespace = %(namespace)s))
ORDER BY e.id DESC LIMIT %(limit)s OFFSET %(offset)s

-- name: select_oldest_events(after, before, namespace, limit, offset) -> str
-- These events, the first received first: a twin of select_newest_events.
SELECT e.body
FROM lineage.event e
WHERE e.run_id IS NOT NULL AND e.event_time >= %(after)s::timestamptz
  AND e.event_time < %(before)s::timestamptz
  AND (%(namespace)s::text IS NULL OR EXISTS (
      SELECT FROM lineage.run r JOIN lineage.execution x ON x.run = r.id
      JOIN lineage.job j ON j.id = x.job
      WHERE r.run_id = e.run_id AND j.namespace = %(namespace)s))
ORDER BY e.id LIMIT %(limit)s OFFSET %(offset)s

-- name: count_events(after, before, namespace) -> int
-- The number of these events, at most 10,000, because counting reads all of them. A twin of select_newest_events.
SELECT count(*) FROM (
    SELECT
    FROM lineage.event e
    WHERE e.run_id IS NOT NULL AND e.event_time >= %(after)s::timestamptz
      AND e.event_time < %(before)s::timestamptz
      AND (%(namespace)s::text IS NULL OR EXISTS (
          SELECT FROM lineage.run r JOIN lineage.execution x ON x.run = r.id
          JOIN lineage.job j ON j.id = x.job
          WHERE r.run_id = e.run_id AND j.namespace = %(namespace)s))
    LIMIT 10000) AS e
