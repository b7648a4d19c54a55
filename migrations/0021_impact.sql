-- What depends on a dataset, whose it is, and whether anybody still uses it.

-- What "lately" is reckoned from: the newest event that the graph has, not the clock, so that the same log
-- gives the same answer.
CREATE FUNCTION lineage.newest_event() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN greatest((SELECT max(j.last_seen) FROM lineage.job j),
                (SELECT max(d.last_seen) FROM lineage.dataset d));

-- Who owns it, as the ownership facet says; of a dataset or a job.
CREATE FUNCTION lineage.owners_of(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT DISTINCT (owner #>> '{}') COLLATE "C"
             FROM jsonb_path_query(
                 facets, 'lax $.ownership[1].owners[*].name ? (@.type() == "string")') AS owner
             ORDER BY 1);

CREATE FUNCTION lineage.tags_of(facets jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(SELECT tag COLLATE "C" FROM jsonb_array_elements_text(lineage.dataset_tags(facets)) AS tag
             ORDER BY 1);

-- When datasets were last written by a run that did not fail, and last read by any, as the last event says
-- that tells of it; and by how many runs since a time.
CREATE FUNCTION lineage.usage(ids bigint[], since timestamptz DEFAULT '-infinity')
RETURNS TABLE (id bigint, last_written timestamptz, last_read timestamptz, writes bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET jit = off AS $$
    SELECT i.id,
        (SELECT max((SELECT a.last_seen FROM lineage.access a
                     JOIN lineage.run r ON r.id = a.run AND r.feeding
                     WHERE a.dataset = n.id AND a.output ORDER BY a.last_seen DESC LIMIT 1))
         FROM lineage.dataset n WHERE n.canonical = i.id),
        (SELECT max((SELECT a.last_seen FROM lineage.access a
                     WHERE a.dataset = n.id AND NOT a.output ORDER BY a.last_seen DESC LIMIT 1))
         FROM lineage.dataset n WHERE n.canonical = i.id),
        (SELECT count(DISTINCT a.run) FROM lineage.dataset n
         JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.last_seen >= since
         JOIN lineage.run r ON r.id = a.run AND r.feeding
         WHERE n.canonical = i.id),
        (SELECT count(DISTINCT a.run) FROM lineage.dataset n
         JOIN lineage.access a ON a.dataset = n.id AND NOT a.output AND a.last_seen >= since
         WHERE n.canonical = i.id)
    FROM unnest(ids) AS i (id)
$$;

-- For people: what was made from a dataset, whose it is, and how it is used: by how many runs in as many
-- days before the newest event. The dataset itself is at 0.
CREATE FUNCTION lineage.impact(called text, depth int DEFAULT NULL, days int DEFAULT 30)
RETURNS TABLE (distance int, namespace text, name text, owners text[], tags text[],
               last_written timestamptz, last_read timestamptz, writes bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH hit AS MATERIALIZED (
        SELECT t.id, t.distance FROM lineage.trace(lineage.dataset_id(called), 'downstream', depth) t
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

-- For people: the jobs that read a dataset or what was made from it, whether or not they made something of
-- it; distance is the number of steps to the nearest that they read, and one.
CREATE FUNCTION lineage.impact_jobs(called text, depth int DEFAULT NULL, days int DEFAULT 30)
RETURNS TABLE (distance int, namespace text, name text, owners text[], tags text[],
               last_run timestamptz, runs bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH touched AS MATERIALIZED (
        SELECT r.job, min(t.distance) + 1 AS distance
        FROM lineage.trace(lineage.dataset_id(called), 'downstream', depth) t
        CROSS JOIN LATERAL lineage.jobs_of(t.id, false) AS r (job)
        WHERE depth IS NULL OR t.distance < depth
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

COMMENT ON FUNCTION lineage.newest_event IS 'The time of the newest event that the graph has';
COMMENT ON FUNCTION lineage.usage IS 'When datasets were last written and read, and by how many runs';
COMMENT ON FUNCTION lineage.impact IS 'What was made from a dataset, whose it is, and how it is used';
COMMENT ON FUNCTION lineage.impact_jobs IS 'The jobs that read a dataset or what was made from it';
