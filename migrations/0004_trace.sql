-- Questions in SQL. Traces are sets: breadth first with a visited set over the summary.

-- The datasets that a name fits. It may be the full name as lineage.full_name() writes it, namespace and
-- name joined by / or :, the bare name, or an ending of the full name that starts behind one of / . :
-- An alias is as good as a name. The closest kind of fit counts, in this order.
CREATE FUNCTION lineage.find_dataset(called text)
RETURNS TABLE (id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET enable_seqscan = off AS $$
    WITH fitting (canonical, fit) AS (
        SELECT d.canonical, 1
        FROM generate_series(1, length(called)) AS i
        JOIN lineage.dataset d
          ON d.namespace = left(called, i - 1)
         AND d.name IN (substr(called, i + 1),
                        CASE WHEN substr(called, i, 1) = '/' THEN substr(called, i) END)
        WHERE substr(called, i, 1) IN ('/', ':')
        UNION ALL
        SELECT d.canonical, CASE WHEN d.name = called THEN 2 ELSE 3 END
        FROM lineage.dataset d
        WHERE called <> ''
          AND reverse(lineage.full_name(d.namespace, d.name)) COLLATE "C" ^@ reverse(called)
          AND (d.name = called
               OR substr(reverse(lineage.full_name(d.namespace, d.name)), length(called) + 1, 1)
                  IN ('/', '.', ':', ''))
    )
    SELECT DISTINCT c.id, c.namespace, c.name
    FROM fitting JOIN lineage.dataset c ON c.id = fitting.canonical
    WHERE fitting.fit = (SELECT min(fit) FROM fitting)
    ORDER BY c.namespace, c.name
$$;

CREATE FUNCTION lineage.dataset_id(called text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint[];
    names text;
BEGIN
    SELECT array_agg(f.id), string_agg(lineage.full_name(f.namespace, f.name), ', ')
    INTO found, names FROM lineage.find_dataset(called) f;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no dataset is called "%s"', called);
    ELSIF cardinality(found) > 1 THEN
        RAISE too_many_rows USING
            MESSAGE = format('"%s" fits %s datasets', called, cardinality(found)),
            HINT = 'Say more of the name: ' || names;
    END IF;
    RETURN found[1];
END $$;

-- The jobs that a name fits, by the same rules: namespace and name joined by / or :, the bare name, or
-- an ending of it that starts behind one of / . :
CREATE FUNCTION lineage.find_job(called text)
RETURNS TABLE (id bigint, namespace text, name text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH fitting AS (
        SELECT j.id, j.namespace, j.name,
               CASE WHEN called IN (j.namespace || '/' || j.name, j.namespace || ':' || j.name) THEN 1
                    WHEN called = j.name THEN 2 ELSE 3 END AS fit
        FROM lineage.job j
        WHERE called IN (j.name, j.namespace || '/' || j.name, j.namespace || ':' || j.name)
           OR called <> '' AND right(j.name, length(called) + 1)
                               IN ('/' || called, '.' || called, ':' || called)
    )
    SELECT id, namespace, name FROM fitting
    WHERE fit = (SELECT min(fit) FROM fitting)
    ORDER BY namespace, name
$$;

-- The edges that a trace from these datasets passes, with the distance of their far end when the edge
-- was met. Each edge once. depth: how many steps; null for all.
CREATE FUNCTION lineage.trace_edges(roots bigint[], direction text, depth int DEFAULT NULL)
RETURNS TABLE (source bigint, target bigint, job bigint,
               distance int)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
-- The planner knows nothing of the arrays: every step is to go by index.
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    visited  bigint[] := roots;
    frontier bigint[] := roots;
    reached  bigint[];
BEGIN
    IF direction NOT IN ('upstream', 'downstream') THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    distance := 0;
    WHILE cardinality(frontier) > 0 AND (depth IS NULL OR distance < depth) LOOP
        distance := distance + 1;
        IF direction = 'upstream' THEN
            RETURN QUERY SELECT f.source, f.target, f.job, trace_edges.distance
                FROM unnest(frontier) AS n (id) JOIN lineage.feeds f ON f.target = n.id;
            reached := ARRAY(SELECT DISTINCT f.source
                FROM unnest(frontier) AS n (id) JOIN lineage.feeds f ON f.target = n.id);
        ELSE
            RETURN QUERY SELECT f.source, f.target, f.job, trace_edges.distance
                FROM unnest(frontier) AS n (id) JOIN lineage.feeds f ON f.source = n.id;
            reached := ARRAY(SELECT DISTINCT f.target
                FROM unnest(frontier) AS n (id) JOIN lineage.feeds f ON f.source = n.id);
        END IF;
        frontier := ARRAY(SELECT unnest(reached) EXCEPT SELECT unnest(visited));
        visited := visited || frontier;
    END LOOP;
END $$;

-- The datasets of a trace, each with its least distance; the root is at 0.
-- direction: upstream, downstream or both (the union of the two, not the whole component).
CREATE FUNCTION lineage.trace(dataset bigint, direction text DEFAULT 'upstream',
                              depth int DEFAULT NULL)
RETURNS TABLE (id bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT id, min(distance) FROM (
        SELECT dataset AS id, 0 AS distance
        UNION ALL
        SELECT source, distance FROM lineage.trace_edges(
            ARRAY[dataset], CASE direction WHEN 'both' THEN 'upstream' ELSE direction END, depth)
        WHERE direction <> 'downstream'
        UNION ALL
        SELECT target, distance FROM lineage.trace_edges(
            ARRAY[dataset], CASE direction WHEN 'both' THEN 'downstream' ELSE direction END, depth)
        WHERE direction <> 'upstream'
    ) AS met GROUP BY id
$$;

CREATE FUNCTION lineage.upstream(called text, depth int DEFAULT NULL)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, d.namespace, d.name
    FROM lineage.trace(lineage.dataset_id(called), 'upstream', depth) t
    JOIN lineage.dataset d ON d.id = t.id
    ORDER BY t.distance, d.namespace, d.name
$$;

CREATE FUNCTION lineage.downstream(called text, depth int DEFAULT NULL)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, d.namespace, d.name
    FROM lineage.trace(lineage.dataset_id(called), 'downstream', depth) t
    JOIN lineage.dataset d ON d.id = t.id
    ORDER BY t.distance, d.namespace, d.name
$$;

-- One text for the whole graph: equal graphs have equal fingerprints whatever the ids of their
-- vertices and edges. Keys and properties count.
CREATE FUNCTION lineage.fingerprint() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, ag_catalog AS $$
    WITH vertex AS (
        SELECT id, jsonb_build_array(
            (SELECT name FROM ag_catalog.ag_label WHERE relation = v.tableoid), properties::text)::text
            AS said
        FROM provenance._ag_label_vertex v
    ), thing AS (
        SELECT said FROM vertex
        UNION ALL
        SELECT jsonb_build_array(
            (SELECT name FROM ag_catalog.ag_label WHERE relation = e.tableoid),
            s.said, t.said, e.properties::text)::text
        FROM provenance._ag_label_edge e
        LEFT JOIN vertex s ON s.id = e.start_id
        LEFT JOIN vertex t ON t.id = e.end_id
    )
    -- A sum of digests needs no sort of the whole graph; the number of things guards it.
    SELECT concat(count(*), '-', coalesce(sum(('x' || left(md5(said), 15))::bit(60)::bigint::numeric), 0))
    FROM thing
$$;

COMMENT ON FUNCTION lineage.find_dataset IS 'The datasets that a name fits';
COMMENT ON FUNCTION lineage.find_job IS 'The jobs that a name fits';
COMMENT ON FUNCTION lineage.dataset_id IS 'The one dataset that a name fits, or an error';
COMMENT ON FUNCTION lineage.trace_edges IS 'The summary edges that a trace passes';
COMMENT ON FUNCTION lineage.trace IS 'The datasets of a trace with their distance';
COMMENT ON FUNCTION lineage.upstream IS 'What a dataset was made from';
COMMENT ON FUNCTION lineage.downstream IS 'What was made from a dataset';
COMMENT ON FUNCTION lineage.fingerprint IS 'Equal for equal graphs';
