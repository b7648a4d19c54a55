"""What all runs say together: one edge for each pair and job, counted by difference.

A run counts from its first event on, unless it failed or was aborted. A streaming query of which a
micro-batch was done counts then, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import psycopg

# What tells an edge from others: source, target, job, and what else the summary has.
Pair: TypeAlias = tuple[Any, ...]

_SET_FEEDING = """
UPDATE lineage.run SET feeding = lineage.is_feeding(state, facets) WHERE id = ANY (%s::bigint[])
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


@dataclass(frozen=True, slots=True)
class Summary:
    """The statements of one summary.

    ``pairs`` gives for runs each pair with its contribution. ``count`` adds to pairs and returns
    each with the id of its edge; the others take such ids. ``shrink`` finds times anew, ``forget``
    deletes what no run counts for and returns it, ``erase`` takes edges out of the graph.
    """

    pairs: str
    count: str
    shrink: str
    forget: str
    erase: str
    draw: str

    def contributions(
        self, conn: psycopg.Connection[Any], runs: Collection[int]
    ) -> Mapping[Pair, Contribution]:
        """Return what ``runs`` say of each pair, whether or not they count."""
        if not runs:
            return {}
        rows = conn.execute(self.pairs, (sorted(runs),)).fetchall()
        return {row[:-3]: Contribution(*row[-3:]) for row in rows}

    def apply(
        self, conn: psycopg.Connection[Any], before: Before, after: Mapping[Pair, Contribution]
    ) -> None:
        """Count ``after`` in place of ``before`` and draw the edges that this touches."""
        pairs = sorted({*before.staying, *before.leaving, *after})
        if not pairs:
            return
        rows = [_delta(pair, before, after.get(pair)) for pair in pairs]
        counted = conn.execute(self.count, [list(column) for column in zip(*rows, strict=True)])
        edges = {row[:-1]: row[-1] for row in counted}
        if before.leaving:
            self._shrink(conn, [edges[pair] for pair in before.leaving])
        conn.execute(self.draw, (sorted(edges.values()),))

    def _shrink(self, conn: psycopg.Connection[Any], edges: list[int]) -> None:
        conn.execute(self.shrink, (edges,))
        if gone := conn.execute(self.forget, (edges,)).fetchall():
            conn.execute(self.erase, ([edge for (edge,) in gone],))


def set_feeding(conn: psycopg.Connection[Any], runs: Collection[int]) -> None:
    """Write down of ``runs`` that they count from now on, or no longer, as their state says."""
    if runs:
        conn.execute(_SET_FEEDING, (sorted(runs),))


def _delta(pair: Pair, before: Before, after: Contribution | None) -> tuple[object, ...]:
    counted = sum(side[pair].runs for side in (before.staying, before.leaving) if pair in side)
    if after is None:
        return (*pair, -counted, None, None)
    return (*pair, after.runs - counted, after.first, after.last)
