-- The jobs that read some of these datasets only to check them. The index job_checks has them; most graphs have none, and
-- the readers are then not searched.
CREATE OR REPLACE FUNCTION lineage.checks_of_datasets(ids bigint[]) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT j.id
    FROM (SELECT DISTINCT u.job
          FROM unnest(ids) AS i (id)
          JOIN lineage.dataset n ON n.canonical = i.id
          JOIN lineage.dataset_job u ON u.dataset = n.id AND NOT u.output) AS reader
    JOIN lineage.job j ON j.id = reader.job
    WHERE lineage.is_check(j.facets) AND (SELECT EXISTS (SELECT FROM lineage.job c WHERE lineage.is_check(c.facets)))
$$;

-- The time of the last write of datasets by a run that did not fail, and of the last read by any run, both by the last
-- event that reports it; and the number of runs that read them since a time. A change without rows is no write, and a
-- check is no read.
-- The names of each dataset are read once. Runs are read only for writes, where their state decides.
CREATE OR REPLACE FUNCTION lineage.dataset_usage(ids bigint[], since timestamptz DEFAULT '-infinity')
RETURNS TABLE (id bigint, last_written timestamptz, last_read timestamptz, writes bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH checks AS MATERIALIZED (SELECT c.job FROM lineage.checks_of_datasets(ids) AS c (job))
    SELECT i.id, max(u.last_written), max(u.last_read), count(DISTINCT u.writer), count(DISTINCT u.reader)
    FROM unnest(ids) AS i (id)
    LEFT JOIN lineage.dataset n ON n.canonical = i.id
    LEFT JOIN LATERAL (
        (SELECT a.last_seen AS last_written, NULL::timestamptz AS last_read, NULL::bigint AS writer,
                NULL::bigint AS reader
         FROM lineage.access a JOIN lineage.run r ON r.id = a.run AND r.contributing
         WHERE a.dataset = n.id AND a.output AND lineage.may_have_sources(a.facets) ORDER BY a.last_seen DESC LIMIT 1)
        UNION ALL
        (SELECT NULL, a.last_seen, NULL, NULL FROM lineage.access a
         WHERE a.dataset = n.id AND NOT a.output AND a.job NOT IN (SELECT c.job FROM checks c)
         ORDER BY a.last_seen DESC LIMIT 1)
        UNION ALL
        SELECT NULL, NULL,
               CASE WHEN a.output AND lineage.may_have_sources(a.facets) THEN (SELECT r.id FROM lineage.run r WHERE r.id = a.run AND r.contributing) END,
               CASE WHEN NOT a.output AND a.job NOT IN (SELECT c.job FROM checks c) THEN a.run END
        FROM lineage.access a WHERE a.dataset = n.id AND a.last_seen >= since) AS u ON true
    GROUP BY i.id
$$;
COMMENT ON FUNCTION lineage.dataset_usage IS 'The last write and read of datasets, and the number of runs';

-- For interactive use: the datasets downstream of a dataset, with owners and usage: the number of runs in that number
-- of days before the newest event. The dataset itself is at 0.
CREATE OR REPLACE FUNCTION lineage.impact(
    dataset text, depth int DEFAULT NULL, days int DEFAULT 30, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, namespace text, name text, owners text[], tags text[],
               last_written timestamptz, last_read timestamptz, writes bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH hit AS MATERIALIZED (
        SELECT t.id, t.distance FROM lineage.trace_datasets(lineage.dataset_id(impact.dataset), 'downstream', depth,
            observed, min_confidence) t
    )
    SELECT h.distance, d.namespace, d.name, lineage.facet_owners(m.facets), lineage.facet_tags(m.facets),
           u.last_written, u.last_read, u.writes, u.reads
    FROM lineage.dataset_usage(ARRAY(SELECT hit.id FROM hit),
                       (SELECT lineage.latest_event_time()) - make_interval(days => days)) u
    JOIN hit h USING (id)
    JOIN lineage.dataset d USING (id)
    CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                        FROM lineage.dataset n WHERE n.canonical = h.id) AS m
    ORDER BY h.distance, u.reads DESC, d.namespace, d.name
$$;
COMMENT ON FUNCTION lineage.impact IS 'The datasets downstream of a dataset, with owners and usage';

-- For interactive use: the jobs that read a dataset or one downstream of it, whether or not they wrote a dataset from
-- it; unless observed, also those that read it by their designs. distance: one more than the distance of the nearest
-- dataset they read.
CREATE OR REPLACE FUNCTION lineage.impact_jobs(
    dataset text, depth int DEFAULT NULL, days int DEFAULT 30, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, namespace text, name text, owners text[], tags text[],
               last_run timestamptz, runs bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH reached AS MATERIALIZED (
        SELECT t.id, t.distance
        FROM lineage.trace_datasets(lineage.dataset_id(impact_jobs.dataset), 'downstream', depth, observed,
            min_confidence) AS t
        WHERE depth IS NULL OR t.distance < depth
    ), touched AS MATERIALIZED (
        SELECT r.job, min(t.distance) + 1 AS distance
        FROM (SELECT * FROM lineage.reader_jobs(ARRAY(SELECT reached.id FROM reached))
              UNION ALL
              SELECT d.dataset, d.job
              FROM lineage.jobs_declaring_access(ARRAY(SELECT reached.id FROM reached), false, min_confidence) AS d
              WHERE NOT impact_jobs.observed) AS r (dataset, job)
        JOIN reached t ON t.id = r.dataset
        GROUP BY r.job
    ), window_of AS MATERIALIZED (
        SELECT lineage.latest_event_time() - make_interval(days => days) AS since
    )
    SELECT t.distance, j.namespace, j.name, lineage.facet_owners(j.facets), lineage.facet_tags(j.facets),
           (SELECT x.last_seen FROM lineage.execution x WHERE x.job = j.id AND x.last_seen IS NOT NULL
            ORDER BY x.last_seen DESC LIMIT 1),
           (SELECT count(*) FROM lineage.execution x, window_of
            WHERE x.job = j.id AND x.last_seen >= since) AS runs
    FROM touched t JOIN lineage.job j ON j.id = t.job
    ORDER BY t.distance, runs DESC, j.namespace, j.name
$$;
COMMENT ON FUNCTION lineage.impact_jobs IS 'The jobs that read a dataset or one downstream of it';

-- The jobs that ever read each of these datasets.
CREATE OR REPLACE FUNCTION lineage.reader_jobs(ids bigint[]) RETURNS TABLE (dataset bigint, job bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT DISTINCT n.canonical, u.job
    FROM unnest(ids) AS i (id)
    JOIN lineage.dataset n ON n.canonical = i.id
    JOIN lineage.dataset_job u ON u.dataset = n.id AND NOT u.output
$$;
COMMENT ON FUNCTION lineage.reader_jobs IS 'The jobs that read each of these datasets';

-- The number of runs that read each of these datasets since a time; datasets that were not read are omitted. A check is
-- no read.
CREATE OR REPLACE FUNCTION lineage.read_counts(ids bigint[], since timestamptz) RETURNS TABLE (id bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    -- Counted by dataset, because sorting the reads of all datasets takes longer.
    WITH checks AS MATERIALIZED (SELECT c.job FROM lineage.checks_of_datasets(ids) AS c (job))
    SELECT i.id, counted.reads
    FROM unnest(ids) AS i (id)
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT a.run) AS reads
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND NOT a.output AND a.last_seen >= since
            AND a.job NOT IN (SELECT c.job FROM checks c)
        WHERE n.canonical = i.id) AS counted
    WHERE counted.reads > 0
$$;
COMMENT ON FUNCTION lineage.read_counts IS 'The number of runs that read each of these datasets since a time';

-- Pairs of an owner, or null for none, and its number of entities. entities: the number for each ownership facet.
CREATE OR REPLACE FUNCTION lineage.owner_counts(ownerships jsonb[], entities bigint[]) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT jsonb_agg(jsonb_build_array(owned.owner, owned.entities))
        FROM (SELECT owner, sum(groups.entities) AS entities
              FROM unnest(ownerships, entities) AS groups (ownership, entities)
              LEFT JOIN LATERAL unnest(lineage.facet_owners(jsonb_build_object(
                  'ownership', jsonb_build_array('', groups.ownership)))) AS owner ON true
              GROUP BY owner) AS owned);

-- The time of the last event of the newest run of a job that completed and wrote something, or if none of its last 1,000
-- runs did, that read something. A run that wrote nothing does not show what a job reads that writes. Of an
-- execution of several runs it is the beginning.
CREATE OR REPLACE FUNCTION lineage.last_successful_access(job bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET jit = off AS $$
    WITH completed AS MATERIALIZED (
        SELECT x.run, x.job, x.last_seen
        FROM (SELECT e.run, e.job, e.last_seen FROM lineage.execution e
              WHERE e.job = last_successful_access.job AND e.last_seen IS NOT NULL
              ORDER BY e.last_seen DESC LIMIT 1000) AS x
        WHERE (SELECT r.state FROM lineage.run r WHERE r.id = x.run) = 'COMPLETE'
    )
    SELECT coalesce(
        (SELECT least(c.last_seen, lineage.execution_start(c.run, c.job)) FROM completed c
         WHERE (SELECT true FROM lineage.access a WHERE a.run = c.run AND a.job = c.job AND a.output LIMIT 1) LIMIT 1),
        (SELECT least(c.last_seen, lineage.execution_start(c.run, c.job)) FROM completed c
         WHERE (SELECT true FROM lineage.access a WHERE a.run = c.run AND a.job = c.job LIMIT 1) LIMIT 1))
$$;
COMMENT ON FUNCTION lineage.last_successful_access IS 'The time of the last event of the last successful run of a job, also if it only reads';

-- The last read of each of these datasets by a job, in any state. stale: the job has since written all that it had made from
-- the dataset, without reading it. If it made nothing from it, the last successful run of the job did not read it. Both
-- arrays have one element for each pair.
CREATE OR REPLACE FUNCTION lineage.last_reads(jobs bigint[], datasets bigint[])
RETURNS TABLE (job bigint, dataset bigint, last_read timestamptz, stale boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH read AS MATERIALIZED (
        SELECT p.job, p.dataset, u.last_read, u.run_seen
        FROM unnest(jobs, datasets) AS p (job, dataset)
        CROSS JOIN LATERAL (
            SELECT max(a.last_seen) AS last_read, max(e.last_seen) AS run_seen
            FROM lineage.dataset n
            CROSS JOIN LATERAL (
                -- The last runs suffice: of runs that overlap, an earlier read can be of the run that ended last.
                SELECT a.run, a.last_seen FROM lineage.access a
                WHERE a.dataset = n.id AND NOT a.output AND a.job = p.job ORDER BY a.last_seen DESC LIMIT 20) AS a
            JOIN lineage.execution e ON e.run = a.run AND e.job = p.job
            WHERE n.canonical = p.dataset) AS u
    ), older AS MATERIALIZED (
        -- A read by the newest run of its job is not stale; the others are few.
        SELECT r.job, r.dataset FROM read r
        WHERE r.run_seen < (SELECT max(e.last_seen) FROM lineage.execution e WHERE e.job = r.job)
    ), successful AS MATERIALIZED (
        SELECT o.job, lineage.last_successful_access(o.job) AS time FROM (SELECT DISTINCT job FROM older) AS o
    ), rewritten AS MATERIALIZED (
        SELECT w.*
        FROM (SELECT array_agg(o.job) AS jobs, array_agg(o.dataset) AS datasets FROM older o) AS k
        CROSS JOIN LATERAL lineage.last_rewrites(k.jobs, k.datasets) AS w
    )
    SELECT r.job, r.dataset, r.last_read, lineage.is_stale(r.run_seen, coalesce(w.last_write, s.time))
    FROM read r LEFT JOIN rewritten w ON w.job = r.job AND w.dataset = r.dataset LEFT JOIN successful s ON s.job = r.job
$$;
COMMENT ON FUNCTION lineage.last_reads IS 'The last read of datasets by jobs, and whether it is stale';

-- The number of runs of each job that read one of its datasets since a time. Both arrays have one element for each pair.
CREATE OR REPLACE FUNCTION lineage.read_counts_of_jobs(jobs bigint[], datasets bigint[], since timestamptz)
RETURNS TABLE (job bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT p.job, count(DISTINCT a.run)
    FROM unnest(jobs, datasets) AS p (job, dataset)
    JOIN lineage.dataset n ON n.canonical = p.dataset
    JOIN lineage.access a ON a.dataset = n.id AND NOT a.output AND a.job = p.job AND a.last_seen >= since
    GROUP BY p.job
$$;
COMMENT ON FUNCTION lineage.read_counts_of_jobs IS 'The number of runs of each job that read one of its datasets since a time';
