-- Whether a run that did not fail wrote rows of the dataset.
CREATE OR REPLACE FUNCTION lineage.is_written(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.feeds f WHERE f.target = dataset)
    OR EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.output AND lineage.may_have_sources(a.facets)
               JOIN lineage.run r ON r.id = a.run AND r.contributing
               WHERE n.canonical = is_written.dataset);

-- Whether any run, in any state, read the dataset.
CREATE OR REPLACE FUNCTION lineage.is_read(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.feeds f WHERE f.source = dataset)
    OR EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.dataset_job u ON u.dataset = n.id AND NOT u.output
               WHERE n.canonical = is_read.dataset);

-- Whether the dataset is used: it feeds another dataset, or a job that does not write it reads it. A MERGE reads the
-- dataset that it writes, which does not count as use. Neither does a check.
CREATE OR REPLACE FUNCTION lineage.is_used(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.feeds f WHERE f.source = dataset AND f.target <> dataset)
    OR EXISTS (SELECT FROM lineage.jobs_accessing_dataset(is_used.dataset, false) AS j (job)
               WHERE NOT lineage.has_job_written(j.job, is_used.dataset)
                 AND NOT (SELECT lineage.is_check(c.facets) FROM lineage.job c WHERE c.id = j.job));

-- Whether a run of the job that did not fail wrote a dataset, or a run that one of these started, recursively.
-- newest: examine only this number of the newest runs, which nearly always is enough to find one.
CREATE OR REPLACE FUNCTION lineage.job_has_written(job bigint, newest int DEFAULT NULL) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET jit = off AS $$
    WITH RECURSIVE started (run) AS (
        (SELECT e.run FROM lineage.execution e WHERE e.job = job_has_written.job
         ORDER BY e.last_seen DESC NULLS LAST LIMIT newest)
        UNION
        SELECT p.start_id::text::bigint
        FROM started s
        JOIN provenance."PARENT" p ON p.end_id OPERATOR(ag_catalog.=) lineage.to_graphid(s.run)
    )
    SELECT EXISTS (SELECT FROM started s
                   JOIN lineage.run r ON r.id = s.run AND r.contributing
                   JOIN lineage.access a ON a.run = s.run AND a.output)
$$;

