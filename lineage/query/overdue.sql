-- name: select_overdue_jobs(time, limit) -> OverdueRow
-- Jobs whose last run began longer before a time than is expected after the intervals between the beginnings of the runs
-- before it, but not 20 times as long: those have ended.
SELECT j.id, j.namespace, j.name,
       (SELECT lineage.run_record(r) FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
        WHERE x.job = j.id AND x.first_seen = began.latest ORDER BY r.run_id LIMIT 1) AS run,
       expected.median, expected.spread, expected.runs, lineage.iso8601(expected_by) AS expected_by,
       count(*) OVER () AS total
FROM lineage.job j
CROSS JOIN LATERAL (
    SELECT max(b.first_seen) AS latest,
           array_agg(extract(epoch FROM b.passed)::double precision) FILTER (WHERE b.passed IS NOT NULL) AS intervals
    FROM (SELECT e.first_seen, e.first_seen - lag(e.first_seen) OVER (ORDER BY e.first_seen) AS passed
          FROM (SELECT DISTINCT x.first_seen FROM lineage.execution x
                WHERE x.job = j.id AND x.first_seen <= %(time)s::timestamptz
                ORDER BY x.first_seen DESC LIMIT 21) AS e) AS b) AS began
CROSS JOIN LATERAL lineage.expected_range(began.intervals, 60) AS expected
CROSS JOIN LATERAL (SELECT began.latest + make_interval(secs => expected.high) AS expected_by OFFSET 0) AS next
WHERE expected_by < %(time)s::timestamptz
  AND began.latest + 20 * make_interval(secs => expected.high) >= %(time)s::timestamptz
  AND NOT lineage.is_streaming_job(j.id)
ORDER BY next.expected_by DESC, j.namespace, j.name
LIMIT %(limit)s
