-- Traces and links, a whole step at a time: one search of an index for all that a step reached, and all
-- that a generation of runs read in one statement.
--
-- A trace is a recursive query. Its UNION leaves out what was met before, by a hash that lives as long as
-- the query: each dataset costs the same, however deep the graph is. The distance has to travel along and
-- must not count when rows are compared. So an id is a numeric whose scale is the distance: 7.000 is
-- dataset 7 at distance 3; it is equal to 7.0, and of equal rows the first stays.
-- A window makes one array of a step, since a recursive term may not aggregate.

-- 16,383 is the largest scale of a numeric.
CREATE FUNCTION lineage.distance_of(met numeric, depth int) RETURNS int
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF scale(met) = 16383 AND coalesce(depth, 16384) > 16383 THEN
        RAISE program_limit_exceeded USING
            MESSAGE = 'the trace is longer than 16,383 steps', HINT = 'Give a depth.';
    END IF;
    RETURN scale(met);
END $$;

-- The datasets that a trace meets, each once with its least distance; roots are at 0.
-- depth: how many steps; null for all.
CREATE FUNCTION lineage.trace_nodes(roots bigint[], direction text, depth int DEFAULT NULL)
RETURNS TABLE (id bigint, distance int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
-- The planner knows nothing of the arrays: every step is to go by index.
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    RETURN QUERY
    WITH RECURSIVE met (id) AS (
        SELECT root::numeric FROM unnest(roots) AS root
        UNION
        SELECT round(behind.id::numeric, step.distance + 1)
        FROM (SELECT array_agg(m.id::bigint) OVER () AS ids, scale(m.id) AS distance,
                     row_number() OVER () AS n FROM met m) AS step
        CROSS JOIN LATERAL (
            SELECT f.source AS id FROM lineage.feeds f
            WHERE direction = 'upstream' AND f.target = ANY (step.ids)
            UNION ALL
            SELECT f.target FROM lineage.feeds f
            WHERE direction = 'downstream' AND f.source = ANY (step.ids)) AS behind
        WHERE step.n = 1 AND step.distance < least(depth, 16383)
    )
    SELECT m.id::bigint, CASE WHEN scale(m.id) < 16383 THEN scale(m.id)
                              ELSE lineage.distance_of(m.id, depth) END
    FROM met m;
END $$;

-- The edges that a trace from these datasets passes, with the distance of their far end when the edge
-- was met. Each edge once.
DROP FUNCTION lineage.trace_edges;
CREATE FUNCTION lineage.trace_edges(roots bigint[], direction text, depth int DEFAULT NULL)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int,
               runs bigint, first_seen timestamptz, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    SELECT e.source, e.target, e.job, step.distance + 1, e.runs, e.first_seen, e.last_seen
    FROM (SELECT n.distance, array_agg(n.id) AS ids
          FROM lineage.trace_nodes(roots, direction, depth - 1) AS n
          WHERE depth IS NULL OR n.distance < depth
          GROUP BY n.distance) AS step
    CROSS JOIN LATERAL (
        SELECT f.* FROM lineage.feeds f
        WHERE direction = 'upstream' AND f.target = ANY (step.ids)
        UNION ALL
        SELECT f.* FROM lineage.feeds f
        WHERE direction = 'downstream' AND f.source = ANY (step.ids)) AS e
$$;

CREATE OR REPLACE FUNCTION lineage.trace(dataset bigint, direction text DEFAULT 'upstream',
                                         depth int DEFAULT NULL)
RETURNS TABLE (id bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT n.id, n.distance FROM lineage.trace_nodes(ARRAY[dataset], direction, depth) AS n
    WHERE direction IS DISTINCT FROM 'both'
    UNION ALL
    SELECT met.id, min(met.distance) FROM (
        SELECT * FROM lineage.trace_nodes(ARRAY[dataset], 'upstream', depth)
        UNION ALL
        SELECT * FROM lineage.trace_nodes(ARRAY[dataset], 'downstream', depth)) AS met
    WHERE direction = 'both'
    GROUP BY met.id
$$;

-- The edges that a trace from these columns passes, with the distance of their far end when the edge was
-- met. Each edge once. A column depends on what its whole dataset depends on, and on a whole dataset
-- depend all its columns. indirect: also by filters, joins, groups, order.
DROP FUNCTION lineage.column_edges;
CREATE FUNCTION lineage.column_edges(roots bigint[], direction text, depth int DEFAULT NULL,
                                     indirect boolean DEFAULT true)
RETURNS TABLE (source bigint, target bigint, job bigint, type text, subtype text, masking boolean,
               distance int, runs bigint, first_seen timestamptz, last_seen timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    RETURN QUERY
    WITH RECURSIVE met (id) AS (
        SELECT root::numeric FROM unnest(roots) AS root
        UNION
        SELECT round(behind.id::numeric, step.distance + 1)
        FROM (SELECT array_agg(m.id::bigint) OVER () AS ids, scale(m.id) AS distance,
                     row_number() OVER () AS n FROM met m) AS step
        CROSS JOIN LATERAL (
            SELECT d.source AS id FROM lineage.derives d
            WHERE column_edges.direction = 'upstream' AND (indirect OR d.type = 'DIRECT')
              AND d.target = ANY (step.ids || ARRAY(
                  SELECT f.dataset FROM lineage.field f WHERE f.id = ANY (step.ids)))
            UNION ALL
            SELECT d.target FROM lineage.derives d
            WHERE column_edges.direction = 'downstream' AND (indirect OR d.type = 'DIRECT')
              AND d.source = ANY (step.ids || ARRAY(
                  SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (step.ids)))) AS behind
        WHERE step.n = 1 AND step.distance + 1 < least(depth, 16383)
    ), reached AS MATERIALIZED (
        SELECT m.id::bigint AS id, CASE WHEN scale(m.id) < 16383 THEN scale(m.id)
                                        ELSE lineage.distance_of(m.id, depth) END AS distance
        FROM met m WHERE depth IS NULL OR depth > 0
    ), step AS (
        SELECT least.distance, array_agg(least.id) AS ids
        FROM (SELECT near.id, min(near.distance) AS distance FROM (
                  SELECT r.id, r.distance FROM reached r
                  UNION ALL
                  SELECT f.dataset, r.distance FROM reached r JOIN lineage.field f ON f.id = r.id
                  WHERE column_edges.direction = 'upstream'
                  UNION ALL
                  SELECT f.id, r.distance FROM reached r JOIN lineage.field f ON f.dataset = r.id
                  WHERE column_edges.direction = 'downstream') AS near
              GROUP BY near.id) AS least
        GROUP BY least.distance
    )
    SELECT e.source, e.target, e.job, e.type, e.subtype, e.masking, s.distance + 1,
           e.runs, e.first_seen, e.last_seen
    FROM step s CROSS JOIN LATERAL (
        SELECT d.* FROM lineage.derives d
        WHERE column_edges.direction = 'upstream' AND d.target = ANY (s.ids)
        UNION ALL
        SELECT d.* FROM lineage.derives d
        WHERE column_edges.direction = 'downstream' AND d.source = ANY (s.ids)) AS e
    WHERE indirect OR e.type = 'DIRECT';
END $$;

-- Streams are few: whether one of them wrote a dataset is asked of the index by their ids.
CREATE INDEX job_streaming ON lineage.job (id)
    WHERE facets #>> '{jobType,1,processingType}' = 'STREAMING';

-- As before, in one statement that PostgreSQL puts into the one that calls it.
CREATE OR REPLACE FUNCTION lineage.writes_seen(
    dataset bigint, from_time timestamptz, until_time timestamptz,
    version text DEFAULT NULL, reader bigint DEFAULT NULL)
RETURNS TABLE (run bigint, job bigint, written timestamptz, exact boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT w.run, w.job, max(w.written), bool_or(w.exact)
    FROM (SELECT CASE WHEN writes_seen.version IS NOT NULL THEN (
              SELECT max(a.last_seen)
              FROM lineage.dataset n
              JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.facets ? 'version'
                   AND a.facets #>> '{version,1,datasetVersion}' = writes_seen.version
              JOIN lineage.run r ON r.id = a.run
              WHERE n.canonical = writes_seen.dataset AND a.first_seen <= until_time
                AND r.feeding AND a.run IS DISTINCT FROM reader
                AND lineage.leaves_rows(a.facets)) END AS by_version OFFSET 0) AS v
    CROSS JOIN LATERAL (SELECT coalesce(v.by_version, from_time) AS moment OFFSET 0) AS m
    CROSS JOIN LATERAL (
        SELECT coalesce(max(latest.last_seen), '-infinity') AS barrier
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.last_seen
            FROM lineage.access a JOIN lineage.run r ON r.id = a.run
            WHERE a.dataset = n.id AND a.output AND a.last_seen <= m.moment
              AND lineage.replaces(a.facets) AND a.run IS DISTINCT FROM reader
              AND (lineage.had_written(r, m.moment)
                   OR r.feeding AND lineage.is_version(a, v.by_version, writes_seen.version))
            ORDER BY a.last_seen DESC LIMIT 1) AS latest
        WHERE n.canonical = writes_seen.dataset) AS b
    CROSS JOIN LATERAL (
        SELECT a.run, a.job, a.last_seen AS written,
               lineage.is_version(a, v.by_version, writes_seen.version) AS exact
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output
             AND a.last_seen BETWEEN b.barrier AND m.moment
        JOIN lineage.run r ON r.id = a.run
        WHERE n.canonical = writes_seen.dataset
          AND a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (lineage.had_written(r, m.moment)
               OR r.feeding AND lineage.is_version(a, v.by_version, writes_seen.version))
        UNION ALL
        -- A stream writes all the time, and what it wrote later has hidden what it had by then.
        SELECT a.run, a.job, least(a.last_seen, m.moment), false
        FROM lineage.dataset n
        JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = ANY (ARRAY(
            SELECT j.id FROM lineage.job j
            WHERE j.facets #>> '{jobType,1,processingType}' = 'STREAMING'))
        JOIN lineage.run r ON r.id = a.run AND r.feeding
        WHERE n.canonical = writes_seen.dataset
          AND a.first_seen <= m.moment AND a.last_seen >= b.barrier
          AND a.run IS DISTINCT FROM reader AND lineage.leaves_rows(a.facets)
          AND (a.last_seen > m.moment OR NOT lineage.had_written(r, m.moment))
          AND NOT lineage.is_version(a, v.by_version, writes_seen.version)) AS w
    GROUP BY w.run, w.job
$$;

-- The settings hold for links_of() and writes_seen(), which are put into its statements.
ALTER FUNCTION lineage.links_behind SET enable_mergejoin = off;
ALTER FUNCTION lineage.links_behind SET enable_hashjoin = off;

COMMENT ON FUNCTION lineage.trace_nodes IS 'The datasets of traces from these, with their distance';
COMMENT ON FUNCTION lineage.trace_edges IS 'The summary edges that a trace passes';
COMMENT ON FUNCTION lineage.column_edges IS 'The edges DERIVES that a trace of columns passes';
