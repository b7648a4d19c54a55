-- Installers: each creates what depends on the day or on which extensions the server has, and may be called
-- again.
SELECT lineage.make_partitions();
SELECT lineage.index_names();
SELECT lineage.make_set_functions();

COMMENT ON FUNCTION lineage.with_all IS 'The numbers of two sets';
COMMENT ON FUNCTION lineage.without IS 'The numbers of a set that another has not, each once';
