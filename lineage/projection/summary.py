"""What all runs say together: one edge for each pair and job, counted by difference.

A run counts from its first event on, unless it failed or was aborted. A streaming query of which a
micro-batch was done counts then, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct

from lineage.database.binary_arrays import execute_rows, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set

    import psycopg

    from lineage.database.binary_arrays import Array, Kind
    from lineage.database.statements import Statement

    Key = TypeVar("Key", bound=Hashable)

# What tells an edge from others: source, target, job, and what else the summary has.
Pair: TypeAlias = tuple[Any, ...]

_SET_FEEDING = """
UPDATE lineage.run SET feeding = lineage.is_feeding(state, facets, streamed)
WHERE id = ANY (%s::bigint[])
"""


class Contribution(Struct, gc=False):
    """What some runs say together of a pair: how many, first and last."""

    runs: int
    first: str
    last: str

    def add(self, runs: int, first: str, last: str) -> None:
        """Note what other runs say of the same."""
        self.runs += runs
        if first < self.first:
            self.first = first
        if last > self.last:
            self.last = last


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of a batch, and of others those that ``moved``: of which a name got another vertex.

    ``known`` were there before, ``counted`` are those of them that the summaries count, ``feeding``
    those that they have to count from now on. All that moved were counted.
    """

    batch: Set[int]
    known: Set[int]
    counted: Set[int]
    feeding: Set[int]
    moved: Set[int]

    @property
    def staying(self) -> set[int]:
        """Those that are counted before and after."""
        return set(self.counted & self.feeding - self.moved)

    @property
    def leaving(self) -> set[int]:
        """Those of which all that is counted may be wrong from now on."""
        return set(self.counted - self.feeding | self.moved)

    @property
    def after(self) -> set[int]:
        """Those that are counted from now on, and that were there before."""
        return set(self.feeding & self.known | (self.moved - self.batch))


@dataclass(frozen=True, slots=True)
class Before:
    """What the summary has counted of the runs of a batch, before the batch."""

    staying: Mapping[Pair, Contribution]
    leaving: Mapping[Pair, Contribution]

    def is_empty(self) -> bool:
        """Nothing was counted."""
        return not self.staying and not self.leaving


@dataclass(frozen=True, slots=True)
class Summary:
    """The statements of one summary.

    ``pairs`` gives for runs each pair with its contribution. ``count`` adds to pairs, draws them,
    and returns each with the id of its edge; the others take such ids. ``shrink`` finds times
    anew, ``forget`` deletes what no run counts for, with its edges, and returns it, its edge first.
    ``gone`` is called with what was deleted.
    """

    pairs: Statement[tuple[Any, ...]]
    count: Statement[tuple[Any, ...]]
    count_types: Mapping[str, Kind]
    shrink: Statement[None]
    forget: Statement[Any]
    draw: Statement[None]
    gone: Callable[[psycopg.Connection[Any], Sequence[Any]], None] | None = None

    def contributions(
        self, conn: psycopg.Connection[Any], runs: Collection[int]
    ) -> Mapping[Pair, Contribution]:
        """Return what ``runs`` say of each pair, whether or not they count."""
        if not runs:
            return {}
        return contributions(conn, self.pairs, {"runs": numbers(sorted(runs))})

    def before(
        self, conn: psycopg.Connection[Any], staying: Collection[int], leaving: Collection[int]
    ) -> Before:
        """Return what is counted of runs that stay, and of those that leave."""
        return Before(self.contributions(conn, staying), self.contributions(conn, leaving))

    def apply(
        self, conn: psycopg.Connection[Any], before: Before, after: Mapping[Pair, Contribution]
    ) -> None:
        """Count ``after`` in place of ``before`` and draw the edges that this touches."""
        pairs = sorted({*before.staying, *before.leaving, *after})
        if not pairs:
            return
        rows = [_delta(pair, before, after.get(pair)) for pair in pairs]
        counted = execute_rows(conn, self.count, self.count_types, rows)
        if before.leaving:
            edges = {tuple(pair): edge for *pair, edge in counted}
            self._shrink(conn, sorted(edges[pair] for pair in before.leaving))

    def _shrink(self, conn: psycopg.Connection[Any], edges: list[int]) -> None:
        self.shrink.execute(conn, edges=edges)
        gone = self.forget.fetch(conn, edges=edges)
        if gone and self.gone is not None:
            self.gone(conn, gone)
        self.draw.execute(conn, edges=edges)


def contributions(
    conn: psycopg.Connection[Any], pairs: Statement[tuple[Any, ...]], params: Mapping[str, Array]
) -> Mapping[Pair, Contribution]:
    """Return each pair that a statement gives, with its contribution."""
    # Keys of three or six columns, and what is counted of them.
    return {row[:-3]: Contribution(*row[-3:]) for row in pairs.execute(conn, **params)}


def add(sums: dict[Key, Contribution], key: Key, runs: int, first: str, last: str) -> None:
    """Add what some runs say to what others say of the same."""
    noted = sums.get(key)
    if noted is None:
        sums[key] = Contribution(runs, first, last)
    else:
        noted.add(runs, first, last)


def together(
    some: Mapping[Pair, Contribution], others: Mapping[Pair, Contribution]
) -> Mapping[Pair, Contribution]:
    """Return what two sets of runs, which have none in common, say together."""
    sums: dict[Pair, Contribution] = {}
    for side in (some, others):
        for pair, said in side.items():
            add(sums, pair, said.runs, said.first, said.last)
    return sums


def set_feeding(conn: psycopg.Connection[Any], runs: Collection[int]) -> None:
    """Write down of ``runs`` that they count from now on, or no longer, as their state says."""
    if runs:
        conn.execute(_SET_FEEDING, (sorted(runs),))


def _delta(pair: Pair, before: Before, after: Contribution | None) -> tuple[object, ...]:
    counted = sum(side[pair].runs for side in (before.staying, before.leaving) if pair in side)
    if after is None:
        return (*pair, -counted, None, None)
    return (*pair, after.runs - counted, after.first, after.last)
