-- Whether the writes of a run were visible at a time. A batch run commits at its end; its writes are not visible
-- before. A run without an end, in a state other than START and RUNNING, has committed.
CREATE OR REPLACE FUNCTION lineage.had_committed(r lineage.run, as_of timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN r.contributing AND CASE WHEN r.ended_at IS NOT NULL THEN r.ended_at <= as_of
                          ELSE r.state IS DISTINCT FROM 'START'
                               AND r.state IS DISTINCT FROM 'RUNNING' END;

-- Whether an access is the write of a version. If a table is created again, its version numbers repeat; the newest
-- write counts.
CREATE OR REPLACE FUNCTION lineage.writes_version(a lineage.access, newest timestamptz, version text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(a.last_seen = newest AND a.facets #>> '{version,1,datasetVersion}' = version, false);

-- The versions in the lineage_versions facet of a read; null if there are none.
CREATE OR REPLACE FUNCTION lineage.listed_versions(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(ARRAY(SELECT DISTINCT v #>> '{}' FROM jsonb_path_query(
           facets, 'lax $.lineage_versions[1].versions[*] ? (@.type() == "string")') AS v), '{}');
COMMENT ON FUNCTION lineage.listed_versions IS 'The versions in the lineage_versions facet of a read';

-- The versions that a read reports: those of its lineage_versions facet, else that of its version facet. One null if it
-- reports none. The parts of a dataset that a run reads can have versions of their own. Without a subquery, so that
-- PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION lineage.read_versions(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN facets ? 'lineage_versions'
            THEN coalesce(lineage.listed_versions(facets), ARRAY[facets #>> '{version,1,datasetVersion}'])
            ELSE ARRAY[facets #>> '{version,1,datasetVersion}'] END;
COMMENT ON FUNCTION lineage.read_versions IS 'The versions that a read of a dataset reports';

-- The runs whose writes a read saw. Writes are ordered by the last events that report them. from_time and until_time
-- are the times of the first and the last event that reports the read; the reader itself is omitted. exact: matched by
-- a version that both report; else by time. perhaps: include writes that a newer write of the same job hides.
-- A single statement, so that PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION lineage.visible_writes(
    dataset bigint, from_time timestamptz, until_time timestamptz, version text DEFAULT NULL, reader bigint
    DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (run bigint, job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT w.run, w.job, max(w.written), bool_or(w.exact)
    FROM lineage.visibility_window(visible_writes.dataset, from_time, until_time, visible_writes.version, reader) AS b
    CROSS JOIN LATERAL lineage.jobs_accessing_dataset(visible_writes.dataset, true) AS j (job)
    LEFT JOIN LATERAL (
        SELECT h.*
        FROM (SELECT WHERE NOT (perhaps OR lineage.is_appending_job(j.job, visible_writes.dataset)) OFFSET 0) AS k
        CROSS JOIN LATERAL lineage.hiding_execution(
            visible_writes.dataset, j.job, b.barrier, b.as_of, b.by_version, visible_writes.version, reader) AS h
    ) AS h ON true
    CROSS JOIN LATERAL (
        SELECT a.run, a.job, a.last_seen AS written,
               lineage.writes_version(a, b.by_version, visible_writes.version) AS exact
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = j.job
             AND a.last_seen BETWEEN coalesce(h.since, b.barrier) AND b.as_of
        JOIN lineage.run r ON r.id = a.run
        WHERE n.canonical = visible_writes.dataset
          AND (a.last_seen < h.hides AND a.run <> ALL (h.siblings)) IS NOT TRUE
          AND a.run IS DISTINCT FROM reader AND lineage.writes_rows(a.facets)
          AND (lineage.had_committed(r, b.as_of)
               OR r.contributing AND lineage.writes_version(a, b.by_version, visible_writes.version))
        UNION ALL
        -- A streaming run writes continuously; its last write is later than the ones that were visible at that time.
        SELECT a.run, a.job, least(a.last_seen, b.as_of), false
        FROM lineage.job stream
        JOIN lineage.access a ON a.output AND a.job = stream.id
        JOIN lineage.dataset n ON n.id = a.dataset AND n.canonical = visible_writes.dataset
        JOIN lineage.run r ON r.id = a.run AND r.contributing
        WHERE stream.id = j.job AND lineage.is_stream(stream.facets)
          AND a.first_seen <= b.as_of AND a.last_seen >= b.barrier
          AND a.run IS DISTINCT FROM reader AND lineage.writes_rows(a.facets)
          AND (a.last_seen > b.as_of OR NOT lineage.had_committed(r, b.as_of))
          AND NOT lineage.writes_version(a, b.by_version, visible_writes.version)) AS w
    GROUP BY w.run, w.job
$$;

-- These reads, with the writes that each of them saw. A single statement, so that PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION lineage.dependencies_of_reads(reads lineage.dataset_read[], perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_dependency
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT i.reader, i.reader_job, i.dataset, i.version, w.run, w.job, w.written, w.exact
    FROM unnest(reads) AS i
    LEFT JOIN LATERAL lineage.visible_writes(
        i.dataset, i.read_at, i.read_until, i.version, i.reader, perhaps) AS w ON true
$$;
COMMENT ON FUNCTION lineage.dependencies_of_reads IS 'Reads, with the writes that each of them saw';

-- The dependencies of an execution: the reads of a run, as a run of a job, with the writes that each read saw.
CREATE OR REPLACE FUNCTION lineage.run_dependencies_direct(
    reader bigint, reader_job bigint, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_dependency
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT l.*
    FROM (SELECT ARRAY(SELECT r FROM lineage.reads_without_period(ARRAY[reader], ARRAY[reader_job]) AS r)) AS k (reads)
    CROSS JOIN LATERAL lineage.dependencies_of_reads(k.reads, perhaps) AS l
$$;

-- These dependencies, at distance 1, and those upstream of them, back to data without a known writer. What the run that
-- defined a view had read is not upstream of a read of the view, which has reads of its own behind the view.
CREATE OR REPLACE FUNCTION lineage.dependency_closure(
    step lineage.run_dependency[], depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    done_runs bigint[];
    done_jobs bigint[];
    runs bigint[];
    jobs bigint[];
    reads lineage.dataset_read[];
    has_views boolean := lineage.has_views();
BEGIN
    SELECT array_agg(k.reader), array_agg(k.reader_job) INTO done_runs, done_jobs
    FROM (SELECT DISTINCT s.reader, s.reader_job FROM unnest(step) s) AS k;
    distance := 1;
    WHILE cardinality(step) > 0 LOOP
        RETURN QUERY SELECT dependency_closure.distance, s.* FROM unnest(step) s;
        EXIT WHEN distance >= depth;
        SELECT array_agg(k.writer), array_agg(k.writer_job) INTO runs, jobs
        FROM (SELECT s.writer, s.writer_job FROM unnest(step) s
              WHERE s.writer IS NOT NULL
                AND NOT (has_views AND lineage.is_definition(s.writer, s.writer_job, s.dataset))
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
        EXIT WHEN runs IS NULL;
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        reads := ARRAY(SELECT r FROM lineage.reads_without_period(runs, jobs) AS r);
        step := ARRAY(SELECT l FROM lineage.dependencies_of_reads(reads, perhaps) AS l);
        distance := distance + 1;
    END LOOP;
END $$;

-- The datasets that a run read and the runs that had written them, back to the sources.
CREATE OR REPLACE FUNCTION lineage.run_dependencies(
    run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT * FROM lineage.dependency_closure(
        ARRAY(SELECT l FROM lineage.execution e
              CROSS JOIN LATERAL lineage.run_dependencies_direct(e.run, e.job, perhaps) AS l
              WHERE e.run = run_dependencies.run), depth, perhaps)
$$;

-- The dependencies of a hypothetical read of a dataset at a time.
CREATE OR REPLACE FUNCTION lineage.dependencies_at(
    dataset bigint, at timestamptz, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT * FROM lineage.dependency_closure(
        ARRAY(SELECT l FROM lineage.dependencies_of_reads(
                  ARRAY(SELECT r FROM lineage.reads_at(dependencies_at.dataset, at) AS r), perhaps) AS l
              WHERE l.writer IS NOT NULL OR l.dataset <> dependencies_at.dataset), depth, perhaps)
$$;

-- For interactive use: the dependencies of a run, by its id.
CREATE OR REPLACE FUNCTION lineage.upstream_runs(
    run_id text, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, run text, namespace text, name text, version text,
               source_run text, source_job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, r.run_id, d.namespace, d.name, l.version, w.run_id, j.name, l.written, l.exact
    FROM lineage.run_dependencies(lineage.id_of_run(upstream_runs.run_id), depth, perhaps) AS l
    JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.writer_job
    ORDER BY l.distance, r.run_id, d.namespace, d.name, l.written, w.run_id
$$;

-- For interactive use: the lineage of a dataset at a time.
CREATE OR REPLACE FUNCTION lineage.dataset_lineage_at(
    dataset text, at timestamptz, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, run text, namespace text, name text, version text,
               source_run text, source_job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, r.run_id, d.namespace, d.name, l.version, w.run_id, j.name, l.written, l.exact
    FROM lineage.dependencies_at(lineage.dataset_id(dataset_lineage_at.dataset), at, depth, perhaps) AS l
    LEFT JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.writer_job
    ORDER BY l.distance, r.run_id NULLS FIRST, d.namespace, d.name, l.written, w.run_id
$$;

-- The writes visible in a dataset at a time, and transitively in the inputs of their runs: each execution with its
-- least distance. run is null if no run is known to have written the dataset.
CREATE OR REPLACE FUNCTION lineage.visible_writes_of_dataset(
    root bigint, at timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (dataset bigint, run bigint, job bigint, distance int, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT b.dataset, b.run, b.job, min(b.distance), max(b.written), bool_or(b.exact)
    FROM lineage.visible_writes_upstream(
        ARRAY(SELECT r FROM lineage.reads_at(root, at) AS r), depth) AS b
    WHERE b.run IS NOT NULL OR b.distance > 1 OR b.dataset <> root
    GROUP BY b.dataset, b.run, b.job
$$;
COMMENT ON FUNCTION lineage.visible_writes_of_dataset IS 'The writes visible in a dataset at a time, and transitively in the inputs of their runs';

-- The facets, with revisions, that an execution reported for a dataset it wrote, under any name of the dataset.
CREATE OR REPLACE FUNCTION lineage.facets_of_write(run bigint, job bigint, dataset bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
    SELECT lineage.merged_facets(a.facets)
    FROM lineage.dataset n
    JOIN lineage.access a ON a.run = facets_of_write.run AND a.job = facets_of_write.job
         AND a.dataset = n.id AND a.output
    WHERE n.canonical = facets_of_write.dataset
$$;
COMMENT ON FUNCTION lineage.facets_of_write IS 'The facets that a run reported for a dataset it wrote';

-- Whether a job is streaming.
CREATE OR REPLACE FUNCTION lineage.is_streaming_job(job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((SELECT lineage.is_stream(j.facets) FROM lineage.job j WHERE j.id = job), false);

-- The period in which a read sees writes. as_of: the time at which the read is assumed to happen. barrier: the time of
-- the last overwrite before it. by_version: the time of the write whose version the read reports.
-- A write that is configured to overwrite counts as an overwrite too.
-- If as_of precedes the time before which runs are archived, an archived overwrite may have hidden the remaining writes.
-- Then the read sees only the write whose version it reports. It sees none if its version is not found and may be that
-- of an archived write.
CREATE OR REPLACE FUNCTION lineage.visibility_window(
    dataset bigint, from_time timestamptz, until_time timestamptz, version text, reader bigint)
RETURNS TABLE (by_version timestamptz, as_of timestamptz, barrier timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT v.by_version, m.as_of,
           CASE WHEN m.as_of < (SELECT lineage.runs_archived_before()) THEN coalesce(v.by_version, 'infinity')
                WHEN v.by_version IS NULL AND visibility_window.version IS NOT NULL
                     AND lineage.may_be_archived_version(visibility_window.dataset) THEN 'infinity'
                ELSE b.barrier END
    FROM (SELECT CASE WHEN visibility_window.version IS NOT NULL THEN (
              SELECT max(a.last_seen)
              FROM lineage.dataset n
              JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.facets ? 'version'
                   AND lineage.version_key(a.facets #>> '{version,1,datasetVersion}')
                       = lineage.version_key(visibility_window.version)
                   AND a.facets #>> '{version,1,datasetVersion}' = visibility_window.version
              JOIN lineage.run r ON r.id = a.run
              WHERE n.canonical = visibility_window.dataset AND a.first_seen <= until_time
                AND r.contributing AND a.run IS DISTINCT FROM reader
                AND lineage.writes_rows(a.facets)) END AS by_version OFFSET 0) AS v
    CROSS JOIN LATERAL (SELECT coalesce(v.by_version, from_time) AS as_of OFFSET 0) AS m
    CROSS JOIN LATERAL (
        SELECT coalesce(greatest(max(latest.last_seen),
                                 CASE WHEN EXISTS (SELECT FROM lineage.job j WHERE j.facets ? 'lineage_write_modes')
                                      THEN lineage.configured_overwrite_time(visibility_window.dataset, m.as_of,
                                          v.by_version,
                                                                       visibility_window.version, reader) END),
                        '-infinity') AS barrier
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND a.last_seen <= m.as_of
              AND lineage.is_overwrite(a.facets) AND a.run IS DISTINCT FROM reader
              AND NOT lineage.is_partition_overwrite(a.job, visibility_window.dataset, a.facets)
              AND (lineage.had_committed(r, m.as_of)
                   OR r.contributing AND lineage.writes_version(a, v.by_version, visibility_window.version))
            ORDER BY a.last_seen DESC LIMIT 1) AS latest
        WHERE n.canonical = visibility_window.dataset) AS b
$$;
COMMENT ON FUNCTION lineage.visibility_window IS 'The period in which a read of a dataset sees writes';

-- The reads of executions, and those behind views: of all datasets or, if datasets is not null, of these; without the
-- period. The planner has no statistics of the arrays; here and in the functions below, the settings make every step use
-- an index.
CREATE OR REPLACE FUNCTION lineage.reads_without_period(runs bigint[], jobs bigint[], datasets bigint[] DEFAULT NULL)
RETURNS SETOF lineage.dataset_read
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH read AS MATERIALIZED (
        SELECT a.run AS reader, a.job AS reader_job, d.canonical AS dataset, v.version,
               min(a.first_seen) AS read_at, max(a.last_seen) AS read_until,
               NULL::timestamptz AS by_version, NULL::timestamptz AS as_of, NULL::timestamptz AS barrier
        FROM unnest(runs, jobs) AS k (run, job)
        JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND NOT a.output
        JOIN lineage.dataset d ON d.id = a.dataset
        CROSS JOIN LATERAL unnest(lineage.read_versions(a.facets)) AS v (version)
        WHERE datasets IS NULL OR d.canonical = ANY (datasets)
           OR (SELECT lineage.has_views()) AND lineage.may_be_view(d.canonical)
        GROUP BY 1, 2, 3, 4
    )
    SELECT r.* FROM read r WHERE datasets IS NULL OR r.dataset = ANY (datasets)
    UNION ALL
    SELECT b.*
    FROM (SELECT ARRAY(SELECT ROW(r.*)::lineage.dataset_read FROM read r) AS reads
          WHERE (SELECT lineage.has_views())) AS k
    CROSS JOIN LATERAL lineage.reads_behind_views(k.reads) AS b
    WHERE datasets IS NULL OR b.dataset = ANY (datasets)
$$;

-- Reads with the period in which they see writes.
CREATE OR REPLACE FUNCTION lineage.reads_with_period(reads lineage.dataset_read[]) RETURNS SETOF lineage.dataset_read
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT i.reader, i.reader_job, i.dataset, i.version, i.read_at, i.read_until, s.*
    FROM unnest(reads) AS i
    CROSS JOIN LATERAL lineage.visibility_window(i.dataset, i.read_at, i.read_until, i.version, i.reader) AS s
$$;

-- The reads of executions, and the period in which they see writes.
CREATE OR REPLACE FUNCTION lineage.reads_of_runs(runs bigint[], jobs bigint[], datasets bigint[] DEFAULT NULL)
RETURNS SETOF lineage.dataset_read
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT * FROM lineage.reads_with_period(
        ARRAY(SELECT r FROM lineage.reads_without_period(runs, jobs, datasets) AS r))
$$;
COMMENT ON FUNCTION lineage.reads_of_runs IS 'The reads of runs, and the period in which they see writes';

-- The datasets of which archived runs may have written what some of these executions read: before the time of the archive,
-- unless the version that was read is that of an overwrite, or, at any time, a version that no run of the graph wrote.
-- Reads are not traced further than these; see lineage.visibility_window.
CREATE OR REPLACE FUNCTION lineage.reads_of_archive(runs bigint[], jobs bigint[]) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT i.dataset
    FROM lineage.reads_without_period(runs, jobs) AS i
    WHERE (SELECT lineage.runs_archived_before()) IS NOT NULL
      AND CASE WHEN i.version IS NULL THEN i.read_at < (SELECT lineage.runs_archived_before())
               ELSE EXISTS (SELECT FROM lineage.visibility_window(i.dataset, i.read_at, i.read_until, i.version, i.reader) AS w
                            WHERE w.barrier = 'infinity' AND w.by_version IS NULL
                               OR w.as_of < (SELECT lineage.runs_archived_before())
                                  AND NOT EXISTS (
                                      SELECT FROM lineage.dataset n
                                      JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.last_seen = w.by_version
                                      WHERE n.canonical = i.dataset
                                        AND lineage.writes_version(a, w.by_version, i.version)
                                        AND lineage.replaces_dataset(a, i.dataset))) END
$$;
COMMENT ON FUNCTION lineage.reads_of_archive IS 'The datasets of which archived runs may have written what runs read';

-- Whether archived runs may have written what some of these executions read.
CREATE OR REPLACE FUNCTION lineage.ends_at_archive(runs bigint[], jobs bigint[]) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.reads_of_archive(runs, jobs));
COMMENT ON FUNCTION lineage.ends_at_archive IS 'Whether archived runs may have written what runs read';

-- These datasets, and the datasets and jobs upstream of them by all that jobs ever read and wrote: what archived runs may
-- have shown in a trace that ends at these datasets. It includes what no single run connects.
CREATE OR REPLACE FUNCTION lineage.possible_sources(datasets bigint[]) RETURNS TABLE (id bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH RECURSIVE upstream (id, is_job) AS (
        SELECT d, false FROM unnest(datasets) AS d
        UNION
        SELECT s.*
        FROM upstream u
        CROSS JOIN LATERAL (
            SELECT w.job, true
            FROM lineage.dataset n JOIN lineage.dataset_job w ON w.dataset = n.id AND w.output
            WHERE NOT u.is_job AND n.canonical = u.id
            UNION ALL
            SELECT n.canonical, false
            FROM lineage.dataset_job r JOIN lineage.dataset n ON n.id = r.dataset
            WHERE u.is_job AND r.job = u.id AND NOT r.output) AS s
    )
    SELECT u.id FROM upstream u
$$;
COMMENT ON FUNCTION lineage.possible_sources IS 'What jobs ever made datasets from, transitively, and these jobs';

-- Writes of datasets between two times each, by the index of the dataset in its array; seen_from is the time from
-- which on a read sees them.
CREATE OR REPLACE FUNCTION lineage.writes_in_windows(
    datasets bigint[], jobs bigint[], barriers timestamptz[], as_of_times timestamptz[])
RETURNS TABLE (place bigint, run bigint, last_seen timestamptz, seen_from timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT w.place, a.run, a.last_seen, greatest(a.last_seen, r.ended_at)
    FROM unnest(datasets, jobs, barriers, as_of_times) WITH ORDINALITY AS w (dataset, job, barrier, as_of, place)
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
         AND a.last_seen BETWEEN w.barrier AND w.as_of
    JOIN lineage.run r ON r.id = a.run
    WHERE lineage.writes_rows(a.facets) AND lineage.had_committed(r, w.as_of)
    UNION ALL
    -- A streaming run writes continuously.
    SELECT w.place, a.run, a.last_seen, a.first_seen
    FROM unnest(datasets, jobs, barriers, as_of_times) WITH ORDINALITY AS w (dataset, job, barrier, as_of, place)
    JOIN lineage.job stream ON stream.id = w.job AND lineage.is_stream(stream.facets)
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
    JOIN lineage.run r ON r.id = a.run AND r.contributing
    WHERE a.first_seen <= w.as_of AND a.last_seen >= w.barrier AND lineage.writes_rows(a.facets)
$$;
COMMENT ON FUNCTION lineage.writes_in_windows IS 'Writes of datasets by jobs between two times';

-- The writes whose version reads report.
CREATE OR REPLACE FUNCTION lineage.writes_by_version(reads lineage.dataset_read[])
RETURNS TABLE (reader_job bigint, dataset bigint, run bigint, job bigint, written timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT DISTINCT i.reader_job, i.dataset, a.run, a.job, a.last_seen
    FROM unnest(reads) AS i
    JOIN lineage.dataset n ON n.canonical = i.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.last_seen = i.by_version
         AND lineage.writes_version(a, i.by_version, i.version)
    JOIN lineage.run r ON r.id = a.run AND r.contributing
    WHERE a.run IS DISTINCT FROM i.reader AND lineage.writes_rows(a.facets)
$$;
COMMENT ON FUNCTION lineage.writes_by_version IS 'Writes whose version reads report';

-- The writes visible to at least one of these reads; run is null for a read that saw no write of a known run. Of jobs
-- that append, the last of the reads with the same barrier sees all writes that any of them sees, except writes of its
-- own run. The last read by another run decides for these.
CREATE OR REPLACE FUNCTION lineage.writes_visible_to(
    reads lineage.dataset_read[], perhaps boolean DEFAULT false)
RETURNS SETOF lineage.visible_write
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_mergejoin = off SET jit = off AS $$
    WITH writer AS MATERIALIZED (
        SELECT * FROM lineage.writers_of_reads(reads, perhaps)
    ), read AS MATERIALIZED (
        SELECT i.*,
               dense_rank() OVER (ORDER BY i.reader_job, i.dataset, i.barrier) AS place,
               first_value(i.reader) OVER (PARTITION BY i.reader_job, i.dataset, i.barrier
                                           ORDER BY i.as_of DESC) AS last
        FROM unnest(reads) WITH ORDINALITY AS i (
            reader, reader_job, dataset, version, read_at, read_until, by_version, as_of, barrier, number)
    ), last AS MATERIALIZED (
        SELECT r.place, r.reader_job, r.dataset, r.barrier, r.last AS reader, max(r.as_of) AS as_of,
               max(r.as_of) FILTER (WHERE r.reader <> r.last) AS others_as_of
        FROM read r GROUP BY r.place, r.reader_job, r.dataset, r.barrier, r.last
    ), requested AS MATERIALIZED (
        SELECT l.place, l.dataset, w.job, l.barrier, l.as_of, row_number() OVER () AS number
        FROM last l JOIN writer w ON w.dataset = l.dataset AND w.adding
    ), known AS MATERIALIZED (
        SELECT a.place, w.run, a.job, w.last_seen, min(w.seen_from) AS seen_from
        FROM (SELECT array_agg(a.dataset ORDER BY a.number) AS datasets,
                     array_agg(a.job ORDER BY a.number) AS jobs,
                     array_agg(a.barrier ORDER BY a.number) AS barriers,
                     array_agg(a.as_of ORDER BY a.number) AS as_of_times FROM requested a) AS arrays
        CROSS JOIN LATERAL lineage.writes_in_windows(
            arrays.datasets, arrays.jobs, arrays.barriers, arrays.as_of_times) AS w
        JOIN requested a ON a.number = w.place
        GROUP BY a.place, w.run, a.job, w.last_seen
    ), pair AS MATERIALIZED (
        SELECT r.*, w.job, row_number() OVER () AS pair
        FROM read r JOIN writer w ON w.dataset = r.dataset AND NOT w.adding
    ), newest AS MATERIALIZED (
        SELECT p.number, p.reader_job, p.dataset, w.run, p.job, w.written
        FROM (SELECT array_agg(p.dataset ORDER BY p.pair) AS datasets,
                     array_agg(p.job ORDER BY p.pair) AS jobs,
                     array_agg(p.barrier ORDER BY p.pair) AS barriers,
                     array_agg(p.as_of ORDER BY p.pair) AS as_of_times,
                     array_agg(p.by_version ORDER BY p.pair) AS by_versions,
                     array_agg(p.version ORDER BY p.pair) AS versions,
                     array_agg(p.reader ORDER BY p.pair) AS readers FROM pair p) AS arrays
        CROSS JOIN LATERAL lineage.latest_writes(
            arrays.datasets, arrays.jobs, arrays.barriers, arrays.as_of_times,
            arrays.by_versions, arrays.versions, arrays.readers) AS w
        JOIN pair p ON p.pair = w.place
    ), earliest AS MATERIALIZED (
        SELECT DISTINCT ON (k.place) k.place, k.run, k.seen_from FROM known k ORDER BY k.place, k.seen_from
    ), next AS MATERIALIZED (
        SELECT k.place, min(k.seen_from) AS seen_from
        FROM known k JOIN earliest e ON e.place = k.place AND e.run <> k.run GROUP BY k.place
    )
    SELECT s.reader_job, s.dataset, s.run, s.job, max(s.written), bool_or(s.exact)
    FROM (
        SELECT l.reader_job, l.dataset, k.run, k.job, least(k.last_seen, m.as_of) AS written, false AS exact
        FROM known k JOIN last l USING (place)
        CROSS JOIN LATERAL (SELECT CASE WHEN k.run = l.reader THEN l.others_as_of ELSE l.as_of END) AS m (as_of)
        WHERE k.seen_from <= m.as_of
        UNION ALL
        SELECT n.reader_job, n.dataset, n.run, n.job, n.written, false FROM newest n
        UNION ALL
        SELECT e.reader_job, e.dataset, e.run, e.job, e.written, true FROM lineage.writes_by_version(reads) AS e
        UNION ALL
        SELECT r.reader_job, r.dataset, NULL, NULL, NULL, NULL
        FROM read r LEFT JOIN earliest e USING (place) LEFT JOIN next n USING (place)
        WHERE r.by_version IS NULL
          AND (e.place IS NULL OR r.as_of < e.seen_from
               OR r.reader = e.run AND r.as_of < coalesce(n.seen_from, 'infinity'))
          AND NOT EXISTS (SELECT FROM newest w WHERE w.number = r.number)
    ) AS s GROUP BY s.reader_job, s.dataset, s.run, s.job
$$;
COMMENT ON FUNCTION lineage.writes_visible_to IS 'The writes visible to at least one of several reads';

-- The writes visible to these reads, at distance 1, and to the reads of the runs that wrote them, back to data without
-- a known writer. Runs that defined views are not followed, as in lineage.dependency_closure().
CREATE OR REPLACE FUNCTION lineage.visible_writes_upstream(
    reads lineage.dataset_read[], depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader_job bigint, dataset bigint, run bigint, job bigint,
               written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 AS $$
DECLARE
    step lineage.dataset_read[] := reads;
    seen lineage.visible_write[];
    done_runs bigint[];
    done_jobs bigint[];
    runs bigint[];
    jobs bigint[];
    has_views boolean := lineage.has_views();
BEGIN
    SELECT array_agg(k.reader), array_agg(k.reader_job) INTO done_runs, done_jobs
    FROM (SELECT DISTINCT s.reader, s.reader_job FROM unnest(step) AS s) AS k;
    distance := 1;
    WHILE cardinality(step) > 0 LOOP
        seen := ARRAY(SELECT s FROM lineage.writes_visible_to(step, perhaps) AS s);
        RETURN QUERY SELECT visible_writes_upstream.distance, s.* FROM unnest(seen) AS s;
        EXIT WHEN distance >= depth;
        SELECT array_agg(k.run), array_agg(k.job) INTO runs, jobs
        FROM (SELECT s.run, s.job FROM unnest(seen) AS s
              WHERE s.run IS NOT NULL AND NOT (has_views AND lineage.is_definition(s.run, s.job, s.dataset))
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
        EXIT WHEN runs IS NULL;
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        step := ARRAY(SELECT r FROM lineage.reads_of_runs(runs, jobs) AS r);
        distance := distance + 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.visible_writes_upstream IS 'The writes visible to reads, and those upstream, back to the sources';

-- Whether a read saw a write of a run, hidden or not.
CREATE OR REPLACE FUNCTION lineage.sees_run(i lineage.dataset_read, run bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (
    SELECT FROM lineage.run r
    JOIN lineage.access a ON a.run = r.id AND a.output
    JOIN lineage.dataset n ON n.id = a.dataset AND n.canonical = (i).dataset
    WHERE r.id = sees_run.run AND r.id IS DISTINCT FROM (i).reader AND r.contributing
      AND lineage.writes_rows(a.facets) AND a.last_seen >= (i).barrier
      AND (a.last_seen <= (i).as_of AND lineage.had_committed(r, (i).as_of)
           OR lineage.writes_version(a, (i).by_version, (i).version)
           OR a.first_seen <= (i).as_of AND lineage.is_streaming_job(a.job)));

-- The mode configured for a job and a dataset, else for the job; null if there is none. For several names of the dataset,
-- append takes precedence over overwrite, that over overwrite_partitions, and that over unknown.
CREATE OR REPLACE FUNCTION lineage.configured_write_mode(job bigint, dataset bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT coalesce((SELECT min(e ->> 'mode')
                         FROM jsonb_path_query(j.facets, '$.lineage_write_modes[1].datasets[*]') AS e
                         JOIN lineage.dataset n ON n.namespace = e ->> 'namespace' AND n.name = e ->> 'name'
                         WHERE n.canonical = configured_write_mode.dataset
                             AND e ->> 'mode' IN ('append', 'overwrite', 'overwrite_partitions', 'unknown')),
                        j.facets #>> '{lineage_write_modes,1,mode}')
        FROM lineage.job j WHERE j.id = configured_write_mode.job AND j.facets ? 'lineage_write_modes');
COMMENT ON FUNCTION lineage.configured_write_mode IS 'The write mode that a user set for a job and a dataset';

-- Whether a write that reports an overwrite is configured to replace some partitions only. The lifecycle change has no
-- value for this. A mode that lineage_write reports takes precedence. COST: few jobs have modes, and with more the planner
-- sorts all overwrites of a dataset instead of reading one from the index.
CREATE OR REPLACE FUNCTION lineage.is_partition_overwrite(job bigint, dataset bigint, facets jsonb) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1
RETURN EXISTS (SELECT FROM lineage.job j
               WHERE j.id = is_partition_overwrite.job AND j.facets ? 'lineage_write_modes'
                 AND is_partition_overwrite.facets #>> '{lineage_write,1,mode}' IS NULL
                 AND lower(is_partition_overwrite.facets #>> '{lifecycleStateChange,1,lifecycleStateChange}')
                     = 'overwrite'
                 AND lineage.configured_write_mode(j.id, is_partition_overwrite.dataset) = 'overwrite_partitions');
COMMENT ON FUNCTION lineage.is_partition_overwrite
    IS 'Whether a write that reports an overwrite is configured to replace some partitions only';

-- Whether writes of a job that report no mode are known to retain the previous data. A configured mode counts as known.
-- The job is read once for both conditions.
CREATE OR REPLACE FUNCTION lineage.is_appending_job(job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.job j
               WHERE j.id = is_appending_job.job
                 AND (lineage.is_stream(j.facets)
                      OR j.facets ? 'lineage_write_modes'
                          AND lineage.configured_write_mode(j.id, is_appending_job.dataset)
                              IN ('append', 'overwrite_partitions')))
    OR EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.job = is_appending_job.job
                    AND a.output AND lineage.is_append(a.facets)
               WHERE n.canonical = is_appending_job.dataset);
COMMENT ON FUNCTION lineage.is_appending_job IS 'Whether writes of a job without a mode are known to retain the previous data';

-- Whether writes of a job that report no mode are configured to overwrite. Events that report appends take precedence.
CREATE OR REPLACE FUNCTION lineage.is_overwriting_job(job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(lineage.configured_write_mode(job, dataset) = 'overwrite', false)
    AND NOT lineage.is_appending_job(job, dataset);
COMMENT ON FUNCTION lineage.is_overwriting_job IS 'Whether writes of a job without a mode are configured to overwrite';

-- Whether a write replaced all previous data of a dataset, by its reported mode or by that configured for its job.
CREATE OR REPLACE FUNCTION lineage.replaces_dataset(a lineage.access, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN lineage.is_overwrite(a.facets) AND NOT lineage.is_partition_overwrite(a.job, dataset, a.facets)
    OR lineage.write_mode(a.facets) IS NULL AND lineage.is_overwriting_job(a.job, dataset);
COMMENT ON FUNCTION lineage.replaces_dataset IS 'Whether a write replaced all previous data of a dataset';

-- Whether a read saw an overwrite after a time. Writes that a newer write hides count too, because only their modes are
-- compared. A write that reports no mode is an overwrite if that is configured for its job.
CREATE OR REPLACE FUNCTION lineage.sees_overwrite_since(i lineage.dataset_read, since timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (
    SELECT FROM lineage.visible_writes((i).dataset, (i).read_at, (i).read_until, (i).version, (i).reader, true) AS w
    CROSS JOIN LATERAL (SELECT lineage.facets_of_write(w.run, w.job, (i).dataset) AS facets OFFSET 0) AS f
    WHERE w.written > since
      AND (lineage.is_overwrite(f.facets)
               AND NOT lineage.is_partition_overwrite(w.job, (i).dataset, f.facets)
           OR lineage.write_mode(f.facets) IS NULL
              AND lineage.is_overwriting_job(w.job, (i).dataset)));

-- The runs downstream of a run. Reads of its writes are at distance 1, reads of the writes of those readers at 2. Views
-- that these readers defined are not followed: definitions have no rows. Readers of a view over a dataset are readers of
-- the dataset.
CREATE OR REPLACE FUNCTION lineage.run_dependents(
    run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader bigint, reader_job bigint, dataset bigint, version text,
               writer bigint, writer_job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    runs bigint[];
    jobs bigint[];
    done_runs bigint[];
    done_jobs bigint[];
    step lineage.run_dependency[];
    has_views boolean := lineage.has_views();
BEGIN
    SELECT array_agg(e.run), array_agg(e.job) INTO runs, jobs
    FROM lineage.execution e WHERE e.run = run_dependents.run;
    distance := 0;
    WHILE runs IS NOT NULL AND (depth IS NULL OR distance < depth) LOOP
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        step := ARRAY(
            SELECT ROW(s.reader, s.reader_job, s.dataset, s.version, s.writer, s.writer_job, s.written,
                       s.exact)::lineage.run_dependency
            FROM lineage.reads_of_writes(runs, jobs) AS s
            WHERE (run_dependents.perhaps OR NOT s.perhaps)
              AND NOT (has_views AND distance > 0 AND lineage.is_definition(s.writer, s.writer_job, s.dataset)));
        distance := distance + 1;
        RETURN QUERY SELECT run_dependents.distance, s.* FROM unnest(step) AS s;
        SELECT array_agg(k.reader), array_agg(k.reader_job) INTO runs, jobs
        FROM (SELECT s.reader, s.reader_job FROM unnest(step) AS s
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.run_dependents IS 'The runs downstream of a run';

-- For interactive use: the dependents of a run, by its id.
CREATE OR REPLACE FUNCTION lineage.downstream_runs(
    run_id text, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, source_run text, namespace text, name text, version text,
               run text, job text, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT l.distance, w.run_id, d.namespace, d.name, l.version, r.run_id, j.name, l.written, l.exact
    FROM lineage.run_dependents(lineage.id_of_run(downstream_runs.run_id), depth, perhaps) AS l
    JOIN lineage.run r ON r.id = l.reader
    JOIN lineage.job j ON j.id = l.reader_job
    JOIN lineage.run w ON w.id = l.writer
    JOIN lineage.dataset d ON d.id = l.dataset
    ORDER BY l.distance, w.run_id, d.namespace, d.name, r.run_id, j.namespace, j.name
$$;
COMMENT ON FUNCTION lineage.downstream_runs IS 'The runs downstream of a run, by its id';

-- The time of the newest write of a job that reports no mode and is visible to a read. It hides the earlier writes of
-- the job. Null if there is none.
CREATE OR REPLACE FUNCTION lineage.hiding_write_time(
    dataset bigint, job bigint, barrier timestamptz, as_of timestamptz, by_version timestamptz, version text,
    reader bigint)
RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT max(newest.last_seen)
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND a.job = hiding_write_time.job
              AND a.last_seen BETWEEN barrier AND as_of
              AND lineage.write_mode(a.facets) IS NULL AND a.run IS DISTINCT FROM reader
              AND (lineage.had_committed(r, as_of)
                   OR r.contributing AND lineage.writes_version(a, by_version, version))
            ORDER BY a.last_seen DESC LIMIT 1) AS newest
        WHERE n.canonical = hiding_write_time.dataset);
COMMENT ON FUNCTION lineage.hiding_write_time IS 'The time of the newest write of a job that hides its earlier writes';

-- The execution of the newest write of a job that reports no mode and is visible to a read. It hides the earlier writes of
-- the job. hides: the time of that write. siblings: the other runs of the execution whose writes remain visible. since: the
-- first of their writes, else hides.
CREATE OR REPLACE FUNCTION lineage.hiding_execution(
    dataset bigint, job bigint, barrier timestamptz, as_of timestamptz, by_version timestamptz, version text,
    reader bigint, OUT hides timestamptz, OUT since timestamptz, OUT siblings bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    hides := lineage.hiding_write_time(dataset, job, barrier, as_of, by_version, version, reader);
    since := hides;
    siblings := '{}';
    IF hides > barrier AND EXISTS (
        SELECT FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = hiding_execution.job AND a.last_seen = hides
        WHERE n.canonical = hiding_execution.dataset AND lineage.has_adjacent_run(a.run, a.job))
    THEN
        SELECT least(since, min(s.first_written)), coalesce(array_agg(s.run), '{}') INTO since, siblings
        FROM lineage.writes_of_siblings(dataset, job, barrier, hides, as_of, by_version, version, reader) AS s;
    END IF;
END $$;
COMMENT ON FUNCTION lineage.hiding_execution IS 'The newest execution of a job that hides its earlier writes';

-- The other runs of the execution of a write, the newest of its job, whose earlier writes it does not hide: the instances
-- of a mapped task, or the writes of a loop. A later attempt of the same instance hides the writes of an earlier one.
CREATE OR REPLACE FUNCTION lineage.writes_of_siblings(
    dataset bigint, job bigint, barrier timestamptz, hides timestamptz, as_of timestamptz, by_version timestamptz,
    version text, reader bigint)
RETURNS TABLE (run bigint, first_written timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH newest AS MATERIALIZED (
        SELECT DISTINCT a.run, lineage.execution_start(a.run, a.job) AS start
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = writes_of_siblings.job
             AND a.last_seen = hides
        JOIN lineage.run r ON r.id = a.run
        WHERE n.canonical = writes_of_siblings.dataset
          AND lineage.write_mode(a.facets) IS NULL AND a.run IS DISTINCT FROM reader
          AND (lineage.had_committed(r, as_of) OR r.contributing AND lineage.writes_version(a, by_version, version))
    ), written AS MATERIALIZED (
        SELECT a.run, r.facets #> '{airflow,1,taskInstance}' AS task, min(a.last_seen) AS first, max(a.last_seen) AS last,
               max(a.last_seen) FILTER (WHERE lineage.write_mode(a.facets) IS NULL) AS hides
        FROM (SELECT min(n.start) AS start FROM newest n) AS s
        CROSS JOIN lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = writes_of_siblings.job
             AND a.last_seen BETWEEN greatest(barrier, s.start) AND writes_of_siblings.hides
        JOIN lineage.run r ON r.id = a.run
        WHERE n.canonical = writes_of_siblings.dataset AND s.start IS NOT NULL AND a.run IS DISTINCT FROM reader
          AND (lineage.had_committed(r, as_of) OR r.contributing AND lineage.writes_version(a, by_version, version))
        GROUP BY a.run, task
    ), member AS MATERIALIZED (
        SELECT w.*, lineage.inputs_of_run(w.run, x.job) AS inputs
        FROM written w
        JOIN lineage.execution x ON x.run = w.run AND x.job = writes_of_siblings.job
        WHERE EXISTS (SELECT FROM newest n
                      WHERE x.first_seen >= n.start AND lineage.is_same_execution(n.run, w.run))
    )
    SELECT m.run, m.first FROM member m
    WHERE m.last < writes_of_siblings.hides
      AND NOT EXISTS (SELECT FROM member later
                      WHERE later.hides > m.last AND later.run <> m.run
                        AND lineage.repeats_instance(m.task, m.inputs, later.task, later.inputs))
$$;
COMMENT ON FUNCTION lineage.writes_of_siblings
    IS 'The other runs of the execution of a write whose earlier writes it does not hide';

-- The writes of jobs that are visible to reads, without hidden ones, by the index of job and read in the arrays. hides:
-- the time of the newest write that reports no mode, which hides the earlier writes of the job; else null.
CREATE OR REPLACE FUNCTION lineage.latest_writes(
    datasets bigint[], jobs bigint[], barriers timestamptz[], as_of_times timestamptz[], by_versions
    timestamptz[], versions text[], readers bigint[])
RETURNS TABLE (place bigint, run bigint, written timestamptz, hides timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    -- MATERIALIZED: the time is computed once per read, not once per candidate write.
    WITH arrays AS MATERIALIZED (
        SELECT w.*, h.*
        FROM unnest(datasets, jobs, barriers, as_of_times, by_versions, versions, readers) WITH ORDINALITY
             AS w (dataset, job, barrier, as_of, by_version, version, reader, place)
        CROSS JOIN LATERAL lineage.hiding_execution(
            w.dataset, w.job, w.barrier, w.as_of, w.by_version, w.version, w.reader) AS h
    )
    SELECT w.place, a.run, a.last_seen, w.hides
    FROM arrays w
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
         AND a.last_seen BETWEEN coalesce(w.since, w.barrier) AND w.as_of
    JOIN lineage.run r ON r.id = a.run
    WHERE (a.last_seen < w.hides AND a.run <> ALL (w.siblings)) IS NOT TRUE
      AND a.run IS DISTINCT FROM w.reader AND lineage.writes_rows(a.facets)
      AND (lineage.had_committed(r, w.as_of) OR r.contributing AND lineage.writes_version(a, w.by_version, w.version))
$$;
COMMENT ON FUNCTION lineage.latest_writes IS 'Writes of jobs that are visible to reads, without hidden ones';

-- The jobs that wrote the datasets of these reads. adding: all writes of the job since the barrier are visible, because
-- the job appends or because perhaps is set.
CREATE OR REPLACE FUNCTION lineage.writers_of_reads(reads lineage.dataset_read[], perhaps boolean)
RETURNS TABLE (dataset bigint, job bigint, adding boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off SET jit = off AS $$
    SELECT d.dataset, w.job, perhaps OR lineage.is_appending_job(w.job, d.dataset)
    FROM (SELECT DISTINCT i.dataset FROM unnest(reads) AS i) AS d
    CROSS JOIN LATERAL lineage.jobs_accessing_dataset(d.dataset, true) AS w (job)
$$;
COMMENT ON FUNCTION lineage.writers_of_reads IS 'The jobs that wrote the datasets of reads, and whether they append';

-- Writes of datasets by jobs, each from a barrier on and before another time, by their index in the arrays. Runs that
-- committed later are included; seen_from is the time from which on a read sees the write.
CREATE OR REPLACE FUNCTION lineage.earlier_writes(
    datasets bigint[], jobs bigint[], barriers timestamptz[], times timestamptz[])
RETURNS TABLE (place bigint, run bigint, last_seen timestamptz, seen_from timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT w.place, a.run, a.last_seen, greatest(a.last_seen, r.ended_at)
    FROM unnest(datasets, jobs, barriers, times) WITH ORDINALITY AS w (dataset, job, barrier, time, place)
    JOIN lineage.dataset n ON n.canonical = w.dataset
    JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = w.job
         AND a.last_seen >= w.barrier AND a.last_seen < w.time
    JOIN lineage.run r ON r.id = a.run
    WHERE lineage.writes_rows(a.facets) AND lineage.had_committed(r, 'infinity')
$$;
COMMENT ON FUNCTION lineage.earlier_writes IS 'Writes of datasets by jobs before a time';

-- The writes that reads may also have seen: a newer write of the same job hides them, and does not report whether it
-- replaced them. Each write is returned once per job that read it.
CREATE OR REPLACE FUNCTION lineage.hidden_writes(reads lineage.dataset_read[])
RETURNS TABLE (reader_job bigint, dataset bigint, run bigint, job bigint, written timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
    WITH pair AS MATERIALIZED (
        SELECT i.reader, i.reader_job, i.dataset, i.barrier, i.as_of, w.job,
               lineage.hiding_write_time(
                   i.dataset, w.job, i.barrier, i.as_of, i.by_version, i.version, i.reader) AS hides,
               dense_rank() OVER (ORDER BY i.reader_job, i.dataset, i.barrier, w.job) AS place
        FROM lineage.writers_of_reads(reads, false) AS w JOIN unnest(reads) AS i ON i.dataset = w.dataset
        WHERE NOT w.adding
    ), requested AS MATERIALIZED (
        SELECT p.place, p.reader_job, p.dataset, p.job, p.barrier, max(p.hides) AS hides
        FROM pair p GROUP BY p.place, p.reader_job, p.dataset, p.job, p.barrier
    ), earlier AS MATERIALIZED (
        SELECT w.place, e.run, e.last_seen, e.seen_from
        FROM (SELECT array_agg(w.dataset ORDER BY w.place) AS datasets,
                     array_agg(w.job ORDER BY w.place) AS jobs,
                     array_agg(w.barrier ORDER BY w.place) AS barriers,
                     array_agg(w.hides ORDER BY w.place) AS times FROM requested w) AS arrays
        CROSS JOIN LATERAL lineage.earlier_writes(
            arrays.datasets, arrays.jobs, arrays.barriers, arrays.times) AS e
        JOIN requested w ON w.place = e.place
    )
    SELECT w.reader_job, w.dataset, e.run, w.job, max(e.last_seen)
    FROM earlier e JOIN requested w ON w.place = e.place
    WHERE EXISTS (SELECT FROM pair p
                  WHERE p.place = e.place AND e.last_seen < p.hides AND e.seen_from <= p.as_of
                    AND e.run IS DISTINCT FROM p.reader)
    GROUP BY w.reader_job, w.dataset, e.run, w.job
$$;
COMMENT ON FUNCTION lineage.hidden_writes IS 'Writes that may also have been visible to reads';

CREATE OR REPLACE FUNCTION lineage.job_steps_upstream(
    reads lineage.dataset_read[], depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_lineage_step
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET jit = off AS $$
    WITH seen AS MATERIALIZED (
        SELECT * FROM lineage.visible_writes_upstream(reads, depth, perhaps)
    ), walked AS MATERIALIZED (
        SELECT s.run, s.job FROM seen s
        WHERE s.run IS NOT NULL
          AND NOT ((SELECT lineage.has_views()) AND lineage.is_definition(s.run, s.job, s.dataset))
        GROUP BY s.run, s.job HAVING depth IS NULL OR min(s.distance) < depth
    ), hidden AS MATERIALIZED (
        SELECT h.*
        FROM (SELECT array_agg(w.run) AS runs, array_agg(w.job) AS jobs FROM walked w) AS k
        CROSS JOIN LATERAL lineage.hidden_writes(
            reads || ARRAY(SELECT r FROM lineage.reads_of_runs(k.runs, k.jobs) AS r)) AS h
        WHERE NOT perhaps
          AND NOT EXISTS (
              SELECT FROM seen s
              WHERE s.run = h.run AND s.job = h.job AND s.dataset = h.dataset
                AND s.reader_job IS NOT DISTINCT FROM h.reader_job)
    )
    SELECT s.distance, s.reader_job, s.dataset, s.job, s.runs, s.run, s.first, s.last, s.exact,
           coalesce(h.runs, 0), h.since
    FROM (SELECT min(s.distance) AS distance, s.reader_job, s.dataset, s.job, count(DISTINCT s.run) AS runs,
                 (array_agg(s.run ORDER BY s.written DESC, r.run_id DESC))[1] AS run,
                 min(s.written) AS first, max(s.written) AS last,
                 count(DISTINCT s.run) FILTER (WHERE s.exact) AS exact
          FROM seen s LEFT JOIN lineage.run r ON r.id = s.run
          GROUP BY s.reader_job, s.dataset, s.job) AS s
    LEFT JOIN (SELECT h.reader_job, h.dataset, h.job, count(DISTINCT h.run) AS runs, min(h.written) AS since
               FROM hidden h GROUP BY h.reader_job, h.dataset, h.job) AS h
        ON h.reader_job IS NOT DISTINCT FROM s.reader_job AND h.dataset = s.dataset AND h.job = s.job
$$;
COMMENT ON FUNCTION lineage.job_steps_upstream
    IS 'The steps from job to job upstream of reads';

CREATE OR REPLACE FUNCTION lineage.run_job_steps(
    run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_lineage_step
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT s.*
    FROM (SELECT array_agg(e.run) AS runs, array_agg(e.job) AS jobs
          FROM lineage.execution e WHERE e.run = run_job_steps.run) AS k
    CROSS JOIN LATERAL lineage.job_steps_upstream(
        ARRAY(SELECT r FROM lineage.reads_of_runs(k.runs, k.jobs) AS r), depth, perhaps) AS s
$$;
COMMENT ON FUNCTION lineage.run_job_steps IS 'The steps from job to job upstream of a run';

CREATE OR REPLACE FUNCTION lineage.job_steps_at(
    dataset bigint, at timestamptz, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_lineage_step
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT s.*
    FROM lineage.job_steps_upstream(
        ARRAY(SELECT r FROM lineage.reads_at(job_steps_at.dataset, at) AS r), depth, perhaps) AS s
    WHERE s.writer_job IS NOT NULL OR s.distance > 1 OR s.dataset <> job_steps_at.dataset
$$;
COMMENT ON FUNCTION lineage.job_steps_at IS 'The steps from job to job upstream of a dataset at a time';

-- The reads that saw writes of these runs, as lineage.run_dependencies_direct() returns them for the reading run.
-- perhaps: a newer write of the same job hides the write.
CREATE OR REPLACE FUNCTION lineage.reads_of_writes(runs bigint[], jobs bigint[])
RETURNS TABLE (reader bigint, reader_job bigint, dataset bigint, version text, writer bigint, writer_job bigint,
               written timestamptz, exact boolean, read_at timestamptz, perhaps boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
    WITH write AS MATERIALIZED (
        SELECT d.canonical AS dataset, a.run, a.job, a.first_seen, a.last_seen,
               CASE WHEN lineage.had_committed(r, 'infinity') THEN greatest(a.last_seen, r.ended_at)
                    ELSE 'infinity' END AS over,
               lineage.is_streaming_job(a.job) AS stream, a.facets #>> '{version,1,datasetVersion}' AS version,
               lineage.has_adjacent_run(a.run, a.job) AS adjacent
        FROM (SELECT * FROM unnest(runs, jobs) AS k (run, job) OFFSET 0) AS k
        JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND a.output AND lineage.writes_rows(a.facets)
        JOIN lineage.run r ON r.id = a.run AND r.contributing
        JOIN lineage.dataset d ON d.id = a.dataset
    ), hidden AS MATERIALIZED (
        -- The next overwrite hides a write from all later reads except those of the overwriting run.
        SELECT w.dataset, w.first_seen, n.run, coalesce(n.over, 'infinity') AS at
        FROM write w
        LEFT JOIN LATERAL (
            SELECT next.run, next.over
            FROM lineage.dataset d
            CROSS JOIN LATERAL (
                SELECT a.run, a.last_seen, greatest(a.last_seen, r.ended_at) AS over
                FROM lineage.access a JOIN lineage.run r ON r.id = a.run
                WHERE a.dataset = d.id AND a.output AND a.last_seen > w.last_seen
                  AND lineage.is_overwrite(a.facets) AND lineage.had_committed(r, 'infinity')
                  AND NOT lineage.is_partition_overwrite(a.job, w.dataset, a.facets)
                ORDER BY a.last_seen LIMIT 1) AS next
            WHERE d.canonical = w.dataset ORDER BY next.last_seen LIMIT 1) AS n ON true
    ), since AS MATERIALIZED (
        SELECT h.dataset, min(h.first_seen) AS first_seen, max(h.at) AS until FROM hidden h GROUP BY h.dataset
    ), reported AS MATERIALIZED (
        -- The names under which a read of a dataset, or of a view over it, is reported.
        SELECT s.dataset, d.id AS name, s.first_seen, s.until
        FROM (SELECT array_agg(s.dataset) AS datasets FROM since s) AS k
        CROSS JOIN LATERAL lineage.views_over(k.datasets) AS v
        JOIN since s ON s.dataset = v.dataset
        JOIN lineage.dataset d ON d.canonical = v.view
    ), version AS MATERIALIZED (
        SELECT DISTINCT s.dataset, a.facets #>> '{version,1,datasetVersion}' AS version
        FROM since s
        JOIN lineage.dataset d ON d.canonical = s.dataset
        JOIN lineage.access a ON a.dataset = d.id AND a.output AND a.facets ? 'version'
             AND a.last_seen BETWEEN s.first_seen AND s.until
    ), reader AS MATERIALIZED (
        -- Nearly all reads are short, so that an index by their end finds those that began in the period. The index
        -- access_long finds the others.
        SELECT a.run, a.job
        FROM reported s
        JOIN lineage.access a ON a.dataset = s.name AND NOT a.output
             AND a.last_seen BETWEEN s.first_seen AND s.until + interval '1 hour'
        WHERE a.first_seen BETWEEN s.first_seen AND s.until
        UNION
        SELECT a.run, a.job
        FROM reported s
        JOIN lineage.access a ON a.dataset = s.name AND NOT a.output AND a.first_seen BETWEEN s.first_seen AND s.until
             AND a.last_seen - a.first_seen > interval '1 hour'
        UNION
        SELECT a.run, a.job
        FROM hidden h
        JOIN reported s ON s.dataset = h.dataset
        JOIN lineage.access a ON a.run = h.run AND a.dataset = s.name AND NOT a.output
        UNION
        SELECT a.run, a.job
        FROM version v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.facets ? 'version'
             AND lineage.version_key(a.facets #>> '{version,1,datasetVersion}') = lineage.version_key(v.version)
             AND a.facets #>> '{version,1,datasetVersion}' = v.version
        UNION
        SELECT a.run, a.job
        FROM (SELECT v.dataset, array_agg(v.version) AS versions FROM version v GROUP BY v.dataset) AS v
        JOIN lineage.dataset d ON d.canonical = v.dataset
        JOIN lineage.access a ON a.dataset = d.id AND NOT a.output AND a.facets ? 'lineage_versions'
             AND lineage.listed_versions(a.facets) && v.versions
    ), read AS MATERIALIZED (
        SELECT i.*
        FROM (SELECT array_agg(k.run) AS runs, array_agg(k.job) AS jobs FROM reader k) AS k
        CROSS JOIN LATERAL lineage.reads_of_runs(k.runs, k.jobs, ARRAY(SELECT s.dataset FROM since s)) AS i
    ), pair AS MATERIALIZED (
        SELECT i.*, w.job, h.hides, h.siblings
        FROM read i
        JOIN (SELECT w.dataset, w.job, bool_or(w.adjacent) AS adjacent FROM write w GROUP BY w.dataset, w.job) AS w
            ON w.dataset = i.dataset
        LEFT JOIN LATERAL (
            -- Siblings are read only if one of the writes may be of the execution that hides it.
            SELECT t.hides, CASE WHEN w.adjacent AND EXISTS (
                SELECT FROM write k
                JOIN lineage.dataset n ON n.canonical = k.dataset
                JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = k.job AND a.last_seen = t.hides
                WHERE k.dataset = i.dataset AND k.job = w.job AND k.last_seen < t.hides
                  AND lineage.is_same_execution(a.run, k.run) OFFSET 0)
            THEN ARRAY(SELECT s.run FROM lineage.writes_of_siblings(
                i.dataset, w.job, i.barrier, t.hides, i.as_of, i.by_version, i.version, i.reader) AS s)
            ELSE '{}' END AS siblings
            FROM (SELECT lineage.hiding_write_time(
                      i.dataset, w.job, i.barrier, i.as_of, i.by_version, i.version, i.reader) AS hides
                  WHERE NOT lineage.is_appending_job(w.job, i.dataset) OFFSET 0) AS t
        ) AS h ON true
    )
    -- A streaming run writes continuously; its last write can be later than the ones that were visible to the read.
    SELECT p.reader, p.reader_job, p.dataset, p.version, w.run, w.job,
           max(CASE WHEN w.stream THEN least(w.last_seen, p.as_of) ELSE w.last_seen END), bool_or(e.exact),
           min(p.read_at), bool_and(NOT w.stream AND (w.last_seen < p.hides AND w.run <> ALL (p.siblings)) IS TRUE)
    FROM pair p
    JOIN write w ON w.dataset = p.dataset AND w.job = p.job AND w.run <> p.reader
    CROSS JOIN LATERAL (SELECT coalesce(w.last_seen = p.by_version AND w.version = p.version, false) AS exact) AS e
    WHERE w.last_seen BETWEEN p.barrier AND p.as_of AND w.over <= p.as_of OR e.exact
       OR w.stream AND w.first_seen <= p.as_of AND w.last_seen >= p.barrier
    GROUP BY p.reader, p.reader_job, p.dataset, p.version, w.run, w.job
$$;
COMMENT ON FUNCTION lineage.reads_of_writes IS 'The reads that saw writes of several runs';

CREATE OR REPLACE FUNCTION lineage.job_steps_downstream(
    run bigint, depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS SETOF lineage.run_lineage_step
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 AS $$
DECLARE
    runs bigint[];
    jobs bigint[];
    done_runs bigint[];
    done_jobs bigint[];
    step lineage.run_reader[];
    met lineage.run_reader[];
    distance int := 0;
    has_views boolean := lineage.has_views();
BEGIN
    SELECT array_agg(e.run), array_agg(e.job) INTO runs, jobs
    FROM lineage.execution e WHERE e.run = job_steps_downstream.run;
    WHILE runs IS NOT NULL AND (depth IS NULL OR distance < depth) LOOP
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        distance := distance + 1;
        step := ARRAY(
            SELECT ROW(distance, s.reader, s.reader_job, s.dataset, s.writer_job, min(s.read_at), bool_or(s.exact),
                       bool_and(s.perhaps) AND NOT job_steps_downstream.perhaps)::lineage.run_reader
            FROM lineage.reads_of_writes(runs, jobs) AS s
            WHERE NOT (has_views AND distance > 1 AND lineage.is_definition(s.writer, s.writer_job, s.dataset))
            GROUP BY s.reader, s.reader_job, s.dataset, s.writer_job);
        met := met || step;
        SELECT array_agg(k.reader), array_agg(k.reader_job) INTO runs, jobs
        FROM (SELECT s.reader, s.reader_job FROM unnest(step) AS s WHERE NOT s.perhaps
              EXCEPT SELECT * FROM unnest(done_runs, done_jobs)) AS k;
    END LOOP;
    RETURN QUERY
    WITH once AS MATERIALIZED (
        SELECT m.reader, m.reader_job, m.dataset, m.job, min(m.distance) AS distance,
               min(m.read_at) AS read_at, bool_or(m.exact) AS exact, bool_and(m.perhaps) AS perhaps
        FROM unnest(met) AS m GROUP BY m.reader, m.reader_job, m.dataset, m.job
    )
    SELECT min(o.distance), o.reader_job, o.dataset, o.job,
           count(DISTINCT o.reader) FILTER (WHERE NOT o.perhaps),
           (array_agg(o.reader ORDER BY o.read_at DESC, r.run_id DESC) FILTER (WHERE NOT o.perhaps))[1],
           min(o.read_at) FILTER (WHERE NOT o.perhaps), max(o.read_at) FILTER (WHERE NOT o.perhaps),
           count(DISTINCT o.reader) FILTER (WHERE o.exact),
           count(DISTINCT o.reader) FILTER (WHERE o.perhaps), min(o.read_at) FILTER (WHERE o.perhaps)
    FROM once o JOIN lineage.run r ON r.id = o.reader
    GROUP BY o.reader_job, o.dataset, o.job;
END $$;
COMMENT ON FUNCTION lineage.job_steps_downstream IS 'The steps from job to job downstream of a run';

-- For interactive use: the steps from job to job upstream or downstream of a run, by name.
CREATE OR REPLACE FUNCTION lineage.run_lineage_by_job(
    run_id text, direction text DEFAULT 'upstream', depth int DEFAULT NULL, perhaps boolean DEFAULT false)
RETURNS TABLE (distance int, reader text, namespace text, name text, writer text, runs bigint,
               first timestamptz, last timestamptz, maybe bigint, since timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 AS $$
BEGIN
    IF direction IN ('upstream', 'downstream') IS NOT TRUE THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    RETURN QUERY
    SELECT s.distance, i.name, d.namespace, d.name, o.name, s.runs, s.first, s.last, s.perhaps, s.since
    FROM lineage.id_of_run(run_lineage_by_job.run_id) AS root (id)
    CROSS JOIN LATERAL (
        SELECT * FROM lineage.run_job_steps(root.id, depth, run_lineage_by_job.perhaps) WHERE direction = 'upstream'
        UNION ALL
        SELECT * FROM lineage.job_steps_downstream(root.id, depth, run_lineage_by_job.perhaps)
            WHERE direction = 'downstream') AS s
    JOIN lineage.dataset d ON d.id = s.dataset
    LEFT JOIN lineage.job i ON i.id = s.reader_job
    LEFT JOIN lineage.job o ON o.id = s.writer_job
    ORDER BY s.distance, i.name, d.namespace, d.name, o.name;
END $$;
COMMENT ON FUNCTION lineage.run_lineage_by_job IS 'Steps from job to job upstream or downstream of a run, by its id';

-- Whether a run of the job that did not fail wrote rows of the dataset.
CREATE OR REPLACE FUNCTION lineage.has_job_written(job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = has_job_written.job
                    AND lineage.may_have_sources(a.facets)
               JOIN lineage.run r ON r.id = a.run AND r.contributing
               WHERE n.canonical = has_job_written.dataset);
COMMENT ON FUNCTION lineage.has_job_written IS 'Whether a run of a job that did not fail wrote a dataset';

-- Whether a run has written its reported outputs. A run that failed or has not ended has not; a streaming run writes as
-- long as it continues.
CREATE OR REPLACE FUNCTION lineage.has_committed(r lineage.run, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN lineage.had_committed(r, 'infinity') OR r.contributing AND lineage.is_streaming_job(job);
COMMENT ON FUNCTION lineage.has_committed IS 'Whether a run has written its reported outputs';

-- The time when an entry of facets was reported.
CREATE OR REPLACE FUNCTION lineage.facet_time(entry jsonb) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN split_part(entry ->> 0, ' ', 1)::timestamptz;

-- The time of the last write before a read by a job that is configured to overwrite, in a write that reports no mode.
-- The configuration is read only for jobs that wrote the dataset.
CREATE OR REPLACE FUNCTION lineage.configured_overwrite_time(
    dataset bigint, as_of timestamptz, by_version timestamptz, version text, reader bigint)
RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT max(w.last_seen)
        FROM (SELECT j.id AS job, max(newest.last_seen) AS last_seen
              FROM lineage.job j
              CROSS JOIN lineage.dataset n
              CROSS JOIN LATERAL (
                  SELECT a.last_seen
                  FROM lineage.access a JOIN lineage.run r ON r.id = a.run
                  WHERE a.dataset = n.id AND a.output AND a.job = j.id AND a.last_seen <= as_of
                    AND lineage.write_mode(a.facets) IS NULL AND a.run IS DISTINCT FROM reader
                    AND (lineage.had_committed(r, as_of)
                         OR r.contributing AND lineage.writes_version(a, by_version, version))
                  ORDER BY a.last_seen DESC LIMIT 1) AS newest
              WHERE j.facets ? 'lineage_write_modes' AND n.canonical = configured_overwrite_time.dataset
              GROUP BY j.id) AS w
        WHERE lineage.is_overwriting_job(w.job, configured_overwrite_time.dataset));
COMMENT ON FUNCTION lineage.configured_overwrite_time
    IS 'The last write before a read by a job that is configured to overwrite';
