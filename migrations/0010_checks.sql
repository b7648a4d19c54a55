-- The jobs that only check what they read; see lineage.is_check(). Without the index their facets, which may be large,
-- would be read.
CREATE INDEX job_checks ON lineage.job (id) WHERE coalesce(upper(facets #>> '{jobType,1,jobType}') = 'TEST', false);
