"""FEEDS: which dataset feeds which, by which job.

A run counts for each pair of an input and an output that it stated as work of one job. Of an
output of which lineage facets say what fed it, it counts for that alone.
"""

from __future__ import annotations

from itertools import groupby, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import moments, numbers
from lineage.projection import declared, summary
from lineage.projection.summary import Contribution, Pair, Runs, Summary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Set

    import psycopg

# What lineage facets state of an output takes the place of all that the run read.
_PAIRS = """
SELECT source, target, job, count(*), lineage.iso(min(first_seen)), lineage.iso(max(last_seen))
FROM (SELECT DISTINCT wanted.run, o.job, i.vertex AS source, o.vertex AS target,
                      e.first_seen, e.last_seen
      FROM unnest(%s::bigint[]) AS wanted (run)
      CROSS JOIN LATERAL (
          SELECT a.job, lineage.stated_inputs(a.facets) AS stated,
                 (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex
          FROM lineage.access a WHERE a.run = wanted.run AND a.output OFFSET 0) AS o
      CROSS JOIN LATERAL (
          SELECT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset) AS vertex
          FROM lineage.access a
          WHERE a.run = wanted.run AND a.job = o.job AND NOT a.output
            AND (o.stated IS NULL OR o.stated @> '[{"type": "JOB"}]')
          UNION ALL
          SELECT s.id FROM lineage.stated_sources(o.stated) AS s (id)
          WHERE o.stated IS NOT NULL
          OFFSET 0) AS i
      CROSS JOIN LATERAL (
          SELECT e.first_seen, e.last_seen FROM lineage.execution e
          WHERE e.run = wanted.run AND e.job = o.job OFFSET 0) AS e) AS contribution
GROUP BY source, target, job
"""

_COUNT = """
WITH counted AS (
    INSERT INTO lineage.feeds AS f
        (source, target, job, runs, first_seen, last_seen, edge, declared)
    SELECT source, target, job, runs, first_seen, last_seen, lineage.new_id('FEEDS'),
           lineage.is_declared(source, target, job)
    FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[],
                %s::timestamptz[], %s::timestamptz[])
         AS delta (source, target, job, runs, first_seen, last_seen)
    ON CONFLICT (source, target, job) DO UPDATE SET
        runs = f.runs + excluded.runs,
        first_seen = least(f.first_seen, excluded.first_seen),
        last_seen = greatest(f.last_seen, excluded.last_seen)
    RETURNING f
), drawn AS (
    INSERT INTO provenance."FEEDS" AS e (id, start_id, end_id, properties)
    SELECT lineage.graphid((f).edge), lineage.graphid((f).source), lineage.graphid((f).target),
           lineage.feeds_properties(f, j.namespace, j.name)
    FROM counted CROSS JOIN LATERAL (
        SELECT j.namespace, j.name FROM lineage.job j WHERE j.id = (f).job OFFSET 0) AS j
    ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
    WHERE e.properties IS DISTINCT FROM excluded.properties
), observed AS (
    -- Whatever it says now: who takes the last run away at the same time waits, and looks again.
    UPDATE lineage.declared d SET observed = true
    FROM counted
    WHERE (f).declared AND d.source = (f).source AND d.target = (f).target
      AND coalesce(d.job, (f).job) = (f).job
    -- A trigger deletes the edge of the design.
)
SELECT (f).source, (f).target, (f).job, (f).edge FROM counted
"""
_COUNT_TYPES = (numbers, numbers, numbers, numbers, moments, moments)

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

_FORGET = "SELECT edge, source, target FROM lineage.delete_unused_feeds(%s::bigint[])"

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

_NOTED = """
SELECT a.run, a.job, a.dataset,
       (SELECT d.canonical FROM lineage.dataset d WHERE d.id = a.dataset), a.output, a.explicit
FROM unnest(%s::bigint[]) AS wanted (run)
CROSS JOIN LATERAL (
    SELECT a.run, a.job, a.dataset, a.output, a.facets ? 'lineage' AS explicit
    FROM lineage.access a
    WHERE a.run = wanted.run OFFSET 0) AS a
"""

