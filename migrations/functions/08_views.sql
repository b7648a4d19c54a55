-- Views; see docs/decisions/run-lineage.md.

-- Whether a write left a definition and no rows: the last event that reports it reports the dataset as a view. The type
-- is stored with an access only for views that are not materialized. A later event without it reports something else.
CREATE OR REPLACE FUNCTION lineage.defines_view(a lineage.access) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN a.facets ? 'datasetType'
            THEN lineage.facet_time(a.facets -> 'datasetType') = a.last_seen
                 AND NOT a.facets ? 'outputStatistics'
                 AND coalesce(lineage.write_mode(a.facets) IN ('create', 'overwrite', 'rename'), true)
            ELSE false END;
COMMENT ON FUNCTION lineage.defines_view IS 'Whether a write of a dataset left a definition and no rows';

-- Whether the graph has the definition of a view. Most graphs have none, and their queries then skip what concerns views.
CREATE OR REPLACE FUNCTION lineage.has_views() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (SELECT FROM lineage.access a WHERE a.output AND a.facets ? 'datasetType');
COMMENT ON FUNCTION lineage.has_views IS 'Whether the graph has the definition of a view';

-- Whether some run reported the definition of a view under a name of this dataset.
CREATE OR REPLACE FUNCTION lineage.may_be_view(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.facets ? 'datasetType'
               WHERE n.canonical = may_be_view.dataset);
COMMENT ON FUNCTION lineage.may_be_view IS 'Whether some run defined a dataset as a view';

