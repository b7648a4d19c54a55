-- name: select_jobs(last, limit) -> int
-- Jobs with deferred contributions, after the last one in the order of ids.
(SELECT DISTINCT job FROM lineage.deferred_feeds WHERE job > %(last)s ORDER BY job LIMIT %(limit)s)
UNION
(SELECT DISTINCT job FROM lineage.deferred_derives WHERE job > %(last)s ORDER BY job LIMIT %(limit)s)
ORDER BY job LIMIT %(limit)s
