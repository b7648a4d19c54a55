-- Create the objects that depend on the current month or on the extensions of the server. Each of these functions can
-- be called again.
SELECT lineage.create_partitions();
SELECT lineage.install_search_indexes();
SELECT lineage.install_int_array_functions();

COMMENT ON FUNCTION lineage.int_array_union IS 'The union of two sets of integers';
COMMENT ON FUNCTION lineage.int_array_difference IS 'The integers of the first set that are not in the second';
