-- The reads of executions, by the reported name of the dataset. times: bits of the times at which the execution is
-- upstream.
CREATE OR REPLACE FUNCTION lineage.reads_by_name(runs bigint[], jobs bigint[], times int[])
RETURNS TABLE (times int, reader bigint, reader_job bigint, name bigint, version text, first_seen timestamptz,
               last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT k.times, a.run, a.job, a.dataset, v.version, a.first_seen, a.last_seen
    FROM unnest(runs, jobs, times) AS k (run, job, times)
    JOIN lineage.access a ON a.run = k.run AND a.job = k.job AND NOT a.output
    CROSS JOIN LATERAL unnest(lineage.read_versions(a.facets)) AS v (version)
$$;
COMMENT ON FUNCTION lineage.reads_by_name IS 'The reads of runs, by the reported name of the dataset';

-- The datasets of these names. written_as: a name under which the dataset was written; null if it never was. direct: if
-- the newest write is an overwrite, only that is visible. This does not hold for streaming jobs, whose last write may
-- be later, and it is not determined for datasets that were written under several names.
CREATE OR REPLACE FUNCTION lineage.written_names(names bigint[])
RETURNS TABLE (name bigint, dataset bigint, written_as bigint, direct boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT d.id, d.canonical, w.name,
           CASE WHEN w.names > 1 THEN false
                WHEN EXISTS (SELECT FROM lineage.job j WHERE lineage.is_stream(j.facets))
                THEN NOT EXISTS (SELECT FROM lineage.jobs_accessing_dataset(d.canonical, true) AS j (job)
                                 WHERE lineage.is_streaming_job(j.job))
                ELSE true END
    FROM unnest(names) AS i (name)
    JOIN lineage.dataset d ON d.id = i.name
    CROSS JOIN LATERAL (
        SELECT min(n.id) AS name, count(*) AS names
        FROM lineage.dataset n
        WHERE n.canonical = d.canonical
          AND EXISTS (SELECT FROM lineage.access a WHERE a.dataset = n.id AND a.output)) AS w
$$;
COMMENT ON FUNCTION lineage.written_names IS 'Names under which datasets were written';

-- The newest writes before reads, by their index in the arrays: those of the same time, without those of the reader.
-- overwrites: the write had committed, and left only its own data. False before archived runs: a newer one may be archived.
CREATE OR REPLACE FUNCTION lineage.newest_writes(names bigint[], as_of_times timestamptz[], readers bigint[])
RETURNS TABLE (place bigint, run bigint, job bigint, written timestamptz, overwrites boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT i.place, w.run, w.job, w.last_seen,
           lineage.is_overwrite(w.facets) AND lineage.writes_rows(w.facets) AND lineage.had_committed(r, i.as_of)
               AND NOT lineage.is_partition_overwrite(
                   w.job, (SELECT d.canonical FROM lineage.dataset d WHERE d.id = i.name), w.facets)
               AND i.as_of >= coalesce((SELECT lineage.runs_archived_before()), '-infinity')
    FROM unnest(names, as_of_times, readers) WITH ORDINALITY AS i (name, as_of, reader, place)
    CROSS JOIN LATERAL (
        SELECT a.run, a.job, a.last_seen, a.facets
        FROM lineage.access a
        WHERE a.dataset = i.name AND a.output AND a.last_seen <= i.as_of AND a.run <> i.reader
        ORDER BY a.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS w
    JOIN lineage.run r ON r.id = w.run
$$;
COMMENT ON FUNCTION lineage.newest_writes IS 'The newest writes of datasets before reads';

-- The writes visible to reads of executions. If the newest write before a read is an overwrite that had committed, that
-- write alone is visible; before the first write, none is. lineage.writes_visible_to() is called for the other reads.
CREATE OR REPLACE FUNCTION lineage.writes_visible_to_runs(runs bigint[], jobs bigint[], times int[])
RETURNS SETOF lineage.compared_write
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET enable_mergejoin = off SET jit = off AS $$
    WITH reported AS MATERIALIZED (
        SELECT * FROM lineage.reads_by_name(runs, jobs, times)
    ), named AS MATERIALIZED (
        SELECT * FROM reported
        UNION ALL
        SELECT k.times, b.reader, b.reader_job, b.dataset, b.version, b.read_at, b.read_until
        FROM (SELECT ARRAY(
                  SELECT ROW(r.reader, r.reader_job, d.canonical, r.version, min(r.first_seen), max(r.last_seen), NULL,
                             NULL, NULL)::lineage.dataset_read
                  FROM reported r JOIN lineage.dataset d ON d.id = r.name
                  GROUP BY r.reader, r.reader_job, d.canonical, r.version) AS reads
              WHERE (SELECT lineage.has_views())) AS v
        CROSS JOIN LATERAL lineage.reads_behind_views(v.reads) AS b
        JOIN unnest(runs, jobs, times) AS k (run, job, times) ON k.run = b.reader AND k.job = b.reader_job
    ), name AS MATERIALIZED (
        SELECT n.*, m.times
        FROM (SELECT r.name, bit_or(r.times) AS times FROM named r GROUP BY r.name) AS m
        JOIN lineage.written_names(ARRAY(SELECT DISTINCT r.name FROM named r ORDER BY r.name)) AS n ON n.name = m.name
    ), read AS MATERIALIZED (
        SELECT i.*, i.direct AND i.version IS NULL AS simple,
               row_number() OVER (ORDER BY i.written_as, i.read_at) AS place
        FROM (SELECT r.times, r.reader, r.reader_job, n.dataset, r.version, n.written_as, n.direct,
                     min(r.first_seen) AS read_at, max(r.last_seen) AS read_until
              FROM named r JOIN name n ON n.name = r.name
              WHERE n.written_as IS NOT NULL
              GROUP BY 1, 2, 3, 4, 5, 6, 7) AS i
    ), newest AS MATERIALIZED (
        SELECT r.place, w.run, w.job, w.written, w.overwrites
        FROM (SELECT array_agg(r.written_as ORDER BY r.place) AS names,
                     array_agg(r.read_at ORDER BY r.place) AS as_of_times,
                     array_agg(r.reader ORDER BY r.place) AS readers,
                     array_agg(r.place ORDER BY r.place) AS places
              FROM read r WHERE r.simple) AS arrays
        CROSS JOIN LATERAL lineage.newest_writes(arrays.names, arrays.as_of_times, arrays.readers) AS w
        CROSS JOIN LATERAL (SELECT arrays.places[w.place] AS place) AS r
    ), other AS MATERIALIZED (
        SELECT r.times, array_agg(ROW(r.reader, r.reader_job, r.dataset, r.version, r.read_at, r.read_until,
                                      v.by_version, v.as_of, v.barrier)::lineage.dataset_read) AS reads
        FROM read r
        CROSS JOIN LATERAL lineage.visibility_window(r.dataset, r.read_at, r.read_until, r.version, r.reader) AS v
        WHERE NOT r.simple OR r.place IN (SELECT w.place FROM newest w WHERE NOT w.overwrites)
        GROUP BY r.times
    )
    SELECT n.times, n.dataset, NULL::bigint, NULL::bigint, NULL::timestamptz, NULL::boolean
    FROM name n WHERE n.written_as IS NULL
    UNION ALL
    SELECT r.times, r.dataset, w.run, w.job, w.written, CASE WHEN w.run IS NOT NULL THEN false END
    FROM read r LEFT JOIN newest w USING (place) WHERE r.simple AND w.overwrites IS NOT false
    UNION ALL
    SELECT o.times, w.dataset, w.run, w.job, w.written, w.exact
    FROM other o CROSS JOIN LATERAL lineage.writes_visible_to(o.reads) AS w
$$;
COMMENT ON FUNCTION lineage.writes_visible_to_runs IS 'The writes visible to reads of runs';

-- The writes visible in a dataset at two times, and transitively in the inputs of their runs. What a run read does not
-- depend on these times. So runs that are upstream at both times, at the same distance, are followed once.
CREATE OR REPLACE FUNCTION lineage.visible_writes_at_both_times(
    root bigint, from_time timestamptz, to_time timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (distance int, times int, dataset bigint, run bigint, job bigint, written timestamptz, exact boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    seen lineage.compared_write[];
    done_runs bigint[];
    done_jobs bigint[];
    done_times int[];
    runs bigint[];
    jobs bigint[];
    times_of_runs int[];
    has_views boolean := lineage.has_views();
BEGIN
    seen := ARRAY(
        SELECT ROW(t.times, w.dataset, w.run, w.job, w.written, w.exact)::lineage.compared_write
        FROM (VALUES (1, from_time), (2, to_time)) AS t (times, at)
        CROSS JOIN LATERAL lineage.writes_visible_to(ARRAY(SELECT r FROM lineage.reads_at(root, t.at) AS r)) AS w
        WHERE w.run IS NOT NULL OR w.dataset <> root);
    distance := 1;
    LOOP
        RETURN QUERY SELECT visible_writes_at_both_times.distance, s.* FROM unnest(seen) AS s;
        EXIT WHEN distance >= depth;
        SELECT array_agg(k.run), array_agg(k.job), array_agg(k.times) INTO runs, jobs, times_of_runs
        FROM (SELECT s.run, s.job, bit_or(s.times) FILTER (WHERE s.fresh)
                                   & ~coalesce(bit_or(s.times) FILTER (WHERE NOT s.fresh), 0) AS times
              FROM (SELECT w.run, w.job, w.times, true AS fresh FROM unnest(seen) AS w
                    WHERE w.run IS NOT NULL AND NOT (has_views AND lineage.is_definition(w.run, w.job, w.dataset))
                    UNION ALL
                    SELECT d.run, d.job, d.times, false
                    FROM unnest(done_runs, done_jobs, done_times) AS d (run, job, times)) AS s
              GROUP BY s.run, s.job ORDER BY s.run, s.job) AS k
        WHERE k.times > 0;
        EXIT WHEN runs IS NULL;
        done_runs := done_runs || runs;
        done_jobs := done_jobs || jobs;
        done_times := done_times || times_of_runs;
        seen := ARRAY(SELECT w FROM lineage.writes_visible_to_runs(runs, jobs, times_of_runs) AS w);
        distance := distance + 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.visible_writes_at_both_times
    IS 'The writes visible in a dataset at two times, and transitively in the inputs of their runs';

-- The writes visible in a dataset at two times: before and after are the distances, null if not visible at that time.
CREATE OR REPLACE FUNCTION lineage.compare_visible_writes(
    root bigint, from_time timestamptz, to_time timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (dataset bigint, run bigint, job bigint, written timestamptz, exact boolean,
               before int, after int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT m.dataset, m.run, m.job, max(m.written), bool_or(m.exact),
           min(m.distance) FILTER (WHERE m.times & 1 > 0), min(m.distance) FILTER (WHERE m.times & 2 > 0)
    FROM lineage.visible_writes_at_both_times(root, from_time, to_time, depth) AS m
    GROUP BY m.dataset, m.run, m.job
$$;
COMMENT ON FUNCTION lineage.compare_visible_writes IS 'The writes visible in a dataset at two times';

-- Columns that differ between two schema facets, each the whole body. A type that is not reported is ''.
CREATE OR REPLACE FUNCTION lineage.diff_schemas(before jsonb, after jsonb)
RETURNS TABLE (name text, old_type text, new_type text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT name, min(type) FILTER (WHERE NOT later), min(type) FILTER (WHERE later)
    FROM (SELECT s.name, coalesce(s.type, '') AS type, false AS later
          FROM lineage.schema_fields(jsonb_build_object('schema', jsonb_build_array('', before))) AS s
          UNION ALL
          SELECT s.name, coalesce(s.type, ''), true
          FROM lineage.schema_fields(jsonb_build_object('schema', jsonb_build_array('', after))) AS s
         ) AS reported
    GROUP BY name
    HAVING min(type) FILTER (WHERE NOT later) IS DISTINCT FROM min(type) FILTER (WHERE later)
$$;
COMMENT ON FUNCTION lineage.diff_schemas IS 'Columns that differ between two schema facets';

-- Events up to a time that may mention a dataset: those of the most_runs runs that last read or wrote it by then, those
-- of runs that were reading or writing it then, and those without a run. Of each run, and of the events without a run,
-- the newest most_events are returned. floor: there may be further events of that time or before. body is null if the
-- event is rejected or superseded.
CREATE OR REPLACE FUNCTION lineage.events_mentioning(
    root bigint, until timestamptz, most_runs int, most_events int)
RETURNS TABLE (event_time timestamptz, sha256 bytea, body text, floor timestamptz)
LANGUAGE sql STABLE ROWS 10 SET enable_seqscan = off SET jit = off AS $$
    WITH last AS MATERIALIZED (
        SELECT a.run, a.first_seen, a.last_seen, row_number() OVER (ORDER BY a.last_seen DESC) AS place
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.* FROM lineage.access a
            WHERE a.dataset = n.id AND a.last_seen <= until
            ORDER BY a.last_seen DESC LIMIT most_runs + 1) AS a
        WHERE n.canonical = root
        ORDER BY a.last_seen DESC LIMIT most_runs + 1
    ), spoke AS (
        SELECT run, first_seen, last_seen FROM last WHERE place <= most_runs
        UNION ALL
        SELECT a.run, a.first_seen, until
        FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id
        WHERE n.canonical = root AND a.last_seen > until AND a.first_seen <= until
    ), reported_event AS (
        SELECT e.*
        FROM (SELECT run, min(first_seen) AS first_seen, max(last_seen) AS last_seen
              FROM spoke GROUP BY run) AS s
        JOIN lineage.run r ON r.id = s.run
        CROSS JOIN LATERAL (
            SELECT e.id, e.event_time, e.sha256, e.body,
                   row_number() OVER (ORDER BY e.event_time DESC) AS place
            FROM lineage.event e
            WHERE e.run_id = r.run_id AND e.event_time BETWEEN s.first_seen AND s.last_seen
            ORDER BY e.event_time DESC LIMIT most_events) AS e
        UNION ALL
        (SELECT e.id, e.event_time, e.sha256, e.body,
                row_number() OVER (ORDER BY e.event_time DESC)
         FROM lineage.event e
         WHERE e.run_id IS NULL AND e.event_time <= until
           AND lineage.event_name_hashes(e.body) && (
               SELECT array_agg(lineage.name_hash(n.namespace, n.name)) || 0::bigint
               FROM lineage.dataset n WHERE n.canonical = root)
         ORDER BY e.event_time DESC LIMIT most_events)
    )
    SELECT s.event_time, s.sha256,
           CASE WHEN NOT EXISTS (SELECT FROM lineage.rejected_event x WHERE x.event = s.id)
                 AND NOT EXISTS (SELECT FROM lineage.superseded_event x WHERE x.event = s.id) THEN s.body END,
           CASE WHEN s.place = most_events THEN s.event_time END
    FROM reported_event AS s
    UNION ALL
    SELECT NULL, NULL, NULL, last_seen FROM last WHERE place > most_runs
$$;
COMMENT ON FUNCTION lineage.events_mentioning IS 'The newest events up to a time that may mention a dataset';

-- The time from which the log has all events of the graph; null if it has all. Months before it were dropped or archived, or
-- a fold wrote events of them into the graph alone.
CREATE OR REPLACE FUNCTION lineage.log_complete_from() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN greatest(
    (SELECT max(t.retained_from) FROM lineage.retention t),
    (SELECT (max(f.month) + interval '1 month') AT TIME ZONE 'UTC' FROM lineage.archived_file f));
COMMENT ON FUNCTION lineage.log_complete_from IS 'The time from which the log has all events; null if it has all';

-- For interactive use: visible writes that a dataset gained or lost between two times.
CREATE OR REPLACE FUNCTION lineage.dataset_diff(
    dataset text, from_time timestamptz, to_time timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (change text, kind text, distance int, namespace text, name text, run text, written timestamptz,
               exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH visible AS MATERIALIZED (
        SELECT * FROM lineage.compare_visible_writes(lineage.dataset_id(dataset_diff.dataset), from_time, to_time,
            depth)
    ), changed AS (
        SELECT 'dataset' AS kind, dataset, NULL::bigint AS job, NULL::bigint AS run,
               NULL::timestamptz AS written, NULL::boolean AS exact,
               min(before) AS before, min(after) AS after
        FROM visible GROUP BY dataset
        UNION ALL
        SELECT 'job', NULL, job, NULL, NULL, NULL, min(before), min(after)
        FROM visible WHERE job IS NOT NULL GROUP BY job
        UNION ALL
        SELECT 'run', dataset, job, run, written, exact, before, after FROM visible WHERE run IS NOT NULL
    )
    SELECT CASE WHEN c.before IS NULL THEN 'added' ELSE 'removed' END, c.kind, coalesce(c.after, c.before),
           coalesce(d.namespace, j.namespace), coalesce(d.name, j.name), r.run_id, c.written, c.exact
    FROM changed c
    LEFT JOIN lineage.dataset d ON d.id = c.dataset
    LEFT JOIN lineage.job j ON j.id = c.job
    LEFT JOIN lineage.run r ON r.id = c.run
    WHERE (c.before IS NULL) <> (c.after IS NULL)
    ORDER BY c.kind, 3, 4, 5, c.written, r.run_id
$$;
COMMENT ON FUNCTION lineage.dataset_diff IS 'The visible writes that a dataset gained or lost between two times';
