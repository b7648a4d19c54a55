-- As before. Of the reads of a dataset only those are looked at that came later, and those by version only where
-- writes state versions.
CREATE OR REPLACE FUNCTION lineage.links_from(runs bigint[], jobs bigint[]) RETURNS SETOF lineage.link
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    WITH wrote AS MATERIALIZED (
        SELECT d.canonical AS dataset, a.run, a.job, min(a.first_seen) AS since, max(a.last_seen) AS last_seen
        FROM (SELECT * FROM unnest(runs, jobs) AS k (run, job) OFFSET 0) AS k
        JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND a.output AND lineage.leaves_rows(a.facets)
        JOIN lineage.run r ON r.id = a.run AND r.feeding
        JOIN lineage.dataset d ON d.id = a.dataset
        GROUP BY d.canonical, a.run, a.job
    ), there AS MATERIALIZED (
        SELECT w.*, coalesce((
            SELECT CASE WHEN count(DISTINCT n.run) = 2 THEN max(n.over) END
            FROM (SELECT next.run, next.over
                  FROM lineage.dataset d
                  CROSS JOIN LATERAL (
                      SELECT a.run, a.last_seen, greatest(a.last_seen, r.ended_at) AS over
                      FROM lineage.access a JOIN lineage.run r ON r.id = a.run
                      WHERE a.dataset = d.id AND a.output AND a.last_seen > w.last_seen
                        AND lineage.replaces(a.facets) AND lineage.had_written(r, 'infinity')
                      ORDER BY a.last_seen LIMIT 2) AS next
                  WHERE d.canonical = w.dataset ORDER BY next.last_seen LIMIT 2) AS n), 'infinity') AS until
        FROM wrote w
    ), versioned AS MATERIALIZED (
        SELECT t.*, ARRAY(
            SELECT a.facets #>> '{version,1,datasetVersion}'
            FROM lineage.dataset d JOIN lineage.access a ON a.dataset = d.id AND a.output
                 AND a.last_seen BETWEEN t.since AND t.until
            WHERE d.canonical = t.dataset AND a.facets ? 'version') AS versions
        FROM there t
    ), reader AS MATERIALIZED (
        -- Who reads from a moment on is last seen after it: so far goes the index.
        SELECT a.run, a.job, v.dataset
        FROM versioned v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.run <> v.run AND a.last_seen >= v.since
        WHERE a.first_seen BETWEEN v.since AND v.until
        UNION
        SELECT a.run, a.job, v.dataset
        FROM versioned v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.run <> v.run
        WHERE v.versions <> '{}' AND a.facets #>> '{version,1,datasetVersion}' = ANY (v.versions)
    )
    SELECT s.* FROM (
        -- What was seen is found once for each read, and then compared.
        SELECT l.reader, l.reader_job, l.dataset, l.version, l.writer, l.writer_job, l.written, l.exact
        FROM reader k CROSS JOIN LATERAL lineage.links_of(k.run, k.job) AS l
        WHERE l.dataset = k.dataset OFFSET 0) AS s
    WHERE (s.writer, s.writer_job) IN (SELECT wrote.run, wrote.job FROM wrote)
$$;
