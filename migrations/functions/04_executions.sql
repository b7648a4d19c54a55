-- Runs of one job that share a parent run are one execution of the job: the instances of a mapped task, or the writes of a
-- loop in one application. A run without a parent is an execution of its own. See docs/decisions/run-lineage.md.

-- The parents of a run, each with the beginning of the execution under it: the START of the parent or, if that is not known,
-- the first event of the runs of the job under it. Without a SET clause, so that PostgreSQL can inline it.
CREATE OR REPLACE FUNCTION lineage.parents_of_run(run bigint, job bigint)
RETURNS TABLE (parent bigint, start timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT p.id, coalesce(p.started_at, (
               SELECT min(x.first_seen)
               FROM provenance."PARENT" c
               JOIN lineage.execution x ON x.run = c.start_id::text::bigint AND x.job = parents_of_run.job
               WHERE c.end_id OPERATOR(ag_catalog.=) e.end_id))
    FROM provenance."PARENT" e JOIN lineage.run p ON p.id = e.end_id::text::bigint
    WHERE e.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(parents_of_run.run)
$$;
COMMENT ON FUNCTION lineage.parents_of_run IS 'The parents of a run, and when the execution of its job under each began';

-- The beginning of the execution that a run is part of. Null for a run without a parent.
CREATE OR REPLACE FUNCTION lineage.execution_start(run bigint, job bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET jit = off
RETURN (SELECT min(p.start) FROM lineage.parents_of_run(execution_start.run, execution_start.job) AS p);
COMMENT ON FUNCTION lineage.execution_start IS 'The beginning of the execution of a job that a run is part of';

-- Whether one of these runs is a parent of a run.
CREATE OR REPLACE FUNCTION lineage.has_parent(run bigint, parents bigint[]) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN EXISTS (SELECT FROM provenance."PARENT" e
               WHERE e.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(has_parent.run)
                 AND e.end_id::text::bigint = ANY (parents));

-- Whether two runs of a job are part of one execution: they share a parent.
CREATE OR REPLACE FUNCTION lineage.is_same_execution(run bigint, other bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN run = other OR EXISTS (
    SELECT FROM provenance."PARENT" e
    JOIN provenance."PARENT" o ON o.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(other)
         AND o.end_id OPERATOR(ag_catalog.=) e.end_id
    WHERE e.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(run));
COMMENT ON FUNCTION lineage.is_same_execution IS 'Whether two runs of a job share a parent run';

-- Whether a later run of the same execution is another attempt of a run: it has the same index of a mapped task of Airflow
-- or, if the run has none, it read all that the run had read.
CREATE OR REPLACE FUNCTION lineage.is_same_instance(r lineage.run, later lineage.run, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN CASE WHEN r.facets #> '{airflow,1,taskInstance,map_index}' IS NOT NULL
            THEN coalesce(r.facets #> '{airflow,1,taskInstance,map_index}'
                          = later.facets #> '{airflow,1,taskInstance,map_index}', false)
            ELSE NOT EXISTS (
                SELECT d.canonical FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
                WHERE a.run = r.id AND a.job = is_same_instance.job AND NOT a.output
                EXCEPT
                SELECT d.canonical FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
                WHERE a.run = later.id AND a.job = is_same_instance.job AND NOT a.output) END;
COMMENT ON FUNCTION lineage.is_same_instance IS 'Whether a later run of the same execution is another attempt of a run';

-- The first run of each execution of a job that began by a time, of those among its last 1,000 runs. Runs in turn with the
-- same parent are one execution. Reads no more runs than the caller needs. Without a SET clause, so that PostgreSQL can
-- inline it.
CREATE OR REPLACE FUNCTION lineage.execution_starts(job bigint, until timestamptz)
RETURNS TABLE (run bigint, first_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT e.run, e.first_seen
    FROM (SELECT e.run, e.first_seen, p.parent, lead(p.parent) OVER (ORDER BY e.first_seen DESC) AS previous
          FROM (SELECT x.run, x.first_seen FROM lineage.execution x
                WHERE x.job = execution_starts.job AND x.first_seen <= until
                ORDER BY x.first_seen DESC LIMIT 1000) AS e
          LEFT JOIN LATERAL (SELECT min(p.end_id::text::bigint) AS parent FROM provenance."PARENT" p
                             WHERE p.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(e.run)) AS p ON true) AS e
    WHERE e.parent IS NULL OR e.parent IS DISTINCT FROM e.previous
$$;
COMMENT ON FUNCTION lineage.execution_starts IS 'The first run of each of the last executions of a job';
