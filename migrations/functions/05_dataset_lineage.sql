-- The jobs that ever read (or, if output, wrote) a dataset.
CREATE OR REPLACE FUNCTION lineage.jobs_accessing_dataset(dataset bigint, output boolean) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT DISTINCT u.job
    FROM lineage.dataset n
    JOIN lineage.dataset_job u ON u.dataset = n.id AND u.output = jobs_accessing_dataset.output
    WHERE n.canonical = jobs_accessing_dataset.dataset
$$;

-- The edges that a trace from these datasets follows, each once, with the distance of their far end when the edge was
-- reached. depth: maximum number of steps; null for all.
CREATE OR REPLACE FUNCTION lineage.dataset_closure_edges(
    roots bigint[], direction text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (source bigint, target bigint, job bigint, distance int,
               runs bigint, first_seen timestamptz, last_seen timestamptz, declared boolean,
               confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    SELECT e.source, e.target, e.job, l.distance + 1, e.runs, e.first_seen, e.last_seen, e.declared,
           e.confidence
    FROM lineage.dataset_closure_levels(roots, direction, depth - 1, observed, min_confidence) AS l
    CROSS JOIN LATERAL (
        SELECT * FROM lineage.edges_to(l.ids, observed, min_confidence) WHERE direction = 'upstream'
        UNION ALL
        SELECT * FROM lineage.edges_from(l.ids, observed, min_confidence) WHERE direction = 'downstream') AS e
    WHERE depth IS NULL OR l.distance < depth
$$;
COMMENT ON FUNCTION lineage.dataset_closure_edges IS 'The edges that a trace follows';

-- The datasets at each distance of a trace, and the edges that it follows from them: an array for each column, null if there
-- are no edges. Arrays of thousands of edges take a fraction of the time of a row for each edge.
CREATE OR REPLACE FUNCTION lineage.dataset_closure_steps(
    roots bigint[], direction text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, ids bigint[], sources bigint[], targets bigint[], jobs bigint[], runs bigint[],
               first_seen timestamptz[], last_seen timestamptz[], declared boolean[],
               confidences double precision[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
    SELECT l.distance, l.ids, e.*
    FROM lineage.dataset_closure_levels(roots, direction, depth, observed, min_confidence) AS l
    LEFT JOIN LATERAL (
        SELECT array_agg(e.source), array_agg(e.target), array_agg(e.job), array_agg(e.runs),
               array_agg(e.first_seen), array_agg(e.last_seen), array_agg(e.declared), array_agg(e.confidence)
        FROM (SELECT * FROM lineage.edges_to(l.ids, observed, min_confidence) WHERE direction = 'upstream'
              UNION ALL
              SELECT * FROM lineage.edges_from(l.ids, observed, min_confidence) WHERE direction = 'downstream') AS e
        ) AS e ON depth IS NULL OR l.distance < depth
$$;
COMMENT ON FUNCTION lineage.dataset_closure_steps IS 'The datasets and edges of a trace, arrays for each distance';

-- The datasets of a trace, each with its least distance; the root is at 0.
-- direction: upstream, downstream or both (the union of the two, not the whole component).
CREATE OR REPLACE FUNCTION lineage.trace_datasets(
    dataset bigint, direction text DEFAULT 'upstream', depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (id bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT n.id, n.distance FROM lineage.dataset_closure(ARRAY[dataset], direction, depth, observed,
        min_confidence) AS n
    WHERE direction IS DISTINCT FROM 'both'
    UNION ALL
    SELECT met.id, min(met.distance) FROM (
        SELECT * FROM lineage.dataset_closure(ARRAY[dataset], 'upstream', depth, observed, min_confidence)
        UNION ALL
        SELECT * FROM lineage.dataset_closure(ARRAY[dataset], 'downstream', depth, observed, min_confidence)) AS met
    WHERE direction = 'both'
    GROUP BY met.id
$$;
COMMENT ON FUNCTION lineage.trace_datasets IS 'The datasets of a trace with their distance';

CREATE OR REPLACE FUNCTION lineage.upstream(
    dataset text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, d.namespace, d.name
    FROM lineage.trace_datasets(lineage.dataset_id(upstream.dataset), 'upstream', depth, observed, min_confidence) t
    JOIN lineage.dataset d ON d.id = t.id
    ORDER BY t.distance, d.namespace, d.name
$$;
COMMENT ON FUNCTION lineage.upstream IS 'The datasets upstream of a dataset';

CREATE OR REPLACE FUNCTION lineage.downstream(
    dataset text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT t.distance, d.namespace, d.name
    FROM lineage.trace_datasets(lineage.dataset_id(downstream.dataset), 'downstream', depth, observed, min_confidence) t
    JOIN lineage.dataset d ON d.id = t.id
    ORDER BY t.distance, d.namespace, d.name
$$;
COMMENT ON FUNCTION lineage.downstream IS 'The datasets downstream of a dataset';

-- The datasets that a trace reaches, each once with its least distance; roots are at 0.
-- depth: maximum number of steps; null for all.
-- It has no SET clause, so that the planner can inline it.
CREATE OR REPLACE FUNCTION lineage.dataset_closure(
    roots bigint[], direction text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (id bigint, distance int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    SELECT n.id, l.distance
    FROM lineage.dataset_closure_levels(roots, direction, depth, observed, min_confidence) AS l
    CROSS JOIN LATERAL unnest(l.ids) AS n (id)
$$;
COMMENT ON FUNCTION lineage.dataset_closure IS 'The datasets of a trace from several roots, with their distance';

-- The time from which on runs of a job show all that it writes to a dataset: the last event of the newest run that
-- completed and wrote it or, if the execution of that run began earlier, its beginning. A run that has not
-- ended may not have reported all its inputs. as_of: only runs whose last event is not later.
-- Reads the writes of the dataset by the job from the newest on, and nearly always stops at the first. The ORDER BY is in
-- a subquery: otherwise the planner reads all writes, and sorts the remaining ones.
CREATE OR REPLACE FUNCTION lineage.last_successful_write(dataset bigint, job bigint, as_of timestamptz DEFAULT 'infinity')
RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET jit = off
RETURN (SELECT least(w.last_seen, lineage.execution_start(w.run, w.job))
        FROM lineage.dataset n
        CROSS JOIN LATERAL (
            SELECT a.run, a.job, a.last_seen AS written, (
                       SELECT e.last_seen FROM lineage.execution e WHERE e.run = a.run AND e.job = a.job) AS last_seen
            FROM (SELECT a.run, a.job, a.last_seen, a.facets FROM lineage.access a
                  WHERE a.dataset = n.id AND a.output AND a.job = last_successful_write.job AND a.last_seen <= as_of
                  ORDER BY a.last_seen DESC OFFSET 0) AS a
            WHERE (SELECT r.state FROM lineage.run r WHERE r.id = a.run) = 'COMPLETE'
              AND (SELECT e.last_seen FROM lineage.execution e WHERE e.run = a.run AND e.job = a.job) <= as_of
              AND lineage.may_have_sources(a.facets)
            ORDER BY a.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS w
        WHERE n.canonical = last_successful_write.dataset
        ORDER BY w.written DESC, 1 DESC LIMIT 1);
COMMENT ON FUNCTION lineage.last_successful_write IS 'The time of the last successful write of a dataset by a job';

-- Whether an edge is stale: the last successful write of its target by its job is newer than the newest run that showed
-- the edge.
CREATE OR REPLACE FUNCTION lineage.is_stale(last_seen timestamptz, last_write timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(last_seen < last_write, false);

-- Whether a dataset or a job has one of the namespaces, one of the tags and one of the types (in lower case; compared
-- without regard to case). An empty array matches everything.
CREATE OR REPLACE FUNCTION lineage.matches_filters(
    namespaces text[], tags text[], types text[], namespace text, tags_of_entity text[], job_type text)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (namespaces = '{}' OR namespace = ANY (namespaces))
   AND (tags = '{}' OR tags && tags_of_entity)
   AND (types = '{}' OR lower(coalesce(job_type, '')) = ANY (types));

-- For interactive use: the edges of a trace by name. stale: all runs that showed the edge are older than the last
-- successful write of the target by the job, which did not show it. (The time of an edge is that of the newest run that
-- showed it.)
CREATE OR REPLACE FUNCTION lineage.dataset_lineage_edges(
    dataset text, direction text DEFAULT 'upstream', depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, source_namespace text, source text, target_namespace text, target text,
               job_namespace text, job text, job_type text, runs bigint,
               first_seen timestamptz, last_seen timestamptz, stale boolean, declared boolean,
               confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH edge AS MATERIALIZED (
        SELECT * FROM lineage.dataset_closure_edges(
            ARRAY[lineage.dataset_id(dataset_lineage_edges.dataset)], direction, depth, dataset_lineage_edges.observed,
            min_confidence)
    ), rewritten AS MATERIALIZED (
        SELECT p.target, p.job, lineage.last_successful_write(p.target, p.job) AS last_write
        FROM (SELECT DISTINCT e.target, e.job
              FROM edge e JOIN lineage.latest_runs(ARRAY(SELECT DISTINCT job FROM edge)) AS n ON n.job = e.job
              WHERE e.runs > 0 AND e.last_seen < n.last_seen) AS p
    )
    SELECT e.distance, s.namespace, s.name, t.namespace, t.name,
           j.namespace, j.name, j.facets #>> '{jobType,1,jobType}', e.runs,
           e.first_seen, e.last_seen, e.runs > 0 AND lineage.is_stale(e.last_seen, w.last_write), e.declared,
           e.confidence
    FROM edge e
    LEFT JOIN lineage.job j ON j.id = e.job
    LEFT JOIN rewritten w ON w.target = e.target AND w.job = e.job
    JOIN lineage.dataset s ON s.id = e.source
    JOIN lineage.dataset t ON t.id = e.target
    ORDER BY e.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
$$;
COMMENT ON FUNCTION lineage.dataset_lineage_edges IS 'The edges of a trace by name, and whether they are stale';

-- For interactive use: the datasets of a trace that match the filters, the root at 0. Namespaces and tags (key or
-- key:value) are those of the dataset. jobs, types (job types, in any case) and since apply to edges: a dataset matches
-- if such an edge leads to it. A dataset must match one value of each filter that is set. The trace continues through
-- datasets that do not match. most: maximum number of datasets besides the root, nearest first, then by name.
CREATE OR REPLACE FUNCTION lineage.dataset_lineage(
    dataset text, direction text DEFAULT 'upstream', depth int DEFAULT NULL, namespaces text[] DEFAULT '{}',
    tags text[] DEFAULT '{}', jobs text[] DEFAULT '{}', types text[] DEFAULT '{}',
    since timestamptz DEFAULT '-infinity', most int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, namespace text, name text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 AS $$
    WITH requested AS MATERIALIZED (
        SELECT lineage.dataset_id(dataset_lineage.dataset) AS root,
            ARRAY(SELECT lineage.job_id(j) FROM unnest(jobs) AS j) AS jobs,
               ARRAY(SELECT lower(t) FROM unnest(types) AS t) AS types
    ), passed AS MATERIALIZED (
        SELECT e.source AS far, e.job, e.distance, e.last_seen
        FROM requested CROSS JOIN LATERAL lineage.dataset_closure_edges(
            ARRAY[requested.root], CASE direction WHEN 'both' THEN 'upstream' ELSE direction END, depth, observed,
                min_confidence) AS e
        WHERE direction IS DISTINCT FROM 'downstream'
        UNION ALL
        SELECT e.target, e.job, e.distance, e.last_seen
        FROM requested CROSS JOIN LATERAL lineage.dataset_closure_edges(
            ARRAY[requested.root], CASE direction WHEN 'both' THEN 'downstream' ELSE direction END, depth, observed, min_confidence)
                AS e
        WHERE direction IS DISTINCT FROM 'upstream'
    ), fitting AS MATERIALIZED (
        SELECT j.id FROM lineage.job j CROSS JOIN requested
        WHERE j.id = ANY (ARRAY(SELECT DISTINCT passed.job FROM passed))
          AND (requested.jobs = '{}' OR j.id = ANY (requested.jobs))
          AND lineage.matches_filters('{}', '{}', requested.types, '', '{}', j.facets #>> '{jobType,1,jobType}')
    ), met AS MATERIALIZED (
        SELECT p.far AS id, min(p.distance) AS distance
        FROM passed p LEFT JOIN fitting f ON f.id = p.job CROSS JOIN requested
        GROUP BY p.far
        HAVING bool_or((f.id IS NOT NULL OR p.job IS NULL AND requested.jobs = '{}' AND requested.types = '{}')
                       AND p.last_seen >= coalesce(since, '-infinity'))
    )
    (SELECT 0, d.namespace, d.name FROM requested JOIN lineage.dataset d ON d.id = requested.root)
    UNION ALL
    (SELECT m.distance, d.namespace, d.name
     FROM met m JOIN lineage.dataset d ON d.id = m.id CROSS JOIN requested
     WHERE m.id <> requested.root
       AND lineage.matches_filters(coalesce(namespaces, '{}'), coalesce(tags, '{}'), '{}', d.namespace, (
           SELECT lineage.facet_tags(lineage.merged_facets(n.facets)) FROM lineage.dataset n WHERE n.canonical = m.id), '')
     ORDER BY m.distance, d.namespace, d.name LIMIT most)
$$;
COMMENT ON FUNCTION lineage.dataset_lineage IS 'The datasets of a trace that match filters, the nearest first';

-- The datasets at each distance of a trace, each dataset once, at its least distance; roots are at 0. depth: maximum
-- number of steps; null for all.
--
-- The id of a dataset is that of its vertex: the number of the label, equal for all, in the high bits, and the number
-- of the vertex in the low bits. The arrays contain only the latter. It is below 2^31 as long as fewer datasets than
-- that were ever created.
CREATE OR REPLACE FUNCTION lineage.dataset_closure_levels(
    roots bigint[], direction text, depth int DEFAULT NULL, observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (distance int, ids bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
-- The planner has no statistics of the arrays; these settings make every step use an index.
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    known bigint[] := array_remove(roots, NULL);
    label bigint := known[1] >> 48 << 48;
    step int[] := ARRAY(SELECT DISTINCT root - label FROM unnest(known) AS root);
    met int[] := '{}';
    designs boolean := NOT observed AND EXISTS (SELECT FROM lineage.design);
BEGIN
    IF direction IN ('upstream', 'downstream') IS NOT TRUE THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('direction "%s" is not upstream or downstream', direction);
    END IF;
    distance := 0;
    WHILE cardinality(step) > 0 LOOP
        ids := ARRAY(SELECT label + number FROM unnest(step) AS number);
        RETURN NEXT;
        EXIT WHEN distance >= depth;
        met := lineage.int_array_union(met, step);
        IF direction = 'upstream' THEN
            step := ARRAY(SELECT (f.source - label)::int FROM lineage.feeds f WHERE f.target = ANY (ids));
            IF designs THEN
                step := step || ARRAY(SELECT (d.source - label)::int FROM lineage.declared d
                                      WHERE d.target = ANY (ids) AND NOT d.observed
                                        AND d.confidence >= coalesce(min_confidence, 0));
            END IF;
        ELSE
            step := ARRAY(SELECT (f.target - label)::int FROM lineage.feeds f WHERE f.source = ANY (ids));
            IF designs THEN
                step := step || ARRAY(SELECT (d.target - label)::int FROM lineage.declared d
                                      WHERE d.source = ANY (ids) AND NOT d.observed
                                        AND d.confidence >= coalesce(min_confidence, 0));
            END IF;
        END IF;
        step := lineage.int_array_difference(step, met);
        distance := distance + 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION lineage.dataset_closure_levels IS 'The datasets of a trace, an array for each distance';

-- The newest run of each of these jobs; at equal times the id decides.
CREATE OR REPLACE FUNCTION lineage.latest_runs(jobs bigint[])
RETURNS TABLE (job bigint, run bigint, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT j.job,
           -- The run ids are needed only if several runs are the newest.
           CASE WHEN cardinality(newest.runs) > 1
                THEN (SELECT r.id FROM lineage.run r WHERE r.id = ANY (newest.runs) ORDER BY r.run_id LIMIT 1)
                ELSE newest.runs[1] END,
           newest.last_seen
    FROM unnest(jobs) AS j (job)
    CROSS JOIN LATERAL (
        SELECT array_agg(x.run) AS runs, min(x.last_seen) AS last_seen
        FROM (SELECT e.run, e.last_seen FROM lineage.execution e
              WHERE e.job = j.job AND e.last_seen IS NOT NULL
              ORDER BY e.last_seen DESC FETCH FIRST 1 ROW WITH TIES) AS x) AS newest
$$;
COMMENT ON FUNCTION lineage.latest_runs IS 'The newest run of each of these jobs';

-- The edges from these datasets, and the edges to them.
CREATE OR REPLACE FUNCTION lineage.edges_from(ids bigint[], observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (source bigint, target bigint, job bigint, runs bigint, first_seen timestamptz,
               last_seen timestamptz, declared boolean, confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared, NULL::double precision
    FROM lineage.feeds f WHERE f.source = ANY (ids)
    UNION ALL
    SELECT d.source, d.target, d.job, 0, d.first_seen, d.last_seen, true, d.confidence
    FROM lineage.declared d WHERE NOT edges_from.observed AND d.source = ANY (ids) AND NOT d.observed
      AND d.confidence >= coalesce(min_confidence, 0)
$$;
COMMENT ON FUNCTION lineage.edges_from IS 'The edges from datasets, and whether designs declare them';

CREATE OR REPLACE FUNCTION lineage.edges_to(ids bigint[], observed boolean DEFAULT false,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (source bigint, target bigint, job bigint, runs bigint, first_seen timestamptz,
               last_seen timestamptz, declared boolean, confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared, NULL::double precision
    FROM lineage.feeds f WHERE f.target = ANY (ids)
    UNION ALL
    SELECT d.source, d.target, d.job, 0, d.first_seen, d.last_seen, true, d.confidence
    FROM lineage.declared d WHERE NOT edges_to.observed AND d.target = ANY (ids) AND NOT d.observed
      AND d.confidence >= coalesce(min_confidence, 0)
$$;
COMMENT ON FUNCTION lineage.edges_to IS 'The edges to datasets, and whether designs declare them';

-- The edges at these datasets in one direction that match the filters of lineage.dataset_lineage(), each with its near
-- and its far end. An edge from a dataset to itself has no far end and is omitted. jobs: ids. types: in lower case.
CREATE OR REPLACE FUNCTION lineage.adjacent_edges(
    ids bigint[], direction text, observed boolean DEFAULT false, namespaces text[] DEFAULT '{}',
    tags text[] DEFAULT '{}', jobs bigint[] DEFAULT '{}', types text[] DEFAULT '{}',
    since timestamptz DEFAULT '-infinity', include_stale boolean DEFAULT true,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (near bigint, far bigint, job bigint, runs bigint, first_seen timestamptz,
               last_seen timestamptz, declared boolean, confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT e.near, e.far, e.job, e.runs, e.first_seen, e.last_seen, e.declared,
           e.confidence
    FROM (SELECT t.target AS near, t.source AS far, t.* FROM lineage.edges_to(ids, observed, min_confidence) AS t
          WHERE direction = 'upstream'
          UNION ALL
          SELECT f.source, f.target, f.* FROM lineage.edges_from(ids, observed, min_confidence) AS f
          WHERE direction = 'downstream') AS e
    WHERE e.near <> e.far
      AND (since = '-infinity' OR e.last_seen >= since)
      AND (jobs = '{}' OR e.job = ANY (jobs))
      AND (types = '{}' OR EXISTS (
          SELECT FROM lineage.job j
          WHERE j.id = e.job AND lineage.matches_filters('{}', '{}', types, '', '{}',
              j.facets #>> '{jobType,1,jobType}')))
      AND (include_stale OR e.runs = 0
           OR NOT lineage.is_stale(e.last_seen, lineage.last_successful_write(e.target, e.job)))
      AND (namespaces = '{}' AND tags = '{}' OR EXISTS (
          SELECT FROM lineage.dataset d
          WHERE d.id = e.far AND lineage.matches_filters(namespaces, tags, '{}', d.namespace, (
              SELECT lineage.facet_tags(lineage.merged_facets(n.facets))
              FROM lineage.dataset n WHERE n.canonical = d.id), NULL)))
$$;
COMMENT ON FUNCTION lineage.adjacent_edges IS 'The edges at datasets that match filters';

-- The edges at these datasets in one direction that existed at a time: a run that contributes to the edge, or a design
-- that declares it, had been seen. A declared edge ends when the first run shows it.
CREATE OR REPLACE FUNCTION lineage.edges_as_of(
    ids bigint[], direction text, observed boolean, as_of timestamptz,
    min_confidence double precision DEFAULT 0)
RETURNS TABLE (near bigint, far bigint, source bigint, target bigint, job bigint, runs bigint,
               first_seen timestamptz, last_seen timestamptz, declared boolean, confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT CASE direction WHEN 'upstream' THEN e.target ELSE e.source END,
           CASE direction WHEN 'upstream' THEN e.source ELSE e.target END,
           e.source, e.target, e.job, e.runs, e.first_seen, e.last_seen,
           e.declared AND (e.runs = 0 OR EXISTS (
               SELECT FROM lineage.declared d
               WHERE d.source = e.source AND d.target = e.target AND coalesce(d.job, e.job) = e.job
                 AND d.first_seen <= as_of)), e.confidence
    FROM (SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared,
                 NULL::double precision AS confidence
          FROM lineage.feeds f
          WHERE direction = 'upstream' AND f.target = ANY (ids) AND f.first_seen <= as_of
          UNION ALL
          SELECT f.source, f.target, f.job, f.runs, f.first_seen, f.last_seen, f.declared, NULL
          FROM lineage.feeds f
          WHERE direction = 'downstream' AND f.source = ANY (ids) AND f.first_seen <= as_of
          UNION ALL
          SELECT d.source, d.target, d.job, 0, d.first_seen, least(d.last_seen, as_of), true, d.confidence
          FROM lineage.declared d
          WHERE NOT edges_as_of.observed AND d.confidence >= coalesce(min_confidence, 0) AND d.first_seen <= as_of
            AND (direction = 'upstream' AND d.target = ANY (ids) OR direction = 'downstream' AND d.source = ANY (ids))
            AND NOT EXISTS (
                SELECT FROM lineage.feeds f
                WHERE f.source = d.source AND f.target = d.target AND f.job = coalesce(d.job, f.job)
                  AND f.first_seen <= as_of)) AS e
$$;
COMMENT ON FUNCTION lineage.edges_as_of IS 'The edges at datasets that existed at a time';

-- The runs of jobs that accessed datasets, for each pair of a dataset and a job once. Reads the index access_job alone. Only
-- the accesses of a dataset with several names may repeat a run.
CREATE OR REPLACE FUNCTION lineage.runs_accessing(datasets bigint[], jobs bigint[], output boolean)
RETURNS TABLE (dataset bigint, job bigint, run bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT p.dataset, p.job, a.run
    FROM (SELECT p.dataset, p.job,
                 (SELECT array_agg(n.id) FROM lineage.dataset n WHERE n.canonical = p.dataset) AS names
          FROM (SELECT DISTINCT p.dataset, p.job FROM unnest(datasets, jobs) AS p (dataset, job)) AS p
          OFFSET 0) AS p
    CROSS JOIN LATERAL (
        SELECT a.run FROM lineage.access a
        WHERE cardinality(p.names) = 1 AND a.dataset = p.names[1] AND a.output = runs_accessing.output
          AND a.job = p.job
        UNION ALL
        SELECT DISTINCT a.run FROM lineage.access a
        WHERE cardinality(p.names) > 1 AND a.dataset = ANY (p.names) AND a.output = runs_accessing.output
          AND a.job = p.job) AS a
$$;

-- The contributing runs of jobs at a time, with the last event of each. A run that went on after that time counts as of
-- its first event. Reads the indexes execution_earliest and run_not_contributing alone.
CREATE OR REPLACE FUNCTION lineage.contributing_runs_as_of(jobs bigint[], as_of timestamptz)
RETURNS TABLE (job bigint, run bigint, seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT x.job, x.run, CASE WHEN x.last_seen <= as_of THEN x.last_seen ELSE x.first_seen END
    FROM (SELECT DISTINCT j.job FROM unnest(jobs) AS j (job)) AS j
    JOIN lineage.execution x ON x.job = j.job AND x.first_seen <= as_of
    WHERE (SELECT true FROM lineage.run r WHERE r.id = x.run AND NOT r.contributing) IS NULL
$$;

-- The number of runs that had shown each of these edges at a time, and the last event of the newest. A run without a
-- lineage facet at the target shows the product of its inputs and outputs; for the others the function decides that the
-- projection uses. Without nested loops the sets of runs are joined by hashing, whatever sizes the planner expects.
CREATE OR REPLACE FUNCTION lineage.edge_runs_as_of(
    sources bigint[], targets bigint[], jobs bigint[], as_of timestamptz)
RETURNS TABLE (source bigint, target bigint, job bigint, runs bigint, last_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '32MB' AS $$
    WITH edge AS MATERIALIZED (
        SELECT e.source, e.target, e.job FROM unnest(sources, targets, jobs) AS e (source, target, job)
    ), explicit AS MATERIALIZED (
        SELECT DISTINCT n.canonical AS target, s.run
        FROM lineage.dataset n JOIN lineage.explicit_source s ON s.dataset = n.id
        WHERE n.canonical = ANY (targets)
    ), execution AS MATERIALIZED (
        SELECT x.job, x.run, x.seen FROM lineage.contributing_runs_as_of(jobs, as_of) AS x
    ), written AS MATERIALIZED (
        SELECT w.dataset, w.job, w.run, x.seen
        FROM lineage.runs_accessing(targets, jobs, true) AS w
        JOIN execution x ON x.job = w.job AND x.run = w.run
        WHERE NOT EXISTS (SELECT FROM explicit e WHERE e.target = w.dataset AND e.run = w.run)
    ), reported AS (
        SELECT e.source, e.target, e.job, w.seen
        FROM edge e
        JOIN written w ON w.dataset = e.target AND w.job = e.job
        JOIN lineage.runs_accessing(sources, jobs, false) AS r
            ON r.dataset = e.source AND r.job = e.job AND r.run = w.run
        UNION ALL
        SELECT e.source, e.target, e.job, x.seen
        FROM edge e
        JOIN explicit s ON s.target = e.target
        JOIN execution x ON x.job = e.job AND x.run = s.run
        WHERE lineage.contributes_to_feeds(x.run, e.job, e.source, e.target)
    )
    SELECT s.source, s.target, s.job, sum(s.runs)::bigint, max(s.seen)
    FROM (SELECT s.source, s.target, s.job, 1 AS runs, s.seen FROM reported s
          UNION ALL
          SELECT e.source, e.target, e.job, g.runs, g.last_seen
          FROM edge e CROSS JOIN LATERAL lineage.archived_feeds_of(e.source, e.target, e.job) AS g
          WHERE g.last_seen <= as_of) AS s
    GROUP BY s.source, s.target, s.job
$$;
COMMENT ON FUNCTION lineage.edge_runs_as_of IS 'The number of runs that had shown edges at a time, and the last of them';

-- The times at which the edges between these datasets changed, as lineage.edges_as_of() returns them. An edge is a pair of
-- datasets and a job. It is never removed, but for one without a job: a facet of the target declares it until the first
-- run shows the pair.
CREATE OR REPLACE FUNCTION lineage.edge_changes(ids bigint[], observed boolean)
RETURNS TABLE ("time" timestamptz, added bigint, removed bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    WITH reported AS MATERIALIZED (
        SELECT f.source, f.target, f.job, f.first_seen
        FROM lineage.feeds f WHERE f.source = ANY (ids) AND f.target = ANY (ids)
    ), edge AS (
        SELECT min(e.first_seen) AS added, NULL::timestamptz AS removed
        FROM (SELECT s.source, s.target, s.job, s.first_seen FROM reported s
              UNION ALL
              SELECT d.source, d.target, d.job, d.first_seen
              FROM lineage.declared d
              WHERE NOT edge_changes.observed AND d.job IS NOT NULL AND d.source = ANY (ids) AND d.target = ANY (ids)
             ) AS e
        GROUP BY e.source, e.target, e.job
        UNION ALL
        SELECT d.first_seen, s.first_seen
        FROM (SELECT d.source, d.target, min(d.first_seen) AS first_seen
              FROM lineage.declared d
              WHERE NOT edge_changes.observed AND d.job IS NULL AND d.source = ANY (ids) AND d.target = ANY (ids)
              GROUP BY d.source, d.target) AS d
        LEFT JOIN (SELECT s.source, s.target, min(s.first_seen) AS first_seen FROM reported s
                   GROUP BY s.source, s.target) AS s USING (source, target)
        WHERE d.first_seen < s.first_seen OR s.first_seen IS NULL
    )
    SELECT c.time, count(*) FILTER (WHERE c.is_new), count(*) FILTER (WHERE NOT c.is_new)
    FROM (SELECT e.added AS time, true AS is_new FROM edge e
          UNION ALL
          SELECT e.removed, false FROM edge e) AS c
    WHERE c.time IS NOT NULL
    GROUP BY c.time
$$;
COMMENT ON FUNCTION lineage.edge_changes IS 'The times at which edges between datasets were added or removed';

-- The edges of lineage.edges_as_of() without those from a dataset to itself, by the filters of lineage.adjacent_edges()
-- that do not depend on time.
CREATE OR REPLACE FUNCTION lineage.adjacent_edges_as_of(
    ids bigint[], direction text, observed boolean, namespaces text[], tags text[], jobs bigint[], types text[],
    as_of timestamptz, min_confidence double precision DEFAULT 0)
RETURNS TABLE (near bigint, far bigint, job bigint, runs bigint, first_seen timestamptz,
               last_seen timestamptz, declared boolean, confidence double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 AS $$
    SELECT e.near, e.far, e.job, e.runs, e.first_seen, e.last_seen, e.declared,
           e.confidence
    FROM lineage.edges_as_of(ids, direction, observed, as_of, min_confidence) AS e
    WHERE e.near <> e.far
      AND (jobs = '{}' OR e.job = ANY (jobs))
      AND (types = '{}' OR EXISTS (
          SELECT FROM lineage.job j
          WHERE j.id = e.job AND lineage.matches_filters('{}', '{}', types, '', '{}',
              j.facets #>> '{jobType,1,jobType}')))
      AND (namespaces = '{}' AND tags = '{}' OR EXISTS (
          SELECT FROM lineage.dataset d
          WHERE d.id = e.far AND lineage.matches_filters(namespaces, tags, '{}', d.namespace, (
              SELECT lineage.facet_tags(lineage.merged_facets(n.facets))
              FROM lineage.dataset n WHERE n.canonical = d.id), NULL)))
$$;

-- A run as a JSON array, as lineage.run_record(), as of a time. seen: its last event then. A run that had not ended was
-- running.
CREATE OR REPLACE FUNCTION lineage.run_record_as_of(run lineage.run, seen timestamptz, as_of timestamptz) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN run.last_seen <= as_of THEN lineage.run_record(run)
       ELSE jsonb_build_array(
           run.run_id, CASE WHEN run.ended_at <= as_of THEN run.state ELSE 'RUNNING' END, lineage.iso8601(seen),
           lineage.iso8601(CASE WHEN run.started_at <= as_of THEN run.started_at END),
           lineage.iso8601(CASE WHEN run.ended_at <= as_of THEN run.ended_at END),
           CASE WHEN run.ended_at <= as_of THEN run.facets #>> '{errorMessage,1,message}' END) END;
