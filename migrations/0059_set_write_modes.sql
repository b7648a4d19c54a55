-- How a job writes where its producer does not say, as a user set it: the job facet lineage_write_modes,
-- {"mode": …, "datasets": [{"namespace": …, "name": …, "mode": …}]}, modes append, overwrite and unknown. What events say
-- of their writes goes before it.

CREATE INDEX job_write_modes ON lineage.job (id) WHERE facets ? 'lineage_write_modes';

-- The mode set for a job and a dataset, else for the job; null where none is. Of several names of the dataset append
-- goes before overwrite, and that before unknown.
CREATE FUNCTION lineage.set_mode(job bigint, dataset bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT coalesce((SELECT min(e ->> 'mode')
                         FROM jsonb_path_query(j.facets, '$.lineage_write_modes[1].datasets[*]') AS e
                         JOIN lineage.dataset n ON n.namespace = e ->> 'namespace' AND n.name = e ->> 'name'
                         WHERE n.canonical = set_mode.dataset AND e ->> 'mode' IN ('append', 'overwrite', 'unknown')),
                        j.facets #>> '{lineage_write_modes,1,mode}')
        FROM lineage.job j WHERE j.id = set_mode.job AND j.facets ? 'lineage_write_modes');

-- As before, or set so. The job is looked up once for both.
CREATE OR REPLACE FUNCTION lineage.is_adding(job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.job j
               WHERE j.id = is_adding.job
                 AND (j.facets #>> '{jobType,1,processingType}' = 'STREAMING'
                      OR j.facets ? 'lineage_write_modes' AND lineage.set_mode(j.id, is_adding.dataset) = 'append'))
    OR EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.job = is_adding.job
                    AND a.output AND lineage.adds(a.facets)
               WHERE n.canonical = is_adding.dataset);

-- Is it set that writes of the job, where they do not say how they write, replace what was there? Where events say that
-- it adds, they are believed.
CREATE FUNCTION lineage.is_replacing(job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(lineage.set_mode(job, dataset) = 'overwrite', false) AND NOT lineage.is_adding(job, dataset);

-- When a job of which it is set that it replaces had last written before a read, without a word on how. What is set is
-- looked at for jobs that wrote it.
CREATE FUNCTION lineage.replaced_by_setting(
    dataset bigint, moment timestamptz, by_version timestamptz, version text, reader bigint)
RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT max(w.last_seen)
        FROM (SELECT j.id AS job, max(newest.last_seen) AS last_seen
              FROM lineage.job j
              CROSS JOIN lineage.dataset n
              CROSS JOIN LATERAL (
                  SELECT a.last_seen
                  FROM lineage.access a JOIN lineage.run r ON r.id = a.run
                  WHERE a.dataset = n.id AND a.output AND a.job = j.id AND a.last_seen <= moment
                    AND lineage.write_mode(a.facets) IS NULL AND a.run IS DISTINCT FROM reader
                    AND (lineage.had_written(r, moment)
                         OR r.feeding AND lineage.is_version(a, by_version, version))
                  ORDER BY a.last_seen DESC LIMIT 1) AS newest
              WHERE j.facets ? 'lineage_write_modes' AND n.canonical = replaced_by_setting.dataset
              GROUP BY j.id) AS w
        WHERE lineage.is_replacing(w.job, replaced_by_setting.dataset));

-- As before, and what is set to replace is a barrier too.
CREATE OR REPLACE FUNCTION lineage.seen_between(
    dataset bigint, from_time timestamptz, until_time timestamptz, version text, reader bigint)
RETURNS TABLE (by_version timestamptz, moment timestamptz, barrier timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT v.by_version, m.moment, b.barrier
    FROM (SELECT CASE WHEN seen_between.version IS NOT NULL THEN (
              SELECT max(a.last_seen)
              FROM lineage.dataset n
              JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.facets ? 'version'
                   AND a.facets #>> '{version,1,datasetVersion}' = seen_between.version
              JOIN lineage.run r ON r.id = a.run
              WHERE n.canonical = seen_between.dataset AND a.first_seen <= until_time
                AND r.feeding AND a.run IS DISTINCT FROM reader
                AND lineage.leaves_rows(a.facets)) END AS by_version OFFSET 0) AS v
    CROSS JOIN LATERAL (SELECT coalesce(v.by_version, from_time) AS moment OFFSET 0) AS m
    CROSS JOIN LATERAL (
        SELECT coalesce(greatest(max(latest.last_seen),
                                 CASE WHEN EXISTS (SELECT FROM lineage.job j WHERE j.facets ? 'lineage_write_modes')
                                      THEN lineage.replaced_by_setting(seen_between.dataset, m.moment, v.by_version,
                                                                       seen_between.version, reader) END),
                        '-infinity') AS barrier
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND a.last_seen <= m.moment
              AND lineage.replaces(a.facets) AND a.run IS DISTINCT FROM reader
              AND (lineage.had_written(r, m.moment)
                   OR r.feeding AND lineage.is_version(a, v.by_version, seen_between.version))
            ORDER BY a.last_seen DESC LIMIT 1) AS latest
        WHERE n.canonical = seen_between.dataset) AS b
$$;

-- As before, or what a write that does not say how it writes replaced by what is set.
CREATE OR REPLACE FUNCTION lineage.saw_replaced(i lineage.read, since timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (
    SELECT FROM lineage.writes_seen((i).dataset, (i).read_at, (i).read_until, (i).version, (i).reader, true) AS w
    CROSS JOIN LATERAL (SELECT lineage.write_facets(w.run, w.job, (i).dataset) AS facets OFFSET 0) AS f
    WHERE w.written > since
      AND (lineage.replaces(f.facets)
           OR lineage.write_mode(f.facets) IS NULL
              AND lineage.is_replacing(w.job, (i).dataset)));

COMMENT ON FUNCTION lineage.set_mode IS 'How a job writes a dataset, as a user set it';
COMMENT ON FUNCTION lineage.is_replacing IS 'Whether it is set that writes of a job replace what was there';
COMMENT ON FUNCTION lineage.replaced_by_setting IS 'When a job that is set to replace had last written before a read';
