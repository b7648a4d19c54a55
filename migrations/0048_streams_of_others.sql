-- A stream that failed fed what it had written by then. Our listener tells how many micro-batches were done; of
-- another producer it is known where events of the run say that its job is a stream and that it runs.

ALTER TABLE lineage.run ADD COLUMN streamed smallint NOT NULL DEFAULT 0;
COMMENT ON COLUMN lineage.run.streamed IS
    'What events of the run say, a bit each: 1 that its job is a stream, 2 that it is running';

CREATE FUNCTION lineage.is_feeding(state text, facets jsonb, streamed smallint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.is_feeding(state, facets) OR streamed = 3;