-- Whether a dataset is a schema in graph models, and nothing else.
CREATE OR REPLACE FUNCTION lineage.is_schema_node(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT coalesce(bool_and(x.texts #>> '{node_type,1}' = '"schema"'), false)
        FROM lineage.dataset n JOIN lineage.node x ON x.entity = n.id
        WHERE n.canonical = is_schema_node.dataset);

-- Datasets and jobs at the ends of the graph, in no order.
-- unused: written and not used. external source: read, and no run that did not fail wrote it. unreferenced: neither;
-- only named, or only written by runs that failed. job: neither the job nor a run it started ever wrote a dataset, and
-- the job is no check. A dataset that no run read is not used, unless a design reads it. A dataset in a design is not unreferenced.
CREATE OR REPLACE FUNCTION lineage.orphan_set()
RETURNS TABLE (kind text, id bigint, namespace text, name text, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET jit = off AS $$
    -- Summary and jobs decide for most datasets; only the others are examined one by one.
    WITH known AS MATERIALIZED (
        SELECT d.id, d.namespace, d.name, greatest(d.last_seen, alias.last_seen) AS last_seen,
               produced.target IS NOT NULL AS produced, used.source IS NOT NULL AS used,
               coalesce(by_job.has_writer, false) AS has_writer, coalesce(by_job.has_reader, false) AS has_reader
        FROM lineage.dataset d
        LEFT JOIN (SELECT DISTINCT f.target FROM lineage.feeds f) AS produced ON produced.target = d.id
        LEFT JOIN (SELECT DISTINCT f.source FROM lineage.feeds f WHERE f.source <> f.target) AS used
            ON used.source = d.id
        LEFT JOIN (SELECT coalesce(a.canonical, u.dataset) AS id, bool_or(u.output) AS has_writer,
                          bool_or(NOT u.output) AS has_reader
                   FROM lineage.dataset_job u
                   LEFT JOIN lineage.dataset a ON a.id = u.dataset AND a.alias_of IS NOT NULL GROUP BY 1) AS by_job
            ON by_job.id = d.id
        LEFT JOIN (SELECT a.canonical, max(a.last_seen) AS last_seen
                   FROM lineage.dataset a WHERE a.alias_of IS NOT NULL GROUP BY 1) AS alias ON alias.canonical = d.id
        WHERE d.id = d.canonical
    ), judged AS MATERIALIZED (
        SELECT k.id, k.namespace, k.name, k.last_seen,
               CASE WHEN k.produced OR k.has_writer AND lineage.is_written(k.id)
                    THEN CASE WHEN NOT (k.read AND (k.used OR lineage.is_used(k.id))) THEN 'unused' END
                    WHEN k.read THEN 'external source'
                    ELSE 'unreferenced' END AS kind
        FROM (SELECT k.*, k.used OR k.has_reader AS read
              FROM known k WHERE NOT (k.produced AND k.used) OFFSET 0) AS k
    ), silent AS MATERIALIZED (
        SELECT j.id, j.namespace, j.name, j.last_seen FROM lineage.job j
        WHERE NOT EXISTS (SELECT FROM lineage.feeds f WHERE f.job = j.id) AND NOT lineage.is_check(j.facets)
    ), designed AS MATERIALIZED (
        -- The datasets of designs; is_input: a job reads it and makes another one or none.
        SELECT e.source AS id, e.source <> e.target AS is_input FROM lineage.declared e
        UNION
        SELECT e.target, false FROM lineage.declared e
        UNION
        SELECT n.canonical, NOT a.output
        FROM lineage.design_access a
        JOIN lineage.dataset n ON n.id = a.dataset
        WHERE lineage.is_unpaired(a, n.canonical)
    )
    SELECT j.kind, j.id, j.namespace, j.name, j.last_seen
    FROM judged j
    WHERE j.kind IS NOT NULL
      AND NOT (j.kind = 'unreferenced' AND j.id IN (SELECT d.id FROM designed d))
      AND NOT (j.kind = 'unused' AND j.id IN (SELECT d.id FROM designed d WHERE d.is_input))
      AND NOT (j.kind = 'unreferenced' AND lineage.is_schema_node(j.id))
    UNION ALL
    SELECT 'job', s.id, s.namespace, s.name, s.last_seen
    FROM silent s
    WHERE NOT lineage.job_has_written(s.id, 10) AND NOT lineage.job_has_written(s.id)
      -- The jobs of graph models that no run is known of: a model does not say that they should have written.
      AND NOT (EXISTS (SELECT FROM lineage.node n WHERE n.entity = s.id)
               AND NOT EXISTS (SELECT FROM lineage.execution x WHERE x.job = s.id))
$$;
COMMENT ON FUNCTION lineage.orphan_set IS 'Datasets that no run reads or writes, and jobs that never wrote, in no order';

CREATE OR REPLACE FUNCTION lineage.orphans()
RETURNS TABLE (kind text, id bigint, namespace text, name text, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT o.* FROM lineage.orphan_set() AS o ORDER BY o.kind, o.last_seen DESC NULLS LAST, o.namespace, o.name
$$;
COMMENT ON FUNCTION lineage.orphans IS 'Datasets that no run reads or writes, and jobs that never wrote';

-- The number of vertices or edges of each label.
CREATE OR REPLACE FUNCTION lineage.label_counts() RETURNS TABLE (label text, edge boolean, entities bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    graph_label record;
BEGIN
    FOR graph_label IN SELECT l.name, l.kind, l.relation FROM ag_catalog.ag_label l
                       JOIN ag_catalog.ag_graph g ON g.graphid = l.graph
                       WHERE g.name = 'provenance' AND l.name !~ '^_' ORDER BY l.kind DESC, l.name
    LOOP
        label := graph_label.name;
        edge := graph_label.kind = 'e';
        EXECUTE format('SELECT count(*) FROM %s', graph_label.relation) INTO entities;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.label_counts IS 'The number of vertices or edges of each label';

-- The sizes in bytes, including indexes, of the log, the plan documents, the fact tables, the graph, and the whole
-- database.
CREATE OR REPLACE FUNCTION lineage.storage_sizes() RETURNS TABLE (part text, bytes bigint)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN relnamespace = 'provenance'::regnamespace THEN 'graph'
                WHEN relname ~ '^event(_|$)' THEN 'events'
                WHEN relname ~ '^plan_document(_|$)' THEN 'documents'
                ELSE 'facts' END AS part,
           sum(pg_total_relation_size(oid))::bigint
    FROM pg_class
    WHERE relkind = 'r' AND relnamespace IN ('lineage'::regnamespace, 'provenance'::regnamespace)
    GROUP BY 1
    UNION ALL
    SELECT 'database', pg_database_size(current_database())
    ORDER BY part
$$;
COMMENT ON FUNCTION lineage.storage_sizes IS 'Storage sizes in bytes';
