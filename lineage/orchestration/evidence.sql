-- name: select_read_days(datasets, readers, reader_steps, writers, writer_steps, since) -> ReadDaysRow
-- For each reader, writer and dataset: the days (UTC) since a time on which a run of the reader that did not fail read
-- the dataset, and the number of those on which a run of the writer had written it before, on the same day. Readers and
-- writers are jobs with the number of their step, from 1.
WITH step AS (
    SELECT s.number, s.dataset FROM unnest(%(datasets)s::bigint[]) WITH ORDINALITY AS s (dataset, number)
), pair AS MATERIALIZED (
    SELECT s.number, n.id AS dataset FROM step s JOIN lineage.dataset n ON n.canonical = s.dataset
), read AS MATERIALIZED (
    SELECT p.number, a.first_seen, date_trunc('day', a.first_seen, 'UTC') AS day
    FROM pair p
    JOIN unnest(%(readers)s::bigint[], %(reader_steps)s::int[]) AS j (job, number) ON j.number = p.number
    JOIN lineage.access a ON a.dataset = p.dataset AND a.job = j.job AND NOT a.output
        AND a.last_seen >= %(since)s::timestamptz
    JOIN lineage.run r ON r.id = a.run AND r.contributing
), written AS MATERIALIZED (
    SELECT p.number, a.last_seen
    FROM pair p
    JOIN unnest(%(writers)s::bigint[], %(writer_steps)s::int[]) AS j (job, number) ON j.number = p.number
    JOIN lineage.access a ON a.dataset = p.dataset AND a.job = j.job AND a.output
        AND a.last_seen >= %(since)s::timestamptz AND lineage.writes_rows(a.facets)
    JOIN lineage.run r ON r.id = a.run AND r.contributing
)
SELECT d.number::int AS number, count(*)::int AS days, count(*) FILTER (WHERE d.after)::int AS days_after
FROM (SELECT r.number, r.day, bool_and(EXISTS (
                 SELECT FROM written w
                 WHERE w.number = r.number AND w.last_seen >= r.day AND w.last_seen <= r.first_seen)) AS after
      FROM read r GROUP BY r.number, r.day) AS d
GROUP BY d.number
