"""FEEDS: which dataset feeds which, by which job.

A run counts for each pair of an input and an output that it stated as work of one job.
"""

from __future__ import annotations

from lineage.graph.summary import Summary

_PAIRS = """
SELECT source, target, job, count(*), lineage.iso(min(first_seen)), lineage.iso(max(last_seen))
FROM (SELECT DISTINCT wanted.run, i.job, i.vertex AS source, o.vertex AS target,
                      e.first_seen, e.last_seen
      FROM unnest(%s::bigint[]) AS wanted (run)
      CROSS JOIN LATERAL (
          SELECT a.job, (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex
          FROM lineage.access a WHERE a.run = wanted.run AND NOT a.output OFFSET 0) AS i
      CROSS JOIN LATERAL (
          SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex
          FROM lineage.access a WHERE a.run = wanted.run AND a.job = i.job AND a.output
          OFFSET 0) AS o
      CROSS JOIN LATERAL (
          SELECT e.first_seen, e.last_seen FROM lineage.execution e
          WHERE e.run = wanted.run AND e.job = i.job OFFSET 0) AS e) AS contribution
GROUP BY source, target, job
"""

_COUNT = """
INSERT INTO lineage.feeds AS f (source, target, job, runs, first_seen, last_seen, edge)
SELECT source, target, job, runs, first_seen, last_seen, lineage.new_id('FEEDS')
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::timestamptz[],
            %s::timestamptz[]) AS delta (source, target, job, runs, first_seen, last_seen)
ON CONFLICT (source, target, job) DO UPDATE SET
    runs = f.runs + excluded.runs,
    first_seen = least(f.first_seen, excluded.first_seen),
    last_seen = greatest(f.last_seen, excluded.last_seen)
RETURNING source, target, job, edge
"""

# A run that no longer counts may have been the first or the last: the next one is found by walking
# the runs of the job in order of time.
_SHRINK = """
UPDATE lineage.feeds f SET
    first_seen = (
        SELECT e.first_seen FROM lineage.execution e
        WHERE e.job = f.job AND lineage.counts(e.run, e.job, f.source, f.target)
        ORDER BY e.first_seen LIMIT 1),
    last_seen = (
        SELECT e.last_seen FROM lineage.execution e
        WHERE e.job = f.job AND lineage.counts(e.run, e.job, f.source, f.target)
        ORDER BY e.last_seen DESC LIMIT 1)
WHERE f.edge = ANY (%s::bigint[])
"""

_FORGET = "DELETE FROM lineage.feeds WHERE edge = ANY (%s::bigint[]) AND runs = 0 RETURNING edge"
_ERASE = 'DELETE FROM provenance."FEEDS" WHERE id = ANY (%s::bigint[]::text[]::graphid[])'

_DRAW = """
INSERT INTO provenance."FEEDS" AS e (id, start_id, end_id, properties)
SELECT lineage.graphid(f.edge), lineage.graphid(f.source), lineage.graphid(f.target),
       lineage.feeds_properties(f, j.namespace, j.name)
FROM lineage.feeds f
CROSS JOIN LATERAL (
    SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = f.job OFFSET 0) AS j
WHERE f.edge = ANY (%s::bigint[])
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties
"""

FEEDS = Summary(_PAIRS, _COUNT, _SHRINK, _FORGET, _ERASE, _DRAW)
