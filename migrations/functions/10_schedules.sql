-- Seconds from its nominal time after which the start of a run shows a backfill: the least delay of the last 21 runs of
-- the job that began by a time, and three intervals between their nominal times. No row if they reported no nominal time;
-- infinite if they reported one only. Without settings, so that the planner can inline it.
CREATE OR REPLACE FUNCTION lineage.start_delay_limit(job bigint, until timestamptz) RETURNS TABLE (delay double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1 AS $$
    WITH newest AS MATERIALIZED (
        SELECT e.first_seen, lineage.nominal_time(r) IS NOT NULL AS is_reported,
               lineage.scheduled_time(r, e.first_seen) AS nominal
        FROM (SELECT e.run, e.first_seen FROM lineage.execution_starts(start_delay_limit.job, until) AS e
              ORDER BY e.first_seen DESC FETCH FIRST 21 ROWS WITH TIES) AS e
        JOIN lineage.run r ON r.id = e.run
    ), step AS (
        SELECT extract(epoch FROM n.nominal - lag(n.nominal) OVER (ORDER BY n.nominal))::double precision AS seconds
        FROM (SELECT DISTINCT nominal FROM newest) AS n
    )
    SELECT extract(epoch FROM min(n.first_seen - n.nominal))::double precision
           + coalesce(3 * (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds) FROM step s), 'infinity')
    FROM newest n HAVING bool_or(n.is_reported)
$$;
COMMENT ON FUNCTION lineage.start_delay_limit IS 'Seconds from its nominal time after which the start of a run shows a backfill';

-- The last 21 runs of a job that follow its schedule and began by a time, by their nominal times. A run that began after
-- one of the same or a later nominal time repeats a part of the past, and so does one that began too long after its own.
-- An execution has one start. Only the last 1,000 runs are examined. If the last 21 runs report no
-- nominal times, all runs follow the schedule. Without settings, so that the planner can inline it.
CREATE OR REPLACE FUNCTION lineage.scheduled_starts(job bigint, until timestamptz)
RETURNS TABLE (nominal timestamptz, began timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 21 AS $$
    WITH latest AS MATERIALIZED (
        SELECT (SELECT l.delay FROM lineage.start_delay_limit(scheduled_starts.job, until) AS l) AS delay
    ), near AS MATERIALIZED (
        SELECT x.nominal, x.first_seen AS began
        FROM (SELECT e.first_seen, lineage.scheduled_time(r, e.first_seen) AS nominal
              FROM (SELECT e.run, e.first_seen FROM lineage.execution_starts(scheduled_starts.job, until) AS e
                    WHERE (SELECT delay FROM latest) IS NOT NULL ORDER BY e.first_seen DESC OFFSET 0) AS e
              JOIN lineage.run r ON r.id = e.run ORDER BY e.first_seen DESC OFFSET 0) AS x
        WHERE extract(epoch FROM x.first_seen - x.nominal) <= (SELECT delay FROM latest)
        ORDER BY x.first_seen DESC FETCH FIRST 60 ROWS WITH TIES
    ), first AS (
        SELECT DISTINCT n.nominal, n.began
        FROM (SELECT n.*, max(n.nominal) OVER (ORDER BY n.began GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
              FROM near n) AS n
        WHERE n.reached IS NULL OR n.nominal > n.reached
    )
    (SELECT f.nominal, f.began FROM first f ORDER BY f.nominal DESC, f.began LIMIT 21)
    UNION ALL
    (SELECT DISTINCT e.first_seen, e.first_seen FROM lineage.execution_starts(scheduled_starts.job, until) AS e
     WHERE (SELECT delay FROM latest) IS NULL
     ORDER BY e.first_seen DESC LIMIT 21)
$$;
COMMENT ON FUNCTION lineage.scheduled_starts IS 'The last runs of a job that follow its schedule';

-- The last runs of each job that follow its schedule and began by a time; see scheduled_starts. Jobs with less than six
-- runs, whose interval is unknown, are omitted.
CREATE OR REPLACE FUNCTION lineage.schedules_at(until timestamptz)
RETURNS TABLE (job bigint, nominal timestamptz, began timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10000
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_mergejoin = off SET enable_hashjoin = off SET jit = off AS $$
    SELECT j.id, s.nominal, s.began
    FROM lineage.job j CROSS JOIN LATERAL lineage.scheduled_starts(j.id, until) AS s
    WHERE EXISTS (SELECT FROM lineage.execution e WHERE e.job = j.id AND e.first_seen <= until
                  ORDER BY e.first_seen DESC OFFSET 5 LIMIT 1)
$$;
COMMENT ON FUNCTION lineage.schedules_at IS 'The last runs of each job that follow its schedule';
