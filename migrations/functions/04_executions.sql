-- Runs of one job that share a parent run, each begun within 15 minutes after the one before it ended, are one execution of
-- the job: the instances of a mapped task, or the writes of a loop in one application. Other runs are executions of their
-- own, also those that a server or a notebook starts from time to time. See docs/decisions/run-lineage.md.

-- Whether a run that began at a time goes on with an execution of which the run before it ended at another time.
CREATE OR REPLACE FUNCTION lineage.continues_execution(began timestamptz, ended timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN began <= ended + interval '15 minutes';

-- The job of a run. Of several it is the first by name of those that the run reported itself: a parent may be named in
-- another spelling.
CREATE OR REPLACE FUNCTION lineage.job_of_run(run bigint) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT x.job FROM lineage.execution x JOIN lineage.job j ON j.id = x.job
        WHERE x.run = job_of_run.run
        ORDER BY x.first_seen IS NULL, j.namespace, j.name LIMIT 1);
COMMENT ON FUNCTION lineage.job_of_run IS 'The job of a run; of several, the first by name that reported itself';

-- Whether a run may be part of an execution of several runs: another run of the job began and ended near it in time. Most are
-- executions of their own, which the index of the job shows. Runs that began more than a day before are not searched.
CREATE OR REPLACE FUNCTION lineage.has_adjacent_run(run bigint, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (
    SELECT FROM lineage.execution x
    CROSS JOIN LATERAL (
        SELECT FROM lineage.execution o
        WHERE o.job = x.job AND o.run <> x.run
          AND o.first_seen BETWEEN x.first_seen - interval '1 day' AND x.last_seen + interval '15 minutes'
          AND lineage.continues_execution(x.first_seen, o.last_seen)
        ORDER BY o.first_seen DESC LIMIT 1) AS near
    WHERE x.run = has_adjacent_run.run AND x.job = has_adjacent_run.job);
COMMENT ON FUNCTION lineage.has_adjacent_run IS 'Whether a run may be part of an execution of several runs';

-- The beginning of the execution that a run is part of: the first event of its first run. Null for a run without a parent.
-- Reads the runs of the job from this one back to the first of the execution, at most 1,000.
CREATE OR REPLACE FUNCTION lineage.execution_start(run bigint, job bigint) RETURNS timestamptz
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
DECLARE
    start timestamptz := (SELECT x.first_seen FROM lineage.execution x
                          WHERE x.run = execution_start.run AND x.job = execution_start.job);
    -- The runs under the same parents, this one too, or more than there can be. Otherwise a job with a parent for each run
    -- would be read far back.
    remaining int := (SELECT CASE WHEN count(*) < 100 THEN count(*) ELSE 1000 END FROM (
                          SELECT FROM provenance."PARENT" e
                          JOIN provenance."PARENT" c ON c.end_id OPERATOR(ag_catalog.=) e.end_id
                          JOIN lineage.execution x ON x.run = c.start_id::text::bigint
                              AND x.job = execution_start.job AND x.first_seen <= start
                          WHERE e.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(execution_start.run)
                          LIMIT 100) AS s);
    before record;
BEGIN
    IF remaining = 0 THEN
        RETURN NULL;
    END IF;
    FOR before IN
        SELECT x.run, x.first_seen, x.last_seen FROM lineage.execution x
        WHERE x.job = execution_start.job AND x.first_seen <= start
        ORDER BY x.first_seen DESC, x.last_seen DESC LIMIT 1000
    LOOP
        CONTINUE WHEN NOT lineage.is_same_execution(execution_start.run, before.run);
        EXIT WHEN NOT lineage.continues_execution(start, before.last_seen);
        start := before.first_seen;
        remaining := remaining - 1;
        EXIT WHEN remaining = 0;
    END LOOP;
    RETURN start;
END $$;
COMMENT ON FUNCTION lineage.execution_start IS 'The beginning of the execution of a job that a run is part of';

-- Whether two runs of a job may be part of one execution: they share a parent.
CREATE OR REPLACE FUNCTION lineage.is_same_execution(run bigint, other bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN run = other OR EXISTS (
    SELECT FROM provenance."PARENT" e
    JOIN provenance."PARENT" o ON o.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(other)
         AND o.end_id OPERATOR(ag_catalog.=) e.end_id
    WHERE e.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(run));
COMMENT ON FUNCTION lineage.is_same_execution IS 'Whether two runs of a job share a parent run';

-- Whether a later run of the same execution is another attempt of a run, by their facets of Airflow and the datasets that
-- they read: of the same instance of a task of Airflow, which has an index if it is mapped. Other runs are if they read all
-- that the run had read.
CREATE OR REPLACE FUNCTION lineage.repeats_instance(
    task jsonb, inputs bigint[], later_task jsonb, later_inputs bigint[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN task IS NOT NULL THEN task -> 'map_index' IS NOT DISTINCT FROM later_task -> 'map_index'
            ELSE inputs <@ later_inputs END;
COMMENT ON FUNCTION lineage.repeats_instance IS 'Whether a later run is another attempt of the same instance';

-- The datasets that a run read as a run of a job.
CREATE OR REPLACE FUNCTION lineage.inputs_of_run(run bigint, job bigint) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ARRAY(SELECT DISTINCT d.canonical FROM lineage.access a JOIN lineage.dataset d ON d.id = a.dataset
             WHERE a.run = inputs_of_run.run AND a.job = inputs_of_run.job AND NOT a.output);
COMMENT ON FUNCTION lineage.inputs_of_run IS 'The datasets that a run read';

-- Whether a later run of the same execution is another attempt of a run.
CREATE OR REPLACE FUNCTION lineage.is_same_instance(r lineage.run, later lineage.run, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off
RETURN lineage.repeats_instance(
    r.facets #> '{airflow,1,taskInstance}', lineage.inputs_of_run(r.id, job),
    later.facets #> '{airflow,1,taskInstance}', lineage.inputs_of_run(later.id, job));
COMMENT ON FUNCTION lineage.is_same_instance IS 'Whether a later run of the same execution is another attempt of a run';

-- The first run of each execution of a job that began by a time, of those among its last 1,000 runs. Only runs in turn are
-- taken for one execution. Reads no more runs than the caller needs. Without a SET clause, so that PostgreSQL can
-- inline it.
CREATE OR REPLACE FUNCTION lineage.execution_starts(job bigint, until timestamptz)
RETURNS TABLE (run bigint, first_seen timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT e.run, e.first_seen
    FROM (SELECT e.run, e.first_seen, p.parents, lead(p.parents) OVER w AS previous, lead(e.last_seen) OVER w AS ended
          FROM (SELECT x.run, x.first_seen, x.last_seen FROM lineage.execution x
                WHERE x.job = execution_starts.job AND x.first_seen <= until
                ORDER BY x.first_seen DESC LIMIT 1000) AS e
          LEFT JOIN LATERAL (SELECT array_agg(p.end_id::text::bigint) AS parents FROM provenance."PARENT" p
                             WHERE p.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(e.run)) AS p ON true
          WINDOW w AS (ORDER BY e.first_seen DESC, e.last_seen DESC)) AS e
    WHERE (e.parents && e.previous) IS NOT TRUE OR NOT lineage.continues_execution(e.first_seen, e.ended)
$$;
COMMENT ON FUNCTION lineage.execution_starts IS 'The first run of each of the last executions of a job';
