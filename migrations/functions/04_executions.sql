-- Runs of one job that share a parent run are one execution of the job: the instances of a mapped task, or the writes of a
-- loop in one application. A run without a parent is an execution of its own. See docs/decisions/run-lineage.md.

-- The beginning of the execution that a run is part of: the start of its parent or, if that is not known, the first event
-- of the runs of the job under it. Null for a run without a parent.
CREATE OR REPLACE FUNCTION lineage.execution_start(run bigint, job bigint) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off SET jit = off
RETURN (SELECT min(coalesce(p.started_at, (
                   SELECT min(x.first_seen)
                   FROM provenance."PARENT" c
                   JOIN lineage.execution x ON x.run = c.start_id::text::bigint AND x.job = execution_start.job
                   WHERE c.end_id OPERATOR(ag_catalog.=) e.end_id)))
        FROM provenance."PARENT" e JOIN lineage.run p ON p.id = e.end_id::text::bigint
        WHERE e.start_id OPERATOR(ag_catalog.=) lineage.to_graphid(execution_start.run));
COMMENT ON FUNCTION lineage.execution_start IS 'The beginning of the execution of a job that a run is part of';
