-- name: prepare_transaction() -> TransactionRow
-- Settings of the planner for this transaction. All statements of the projection go by index,
-- whatever the planner believes of the tables: a fresh table looks small to it, and a plan kept
-- from then stays when it is large. Since there is but one way left, it need not be looked for
-- again. ag_catalog is where the operators of graphid and agtype are found.
SELECT current_setting('transaction_isolation') AS isolation,
       set_config('enable_seqscan', 'off', true) AS seqscan,
       set_config('enable_hashjoin', 'off', true) AS hashjoin,
       set_config('enable_mergejoin', 'off', true) AS mergejoin,
       set_config('jit', 'off', true) AS jit,
       set_config('plan_cache_mode', 'force_generic_plan', true) AS plan_cache_mode,
       set_config('search_path', 'pg_catalog, ag_catalog', true) AS search_path
