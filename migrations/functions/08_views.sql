-- Views; see docs/decisions/run-lineage.md.

-- Whether a dataset is a view, by any of its names.
CREATE OR REPLACE FUNCTION lineage.is_view(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.dataset n WHERE n.canonical = is_view.dataset AND n.is_view);
COMMENT ON FUNCTION lineage.is_view IS 'Whether a dataset is a view, which holds no rows';

-- Whether the graph has a view. Most graphs have none, and their queries then skip what concerns views.
CREATE OR REPLACE FUNCTION lineage.has_views() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.dataset n WHERE n.is_view);
COMMENT ON FUNCTION lineage.has_views IS 'Whether the graph has a view';

-- Whether a run, as an execution of a job, wrote views and nothing else. Then its inputs define the views; it reads no
-- rows of them.
CREATE OR REPLACE FUNCTION lineage.writes_views_only(run bigint, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((SELECT bool_and(lineage.is_view(d.canonical))
                 FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
                 WHERE a.run = writes_views_only.run AND a.job = writes_views_only.job AND a.output), false);
COMMENT ON FUNCTION lineage.writes_views_only IS 'Whether a run wrote views and nothing else';

-- The datasets that a view was made from when it was read: by the newest visible write of the view, which replaced its
-- definition; by designs if no visible write reports any, but not by those that were inferred.
CREATE OR REPLACE FUNCTION lineage.view_sources(
    view bigint, from_time timestamptz, until_time timestamptz, version text, reader bigint)
RETURNS TABLE (source bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH made AS MATERIALIZED (
        SELECT DISTINCT s.canonical AS source
        FROM (SELECT w.run, w.job
              FROM lineage.visible_writes(view_sources.view, from_time, until_time, version, reader) AS w
              ORDER BY w.written DESC FETCH FIRST 1 ROW WITH TIES) AS w
        CROSS JOIN LATERAL lineage.reported_feeds(w.run, w.job) AS p
        JOIN lineage.dataset t ON t.id = p.target AND t.canonical = view_sources.view
        JOIN lineage.dataset s ON s.id = p.source
    )
    SELECT m.source FROM made m
    UNION ALL
    (SELECT f.source FROM lineage.feeds f
     WHERE f.target = view_sources.view AND f.declared AND NOT EXISTS (SELECT FROM made)
     UNION
     SELECT e.source FROM lineage.declared e
     WHERE e.target = view_sources.view AND NOT e.observed AND e.confidence = 1
       AND NOT EXISTS (SELECT FROM made))
$$;
COMMENT ON FUNCTION lineage.view_sources IS 'The datasets that a view was made from when it was read';

-- Reads of what the views among these reads are made from, at the same times, without the period. A view over a view is
-- followed. A dataset that the run itself reports as read is not added: it may report the version too.
CREATE OR REPLACE FUNCTION lineage.reads_behind_views(reads lineage.dataset_read[]) RETURNS SETOF lineage.dataset_read
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET enable_seqscan = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    step lineage.dataset_read[];
    done lineage.dataset_read[] := reads;
BEGIN
    step := ARRAY(SELECT r FROM unnest(reads) AS r WHERE lineage.is_view(r.dataset));
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
        step := ARRAY(SELECT r FROM unnest(step) AS r WHERE lineage.is_view(r.dataset));
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.reads_behind_views IS 'Reads of what the views among several reads are made from';

-- These datasets, and the views that were ever made from each of them, over views too.
CREATE OR REPLACE FUNCTION lineage.views_over(datasets bigint[]) RETURNS TABLE (dataset bigint, view bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    WITH RECURSIVE made (dataset, view) AS (
        SELECT d, d FROM unnest(datasets) AS d
        UNION
        SELECT m.dataset, t.target
        FROM made m
        CROSS JOIN LATERAL (
            SELECT f.target FROM lineage.feeds f WHERE f.source = m.view
            UNION ALL
            SELECT e.target FROM lineage.declared e WHERE e.source = m.view AND NOT e.observed) AS t
        WHERE lineage.has_views() AND lineage.is_view(t.target)
    )
    SELECT m.dataset, m.view FROM made m
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
