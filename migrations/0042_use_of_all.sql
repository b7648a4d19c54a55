-- What is used and what is not, asked of all datasets at once.

-- As before. A run is looked up only where it decides: of writes.
CREATE OR REPLACE FUNCTION lineage.usage(ids bigint[], since timestamptz DEFAULT '-infinity')
RETURNS TABLE (id bigint, last_written timestamptz, last_read timestamptz, writes bigint, reads bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT i.id, max(u.last_written), max(u.last_read), count(DISTINCT u.writer), count(DISTINCT u.reader)
    FROM unnest(ids) AS i (id)
    LEFT JOIN lineage.dataset n ON n.canonical = i.id
    LEFT JOIN LATERAL (
        (SELECT a.last_seen AS last_written, NULL::timestamptz AS last_read, NULL::bigint AS writer,
                NULL::bigint AS reader
         FROM lineage.access a JOIN lineage.run r ON r.id = a.run AND r.feeding
         WHERE a.dataset = n.id AND a.output ORDER BY a.last_seen DESC LIMIT 1)
        UNION ALL
        (SELECT NULL, a.last_seen, NULL, NULL FROM lineage.access a
         WHERE a.dataset = n.id AND NOT a.output ORDER BY a.last_seen DESC LIMIT 1)
        UNION ALL
        SELECT NULL, NULL,
               CASE WHEN a.output THEN (SELECT r.id FROM lineage.run r WHERE r.id = a.run AND r.feeding) END,
               CASE WHEN NOT a.output THEN a.run END
        FROM lineage.access a WHERE a.dataset = n.id AND a.last_seen >= since) AS u ON true
    GROUP BY i.id
$$;

-- As before. What lineage.is_written() and is_read() ask of one dataset is asked here in place, without a call of a
-- function for each; what nobody read is of no use.
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
        UNION ALL
        SELECT 'job', s.id, s.namespace, s.name, s.last_seen
        FROM silent s
        WHERE NOT lineage.has_written(s.id, 10) AND NOT lineage.has_written(s.id)
    )
    SELECT * FROM found
    ORDER BY found.kind, found.last_seen DESC NULLS LAST, found.namespace, found.name
$$;
