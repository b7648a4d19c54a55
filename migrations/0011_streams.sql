-- What a streaming query that failed had fed by then.

-- A failed or aborted run fed nothing that can be relied on, but for the micro-batches that were done.
CREATE FUNCTION lineage.is_feeding(state text, facets jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lineage.is_feeding(state)
    OR facets @? '$.lineage_streaming_query[1].facts.batches ? (@ > 0)';
