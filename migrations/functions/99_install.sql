-- Installers: each creates what depends on the day or on which extensions the server has, and may be called
-- again.
SELECT lineage.create_partitions();
SELECT lineage.install_search_indexes();
SELECT lineage.install_int_array_functions();

COMMENT ON FUNCTION lineage.int_array_union IS 'The numbers of two sets';
COMMENT ON FUNCTION lineage.int_array_difference IS 'The numbers of a set that another has not, each once';
