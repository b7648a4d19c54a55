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

_SET_FEEDING = """
UPDATE lineage.run SET feeding = lineage.is_feeding(state) WHERE id = ANY (%s::bigint[])
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
    counted = conn.execute(_COUNT, [list(column) for column in zip(*rows, strict=True)])
    edges = {(source, target, job): edge for source, target, job, edge in counted}
    if before.leaving:
        _shrink(conn, [edges[pair] for pair in before.leaving])
    conn.execute(_DRAW, (sorted(edges.values()),))


def _shrink(conn: psycopg.Connection[Any], edges: list[int]) -> None:
    conn.execute(_SHRINK, (edges,))
    if gone := conn.execute(_FORGET, (edges,)).fetchall():
        conn.execute(_ERASE, ([edge for (edge,) in gone],))


def _delta(pair: Pair, before: Before, after: Contribution | None) -> tuple[object, ...]:
    counted = sum(side[pair].runs for side in (before.staying, before.leaving) if pair in side)
    if after is None:
        return (*pair, -counted, None, None)
    return (*pair, after.runs - counted, after.first, after.last)
