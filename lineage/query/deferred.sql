-- name: count_deferred_jobs() -> int
-- The number of jobs with contributions that are not in the summaries yet, of 10,000 contributions of each kind.
SELECT count(*) FROM ((SELECT job FROM lineage.deferred_feeds LIMIT 10000)
                      UNION (SELECT job FROM lineage.deferred_derives LIMIT 10000)) AS d
