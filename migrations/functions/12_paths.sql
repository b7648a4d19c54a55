-- The edges of the shortest paths; distance is the number of the step. Breadth-first search from both ends, each time
-- from the end with the smaller frontier, until they meet.
CREATE OR REPLACE FUNCTION lineage.shortest_path_edges(
    start bigint, goal bigint, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int, runs bigint,
               first_seen timestamptz, last_seen timestamptz, declared boolean, confidence double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
-- The planner has no statistics of the arrays; these settings make every step use an index.
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    -- The datasets reached from each end, nearest first; the index at which each distance begins; the farthest.
    downstream    bigint[] := ARRAY[start];
    upstream      bigint[] := ARRAY[goal];
    downstream_at int[] := ARRAY[1];
    upstream_at   int[] := ARRAY[1];
    from_start    bigint[] := downstream;
    from_goal     bigint[] := upstream;
    reached       bigint[];
    met           bigint[] := '{}';
    level         bigint[];
    length        int;
BEGIN
    WHILE met = '{}' AND from_start <> '{}' AND from_goal <> '{}' LOOP
        IF cardinality(from_start) <= cardinality(from_goal) THEN
            reached := ARRAY(SELECT DISTINCT f.target
                FROM lineage.edges_from(from_start, observed, min_confidence) AS f);
            met := ARRAY(SELECT unnest(reached) INTERSECT SELECT unnest(upstream));
            from_start := ARRAY(SELECT unnest(reached) EXCEPT SELECT unnest(downstream));
            downstream_at := downstream_at || cardinality(downstream) + 1;
            downstream := downstream || from_start;
        ELSE
            reached := ARRAY(SELECT DISTINCT f.source
                FROM lineage.edges_to(from_goal, observed, min_confidence) AS f);
            met := ARRAY(SELECT unnest(reached) INTERSECT SELECT unnest(downstream));
            from_goal := ARRAY(SELECT unnest(reached) EXCEPT SELECT unnest(upstream));
            upstream_at := upstream_at || cardinality(upstream) + 1;
            upstream := upstream || from_goal;
        END IF;
    END LOOP;
    IF met = '{}' THEN
        RETURN;
    END IF;
    -- From the datasets where they met back to each end, one distance at a time.
    length := cardinality(downstream_at) + cardinality(upstream_at) - 2;
    reached := met;
    FOR step IN REVERSE cardinality(downstream_at) - 1 .. 1 LOOP
        level := downstream[downstream_at[step] : downstream_at[step + 1] - 1];
        RETURN QUERY SELECT f.source, f.target, f.job, step, f.runs, f.first_seen, f.last_seen, f.declared, f.confidence
            FROM (SELECT f.* FROM lineage.edges_to(reached, observed, min_confidence) AS f
                  OFFSET 0) AS f
            JOIN unnest(level) AS l (id) ON l.id = f.source;
        reached := ARRAY(SELECT f.source
            FROM lineage.edges_to(reached, observed, min_confidence) AS f
            INTERSECT SELECT unnest(level));
    END LOOP;
    reached := met;
    FOR step IN REVERSE cardinality(upstream_at) - 1 .. 1 LOOP
        level := upstream[upstream_at[step] : upstream_at[step + 1] - 1];
        RETURN QUERY SELECT f.source, f.target, f.job, length - step + 1,
               f.runs, f.first_seen, f.last_seen, f.declared, f.confidence
            FROM (SELECT f.* FROM lineage.edges_from(reached, observed, min_confidence) AS f
                  OFFSET 0) AS f
            JOIN unnest(level) AS l (id) ON l.id = f.target;
        reached := ARRAY(SELECT f.target
            FROM lineage.edges_from(reached, observed, min_confidence) AS f
            INTERSECT SELECT unnest(level));
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.shortest_path_edges IS 'The edges of the shortest paths between two datasets';

-- The edges on any path: from the source or a dataset downstream of it, to the target or a dataset upstream of it.
-- distance is that of the far end from the source when the edge was reached.
CREATE OR REPLACE FUNCTION lineage.all_path_edges(start bigint, goal bigint, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int, runs bigint,
               first_seen timestamptz, last_seen timestamptz, declared boolean, confidence double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    downstream bigint[] := ARRAY[start];
    upstream   bigint[] := ARRAY[goal];
    from_start bigint[] := downstream;
    from_goal  bigint[] := upstream;
BEGIN
    -- The end whose search completes first bounds the search from the other.
    WHILE from_start <> '{}' AND from_goal <> '{}' LOOP
        IF cardinality(from_start) <= cardinality(from_goal) THEN
            from_start := ARRAY(SELECT f.target
                FROM lineage.edges_from(from_start, observed, min_confidence) AS f
                EXCEPT SELECT unnest(downstream));
            downstream := downstream || from_start;
        ELSE
            from_goal := ARRAY(SELECT f.source
                FROM lineage.edges_to(from_goal, observed, min_confidence) AS f
                EXCEPT SELECT unnest(upstream));
            upstream := upstream || from_goal;
        END IF;
    END LOOP;
    IF from_start = '{}' THEN
        upstream := ARRAY[goal];
        from_goal := upstream;
        WHILE from_goal <> '{}' LOOP
            from_goal := ARRAY(SELECT f.source
                FROM lineage.edges_to(from_goal, observed, min_confidence) AS f
                INTERSECT SELECT unnest(downstream)
                EXCEPT SELECT unnest(upstream));
            upstream := upstream || from_goal;
        END LOOP;
    END IF;
    downstream := ARRAY[start];
    from_start := downstream;
    distance := 0;
    WHILE from_start <> '{}' LOOP
        distance := distance + 1;
        RETURN QUERY SELECT f.source, f.target, f.job, all_path_edges.distance,
               f.runs, f.first_seen, f.last_seen, f.declared, f.confidence
            FROM (SELECT f.* FROM lineage.edges_from(from_start, observed, min_confidence) AS f
                  OFFSET 0) AS f
            JOIN unnest(upstream) AS b (id) ON b.id = f.target;
        from_start := ARRAY(SELECT f.target
            FROM lineage.edges_from(from_start, observed, min_confidence) AS f
            INTERSECT SELECT unnest(upstream)
            EXCEPT SELECT unnest(downstream));
        downstream := downstream || from_start;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.all_path_edges IS 'The edges on any path between two datasets';

-- For interactive use: paths from one dataset to another. all_paths: the edges on any path, not only on the shortest.
CREATE OR REPLACE FUNCTION lineage.paths(
    source_dataset text, target_dataset text, all_paths boolean DEFAULT false, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, source text, target text, job text, runs bigint, last_seen timestamptz,
               declared boolean, confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH requested AS MATERIALIZED (
        SELECT lineage.dataset_id(source_dataset) AS start, lineage.dataset_id(target_dataset) AS goal
    ), passed AS (
        SELECT e.* FROM requested CROSS JOIN LATERAL lineage.shortest_path_edges(start, goal, paths.observed, min_confidence) AS e
        WHERE NOT all_paths
        UNION ALL
        SELECT e.* FROM requested CROSS JOIN LATERAL lineage.all_path_edges(start, goal, paths.observed, min_confidence) AS e
        WHERE all_paths
    )
    SELECT p.distance, lineage.full_name(s.namespace, s.name), lineage.full_name(t.namespace, t.name),
           j.name, p.runs, p.last_seen, p.declared, p.confidence
    FROM passed p
    JOIN lineage.dataset s ON s.id = p.source
    JOIN lineage.dataset t ON t.id = p.target
    LEFT JOIN lineage.job j ON j.id = p.job
    ORDER BY p.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
$$;
COMMENT ON FUNCTION lineage.paths IS 'The paths from one dataset to another';
