-- The writes visible in a dataset at two times: before and after are the distances, null if not visible at that time.
CREATE OR REPLACE FUNCTION lineage.compare_visible_writes(
    root bigint, from_time timestamptz, to_time timestamptz, depth int DEFAULT NULL)
RETURNS TABLE (dataset bigint, run bigint, job bigint, written timestamptz, exact boolean,
               before int, after int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT m.dataset, m.run, m.job, max(m.written), bool_or(m.exact),
           min(m.distance) FILTER (WHERE NOT m.later), min(m.distance) FILTER (WHERE m.later)
    FROM (SELECT *, false AS later FROM lineage.visible_writes_of_dataset(root, from_time, depth)
          UNION ALL
          SELECT *, true FROM lineage.visible_writes_of_dataset(root, to_time, depth)) AS m
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