-- Whether what an execution wrote to a dataset is only the definition of a view, under each name of the dataset. A
-- stream writes rows.
CREATE OR REPLACE FUNCTION lineage.is_definition(run bigint, job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN coalesce((SELECT bool_and(lineage.defines_view(a.*))
                 FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
                 WHERE a.run = is_definition.run AND a.job = is_definition.job AND a.output
                   AND n.canonical = is_definition.dataset AND lineage.writes_rows(a.facets)), false)
    AND NOT lineage.is_streaming_job(is_definition.job);
COMMENT ON FUNCTION lineage.is_definition IS 'Whether a run only defined a dataset as a view';

-- The definition of a view that a read saw: the newest visible write, unless it left rows. Writes of the same time cannot
-- be distinguished: if one of them left rows, there is none. Nor is there one if the reader wrote the dataset itself,
-- because it may have read it before or after that.
CREATE OR REPLACE FUNCTION lineage.definitions_seen(
    view bigint, from_time timestamptz, until_time timestamptz, version text, reader bigint)
RETURNS TABLE (run bigint, job bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT w.run, w.job
    FROM (SELECT n.run, n.job,
                 bool_and(lineage.is_definition(n.run, n.job, definitions_seen.view)) OVER () AS is_view
          FROM (SELECT w.run, w.job
                FROM lineage.visible_writes(definitions_seen.view, from_time, until_time, version, reader) AS w
                ORDER BY w.written DESC FETCH FIRST 1 ROW WITH TIES) AS n) AS w
    WHERE w.is_view
      AND NOT EXISTS (SELECT FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
                      WHERE a.run = reader AND a.output AND n.canonical = definitions_seen.view
                        AND lineage.writes_rows(a.facets))
$$;
COMMENT ON FUNCTION lineage.definitions_seen IS 'The definition of a view that a read saw';

-- The datasets that a view was made from when it was read. A renamed view has the definition that it had under its
-- previous name when it was renamed. A run that defined a view and then renamed it renamed its own definition.
CREATE OR REPLACE FUNCTION lineage.view_sources(
    view bigint, from_time timestamptz, until_time timestamptz, version text, reader bigint)
RETURNS TABLE (source bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH RECURSIVE pair (source, is_renamed, run, job, first_seen, last_seen) AS (
        SELECT p.* FROM lineage.definitions_seen(view_sources.view, from_time, until_time, version, reader) AS d
        CROSS JOIN LATERAL lineage.sources_of_definition(d.run, d.job, view_sources.view) AS p
        UNION
        SELECT q.* FROM pair p
        CROSS JOIN LATERAL (
            SELECT d.run, d.job, false AS is_own
            FROM lineage.definitions_seen(p.source, p.first_seen, p.last_seen, NULL, p.run) AS d
            UNION ALL
            SELECT p.run, p.job, true WHERE lineage.is_definition(p.run, p.job, p.source)) AS d
        CROSS JOIN LATERAL lineage.sources_of_definition(d.run, d.job, p.source) AS q
        WHERE p.is_renamed AND NOT (d.is_own AND (q.is_renamed OR q.first_seen > p.first_seen))
    )
    SELECT DISTINCT p.source FROM pair p WHERE NOT p.is_renamed
$$;
COMMENT ON FUNCTION lineage.view_sources IS 'The datasets that a view was made from when it was read';

-- The sources of a view that an execution defined or renamed, and when it did.
CREATE OR REPLACE FUNCTION lineage.sources_of_definition(run bigint, job bigint, view bigint)
RETURNS TABLE (
    source bigint, is_renamed boolean, by_run bigint, by_job bigint, first_seen timestamptz, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT DISTINCT s.canonical, coalesce(lineage.write_mode(w.facets) = 'rename', false), sources_of_definition.run,
           sources_of_definition.job, w.first_seen, w.last_seen
    FROM (SELECT lineage.merged_facets(a.facets) AS facets, min(a.first_seen) AS first_seen,
                 max(a.last_seen) AS last_seen
          FROM lineage.access a JOIN lineage.dataset n ON n.id = a.dataset
          WHERE a.run = sources_of_definition.run AND a.job = sources_of_definition.job AND a.output
            AND n.canonical = sources_of_definition.view) AS w
    CROSS JOIN LATERAL lineage.reported_feeds(sources_of_definition.run, sources_of_definition.job) AS p
    JOIN lineage.dataset t ON t.id = p.target AND t.canonical = sources_of_definition.view
    JOIN lineage.dataset s ON s.id = p.source
$$;
COMMENT ON FUNCTION lineage.sources_of_definition IS 'The sources of a view that a run defined';

-- Reads of what the views among these reads are made from, at the same times, without the period. A view over a view is
-- followed. A dataset that the run itself reports as read is not added: it may report the version too.
CREATE OR REPLACE FUNCTION lineage.reads_behind_views(reads lineage.dataset_read[]) RETURNS SETOF lineage.dataset_read
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    step lineage.dataset_read[];
    done lineage.dataset_read[] := reads;
BEGIN
    step := ARRAY(SELECT r FROM unnest(reads) AS r WHERE lineage.may_be_view(r.dataset));
    WHILE cardinality(step) > 0 LOOP
        step := ARRAY(
            SELECT ROW(k.reader, k.reader_job, k.dataset, NULL, min(k.read_at), max(k.read_until), NULL, NULL,
                       NULL)::lineage.dataset_read
            FROM (SELECT i.reader, i.reader_job, s.source AS dataset, i.read_at, i.read_until, true AS is_new
                  FROM unnest(step) AS i
                  CROSS JOIN LATERAL lineage.view_sources(
                      i.dataset, i.read_at, i.read_until, i.version, i.reader) AS s
                  UNION ALL
                  SELECT d.reader, d.reader_job, d.dataset, NULL, NULL, false FROM unnest(done) AS d) AS k
            GROUP BY k.reader, k.reader_job, k.dataset HAVING bool_and(k.is_new));
        RETURN QUERY SELECT * FROM unnest(step);
        done := done || step;
        step := ARRAY(SELECT r FROM unnest(step) AS r WHERE lineage.may_be_view(r.dataset));
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.reads_behind_views IS 'Reads of what the views among several reads are made from';

-- These datasets, and the views that were ever made from each of them, over views too.
CREATE OR REPLACE FUNCTION lineage.views_over(datasets bigint[]) RETURNS TABLE (dataset bigint, view bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH RECURSIVE view_path (dataset, view) AS (
        SELECT d, d FROM unnest(datasets) AS d
        UNION
        SELECT m.dataset, f.target
        FROM view_path m JOIN lineage.feeds f ON f.source = m.view
        WHERE (SELECT lineage.has_views()) AND lineage.may_be_view(f.target)
    )
    SELECT m.dataset, m.view FROM view_path m
$$;
COMMENT ON FUNCTION lineage.views_over IS 'The views that were made from datasets, over views too';

-- A read of a dataset at a time by no run, and the reads behind it, with the period in which they see writes.
CREATE OR REPLACE FUNCTION lineage.reads_at(dataset bigint, at timestamptz) RETURNS SETOF lineage.dataset_read
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT p.*
    FROM (SELECT ARRAY[ROW(NULL, NULL, reads_at.dataset, NULL, at, at, NULL, NULL, NULL)::lineage.dataset_read]) AS r (root)
    CROSS JOIN LATERAL lineage.reads_with_period(
        r.root || ARRAY(SELECT v FROM lineage.reads_behind_views(r.root) AS v)) AS p
$$;
COMMENT ON FUNCTION lineage.reads_at IS 'A read of a dataset at a time, and the reads behind a view';
