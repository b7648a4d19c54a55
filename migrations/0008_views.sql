-- The definitions of views: writes whose type says that they left no rows. Few graphs have any, so that most queries need
-- one look-up in an empty index. Accesses that were projected before have no type; rebuilding the graph adds it.
CREATE INDEX access_defining ON lineage.access (dataset) WHERE output AND facets ? 'datasetType';

-- Functions whose arguments or result changed; functions/ has the others.
DROP FUNCTION IF EXISTS lineage.upstream_run_set(bigint, int);
DROP FUNCTION IF EXISTS lineage.root_causes_of_runs(bigint[], bigint[], int[], int);
