-- Functions whose arguments or result changed, or that were removed; functions/ has the others.
DROP FUNCTION IF EXISTS lineage.reads_of_writes(bigint[], bigint[]);
DROP FUNCTION IF EXISTS lineage.dependents_direct(bigint[], bigint[], boolean);
DROP FUNCTION IF EXISTS lineage.run_dependencies_direct(bigint, bigint, boolean, bigint);
