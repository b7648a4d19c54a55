-- Traces walk on what designs state too. observed: pass only what runs showed. Of an edge that no run showed there
-- are no runs (0); where no job declares it, a dataset's own facet does, and it has no job.

-- The edges that leave these datasets, and those that lead to them.
CREATE FUNCTION lineage.edges_from(ids bigint[], observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, runs bigint, first_seen timestamptz,
               last_seen timestamptz, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared
    FROM lineage.feeds f WHERE f.source = ANY (ids)
    UNION ALL
    SELECT d.source, d.target, d.job, 0, d.first_seen, d.last_seen, true
    FROM lineage.declared d WHERE NOT edges_from.observed AND d.source = ANY (ids) AND NOT d.observed
$$;

CREATE FUNCTION lineage.edges_to(ids bigint[], observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, runs bigint, first_seen timestamptz,
               last_seen timestamptz, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared
    FROM lineage.feeds f WHERE f.target = ANY (ids)
    UNION ALL
    SELECT d.source, d.target, d.job, 0, d.first_seen, d.last_seen, true
    FROM lineage.declared d WHERE NOT edges_to.observed AND d.target = ANY (ids) AND NOT d.observed
$$;

-- As before, over both.
DROP FUNCTION lineage.trace_levels;
CREATE FUNCTION lineage.trace_levels(roots bigint[], direction text, depth int DEFAULT NULL,
                                     observed boolean DEFAULT false)
RETURNS TABLE (distance int, ids bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
-- The planner knows nothing of the arrays: every step is to go by index.
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    known bigint[] := array_remove(roots, NULL);
    label bigint := known[1] >> 48 << 48;
    step int[] := ARRAY(SELECT DISTINCT root - label FROM unnest(known) AS root);
    met int[] := '{}';
    designs boolean := NOT observed AND EXISTS (SELECT FROM lineage.design);
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    distance := 0;
    WHILE cardinality(step) > 0 LOOP
        ids := ARRAY(SELECT label + number FROM unnest(step) AS number);
        RETURN NEXT;
        EXIT WHEN distance >= depth;
        met := lineage.with_all(met, step);
        IF direction = 'upstream' THEN
            step := ARRAY(SELECT (f.source - label)::int FROM lineage.feeds f WHERE f.target = ANY (ids));
            IF designs THEN
                step := step || ARRAY(SELECT (d.source - label)::int FROM lineage.declared d
                                      WHERE d.target = ANY (ids) AND NOT d.observed);
            END IF;
        ELSE
            step := ARRAY(SELECT (f.target - label)::int FROM lineage.feeds f WHERE f.source = ANY (ids));
            IF designs THEN
                step := step || ARRAY(SELECT (d.target - label)::int FROM lineage.declared d
                                      WHERE d.source = ANY (ids) AND NOT d.observed);
            END IF;
        END IF;
        step := lineage.without(step, met);
        distance := distance + 1;
    END LOOP;
END $$;

DROP FUNCTION lineage.trace_nodes;
CREATE FUNCTION lineage.trace_nodes(roots bigint[], direction text, depth int DEFAULT NULL,
                                    observed boolean DEFAULT false)
RETURNS TABLE (id bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT n.id, l.distance
    FROM lineage.trace_levels(roots, direction, depth, observed) AS l
    CROSS JOIN LATERAL unnest(l.ids) AS n (id)
$$;

DROP FUNCTION lineage.trace_edges;
CREATE FUNCTION lineage.trace_edges(roots bigint[], direction text, depth int DEFAULT NULL,
                                    observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int,
               runs bigint, first_seen timestamptz, last_seen timestamptz, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    SELECT e.source, e.target, e.job, l.distance + 1, e.runs, e.first_seen, e.last_seen, e.declared
    FROM lineage.trace_levels(roots, direction, depth - 1, observed) AS l
    CROSS JOIN LATERAL (
        SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared
        FROM lineage.feeds f WHERE direction = 'upstream' AND f.target = ANY (l.ids)
        UNION ALL
        SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared
        FROM lineage.feeds f WHERE direction = 'downstream' AND f.source = ANY (l.ids)
        UNION ALL
        SELECT d.source, d.target, d.job, 0, d.first_seen, d.last_seen, true
        FROM lineage.declared d
        WHERE direction = 'upstream' AND NOT trace_edges.observed
          AND d.target = ANY (l.ids) AND NOT d.observed
        UNION ALL
        SELECT d.source, d.target, d.job, 0, d.first_seen, d.last_seen, true
        FROM lineage.declared d
        WHERE direction = 'downstream' AND NOT trace_edges.observed
          AND d.source = ANY (l.ids) AND NOT d.observed) AS e
    WHERE depth IS NULL OR l.distance < depth
$$;

DROP FUNCTION lineage.trace;
CREATE FUNCTION lineage.trace(dataset bigint, direction text DEFAULT 'upstream',
                              depth int DEFAULT NULL, observed boolean DEFAULT false)
RETURNS TABLE (id bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT n.id, n.distance FROM lineage.trace_nodes(ARRAY[dataset], direction, depth, observed) AS n
    WHERE direction IS DISTINCT FROM 'both'
    UNION ALL
    SELECT met.id, min(met.distance) FROM (
        SELECT * FROM lineage.trace_nodes(ARRAY[dataset], 'upstream', depth, observed)
        UNION ALL
        SELECT * FROM lineage.trace_nodes(ARRAY[dataset], 'downstream', depth, observed)) AS met
    WHERE direction = 'both'
    GROUP BY met.id
$$;

DROP FUNCTION lineage.upstream;
CREATE FUNCTION lineage.upstream(called text, depth int DEFAULT NULL, observed boolean DEFAULT false)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, d.namespace, d.name
    FROM lineage.trace(lineage.dataset_id(called), 'upstream', depth, observed) t
    JOIN lineage.dataset d ON d.id = t.id
    ORDER BY t.distance, d.namespace, d.name
$$;

DROP FUNCTION lineage.downstream;
CREATE FUNCTION lineage.downstream(called text, depth int DEFAULT NULL, observed boolean DEFAULT false)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, d.namespace, d.name
    FROM lineage.trace(lineage.dataset_id(called), 'downstream', depth, observed) t
    JOIN lineage.dataset d ON d.id = t.id
    ORDER BY t.distance, d.namespace, d.name
$$;

DROP FUNCTION lineage.steps;
CREATE FUNCTION lineage.steps(called text, direction text DEFAULT 'upstream', depth int DEFAULT NULL,
                              observed boolean DEFAULT false)
RETURNS TABLE (distance int, source_namespace text, source text, target_namespace text, target text,
               job_namespace text, job text, job_type text, runs bigint,
               first_seen timestamptz, last_seen timestamptz, stale boolean, declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH edge AS MATERIALIZED (
        SELECT * FROM lineage.trace_edges(
            ARRAY[lineage.dataset_id(called)], direction, depth, steps.observed)
    ), by_job AS MATERIALIZED (
        SELECT j.*, lineage.last_good(j.id) AS last_good
        FROM lineage.job j WHERE j.id = ANY (ARRAY(SELECT DISTINCT job FROM edge))
    )
    SELECT e.distance, s.namespace, s.name, t.namespace, t.name,
           j.namespace, j.name, j.facets #>> '{jobType,1,jobType}', e.runs,
           e.first_seen, e.last_seen, e.runs > 0 AND coalesce(e.last_seen < j.last_good, false), e.declared
    FROM edge e
    LEFT JOIN by_job j ON j.id = e.job
    JOIN lineage.dataset s ON s.id = e.source
    JOIN lineage.dataset t ON t.id = e.target
    ORDER BY e.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
$$;

-- As before. An edge that no job declares fits no filter of jobs.
DROP FUNCTION lineage.shown;
CREATE FUNCTION lineage.shown(
    called text, direction text DEFAULT 'upstream', depth int DEFAULT NULL,
    namespaces text[] DEFAULT '{}', tags text[] DEFAULT '{}', jobs text[] DEFAULT '{}',
    types text[] DEFAULT '{}', since timestamptz DEFAULT '-infinity', most int DEFAULT NULL,
    observed boolean DEFAULT false)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH asked AS MATERIALIZED (
        SELECT lineage.dataset_id(called) AS root, ARRAY(SELECT lineage.job_id(j) FROM unnest(jobs) AS j) AS jobs,
               ARRAY(SELECT lower(t) FROM unnest(types) AS t) AS types
    ), passed AS MATERIALIZED (
        SELECT e.source AS far, e.job, e.distance, e.last_seen
        FROM asked CROSS JOIN LATERAL lineage.trace_edges(
            ARRAY[asked.root], CASE direction WHEN 'both' THEN 'upstream' ELSE direction END, depth, observed) AS e
        WHERE direction <> 'downstream'
        UNION ALL
        SELECT e.target, e.job, e.distance, e.last_seen
        FROM asked CROSS JOIN LATERAL lineage.trace_edges(
            ARRAY[asked.root], CASE direction WHEN 'both' THEN 'downstream' ELSE direction END, depth, observed) AS e
        WHERE direction <> 'upstream'
    ), fitting AS MATERIALIZED (
        SELECT j.id FROM lineage.job j CROSS JOIN asked
        WHERE j.id = ANY (ARRAY(SELECT DISTINCT passed.job FROM passed))
          AND (asked.jobs = '{}' OR j.id = ANY (asked.jobs))
          AND (asked.types = '{}' OR lower(coalesce(j.facets #>> '{jobType,1,jobType}', '')) = ANY (asked.types))
    ), met AS MATERIALIZED (
        SELECT p.far AS id, min(p.distance) AS distance
        FROM passed p LEFT JOIN fitting f ON f.id = p.job CROSS JOIN asked
        GROUP BY p.far
        HAVING bool_or((f.id IS NOT NULL OR p.job IS NULL AND asked.jobs = '{}' AND asked.types = '{}')
                       AND p.last_seen >= coalesce(since, '-infinity'))
    )
    (SELECT 0, d.namespace, d.name FROM asked JOIN lineage.dataset d ON d.id = asked.root)
    UNION ALL
    (SELECT m.distance, d.namespace, d.name
     FROM met m JOIN lineage.dataset d ON d.id = m.id CROSS JOIN asked
     WHERE m.id <> asked.root
       AND (coalesce(namespaces, '{}') = '{}' OR d.namespace = ANY (namespaces))
       AND (coalesce(tags, '{}') = '{}' OR tags && (
           SELECT lineage.tags_of(lineage.merged_facets(n.facets)) FROM lineage.dataset n WHERE n.canonical = m.id))
     ORDER BY m.distance, d.namespace, d.name LIMIT most)
$$;


DROP FUNCTION lineage.shortest_edges;
CREATE FUNCTION lineage.shortest_edges(start bigint, goal bigint, observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int, runs bigint,
               first_seen timestamptz, last_seen timestamptz, declared boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
-- The planner knows nothing of the arrays: every step is to go by index.
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    -- What is reached from each end, nearest first; where in it each distance begins; the farthest.
    ahead     bigint[] := ARRAY[start];
    behind    bigint[] := ARRAY[goal];
    ahead_at  int[] := ARRAY[1];
    behind_at int[] := ARRAY[1];
    front     bigint[] := ahead;
    back      bigint[] := behind;
    reached   bigint[];
    met       bigint[] := '{}';
    level     bigint[];
    length    int;
BEGIN
    WHILE met = '{}' AND front <> '{}' AND back <> '{}' LOOP
        IF cardinality(front) <= cardinality(back) THEN
            reached := ARRAY(SELECT DISTINCT f.target
                FROM lineage.edges_from(front, observed) AS f);
            met := ARRAY(SELECT unnest(reached) INTERSECT SELECT unnest(behind));
            front := ARRAY(SELECT unnest(reached) EXCEPT SELECT unnest(ahead));
            ahead_at := ahead_at || cardinality(ahead) + 1;
            ahead := ahead || front;
        ELSE
            reached := ARRAY(SELECT DISTINCT f.source
                FROM lineage.edges_to(back, observed) AS f);
            met := ARRAY(SELECT unnest(reached) INTERSECT SELECT unnest(ahead));
            back := ARRAY(SELECT unnest(reached) EXCEPT SELECT unnest(behind));
            behind_at := behind_at || cardinality(behind) + 1;
            behind := behind || back;
        END IF;
    END LOOP;
    IF met = '{}' THEN
        RETURN;
    END IF;
    -- From where they met back to each end, a distance at a time.
    length := cardinality(ahead_at) + cardinality(behind_at) - 2;
    reached := met;
    FOR step IN REVERSE cardinality(ahead_at) - 1 .. 1 LOOP
        level := ahead[ahead_at[step] : ahead_at[step + 1] - 1];
        RETURN QUERY SELECT f.source, f.target, f.job, step, f.runs, f.first_seen, f.last_seen, f.declared
            FROM (SELECT f.* FROM lineage.edges_to(reached, observed) AS f
                  OFFSET 0) AS f
            JOIN unnest(level) AS l (id) ON l.id = f.source;
        reached := ARRAY(SELECT f.source
            FROM lineage.edges_to(reached, observed) AS f
            INTERSECT SELECT unnest(level));
    END LOOP;
    reached := met;
    FOR step IN REVERSE cardinality(behind_at) - 1 .. 1 LOOP
        level := behind[behind_at[step] : behind_at[step + 1] - 1];
        RETURN QUERY SELECT f.source, f.target, f.job, length - step + 1,
               f.runs, f.first_seen, f.last_seen, f.declared
            FROM (SELECT f.* FROM lineage.edges_from(reached, observed) AS f
                  OFFSET 0) AS f
            JOIN unnest(level) AS l (id) ON l.id = f.target;
        reached := ARRAY(SELECT f.target
            FROM lineage.edges_from(reached, observed) AS f
            INTERSECT SELECT unnest(level));
    END LOOP;
END $$;

DROP FUNCTION lineage.edges_between;
CREATE FUNCTION lineage.edges_between(start bigint, goal bigint, observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int, runs bigint,
               first_seen timestamptz, last_seen timestamptz, declared boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    ahead   bigint[] := ARRAY[start];
    behind  bigint[] := ARRAY[goal];
    front   bigint[] := ahead;
    back    bigint[] := behind;
    reached bigint[];
BEGIN
    -- The end that is known whole first bounds the search from the other.
    WHILE front <> '{}' AND back <> '{}' LOOP
        IF cardinality(front) <= cardinality(back) THEN
            front := ARRAY(SELECT f.target
                FROM lineage.edges_from(front, observed) AS f
                EXCEPT SELECT unnest(ahead));
            ahead := ahead || front;
        ELSE
            back := ARRAY(SELECT f.source
                FROM lineage.edges_to(back, observed) AS f
                EXCEPT SELECT unnest(behind));
            behind := behind || back;
        END IF;
    END LOOP;
    IF front = '{}' THEN
        behind := ARRAY[goal];
        back := behind;
        WHILE back <> '{}' LOOP
            back := ARRAY(SELECT f.source
                FROM lineage.edges_to(back, observed) AS f
                INTERSECT SELECT unnest(ahead)
                EXCEPT SELECT unnest(behind));
            behind := behind || back;
        END LOOP;
    END IF;
    ahead := ARRAY[start];
    front := ahead;
    distance := 0;
    WHILE front <> '{}' LOOP
        distance := distance + 1;
        RETURN QUERY SELECT f.source, f.target, f.job, edges_between.distance,
               f.runs, f.first_seen, f.last_seen, f.declared
            FROM (SELECT f.* FROM lineage.edges_from(front, observed) AS f
                  OFFSET 0) AS f
            JOIN unnest(behind) AS b (id) ON b.id = f.target;
        front := ARRAY(SELECT f.target
            FROM lineage.edges_from(front, observed) AS f
            INTERSECT SELECT unnest(behind)
            EXCEPT SELECT unnest(ahead));
        ahead := ahead || front;
    END LOOP;
END $$;

DROP FUNCTION lineage.paths;
CREATE FUNCTION lineage.paths(source_called text, target_called text, every boolean DEFAULT false,
                              observed boolean DEFAULT false)
RETURNS TABLE (distance int, source text, target text, job text, runs bigint, last_seen timestamptz,
               declared boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH asked AS MATERIALIZED (
        SELECT lineage.dataset_id(source_called) AS start, lineage.dataset_id(target_called) AS goal
    ), passed AS (
        SELECT e.* FROM asked CROSS JOIN LATERAL lineage.shortest_edges(start, goal, paths.observed) AS e
        WHERE NOT every
        UNION ALL
        SELECT e.* FROM asked CROSS JOIN LATERAL lineage.edges_between(start, goal, paths.observed) AS e
        WHERE every
    )
    SELECT p.distance, lineage.full_name(s.namespace, s.name), lineage.full_name(t.namespace, t.name),
           j.name, p.runs, p.last_seen, p.declared
    FROM passed p
    JOIN lineage.dataset s ON s.id = p.source
    JOIN lineage.dataset t ON t.id = p.target
    LEFT JOIN lineage.job j ON j.id = p.job
    ORDER BY p.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
$$;


DROP FUNCTION lineage.impact;
CREATE FUNCTION lineage.impact(called text, depth int DEFAULT NULL, days int DEFAULT 30,
                               observed boolean DEFAULT false)
RETURNS TABLE (distance int, namespace text, name text, owners text[], tags text[],
               last_written timestamptz, last_read timestamptz, writes bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH hit AS MATERIALIZED (
        SELECT t.id, t.distance FROM lineage.trace(lineage.dataset_id(called), 'downstream', depth, observed) t
    )
    SELECT h.distance, d.namespace, d.name, lineage.owners_of(m.facets), lineage.tags_of(m.facets),
           u.last_written, u.last_read, u.writes, u.reads
    FROM lineage.usage(ARRAY(SELECT hit.id FROM hit),
                       lineage.newest_event() - make_interval(days => days)) u
    JOIN hit h USING (id)
    JOIN lineage.dataset d USING (id)
    CROSS JOIN LATERAL (SELECT lineage.merged_facets(n.facets) AS facets
                        FROM lineage.dataset n WHERE n.canonical = h.id) AS m
    ORDER BY h.distance, u.reads DESC, d.namespace, d.name
$$;

DROP FUNCTION lineage.impact_jobs;
CREATE FUNCTION lineage.impact_jobs(called text, depth int DEFAULT NULL, days int DEFAULT 30,
                                    observed boolean DEFAULT false)
RETURNS TABLE (distance int, namespace text, name text, owners text[], tags text[],
               last_run timestamptz, runs bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH reached AS MATERIALIZED (
        SELECT t.id, t.distance
        FROM lineage.trace(lineage.dataset_id(called), 'downstream', depth, observed) AS t
        WHERE depth IS NULL OR t.distance < depth
    ), touched AS MATERIALIZED (
        SELECT r.job, min(t.distance) + 1 AS distance
        FROM lineage.readers_of(ARRAY(SELECT reached.id FROM reached)) AS r
        JOIN reached t ON t.id = r.dataset
        GROUP BY r.job
    ), window_of AS MATERIALIZED (
        SELECT lineage.newest_event() - make_interval(days => days) AS since
    )
    SELECT t.distance, j.namespace, j.name, lineage.owners_of(j.facets), lineage.tags_of(j.facets),
           (SELECT x.last_seen FROM lineage.execution x WHERE x.job = j.id AND x.last_seen IS NOT NULL
            ORDER BY x.last_seen DESC LIMIT 1),
           (SELECT count(*) FROM lineage.execution x, window_of
            WHERE x.job = j.id AND x.last_seen >= since) AS runs
    FROM touched t JOIN lineage.job j ON j.id = t.job
    ORDER BY t.distance, runs DESC, j.namespace, j.name
$$;


DROP FUNCTION lineage.column_edges;
CREATE FUNCTION lineage.column_edges(roots bigint[], direction text, depth int DEFAULT NULL,
                                     indirect boolean DEFAULT true,
                                     observed boolean DEFAULT false)
RETURNS TABLE (source bigint, target bigint, job bigint, type text, subtype text, masking boolean,
               distance int, runs bigint, first_seen timestamptz, last_seen timestamptz, declared boolean)
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
                  SELECT f.id FROM lineage.field f WHERE f.dataset = ANY (step.ids)))
            UNION ALL
            SELECT d.source FROM lineage.declared_column d
            WHERE column_edges.direction = 'upstream' AND (indirect OR d.type = 'DIRECT')
              AND NOT column_edges.observed AND d.target = ANY (step.ids || ARRAY(
                  SELECT f.dataset FROM lineage.field f WHERE f.id = ANY (step.ids)))
            UNION ALL
            SELECT d.target FROM lineage.declared_column d
            WHERE column_edges.direction = 'downstream' AND (indirect OR d.type = 'DIRECT')
              AND NOT column_edges.observed AND d.source = ANY (step.ids || ARRAY(
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
           e.runs, e.first_seen, e.last_seen,
           e.runs = 0 OR EXISTS (
               SELECT FROM lineage.declared_column c
               WHERE (c.source, c.target, c.type, c.subtype, c.masking)
                     = (e.source, e.target, e.type, e.subtype, e.masking)
                 AND coalesce(c.job, e.job) = e.job)
    FROM step s CROSS JOIN LATERAL (
        SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking, d.runs, d.first_seen, d.last_seen
        FROM lineage.derives d
        WHERE column_edges.direction = 'upstream' AND d.target = ANY (s.ids)
        UNION ALL
        SELECT d.source, d.target, d.job, d.type, d.subtype, d.masking, d.runs, d.first_seen, d.last_seen
        FROM lineage.derives d
        WHERE column_edges.direction = 'downstream' AND d.source = ANY (s.ids)
        UNION ALL
        SELECT c.source, c.target, c.job, c.type, c.subtype, c.masking, 0, c.first_seen, c.last_seen
        FROM lineage.declared_column c
        WHERE NOT column_edges.observed
          AND (column_edges.direction = 'upstream' AND c.target = ANY (s.ids)
               OR column_edges.direction = 'downstream' AND c.source = ANY (s.ids))
          -- What runs of the job show too is an edge of theirs.
          AND NOT EXISTS (
              SELECT FROM lineage.derives d
              WHERE (d.source, d.target, d.type, d.subtype, d.masking)
                    = (c.source, c.target, c.type, c.subtype, c.masking)
                AND d.job = coalesce(c.job, d.job))) AS e
    WHERE indirect OR e.type = 'DIRECT';
END $$;

DROP FUNCTION lineage.trace_columns;
CREATE FUNCTION lineage.trace_columns(field bigint, direction text DEFAULT 'upstream',
                                      depth int DEFAULT NULL, indirect boolean DEFAULT true,
                                      observed boolean DEFAULT false)
RETURNS TABLE (id bigint, distance int, direct boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT id, min(distance), bool_or(direct) FROM (
        SELECT field AS id, 0 AS distance, true AS direct
        UNION ALL
        SELECT CASE direction WHEN 'upstream' THEN source ELSE target END, distance, true
        FROM lineage.column_edges(ARRAY[field], direction, depth, false, observed)
        UNION ALL
        SELECT CASE direction WHEN 'upstream' THEN source ELSE target END, distance, false
        FROM lineage.column_edges(ARRAY[field], direction, depth, indirect, observed)
    ) AS met GROUP BY id
$$;

DROP FUNCTION lineage.upstream_columns;
CREATE FUNCTION lineage.upstream_columns(called text, field text, depth int DEFAULT NULL,
                                         indirect boolean DEFAULT true,
    observed boolean DEFAULT false)
RETURNS TABLE (distance int, direct boolean, namespace text, name text, field_name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, t.direct, d.namespace, d.name, f.name
    FROM lineage.trace_columns(lineage.column_id(called, field), 'upstream', depth, indirect, observed) t
    LEFT JOIN lineage.field f ON f.id = t.id
    JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)
    ORDER BY t.distance, d.namespace, d.name, f.name
$$;

DROP FUNCTION lineage.downstream_columns;
CREATE FUNCTION lineage.downstream_columns(called text, field text, depth int DEFAULT NULL,
                                           indirect boolean DEFAULT true,
    observed boolean DEFAULT false)
RETURNS TABLE (distance int, direct boolean, namespace text, name text, field_name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, t.direct, d.namespace, d.name, f.name
    FROM lineage.trace_columns(lineage.column_id(called, field), 'downstream', depth, indirect, observed) t
    LEFT JOIN lineage.field f ON f.id = t.id
    JOIN lineage.dataset d ON d.id = coalesce(f.dataset, t.id)
    ORDER BY t.distance, d.namespace, d.name, f.name
$$;

COMMENT ON FUNCTION lineage.edges_from IS 'The edges that leave datasets, and whether designs state them';
COMMENT ON FUNCTION lineage.edges_to IS 'The edges that lead to datasets, and whether designs state them';
COMMENT ON FUNCTION lineage.trace_levels IS 'What a trace meets, an array for each distance';
COMMENT ON FUNCTION lineage.trace_nodes IS 'The datasets of traces from these, with their distance';
COMMENT ON FUNCTION lineage.trace_edges IS 'The edges that a trace passes';
COMMENT ON FUNCTION lineage.trace IS 'The datasets of a trace with their distance';
COMMENT ON FUNCTION lineage.upstream IS 'What a dataset was made from';
COMMENT ON FUNCTION lineage.downstream IS 'What was made from a dataset';
COMMENT ON FUNCTION lineage.steps IS 'The edges of a trace by name, and which of them are stale';
COMMENT ON FUNCTION lineage.shown IS 'The datasets of a trace that fit filters, the nearest first';
COMMENT ON FUNCTION lineage.shortest_edges IS 'The edges of the shortest ways between two datasets';
COMMENT ON FUNCTION lineage.edges_between IS 'The edges that lie on any way between two datasets';
COMMENT ON FUNCTION lineage.paths IS 'How one dataset feeds another';
COMMENT ON FUNCTION lineage.impact IS 'What was made from a dataset, whose it is, and how it is used';
COMMENT ON FUNCTION lineage.impact_jobs IS 'The jobs that read a dataset or what was made from it';
COMMENT ON FUNCTION lineage.column_edges IS 'The edges that a trace of columns passes';
COMMENT ON FUNCTION lineage.trace_columns IS 'The columns of a trace with their distance';
COMMENT ON FUNCTION lineage.upstream_columns IS 'What a column was made from';
COMMENT ON FUNCTION lineage.downstream_columns IS 'What was made from a column';

-- As before. What takes part in what a design states is not untouched.
CREATE OR REPLACE FUNCTION lineage.orphans()
RETURNS TABLE (kind text, id bigint, namespace text, name text, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET jit = off AS $$
    -- The summary answers for most; only of the others each one is asked for.
    WITH known AS MATERIALIZED (
        SELECT d.id, d.namespace, d.name, made.target IS NOT NULL AS made, used.source IS NOT NULL AS used
        FROM lineage.dataset d
        LEFT JOIN (SELECT DISTINCT f.target FROM lineage.feeds f) AS made ON made.target = d.id
        LEFT JOIN (SELECT DISTINCT f.source FROM lineage.feeds f WHERE f.source <> f.target) AS used
            ON used.source = d.id
        WHERE d.id = d.canonical
    ), judged AS MATERIALIZED (
        SELECT k.id, k.namespace, k.name,
               CASE WHEN k.made OR EXISTS (SELECT FROM lineage.dataset n
                                           JOIN lineage.access a ON a.dataset = n.id AND a.output
                                           JOIN lineage.run r ON r.id = a.run AND r.feeding
                                           WHERE n.canonical = k.id)
                    THEN CASE WHEN NOT (k.read AND (k.used OR lineage.is_used(k.id))) THEN 'unread' END
                    WHEN k.read THEN 'source'
                    ELSE 'untouched' END AS kind
        FROM (SELECT k.*, k.used OR EXISTS (SELECT FROM lineage.dataset n
                                            JOIN lineage.access a ON a.dataset = n.id AND NOT a.output
                                            WHERE n.canonical = k.id) AS read
              FROM known k WHERE NOT (k.made AND k.used) OFFSET 0) AS k
    ), silent AS MATERIALIZED (
        SELECT j.id, j.namespace, j.name, j.last_seen FROM lineage.job j
        WHERE NOT EXISTS (SELECT FROM lineage.feeds f WHERE f.job = j.id)
    ), found AS (
        SELECT j.kind, j.id, j.namespace, j.name, seen.last_seen
        FROM judged j
        CROSS JOIN LATERAL (SELECT max(n.last_seen) AS last_seen
                            FROM lineage.dataset n WHERE n.canonical = j.id) AS seen
        WHERE j.kind IS NOT NULL
          AND NOT (j.kind = 'untouched' AND EXISTS (
              SELECT FROM lineage.declared e WHERE j.id IN (e.source, e.target)))
        UNION ALL
        SELECT 'job', s.id, s.namespace, s.name, s.last_seen
        FROM silent s
        WHERE NOT lineage.has_written(s.id, 10) AND NOT lineage.has_written(s.id)
    )
    SELECT * FROM found
    ORDER BY found.kind, found.last_seen DESC NULLS LAST, found.namespace, found.name
$$;
