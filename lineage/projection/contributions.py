"""Contributions of runs to the pairs of a summary: number of runs, first and last time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import psycopg

    from lineage.database.binary_arrays import Array
    from lineage.database.statements import Statement

    Key = TypeVar("Key", bound=Hashable)

# The key of an edge: source, target, job, and the other columns of the summary's key.
Pair: TypeAlias = tuple[Any, ...]


class Contribution(Struct, gc=False):
    """The contribution of runs to a pair: number of runs, first and last time."""

    runs: int
    first: str
    last: str

    def include_runs(self, runs: int, first: str, last: str) -> None:
        """Add the contribution of other runs."""
        self.runs += runs
        if first < self.first:
            self.first = first
        if last > self.last:
            self.last = last


def read_contributions(
    conn: psycopg.Connection[Any], pairs: Statement[tuple[Any, ...]], params: Mapping[str, Array]
) -> Mapping[Pair, Contribution]:
    """Execute a statement; return the contribution to each pair."""
    # The last three columns; three or six columns of the key precede them.
    return {row[:-3]: Contribution(*row[-3:]) for row in pairs.execute(conn, **params)}


def add_contribution(
    sums: dict[Key, Contribution], key: Key, runs: int, first: str, last: str
) -> None:
    """Add the contribution of runs to the sum of a key."""
    sum_ = sums.get(key)
    if sum_ is None:
        sums[key] = Contribution(runs, first, last)
    else:
        sum_.include_runs(runs, first, last)


def merge_contributions(
    some: Mapping[Pair, Contribution], others: Mapping[Pair, Contribution]
) -> Mapping[Pair, Contribution]:
    """Add up the contributions of two disjoint sets of runs."""
    sums: dict[Pair, Contribution] = {}
    for side in (some, others):
        for pair, each in side.items():
            add_contribution(sums, pair, each.runs, each.first, each.last)
    return sums
