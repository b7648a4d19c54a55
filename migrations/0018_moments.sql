-- What a run read, at the moment it read it: which runs had written what was there.
--
-- A read sees the last write that left nothing of what was before, and all that came after it, up to
-- the moment of the read. Where the read states a version that a write states too, that write takes
-- the place of the moment.

-- Writes of a dataset in the order of time, and those that state a version.
CREATE INDEX access_written ON lineage.access (dataset, last_seen) WHERE output;
CREATE INDEX access_version ON lineage.access (dataset, (facets #>> '{version,1,datasetVersion}'))
    WHERE output AND facets ? 'version';

-- How a write changes what is there; null where nobody said.
CREATE FUNCTION lineage.write_mode(facets jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(coalesce(facets #>> '{lineage_write,1,mode}',
                      facets #>> '{lifecycleStateChange,1,lifecycleStateChange}'));

-- Nothing of what was there before is left.
CREATE FUNCTION lineage.replaces(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets)
                IN ('overwrite', 'create', 'rename', 'truncate', 'drop'), false);

-- Something is there that the run wrote.
CREATE FUNCTION lineage.leaves_rows(facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(lineage.write_mode(facets) NOT IN ('alter', 'truncate', 'drop'), true);

-- Had the run written by then? A batch writes at its end: before, there is nothing to be read. A run
-- whose end nobody tells, but by another state, has written when it said so.
CREATE FUNCTION lineage.had_written(r lineage.run, moment timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN r.feeding AND CASE WHEN r.ended_at IS NOT NULL THEN r.ended_at <= moment
                          ELSE r.state IS DISTINCT FROM 'START'
                               AND r.state IS DISTINCT FROM 'RUNNING' END;

-- Is this the write of a version? Of a table that was made anew the numbers come again: the newest is.
CREATE FUNCTION lineage.is_version(a lineage.access, newest timestamptz, version text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(a.last_seen = newest AND a.facets #>> '{version,1,datasetVersion}' = version, false);

-- The runs whose writes a read saw. Writes are in the order of the last events that tell of them.
-- from_time and until_time are the first and the last event that says the reader read it; the reader
-- itself is left out. exact: by a version that both state; else by time.
CREATE FUNCTION lineage.writes_seen(dataset bigint, from_time timestamptz, until_time timestamptz,
                                    version text DEFAULT NULL, reader bigint DEFAULT NULL)
RETURNS TABLE (run bigint, job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    names bigint[] := ARRAY(SELECT d.id FROM lineage.dataset d
                            WHERE d.canonical = writes_seen.dataset);
    by_version timestamptz;
    moment timestamptz;
    barrier timestamptz;
BEGIN
    SELECT max(a.last_seen) INTO by_version
    FROM unnest(names) AS n (name)
    JOIN lineage.access a ON a.dataset = n.name AND a.output AND a.facets ? 'version'
         AND a.facets #>> '{version,1,datasetVersion}' = writes_seen.version
    JOIN lineage.run r ON r.id = a.run
    WHERE a.first_seen <= until_time AND r.feeding AND a.run IS DISTINCT FROM reader
      AND lineage.leaves_rows(a.facets);
    moment := coalesce(by_version, from_time);
    SELECT max(latest.last_seen) INTO barrier
    FROM unnest(names) AS n (name)
    CROSS JOIN LATERAL (
        SELECT a.last_seen
        FROM lineage.access a JOIN lineage.run r ON r.id = a.run
        WHERE a.dataset = n.name AND a.output AND a.last_seen <= moment
          AND lineage.replaces(a.facets) AND a.run IS DISTINCT FROM reader
          AND (lineage.had_written(r, moment)
               OR r.feeding AND lineage.is_version(a, by_version, writes_seen.version))
        ORDER BY a.last_seen DESC LIMIT 1) AS latest;
    RETURN QUERY
    SELECT w.run, w.job, max(w.written), bool_or(w.exact)
    FROM (
        SELECT a.run, a.job, a.last_seen AS written,
               lineage.is_version(a, by_version, writes_seen.version) AS exact
        FROM unnest(names) AS n (name)
        JOIN lineage.access a ON a.dataset = n.name AND a.output
             AND a.last_seen BETWEEN coalesce(barrier, '-infinity') AND moment
        JOIN lineage.run r ON r.id = a.run
        WHERE a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (lineage.had_written(r, moment)
               OR r.feeding AND lineage.is_version(a, by_version, writes_seen.version))
        UNION ALL
        -- A stream writes all the time, and what it wrote later has hidden what it had by then.
        SELECT a.run, a.job, least(a.last_seen, moment), false
        FROM lineage.jobs_of(writes_seen.dataset, true) AS w (job)
        JOIN lineage.job j ON j.id = w.job AND j.facets #>> '{jobType,1,processingType}' = 'STREAMING'
        JOIN lineage.execution e ON e.job = w.job AND e.first_seen <= moment
        JOIN lineage.run r ON r.id = e.run AND r.feeding
        JOIN lineage.access a ON a.run = e.run AND a.job = e.job AND a.dataset = ANY (names) AND a.output
             AND a.first_seen <= moment AND a.last_seen >= coalesce(barrier, '-infinity')
        WHERE a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (a.last_seen > moment OR NOT lineage.had_written(r, moment))
          AND NOT lineage.is_version(a, by_version, writes_seen.version)) AS w
    GROUP BY w.run, w.job;
END $$;

-- One read and one of the writes it saw; without a writer nobody is known to have written it.
CREATE TYPE lineage.link AS (
    reader bigint, reader_job bigint, dataset bigint, version text,
    writer bigint, writer_job bigint, written timestamptz, exact boolean);

-- The links of all that a run read, as work of a job.
CREATE FUNCTION lineage.links_of(reader bigint, reader_job bigint) RETURNS SETOF lineage.link
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT reader, reader_job, i.dataset, i.version, w.run, w.job, w.written, w.exact
    FROM (SELECT d.canonical AS dataset, a.facets #>> '{version,1,datasetVersion}' AS version,
                 min(a.first_seen) AS first_seen, max(a.last_seen) AS last_seen
          FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
          WHERE a.run = reader AND a.job = reader_job AND NOT a.output
          GROUP BY 1, 2) AS i
    LEFT JOIN LATERAL lineage.writes_seen(i.dataset, i.first_seen, i.last_seen, i.version, reader)
              AS w ON true
$$;

-- The links behind these, which are at distance 1, back to what nobody is known to have written.
CREATE FUNCTION lineage.links_behind(step lineage.link[], depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    done_runs bigint[];
    done_jobs bigint[];
    runs bigint[];
    jobs bigint[];
BEGIN
    SELECT array_agg(k.reader), array_agg(k.reader_job) INTO done_runs, done_jobs
    FROM (SELECT DISTINCT s.reader, s.reader_job FROM unnest(step) s) AS k;
    distance := 1;
    WHILE cardinality(step) > 0 LOOP
        RETURN QUERY SELECT links_behind.distance, s.* FROM unnest(step) s;
        EXIT WHEN distance >= depth;
        SELECT array_agg(k.writer), array_agg(k.writer_job) INTO runs, jobs
        FROM (SELECT s.writer, s.writer_job FROM unnest(step) s WHERE s.writer IS NOT NULL
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
        EXIT WHEN runs IS NULL;
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        step := ARRAY(SELECT l FROM unnest(runs, jobs) AS k (run, job)
                      CROSS JOIN LATERAL lineage.links_of(k.run, k.job) AS l);
        distance := distance + 1;
    END LOOP;
END $$;

-- What a run read, and which runs had written it, back to the sources.
CREATE FUNCTION lineage.links_of_run(run bigint, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT * FROM lineage.links_behind(
        ARRAY(SELECT l FROM lineage.execution e CROSS JOIN LATERAL lineage.links_of(e.run, e.job) AS l
              WHERE e.run = links_of_run.run), depth)
$$;

-- What somebody who read a dataset at a time would have seen.
CREATE FUNCTION lineage.links_at(dataset bigint, at timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT * FROM lineage.links_behind(
        ARRAY(SELECT ROW(NULL, NULL, links_at.dataset, NULL, w.run, w.job, w.written, w.exact)::lineage.link
              FROM lineage.writes_seen(links_at.dataset, at, at) AS w), depth)
$$;

-- For people: what a run read, by the run's id.
CREATE FUNCTION lineage.run_provenance(run_id text, depth int DEFAULT NULL)
RETURNS TABLE (distance int, run text, namespace text, name text, version text,
               source_run text, source_job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, r.run_id, d.namespace, d.name, l.version, w.run_id, j.name, l.written, l.exact
    FROM lineage.run asked CROSS JOIN LATERAL lineage.links_of_run(asked.id, depth) AS l
    JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.writer_job
    WHERE asked.run_id = run_provenance.run_id
    ORDER BY l.distance, r.run_id, d.namespace, d.name, l.written, w.run_id
$$;

-- For people: what a dataset was made of at a time.
CREATE FUNCTION lineage.provenance_at(called text, at timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (distance int, run text, namespace text, name text, version text,
               source_run text, source_job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, r.run_id, d.namespace, d.name, l.version, w.run_id, j.name, l.written, l.exact
    FROM lineage.links_at(lineage.dataset_id(called), at, depth) AS l
    LEFT JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.writer_job
    ORDER BY l.distance, r.run_id NULLS FIRST, d.namespace, d.name, l.written, w.run_id
$$;
