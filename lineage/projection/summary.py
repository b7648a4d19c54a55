"""The algorithm of both summaries: one edge for each pair and job, maintained incrementally.

A run contributes from its first event on, unless it failed or was aborted. A streaming query that
completed a micro-batch contributes even then. The contribution of the runs of a batch is read
before and after the batch changes the facts; the difference is added to the summary.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import bigint_array, execute_rows
from lineage.projection.contributions import merge_contributions, read_contributions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set

    import psycopg

    from lineage.database.binary_arrays import Kind
    from lineage.database.statements import Statement
    from lineage.projection.contributions import Contribution, Pair

    Connection = psycopg.Connection[Any]


@dataclass(frozen=True, slots=True)
class Before:
    """Contributions counted for the runs of a batch before the batch.

    ``updated``: of runs whose contribution may only grow. ``removed``: of runs whose contribution
    may also shrink; the bounds of their pairs have to be recomputed.
    """

    updated: Mapping[Pair, Contribution]
    removed: Mapping[Pair, Contribution]

    def is_empty(self) -> bool:
        """Return whether nothing was counted."""
        return not self.updated and not self.removed

    def with_removed(self, removed: Mapping[Pair, Contribution]) -> Before:
        """Return these contributions and those of further runs, which may shrink."""
        return Before(self.updated, merge_contributions(self.removed, removed))

    def of_jobs(self, jobs: Set[int]) -> Before:
        """Return the contributions to pairs of some jobs."""
        return Before(select_jobs(self.updated, jobs), select_jobs(self.removed, jobs))


NOTHING_COUNTED = Before({}, {})


@dataclass(frozen=True, slots=True)
class Summary:
    """The statements of one summary.

    ``select_pairs`` returns each pair of some runs with its contribution. ``add_pairs`` adds
    contributions to pairs, writes their edges, and returns each pair with the id of its edge. The
    other statements take such ids. ``recompute_bounds`` recomputes first and last time.
    ``delete_unreferenced`` deletes pairs without a run, with their edges, and returns them;
    ``on_deleted`` is called with the result.
    """

    select_pairs: Statement[tuple[Any, ...]]
    add_pairs: Statement[tuple[Any, ...]]
    columns: Mapping[str, Kind]
    recompute_bounds: Statement[None]
    delete_unreferenced: Statement[Any]
    write_edges: Statement[None]
    on_deleted: Callable[[Connection, Sequence[Any]], None] | None = None

    def read_before(
        self, conn: Connection, updated: Collection[int], removed: Collection[int]
    ) -> Before:
        """Read the counted contributions of runs before the facts change."""
        return Before(
            self._read_contributions(conn, updated), self._read_contributions(conn, removed)
        )

    def read_after(self, conn: Connection, runs: Collection[int]) -> Mapping[Pair, Contribution]:
        """Read the contributions of ``runs`` after the facts have changed."""
        return self._read_contributions(conn, runs)

    def apply_changes(
        self,
        conn: Connection,
        before: Before,
        after: Mapping[Pair, Contribution],
        others: Mapping[Pair, Contribution] | None = None,
    ) -> None:
        """Replace the contributions ``before`` by those ``after`` and write the changed edges.

        ``others`` are added, too. They were deferred, perhaps with those ``before`` among them.
        """
        reduced = [
            pair
            for pair, counted in before.removed.items()
            if not _covers_contribution(after.get(pair), counted)
        ]
        if others:
            after = merge_contributions(after, others)
        pairs = sorted({*before.updated, *before.removed, *after})
        if not pairs:
            return
        rows = [difference_of(pair, before, after.get(pair)) for pair in pairs]
        written = execute_rows(conn, self.add_pairs, self.columns, rows)
        if reduced:
            edges = {tuple(pair): edge for *pair, edge in written}
            self._recompute_bounds(conn, sorted(edges[pair] for pair in reduced))

    def _read_contributions(
        self, conn: Connection, runs: Collection[int]
    ) -> Mapping[Pair, Contribution]:
        """Return the contribution of ``runs`` to each pair, whether or not they contribute."""
        if not runs:
            return {}
        return read_contributions(conn, self.select_pairs, {"runs": bigint_array(sorted(runs))})

    def _recompute_bounds(self, conn: Connection, edges: list[int]) -> None:
        self.recompute_bounds.execute(conn, edges=edges)
        deleted = self.delete_unreferenced.fetch(conn, edges=edges)
        if deleted and self.on_deleted is not None:
            self.on_deleted(conn, deleted)
        self.write_edges.execute(conn, edges=edges)


def _covers_contribution(after: Contribution | None, before: Contribution) -> bool:
    """Return whether a pair keeps its last run and both ends of its period."""
    return (
        after is not None
        and after.runs >= before.runs
        and after.first <= before.first
        and after.last >= before.last
    )


def list_jobs(pairs: Iterable[Pair]) -> set[int]:
    """Return the jobs of pairs."""
    return set(map(job_of, pairs))


def select_jobs(
    contributions: Mapping[Pair, Contribution], jobs: Set[int]
) -> Mapping[Pair, Contribution]:
    """Return the contributions to pairs of some jobs."""
    return {pair: each for pair, each in contributions.items() if job_of(pair) in jobs}


job_of = itemgetter(2)


def difference_of(pair: Pair, before: Before, after: Contribution | None) -> tuple[object, ...]:
    """Return the row of ``add_pairs`` that replaces a contribution by the one after a batch."""
    counted = sum(side[pair].runs for side in (before.updated, before.removed) if pair in side)
    if after is None:
        return (*pair, -counted, None, None)
    return (*pair, after.runs - counted, after.first, after.last)
