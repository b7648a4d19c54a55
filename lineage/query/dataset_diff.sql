-- name: compare_visible_writes(dataset, start, end, since, depth) -> ComparedRow
-- What differs between the writes visible in a dataset, and transitively in their inputs, at two times. A row with a run
-- is a write, with its reported facets, read as by lineage.facets_of_write(): a call for each write takes longer than the
-- look-up. Writes of datasets without a changed write are omitted and counted, unless a stream may have changed which one
-- is the newest. A row with a dataset or a job alone has its least distances: those that were added or removed, and
-- datasets that have reported a schema since the earlier time, which is also given as text.
WITH visible AS MATERIALIZED (
    SELECT * FROM lineage.compare_visible_writes(
        %(dataset)s, %(start)s::timestamptz, %(end)s::timestamptz, %(depth)s)
), dataset AS MATERIALIZED (
    SELECT v.dataset AS id, min(v.before) AS before, min(v.after) AS after,
           bool_or((v.before IS NULL) <> (v.after IS NULL)
                   OR v.written > (%(since)s::text)::timestamptz) AS changed
    FROM visible v GROUP BY v.dataset ORDER BY v.dataset
), job AS (
    SELECT v.job AS id, min(v.before) AS before, min(v.after) AS after
    FROM visible v WHERE v.job IS NOT NULL GROUP BY v.job
), listed AS (
    (SELECT v.dataset, v.run, v.job, v.written, v.exact, v.before, v.after
     FROM visible v JOIN dataset d ON d.id = v.dataset AND d.changed WHERE v.run IS NOT NULL
     ORDER BY v.run)
    UNION ALL
    SELECT d.id, NULL, NULL, NULL, NULL, d.before, d.after
    FROM dataset d
    WHERE (d.before IS NULL) <> (d.after IS NULL)
       OR EXISTS (SELECT FROM lineage.dataset n
                  WHERE n.canonical = d.id
                    AND left(n.facets #>> '{schema,0}', length(%(since)s::text)) COLLATE "C" > %(since)s::text)
    UNION ALL
    SELECT NULL, NULL, j.id, NULL, NULL, j.before, j.after
    FROM job j WHERE (j.before IS NULL) <> (j.after IS NULL)
), execution AS MATERIALIZED (
    -- What the runs at the greatest distance read is not traced.
    SELECT count(*) FILTER (WHERE v.before IS NOT NULL AND v.after IS NOT NULL) AS unchanged,
           array_agg(v.run) FILTER (WHERE v.before < t.depth) AS before_runs,
           array_agg(v.job) FILTER (WHERE v.before < t.depth) AS before_jobs,
           array_agg(v.run) FILTER (WHERE v.after < t.depth) AS after_runs,
           array_agg(v.job) FILTER (WHERE v.after < t.depth) AS after_jobs
    FROM visible v CROSS JOIN (VALUES (coalesce(%(depth)s::int, 2147483647))) AS t (depth)
    WHERE v.run IS NOT NULL
), appended AS MATERIALIZED (
    -- Datasets with an append from before the archive: archived ones may be visible beside it. The last write before the
    -- archive, of each job and mode, is in the graph. So if no append is visible there, no archived one is.
    SELECT v.dataset, bool_or(v.before IS NOT NULL) AS before, bool_or(v.after IS NOT NULL) AS after
    FROM visible v
    WHERE v.run IS NOT NULL AND v.written < (SELECT lineage.runs_archived_before())
      AND lineage.is_appending_job(v.job, v.dataset)
      AND NOT EXISTS (
          SELECT FROM lineage.dataset n
          JOIN lineage.access a ON a.dataset = n.id AND a.run = v.run AND a.job = v.job AND a.output
          WHERE n.canonical = v.dataset AND lineage.replaces_dataset(a, v.dataset) OFFSET 0)
    GROUP BY v.dataset
), ending AS MATERIALIZED (
    SELECT ARRAY(SELECT lineage.reads_of_archive(e.before_runs, e.before_jobs)
                 UNION SELECT a.dataset FROM appended a WHERE a.before) AS before,
           ARRAY(SELECT lineage.reads_of_archive(e.after_runs, e.after_jobs)
                 UNION SELECT a.dataset FROM appended a WHERE a.after) AS after
    FROM execution e
), source_before AS MATERIALIZED (
    SELECT s.id FROM ending e CROSS JOIN LATERAL lineage.possible_sources(e.before) AS s
), source_after AS MATERIALIZED (
    SELECT s.id FROM ending e CROSS JOIN LATERAL lineage.possible_sources(e.after) AS s
)
SELECT u.unchanged, g.before <> '{}' OR g.after <> '{}' AS ends_at_archive,
       CASE WHEN m.before IS NULL THEN coalesce(m.job, m.dataset) IN (SELECT s.id FROM source_before s)
            WHEN m.after IS NULL THEN coalesce(m.job, m.dataset) IN (SELECT s.id FROM source_after s)
            ELSE false END AS is_possible,
       d.id AS dataset, d.namespace, d.name,
       r.run_id AS run, r.state, lineage.iso8601(r.last_seen) AS last_seen, lineage.iso8601(r.started_at) AS started_at,
       lineage.iso8601(r.ended_at) AS ended_at, r.facets #>> '{errorMessage,1,message}' AS error,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       lineage.iso8601(m.written) AS written, m.exact, m.before, m.after,
       w.facets #>> '{version,1,datasetVersion}' AS version, lineage.write_mode(w.facets) AS mode,
       m.run IS NOT NULL AND lineage.write_mode(w.facets) IS NULL
           AND coalesce(lineage.configured_write_mode(m.job, m.dataset), 'unknown') = 'unknown' AS unknown_mode,
       lineage.nonnegative_count(w.facets #> '{outputStatistics,1,rowCount}')::bigint AS rows,
       lineage.nonnegative_count(w.facets #> '{outputStatistics,1,size}')::bigint AS bytes
FROM execution u CROSS JOIN ending g
LEFT JOIN listed m ON true
LEFT JOIN lineage.dataset d ON d.id = m.dataset
LEFT JOIN lineage.run r ON r.id = m.run
LEFT JOIN lineage.job j ON j.id = m.job
CROSS JOIN LATERAL (
    SELECT CASE WHEN m.run IS NOT NULL
                THEN (SELECT lineage.merged_facets(a.facets)
                      FROM lineage.access a
                      -- The cast hides the column from the index access_job, by which all runs of the job are read.
                      WHERE a.run = m.run AND a.job = m.job AND a.output::int = 1 AND a.dataset = ANY (ARRAY(
                          SELECT n.id FROM lineage.dataset n WHERE n.canonical = m.dataset))) END AS facets
    OFFSET 0) AS w
ORDER BY coalesce(m.after, m.before), d.namespace, d.name, m.written, r.run_id,
         j.namespace, j.name

-- name: select_seen_before(ids, time) -> int
-- Those of these datasets and jobs that an event before a time names.
SELECT d.canonical FROM lineage.dataset d
WHERE d.canonical = ANY (%(ids)s::bigint[]) AND d.first_seen < %(time)s::timestamptz
UNION
SELECT j.id FROM lineage.job j WHERE j.id = ANY (%(ids)s::bigint[]) AND j.first_seen < %(time)s::timestamptz
