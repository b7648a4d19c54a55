"""The DERIVES summary: edges between columns, by job, type, subtype and masking.

A run contributes the entries of the latest columnLineage facet of each of its outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import (
    bigint_array,
    boolean_array,
    column_arrays,
    define_columns,
    text_array,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.projection.column_mappings import read_existing_mappings
from lineage.projection.contributions import (
    add_contribution,
    merge_contributions,
    read_contributions,
)
from lineage.projection.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    import psycopg

    from lineage.database.binary_arrays import Array
    from lineage.events.merge import Batch
    from lineage.projection.contributions import Contribution, Pair
    from lineage.projection.rows import Ids, MappingKey, Periods, RunChanges, WrittenMappings
    from lineage.projection.summary import Before

    Connection = psycopg.Connection[Any]


class DerivesPairRow(NamedTuple):
    """A pair of columns, and the contribution of runs to it."""

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
    """A deleted edge."""

    edge: int


_SQL = StatementFile(__file__)
_SELECT_PAIRS_OF_GROUPS = _SQL.tuples("select_pairs_of_groups", DerivesPairRow)
_ADD_GROUPS = _SQL.statement("add_groups", int)
_GROUP = define_columns(
    jobs=bigint_array,
    mappings=text_array,
    runs=bigint_array,
    first=timestamptz_array,
    last=timestamptz_array,
)
_DELTA = define_columns(
    sources=bigint_array,
    targets=bigint_array,
    jobs=bigint_array,
    types=text_array,
    subtypes=text_array,
    masking=boolean_array,
    runs=bigint_array,
    first=timestamptz_array,
    last=timestamptz_array,
)
DERIVES = Summary(
    _SQL.tuples("select_pairs", DerivesPairRow),
    _SQL.tuples("add_pairs", DerivesEdgeRow),
    _DELTA,
    _SQL.statement("recompute_bounds"),
    _SQL.statement("delete_unreferenced", DerivesDeletedRow),
    _SQL.statement("write_edges"),
)


@dataclass(frozen=True, slots=True)
class DerivesBefore:
    """Contributions to DERIVES before a batch, and the runs that need not be read back after it.

    ``existing``: runs that had reported mappings. ``complete``: runs without counted contributions,
    whose mappings are all in the batch. ``unchanged``: mappings by run, of runs of which the batch
    reports only mappings that they had reported before. All other runs are read back.
    """

    counted: Before
    existing: Set[int]
    complete: Set[int]
    unchanged: Mapping[int, Sequence[MappingKey]]


@dataclass(frozen=True, slots=True)
class MappingGroups:
    """Contributions of executions with equal mappings, by job and mappings."""

    groups: Mapping[tuple[int, tuple[int, ...]], Contribution]

    def column_arrays(self) -> dict[str, Array]:
        """Return an array for each column; there must be at least one group."""
        rows = [
            (job, f"{{{','.join(map(str, mappings))}}}", each.runs, each.first, each.last)
            for (job, mappings), each in self.groups.items()
        ]
        return column_arrays(_GROUP, rows)


def read_before(conn: Connection, batch: Batch, ids: Ids, changes: RunChanges) -> DerivesBefore:
    """Read the counted contributions of runs before the batch changes the facts."""
    existing = read_existing_mappings(conn, batch, ids, changes.existing | changes.reassigned)
    updated = changes.updated_runs
    unchanged = {run: existing.unchanged[run] for run in updated & existing.unchanged.keys()}
    counted = DERIVES.read_before(
        conn,
        updated & existing.runs - existing.replacing - unchanged.keys(),
        (changes.removed_runs | updated & existing.replacing) & existing.runs,
    )
    complete = changes.contributing - existing.runs - changes.reassigned
    return DerivesBefore(counted, existing.runs, complete, unchanged)


def read_after(
    conn: Connection,
    before: DerivesBefore,
    mappings: WrittenMappings,
    periods: Periods,
    changes: RunChanges,
) -> Mapping[Pair, Contribution] | MappingGroups:
    """Compute the contributions of runs after the facts have changed.

    If there are only groups of runs to count, return the groups: the server expands them into pairs
    and counts them in one statement.
    """
    complete = before.complete
    groups: dict[tuple[int, tuple[int, ...]], Contribution] = {}
    _add_groups(groups, (key for key in mappings.reported if key.run in complete), periods, runs=1)
    again = (key for keys in before.unchanged.values() for key in keys)
    _add_groups(groups, again, periods, runs=0)
    mapped = before.existing | {key.run for key in mappings.reported}
    others = changes.contributing_after & mapped - before.unchanged.keys() - complete
    if before.counted.is_empty() and not others:
        return MappingGroups(groups)
    reported = MappingGroups(groups)
    return merge_contributions(DERIVES.read_after(conn, others), _read_groups(conn, reported))


def apply_difference(
    conn: Connection, before: DerivesBefore, after: Mapping[Pair, Contribution] | MappingGroups
) -> None:
    """Add the difference to the summary and write its edges."""
    if not isinstance(after, MappingGroups):
        DERIVES.apply_changes(conn, before.counted, after)
    elif after.groups:
        _ADD_GROUPS.execute(conn, **after.column_arrays())


def _add_groups(
    groups: dict[tuple[int, tuple[int, ...]], Contribution],
    reported: Iterable[MappingKey],
    periods: Periods,
    *,
    runs: int,
) -> None:
    """Add the mappings of runs to ``groups``; each run counts as ``runs``.

    Executions without a period contribute nothing.
    """
    mappings: dict[tuple[int, int], tuple[int, ...]] = {}
    for run, job, mapping in reported:
        execution = run, job
        if execution in mappings:
            mappings[execution] = (*mappings[execution], mapping)
        else:
            mappings[execution] = (mapping,)
    for execution, group in mappings.items():
        if period := periods.get(execution):
            key = execution[1], tuple(sorted(group)) if len(group) > 1 else group
            add_contribution(groups, key, runs, *period)


def _read_groups(conn: Connection, groups: MappingGroups) -> Mapping[Pair, Contribution]:
    """Read the contributions of groups to each pair."""
    if not groups.groups:
        return {}
    return read_contributions(conn, _SELECT_PAIRS_OF_GROUPS, groups.column_arrays())
