-- A run that failed wrote nothing: that it was to write a dataset makes its job no writer of it.

-- Did a run of the job that did not fail write the dataset?
CREATE FUNCTION lineage.is_writer(job bigint, dataset bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.dataset n
               JOIN lineage.access a ON a.dataset = n.id AND a.output AND a.job = is_writer.job
               JOIN lineage.run r ON r.id = a.run AND r.feeding
               WHERE n.canonical = is_writer.dataset);

-- Does anything come of it: is another dataset made from it, or does a job read it that does not write it?
-- A MERGE reads what it writes: that is no use of it.
CREATE OR REPLACE FUNCTION lineage.is_used(dataset bigint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM lineage.feeds f WHERE f.source = dataset AND f.target <> dataset)
    OR EXISTS (SELECT FROM lineage.jobs_of(is_used.dataset, false) AS j (job)
               WHERE NOT lineage.is_writer(j.job, is_used.dataset));

-- Has the run written what it says that it writes? One that failed has not, nor one that is not over; a stream
-- writes as long as it goes on.
CREATE FUNCTION lineage.has_committed(r lineage.run, job bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN lineage.had_written(r, 'infinity') OR r.feeding AND lineage.is_stream(job);

COMMENT ON FUNCTION lineage.is_writer IS 'Whether a run of a job that did not fail wrote a dataset';
COMMENT ON FUNCTION lineage.has_committed IS 'Whether a run has written what it says that it writes';
