-- name: select_executions(applications) -> ExecutionRow
-- The executions of some applications that have ended.
SELECT DISTINCT application, execution FROM lineage.plan_document
WHERE application = ANY (%(applications)s) AND kind = 'execution_end' AND execution IS NOT NULL

-- name: select_end_of_execution(application, execution) -> str
-- The document of the end of an execution.
SELECT body FROM lineage.plan_document
WHERE application = %(application)s AND execution = %(execution)s AND kind = 'execution_end' ORDER BY time DESC LIMIT 1
