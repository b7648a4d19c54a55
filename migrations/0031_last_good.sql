-- As before, by a walk through the runs of the job from the newest on, which nearly always ends at the first.
-- The order stands in a subquery: the planner would rather look at all runs, and sort what is left.
CREATE OR REPLACE FUNCTION lineage.last_good(job bigint) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT e.last_seen
        FROM (SELECT x.run, x.job, x.last_seen FROM lineage.execution x
              WHERE x.job = last_good.job AND x.last_seen IS NOT NULL
              ORDER BY x.last_seen DESC OFFSET 0) AS e
        WHERE (SELECT r.state FROM lineage.run r WHERE r.id = e.run) = 'COMPLETE'
          AND (SELECT true FROM lineage.access a
               WHERE a.run = e.run AND a.job = e.job AND a.output LIMIT 1)
        ORDER BY e.last_seen DESC LIMIT 1);
