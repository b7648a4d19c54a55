-- The jobs that run until they are stopped; see lineage.is_stream(). The index replaces that of streams alone.
CREATE INDEX job_streams ON lineage.job (id)
    WHERE coalesce(upper(facets #>> '{jobType,1,processingType}') IN ('STREAMING', 'SERVICE'), false);
DROP INDEX lineage.job_streaming;
