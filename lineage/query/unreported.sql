-- name: select_unreported_steps(ids, direction, readers, observed) -> UnreportedRow
-- Steps out of these datasets, or into them if upstream, whose columns are unknown: no run that fed the pair, and no
-- design of it, reported columns of the target. With readers, also jobs that read these datasets and wrote no dataset
-- from them.
WITH pair AS MATERIALIZED (
    SELECT f.source, f.target, f.job, false AS declared
    FROM unnest(%(ids)s::bigint[]) AS i (id) JOIN lineage.feeds f ON f.source = i.id
    WHERE %(direction)s = 'downstream'
    UNION
    SELECT f.source, f.target, f.job, false
    FROM unnest(%(ids)s::bigint[]) AS i (id) JOIN lineage.feeds f ON f.target = i.id
    WHERE %(direction)s = 'upstream'
    UNION
    SELECT d.source, d.target, d.job, true
    FROM unnest(%(ids)s::bigint[]) AS i (id) JOIN lineage.declared d ON d.source = i.id
    WHERE %(direction)s = 'downstream' AND NOT d.observed AND NOT %(observed)s
    UNION
    SELECT d.source, d.target, d.job, true
    FROM unnest(%(ids)s::bigint[]) AS i (id) JOIN lineage.declared d ON d.target = i.id
    WHERE %(direction)s = 'upstream' AND NOT d.observed AND NOT %(observed)s
), unreported AS (
    SELECT p.source, p.target, p.job, p.declared FROM pair p
    -- OFFSET 0: search the columns of each pair until the first, instead of joining all columns.
    CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT FROM lineage.derives d WHERE d.target = p.target AND d.job = p.job) OR EXISTS (
                   SELECT FROM lineage.field f JOIN lineage.derives d ON d.target = f.id
                   WHERE f.dataset = p.target AND d.job = p.job) AS columns,
               EXISTS (SELECT FROM lineage.derives d JOIN lineage.field s ON s.id = d.source
                       WHERE d.target = p.target AND d.job = p.job AND s.dataset = p.source) OR EXISTS (
                   SELECT FROM lineage.field f JOIN lineage.derives d ON d.target = f.id
                   JOIN lineage.field s ON s.id = d.source
                   WHERE f.dataset = p.target AND d.job = p.job AND s.dataset = p.source) AS columns_of_source
        OFFSET 0) AS derived
    WHERE NOT derived.columns_of_source
      -- None of the columns is from the source: a run that read it reported that, or other runs reported the columns.
      -- Archived runs do not count: it is not known which of them reported columns.
      AND NOT (derived.columns AND EXISTS (
          SELECT FROM lineage.dataset n
          JOIN lineage.column_mapping m ON m.target = n.id
          JOIN lineage.run_column_mapping r ON r.mapping = m.id AND r.job = p.job
          WHERE n.canonical = p.target
            AND EXISTS (SELECT FROM lineage.column_mapping_entry c WHERE c.mapping = m.id)
            AND lineage.contributes_to_feeds(r.run, r.job, p.source, p.target)))
      AND (%(observed)s OR NOT EXISTS (
          SELECT FROM lineage.declared d
          JOIN lineage.declared_column c ON c.holder = d.holder
          LEFT JOIN lineage.field f ON f.id = c.target
          WHERE d.source = p.source AND d.target = p.target AND coalesce(d.job, p.job) IS NOT DISTINCT FROM p.job
            AND coalesce(f.dataset, c.target) = p.target))
    UNION ALL
    SELECT r.dataset, NULL, r.job, false
    FROM lineage.reader_jobs(CASE WHEN %(readers)s THEN %(ids)s::bigint[] END) AS r
    WHERE NOT EXISTS (SELECT FROM lineage.feeds f WHERE f.source = r.dataset AND f.job = r.job)
    UNION ALL
    -- Jobs that only read by their designs, and in no run.
    SELECT r.dataset, NULL, r.job, true
    FROM lineage.jobs_declaring_access(CASE WHEN %(readers)s AND NOT %(observed)s THEN %(ids)s::bigint[] END, false) AS r
    WHERE NOT EXISTS (SELECT FROM lineage.declared d WHERE d.source = r.dataset AND d.job = r.job)
      AND NOT EXISTS (SELECT FROM lineage.feeds f WHERE f.source = r.dataset AND f.job = r.job)
      AND NOT EXISTS (SELECT FROM lineage.dataset n JOIN lineage.dataset_job u ON u.dataset = n.id AND NOT u.output
                      WHERE n.canonical = r.dataset AND u.job = r.job)
)
SELECT s.id AS source, s.namespace AS source_namespace, s.name AS source_name,
       j.id AS job, j.namespace AS job_namespace, j.name AS job_name,
       t.id AS target, t.namespace AS target_namespace, t.name AS target_name,
       u.declared
FROM unreported u
JOIN lineage.dataset s ON s.id = u.source
LEFT JOIN lineage.job j ON j.id = u.job
LEFT JOIN lineage.dataset t ON t.id = u.target
ORDER BY s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
