"""FEEDS: which dataset feeds which, by which job.

A run counts for each pair of an input and an output that it stated as work of one job. Of an
output of which lineage facets say what fed it, it counts for that alone.
"""

from __future__ import annotations

from itertools import groupby, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import define_columns, moments, numbers
from lineage.database.statements import StatementFile
from lineage.projection import declared, summary
from lineage.projection.rows import EdgePair
from lineage.projection.summary import Contribution, Pair, Runs, Summary

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Set

    import psycopg


class FeedsPairRow(NamedTuple):
    """A pair of datasets, and what runs contribute to it."""

    source: int
    target: int
    job: int
    runs: int
    first: str
    last: str


class FeedsEdgeRow(NamedTuple):
    """A pair of datasets, and its edge."""

    source: int
    target: int
    job: int
    edge: int


class ExistingAccessRow(NamedTuple):
    """What a run has read or written; ``explicit`` with a lineage facet."""

    run: int
    job: int
    dataset: int
    canonical: int
    output: bool
    explicit: bool


_SQL = StatementFile(__file__)
_SELECT_ACCESSES = _SQL.statement("select_accesses", ExistingAccessRow)
_DELTA = define_columns(
    sources=numbers,
    targets=numbers,
    jobs=numbers,
    runs=numbers,
    first=moments,
    last=moments,
)
FEEDS = Summary(
    _SQL.tuples("select_pairs", FeedsPairRow),
    _SQL.tuples("add_pairs", FeedsEdgeRow),
    _DELTA,
    _SQL.statement("recompute_bounds"),
    _SQL.statement("delete_unreferenced", EdgePair),
    _SQL.statement("write_edges"),
    declared.restore_declared,
)


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
            and not any(access.explicit for access in self._noted[run])
            and named.get(run, set()).issubset(
                (access.job, access.dataset, access.output) for access in self._noted[run]
            )
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
        again = sorted(
            (access.run, access.job, access.canonical, access.output)
            for run in self._steady
            for access in self._noted[run]
        )
        told = summary.together(
            of_whole_runs((access for access in accesses if _run_of(access) in first), times),
            of_whole_runs(again, times, runs=0),
        )
        explicit = self._runs.feeding & self._explicit
        others = (self._runs.after | explicit) - self._steady - first
        after = summary.together(FEEDS.contributions(self._conn, others), told)
        FEEDS.apply(self._conn, self._before, after)


_run_of = itemgetter(0)


def _noted(
    conn: psycopg.Connection[Any], runs: Collection[int]
) -> dict[int, list[ExistingAccessRow]]:
    """Return what runs have read and written, by run."""
    accesses: dict[int, list[ExistingAccessRow]] = {}
    if runs:
        for access in _SELECT_ACCESSES.execute(conn, runs=numbers(sorted(runs))):
            accesses.setdefault(access.run, []).append(access)
    return accesses


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
