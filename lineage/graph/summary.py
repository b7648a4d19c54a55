"""FEEDS, the summary of all runs: which dataset feeds which, by which job.

A run counts for each pair of an input and an output that it stated as work of one job, from its
first event on, unless it failed or was aborted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import psycopg

# Source, target, job.
Pair: TypeAlias = tuple[int, int, int]

_PAIRS = """
SELECT source, target, job, count(*), lineage.iso(min(first_seen)), lineage.iso(max(last_seen))
FROM (SELECT DISTINCT i.run, i.job, s.canonical AS source, t.canonical AS target,
                      e.first_seen, e.last_seen
      FROM unnest(%s::bigint[]) AS wanted (run)
      JOIN lineage.access i ON i.run = wanted.run AND NOT i.output
      JOIN lineage.access o ON o.run = i.run AND o.job = i.job AND o.output
      JOIN lineage.dataset s ON s.id = i.dataset
      JOIN lineage.dataset t ON t.id = o.dataset
      JOIN lineage.execution e ON e.run = i.run AND e.job = i.job) AS contribution
GROUP BY source, target, job
"""

_SET_FEEDING = """
UPDATE lineage.run r SET feeding = lineage.is_feeding(r.state)
FROM unnest(%s::bigint[]) AS changed (id) WHERE r.id = changed.id
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
"""

# A run that no longer counts may have been the first or the last: the next one is found by walking
# the runs of the job in order of time.
_SHRINK = """
UPDATE lineage.feeds f SET first_seen = earliest.first_seen, last_seen = latest.last_seen
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS pair (source, target, job)
CROSS JOIN LATERAL (
    SELECT e.first_seen FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
    WHERE e.job = pair.job AND r.feeding
      AND lineage.accessed(e.run, e.job, pair.source, false)
      AND lineage.accessed(e.run, e.job, pair.target, true)
    ORDER BY e.first_seen LIMIT 1) AS earliest
CROSS JOIN LATERAL (
    SELECT e.last_seen FROM lineage.execution e JOIN lineage.run r ON r.id = e.run
    WHERE e.job = pair.job AND r.feeding
      AND lineage.accessed(e.run, e.job, pair.source, false)
      AND lineage.accessed(e.run, e.job, pair.target, true)
    ORDER BY e.last_seen DESC LIMIT 1) AS latest
WHERE (f.source, f.target, f.job) = (pair.source, pair.target, pair.job)
"""

_ERASE = """
WITH gone AS (
    DELETE FROM lineage.feeds f
    USING unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS pair (source, target, job)
    WHERE (f.source, f.target, f.job) = (pair.source, pair.target, pair.job) AND f.runs = 0
    RETURNING f.edge
)
DELETE FROM provenance."FEEDS" e USING gone WHERE e.id = lineage.graphid(gone.edge)
"""

_DRAW = """
INSERT INTO provenance."FEEDS" AS e (id, start_id, end_id, properties)
SELECT lineage.graphid(f.edge), lineage.graphid(f.source), lineage.graphid(f.target),
       lineage.feeds_properties(f, j.namespace, j.name)
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS pair (source, target, job)
JOIN lineage.feeds f USING (source, target, job)
JOIN lineage.job j ON j.id = f.job
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE e.properties IS DISTINCT FROM excluded.properties
"""


class Contribution(NamedTuple):
    """What some runs say together of a pair: how many, first and last."""

    runs: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Before:
    """What the summary has counted of the runs of a batch, before the batch."""

    staying: Mapping[Pair, Contribution]
    leaving: Mapping[Pair, Contribution]


def contributions(
    conn: psycopg.Connection[Any], runs: Collection[int]
) -> Mapping[Pair, Contribution]:
    """Return what ``runs`` say of each pair, whether or not they count."""
    if not runs:
        return {}
    rows = conn.execute(_PAIRS, (sorted(runs),)).fetchall()
    return {(row[0], row[1], row[2]): Contribution(*row[3:]) for row in rows}


def set_feeding(conn: psycopg.Connection[Any], runs: Collection[int]) -> None:
    """Write down of ``runs`` that they count from now on, or no longer, as their state says."""
    if runs:
        conn.execute(_SET_FEEDING, (sorted(runs),))


def apply(
    conn: psycopg.Connection[Any], before: Before, after: Mapping[Pair, Contribution]
) -> None:
    """Count ``after`` in place of ``before`` and draw the edges that this touches."""
    pairs = sorted({*before.staying, *before.leaving, *after})
    if not pairs:
        return
    rows = [_delta(pair, before, after.get(pair)) for pair in pairs]
    conn.execute(_COUNT, [list(column) for column in zip(*rows, strict=True)])
    keys = [list(column) for column in zip(*pairs, strict=True)]
    if before.leaving:
        shrunk = [list(column) for column in zip(*sorted(before.leaving), strict=True)]
        conn.execute(_SHRINK, shrunk)
        conn.execute(_ERASE, shrunk)
    conn.execute(_DRAW, keys)


def _delta(pair: Pair, before: Before, after: Contribution | None) -> tuple[object, ...]:
    counted = sum(side[pair].runs for side in (before.staying, before.leaving) if pair in side)
    if after is None:
        return (*pair, -counted, None, None)
    return (*pair, after.runs - counted, after.first, after.last)