FEEDS = Summary(_PAIRS, _COUNT, _COUNT_TYPES, _SHRINK, _FORGET, _DRAW, declared.reappear)


class Change:
    """What a batch changes: made before its accesses are noted, and counted afterwards.

    Of a run of which nothing was noted the batch says all. A run of which it names nothing new
    counts as before, but was seen at other times. Only of other runs all is read back, twice.
    """

    def __init__(
        self,
        conn: psycopg.Connection[Any],
        runs: Runs,
        named: Mapping[int, set[tuple[int, int, bool]]],
        explicit: Set[int],
    ) -> None:
        """``named`` has job, dataset and output of each access that the batch names, by run.

        ``explicit`` are the runs of which the batch has lineage facets: these are always read back.
        """
        self._explicit = explicit
        self._conn = conn
        self._runs = runs
        self._noted = _noted(conn, runs.known & runs.feeding - runs.moved)
        self._steady = {
            run
            for run in runs.staying & self._noted.keys()
            if run not in explicit
            and not any(a[5] for a in self._noted[run])
            and named.get(run, set()).issubset((a[1], a[2], a[4]) for a in self._noted[run])
        }
        staying = runs.staying & self._noted.keys() - self._steady
        # A newer facet may say less than what was counted, as where a run leaves.
        restating = staying & explicit
        self._before = FEEDS.before(conn, staying - restating, runs.leaving | restating)

    def count(
        self,
        accesses: Iterable[tuple[int, int, int, bool]],
        times: Mapping[tuple[int, int], tuple[str, str]],
    ) -> None:
        """Count and draw: ``accesses`` are those of the batch, as ``of_whole_runs`` takes them."""
        first = self._runs.feeding - self._noted.keys() - self._runs.moved - self._explicit
        again = sorted((a[0], a[1], a[3], a[4]) for run in self._steady for a in self._noted[run])
        told = summary.together(
            of_whole_runs((a for a in accesses if a[0] in first), times),
            of_whole_runs(again, times, runs=0),
        )
        explicit = self._runs.feeding & self._explicit
        others = (self._runs.after | explicit) - self._steady - first
        after = summary.together(FEEDS.contributions(self._conn, others), told)
        FEEDS.apply(self._conn, self._before, after)


def _noted(
    conn: psycopg.Connection[Any], runs: Collection[int]
) -> dict[int, list[tuple[int, int, int, int, bool, bool]]]:
    """Return run, job, dataset, vertex, output, and whether a lineage facet was, by run."""
    said: dict[int, list[tuple[int, int, int, int, bool, bool]]] = {}
    if runs:
        for row in conn.execute(_NOTED, (numbers(sorted(runs)),)):
            said.setdefault(row[0], []).append(row)
    return said


def of_whole_runs(
    accesses: Iterable[tuple[int, int, int, bool]],
    times: Mapping[tuple[int, int], tuple[str, str]],
    runs: int = 1,
) -> Mapping[Pair, Contribution]:
    """Return what runs say of each pair that read and wrote no more than this.

    ``accesses`` are run, job, vertex, and whether it was written, sorted; ``times`` has the first
    and the last of runs and jobs, and of others nothing is said. Each counts as ``runs``.
    """
    alike: dict[tuple[int, frozenset[int], frozenset[int]], Contribution] = {}
    for work, group in groupby(accesses, key=itemgetter(0, 1)):
        if work not in times:
            continue
        sides: tuple[set[int], set[int]] = set(), set()
        for _, _, vertex, output in group:
            sides[output].add(vertex)
        key = (work[1], frozenset(sides[False]), frozenset(sides[True]))
        summary.add(alike, key, runs, *times[work])
    pairs: dict[Pair, Contribution] = {}
    for (job, inputs, outputs), said in alike.items():
        for source, target in product(inputs, outputs):
            summary.add(pairs, (source, target, job), said.runs, said.first, said.last)
    return pairs
