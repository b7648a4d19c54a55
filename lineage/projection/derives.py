"""DERIVES: which column derives from which, by which job and in which way.

A run counts for what the newest columnLineage facet of each of its outputs says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import (
    column_arrays,
    define_columns,
    flags,
    moments,
    numbers,
    texts,
)
from lineage.database.statements import StatementFile
from lineage.projection import summary
from lineage.projection.summary import Contribution, Pair, Runs, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import psycopg

    from lineage.database.binary_arrays import Array
    from lineage.projection.column_mappings import ExistingMappings
    from lineage.projection.rows import MappingKey


class DerivesPairRow(NamedTuple):
    """A pair of columns, and what runs contribute to it."""

    source: int
    target: int
    job: int
    type: str
    subtype: str
    masking: bool
    runs: int
    first: str
    last: str


class DerivesEdgeRow(NamedTuple):
    """A pair of columns, and its edge."""

    source: int
    target: int
    job: int
    type: str
    subtype: str
    masking: bool
    edge: int


class DerivesDeletedRow(NamedTuple):
    """An edge that is no more."""

    edge: int


_SQL = StatementFile(__file__)
_SELECT_PAIRS_OF_GROUPS = _SQL.tuples("select_pairs_of_groups", DerivesPairRow)
_ADD_GROUPS = _SQL.statement("add_groups", int)
_GROUP = define_columns(
    jobs=numbers,
    mappings=texts,
    runs=numbers,
    first=moments,
    last=moments,
)
_DELTA = define_columns(
    sources=numbers,
    targets=numbers,
    jobs=numbers,
    types=texts,
    subtypes=texts,
    masking=flags,
    runs=numbers,
    first=moments,
    last=moments,
)
DERIVES = Summary(
    _SQL.tuples("select_pairs", DerivesPairRow),
    _SQL.tuples("add_pairs", DerivesEdgeRow),
    _DELTA,
    _SQL.statement("recompute_bounds"),
    _SQL.statement("delete_unreferenced", DerivesDeletedRow),
    _SQL.statement("write_edges"),
)


class Change:
    """What a batch changes: made before its mappings are noted, and counted afterwards.

    As with FEEDS a run of which nothing was noted, and one that states the same again, need not be
    read back.
    """

    def __init__(self, conn: psycopg.Connection[Any], runs: Runs, noted: ExistingMappings) -> None:
        """``noted`` is of the runs that are known, or moved."""
        self._conn = conn
        self._runs = runs
        self._noted = noted
        self._steady = runs.staying & noted.unchanged.keys()
        self._before = DERIVES.before(
            conn,
            runs.staying & noted.runs - noted.replacing - self._steady,
            (runs.leaving | runs.staying & noted.replacing) & noted.runs,
        )

    def count(
        self, stated: Sequence[MappingKey], times: Mapping[tuple[int, int], tuple[str, str]]
    ) -> None:
        """Count and draw: ``stated`` is what the batch states, ``times`` as ``Alike`` has it."""
        first = self._runs.feeding - self._noted.runs - self._runs.moved
        alike = Alike()
        alike.add((said for said in stated if said.run in first), times, runs=1)
        alike.add((s for run in self._steady for s in self._noted.unchanged[run]), times, runs=0)
        mapped = self._noted.runs | {said.run for said in stated}
        others = self._runs.after & mapped - self._steady - first
        if self._before.is_empty() and not others:
            alike.count(self._conn)
            return
        after = summary.together(DERIVES.contributions(self._conn, others), alike.pairs(self._conn))
        DERIVES.apply(self._conn, self._before, after)


class Alike:
    """What runs of a job state together: its mappings, how many runs more count for them, when."""

    def __init__(self) -> None:
        self._said: dict[tuple[int, tuple[int, ...]], Contribution] = {}

    def add(
        self,
        stated: Iterable[MappingKey],
        times: Mapping[tuple[int, int], tuple[str, str]],
        *,
        runs: int,
    ) -> None:
        """Add all that some runs state, each of which counts as ``runs``.

        ``times`` has the first and the last of runs and jobs; without it nothing is to be added.
        """
        mappings: dict[tuple[int, int], tuple[int, ...]] = {}
        for run, job, mapping in stated:
            work = run, job
            mappings[work] = (*mappings[work], mapping) if work in mappings else (mapping,)
        for work, said in mappings.items():
            if period := times.get(work):
                key = work[1], tuple(sorted(said)) if len(said) > 1 else said
                summary.add(self._said, key, runs, *period)

    def pairs(self, conn: psycopg.Connection[Any]) -> Mapping[Pair, Contribution]:
        """Return what they say of each pair."""
        if not self._said:
            return {}
        return summary.contributions(conn, _SELECT_PAIRS_OF_GROUPS, self._arrays())

    def count(self, conn: psycopg.Connection[Any]) -> None:
        """Count and draw them, where nothing else is to be counted."""
        if self._said:
            _ADD_GROUPS.execute(conn, **self._arrays())

    def _arrays(self) -> dict[str, Array]:
        rows = [
            (job, f"{{{','.join(map(str, mappings))}}}", said.runs, said.first, said.last)
            for (job, mappings), said in self._said.items()
        ]
        return column_arrays(_GROUP, rows)
