-- name: select_intervals(period, timezone) -> IntervalRow
-- The hours of the last day, or the days of the last week.
SELECT lineage.iso8601(began) AS start_interval, lineage.iso8601(ended) AS end_interval, began
FROM (
    SELECT date_trunc('hour', now()) - n * interval '1 hour' AS began,
           date_trunc('hour', now()) - (n - 1) * interval '1 hour' AS ended
    FROM generate_series(0, 23) AS n WHERE %(period)s = 'DAY'
    UNION ALL
    SELECT (today - n * interval '1 day') AT TIME ZONE %(timezone)s,
           (today - (n - 1) * interval '1 day') AT TIME ZONE %(timezone)s
    FROM generate_series(0, 6) AS n, date_trunc('day', now() AT TIME ZONE %(timezone)s) AS today
    WHERE %(period)s = 'WEEK') AS i
ORDER BY began

-- name: count_runs(began) -> RunCountRow
-- The numbers of runs that began and ended in each interval. 0 is before the first interval.
SELECT 'start' AS kind, width_bucket(started_at, %(began)s::timestamptz[]) AS bucket,
       count(*) AS runs
FROM lineage.run WHERE started_at >= (%(began)s::timestamptz[])[1] GROUP BY bucket
UNION ALL
SELECT lower(state), width_bucket(ended_at, %(began)s::timestamptz[]) AS bucket, count(*)
FROM lineage.run WHERE ended_at >= (%(began)s::timestamptz[])[1] GROUP BY state, bucket

-- name: count_jobs(began) -> BucketRow
-- The number of jobs that were first seen in each interval. 0 is before the first interval.
SELECT width_bucket(coalesce(first_seen, '-infinity'), %(began)s::timestamptz[]) AS bucket, count(*) AS entities
FROM lineage.job GROUP BY bucket

-- name: count_datasets(began) -> BucketRow
-- The number of datasets that were first seen in each interval. 0 is before the first interval.
SELECT width_bucket(coalesce(first_seen, '-infinity'), %(began)s::timestamptz[]) AS bucket, count(*) AS entities
FROM (SELECT min(first_seen) AS first_seen FROM lineage.dataset GROUP BY canonical) AS d GROUP BY bucket

-- name: count_sources(began) -> BucketRow
-- The number of namespaces that were first seen in each interval. 0 is before the first interval.
SELECT width_bucket(coalesce(first_seen, '-infinity'), %(began)s::timestamptz[]) AS bucket, count(*) AS entities
FROM (SELECT min(first_seen) AS first_seen FROM lineage.dataset GROUP BY namespace) AS s GROUP BY bucket
