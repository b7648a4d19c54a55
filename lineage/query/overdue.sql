-- name: select_overdue_jobs(time, limit) -> OverdueRow
-- Jobs whose last run of the schedule began longer before a time than is expected after the intervals between the nominal
-- times of these runs, but not 20 times as long: those have ended. run is the last run of that nominal time.
SELECT j.id, j.namespace, j.name,
       (SELECT lineage.run_record(r) FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
        WHERE x.job = j.id AND x.first_seen BETWEEN schedule.latest AND %(time)s::timestamptz
          AND lineage.scheduled_time(r, x.first_seen) = schedule.nominal
        ORDER BY x.first_seen DESC, r.run_id LIMIT 1) AS run,
       expected.median, expected.spread, expected.runs, lineage.iso8601(expected_by) AS expected_by,
       count(*) OVER () AS total
FROM (SELECT s.job, max(s.began) AS latest, (array_agg(s.nominal ORDER BY s.began DESC, s.nominal DESC))[1] AS nominal,
             array_agg(s.seconds) FILTER (WHERE s.seconds IS NOT NULL) AS intervals
      FROM (SELECT s.*, extract(epoch FROM s.nominal - lag(s.nominal) OVER (
                            PARTITION BY s.job ORDER BY s.nominal, s.began))::double precision AS seconds
            FROM lineage.schedules_at(%(time)s::timestamptz) AS s) AS s
      GROUP BY s.job) AS schedule
JOIN lineage.job j ON j.id = schedule.job
CROSS JOIN LATERAL lineage.expected_range(schedule.intervals, 60) AS expected
CROSS JOIN LATERAL (SELECT schedule.latest + make_interval(secs => expected.high) AS expected_by OFFSET 0) AS next
WHERE expected_by < %(time)s::timestamptz
  AND schedule.latest + 20 * make_interval(secs => expected.high) >= %(time)s::timestamptz
  AND NOT lineage.is_streaming_job(j.id)
ORDER BY next.expected_by DESC, j.namespace, j.name
LIMIT %(limit)s
