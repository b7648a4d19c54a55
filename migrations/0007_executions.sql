-- Functions whose arguments or result changed; functions/ has the others.
DROP FUNCTION IF EXISTS lineage.last_successful_write(bigint);
DROP FUNCTION IF EXISTS lineage.latest_runs(bigint[]);
