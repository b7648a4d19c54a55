-- What of a trace is shown, as `lineage query` filters and limits it.

-- As lineage.dataset_id(), of a job.
CREATE FUNCTION lineage.job_id(called text) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    found bigint[];
    names text;
BEGIN
    SELECT array_agg(f.id), string_agg(f.namespace || '/' || f.name, ', ')
    INTO found, names FROM lineage.find_job(called) f;
    IF found IS NULL THEN
        RAISE no_data_found USING MESSAGE = format('no job is called "%s"', called);
    ELSIF cardinality(found) > 1 THEN
        RAISE too_many_rows USING
            MESSAGE = format('"%s" fits %s jobs', called, cardinality(found)),
            HINT = 'Say more of the name: ' || names;
    END IF;
    RETURN found[1];
END $$;

-- For people: the datasets of a trace that fit, the root at 0. Namespaces and tags (key or key:value) are those
-- of the dataset; jobs, types (of jobs, in any case) and since are of the edges: a dataset fits that such an
-- edge leads to. Of each kind that is given one has to fit. The trace goes on through what does not. most:
-- how many beside the root, the nearest first, at the same distance by name.
CREATE FUNCTION lineage.shown(
    called text, direction text DEFAULT 'upstream', depth int DEFAULT NULL,
    namespaces text[] DEFAULT '{}', tags text[] DEFAULT '{}', jobs text[] DEFAULT '{}',
    types text[] DEFAULT '{}', since timestamptz DEFAULT '-infinity', most int DEFAULT NULL)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH asked AS MATERIALIZED (
        SELECT lineage.dataset_id(called) AS root, ARRAY(SELECT lineage.job_id(j) FROM unnest(jobs) AS j) AS jobs,
               ARRAY(SELECT lower(t) FROM unnest(types) AS t) AS types
    ), passed AS MATERIALIZED (
        SELECT e.source AS far, e.job, e.distance, e.last_seen
        FROM asked CROSS JOIN LATERAL lineage.trace_edges(
            ARRAY[asked.root], CASE direction WHEN 'both' THEN 'upstream' ELSE direction END, depth) AS e
        WHERE direction <> 'downstream'
        UNION ALL
        SELECT e.target, e.job, e.distance, e.last_seen
        FROM asked CROSS JOIN LATERAL lineage.trace_edges(
            ARRAY[asked.root], CASE direction WHEN 'both' THEN 'downstream' ELSE direction END, depth) AS e
        WHERE direction <> 'upstream'
    ), fitting AS MATERIALIZED (
        SELECT j.id FROM lineage.job j CROSS JOIN asked
        WHERE j.id = ANY (ARRAY(SELECT DISTINCT passed.job FROM passed))
          AND (asked.jobs = '{}' OR j.id = ANY (asked.jobs))
          AND (asked.types = '{}' OR lower(coalesce(j.facets #>> '{jobType,1,jobType}', '')) = ANY (asked.types))
    ), met AS MATERIALIZED (
        SELECT p.far AS id, min(p.distance) AS distance
        FROM passed p LEFT JOIN fitting f ON f.id = p.job
        GROUP BY p.far
        HAVING bool_or(f.id IS NOT NULL AND p.last_seen >= coalesce(since, '-infinity'))
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

COMMENT ON FUNCTION lineage.job_id IS 'The one job that a name fits, or an error';
COMMENT ON FUNCTION lineage.shown IS 'The datasets of a trace that fit filters, the nearest first';
