-- The jobs that only check what they read; see lineage.is_check(). Without the index their facets, which may be large,
-- would be read.
CREATE INDEX job_checks ON lineage.job (id) WHERE coalesce(upper(facets #>> '{jobType,1,jobType}') = 'TEST', false);

-- Functions that are gone, or whose result changed; functions/ has the others.
DROP FUNCTION IF EXISTS lineage.sources_of_definition(bigint, bigint, bigint);
DROP FUNCTION IF EXISTS lineage.input_manifests(text);
DROP FUNCTION IF EXISTS lineage.job_closure(bigint, text, int, boolean, double precision);
