-- name: prepare_transaction() -> TransactionRow
-- Set the options of the planner for this transaction, so that all statements use indexes. For a new table
-- the planner would choose a sequential scan, and would still use that plan after the table has grown.
-- Generic plans save the planning of each execution. ag_catalog contains the operators of graphid and agtype.
SELECT current_setting('transaction_isolation') AS isolation,
       EXISTS (SELECT FROM lineage.run_archive) AS has_archive,
       (SELECT max(sha256) FROM lineage.function_set) AS function_set,
       set_config('enable_seqscan', 'off', true) AS seqscan,
       set_config('enable_hashjoin', 'off', true) AS hashjoin,
       set_config('enable_mergejoin', 'off', true) AS mergejoin,
       set_config('jit', 'off', true) AS jit,
       set_config('plan_cache_mode', 'force_generic_plan', true) AS plan_cache_mode,
       set_config('search_path', 'pg_catalog, ag_catalog', true) AS search_path
