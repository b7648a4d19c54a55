"""The DERIVES summary: edges between columns, by job, type, subtype and masking.

A run contributes the entries of the latest columnLineage facet of each of its outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.database.binary_arrays import (
    bigint_array,
    boolean_array,
    column_arrays,
    define_columns,
    execute_rows,
    text_array,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.projection.column_mappings import read_existing_mappings
from lineage.projection.contributions import (
    Contribution,
    add_contribution,
    merge_contributions,
    read_contributions,
)
from lineage.projection.summary import Summary, list_jobs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set

    import psycopg

    from lineage.events.merge import Batch
    from lineage.projection.contributions import Pair
    from lineage.projection.rows import (
        Ids,
        MappingKey,
        Periods,
        Reassignment,
        RunChanges,
        WrittenMappings,
    )
    from lineage.projection.summary import Before

    Connection = psycopg.Connection[Any]
    # Contributions of executions with equal mappings, by job and mappings.
    Groups: TypeAlias = dict[tuple[int, tuple[int, ...]], Contribution]


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


class GroupRow(NamedTuple):
    """Executions of a job with equal mappings, and their contribution."""

    job: int
    mappings: list[int]
    runs: int
    first: str
    last: str


class DerivesDeletedRow(NamedTuple):
    """A deleted edge."""

    edge: int


_SQL = StatementFile(__file__)
_SELECT_PAIRS_OF_GROUPS = _SQL.tuples("select_pairs_of_groups", DerivesPairRow)
_ADD_GROUPS = _SQL.statement("add_groups", int)
_DEFER = _SQL.statement("defer_groups")
_DEQUEUE_DEFERRED = _SQL.tuples("dequeue_deferred", GroupRow)
_SELECT_ARCHIVED = _SQL.tuples("select_archived_groups", GroupRow)
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
    reports only mappings that they had reported before. All other runs are read back, and so are
    archived runs that use names in ``moved``.
    """

    counted: Before
    existing: Set[int]
    complete: Set[int]
    unchanged: Mapping[int, Sequence[MappingKey]]
    moved: Reassignment


@dataclass(frozen=True, slots=True)
class DerivesAfter:
    """Contributions of runs after the facts have changed: by pair, and of groups of executions."""

    pairs: Mapping[Pair, Contribution]
    groups: Groups


def read_before(
    conn: Connection, batch: Batch, ids: Ids, changes: RunChanges, moved: Reassignment
) -> DerivesBefore:
    """Read the counted contributions of runs before the batch changes the facts."""
    existing = read_existing_mappings(conn, batch, ids, changes.existing | changes.reassigned)
    updated = changes.updated_runs
    unchanged = {run: existing.unchanged[run] for run in updated & existing.unchanged.keys()}
    counted = DERIVES.read_before(
        conn,
        updated & existing.runs - existing.replacing - unchanged.keys(),
        (changes.removed_runs | updated & existing.replacing) & existing.runs,
    ).with_removed(_read_archived(conn, moved))
    complete = changes.contributing - existing.runs - changes.reassigned
    return DerivesBefore(counted, existing.runs, complete, unchanged, moved)


def read_after(
    conn: Connection,
    before: DerivesBefore,
    mappings: WrittenMappings,
    periods: Periods,
    changes: RunChanges,
) -> DerivesAfter:
    """Compute the contributions of runs after the facts have changed."""
    complete = before.complete
    groups: Groups = {}
    _add_groups(groups, (key for key in mappings.reported if key.run in complete), periods, runs=1)
    again = (key for keys in before.unchanged.values() for key in keys)
    _add_groups(groups, again, periods, runs=0)
    mapped = before.existing | {key.run for key in mappings.reported}
    others = changes.contributing_after & mapped - before.unchanged.keys() - complete
    pairs = merge_contributions(
        DERIVES.read_after(conn, others), _read_archived(conn, before.moved)
    )
    return DerivesAfter(pairs, groups)


def apply_difference(
    conn: Connection, before: DerivesBefore, after: DerivesAfter, *, deferred: bool
) -> None:
    """Add the difference to the summary and write its edges; if ``deferred``, store it for later.

    Only groups are deferred, except those of jobs whose pairs change. Deferred groups of the jobs
    that the summary is changed for are added, too.
    """
    counted, groups = before.counted, after.groups
    jobs = list_jobs(chain(counted.updated, counted.removed, after.pairs))
    if deferred:
        later = {key: each for key, each in groups.items() if key[0] not in jobs}
        execute_rows(conn, _DEFER, _GROUP, _group_rows(later))
    else:
        later = {}
        jobs |= {job for job, _ in groups}
    now = _dequeue_deferred(conn, jobs)
    for key in groups.keys() - later.keys():
        each = groups[key]
        add_contribution(now, key, each.runs, each.first, each.last)
    if not counted.is_empty() or after.pairs:
        DERIVES.apply_changes(conn, counted, after.pairs, _read_groups(conn, now))
    else:
        # The server expands groups into pairs and counts them in one statement.
        execute_rows(conn, _ADD_GROUPS, _GROUP, _group_rows(now))


def add_deferred(conn: Connection, jobs: Collection[int]) -> None:
    """Add the deferred contributions of jobs to the summary and write its edges."""
    execute_rows(conn, _ADD_GROUPS, _GROUP, _group_rows(_dequeue_deferred(conn, jobs)))


def _dequeue_deferred(conn: Connection, jobs: Collection[int]) -> Groups:
    """Delete the deferred contributions of jobs, and return them."""
    if not jobs:
        return {}
    return _groups_of(_DEQUEUE_DEFERRED.execute(conn, jobs=bigint_array(sorted(jobs))))


def _read_archived(conn: Connection, moved: Reassignment) -> Mapping[Pair, Contribution]:
    """Read the contributions of archived runs whose mappings use reassigned names."""
    if not moved.new:
        return {}
    names = bigint_array(sorted(moved.new))
    return _read_groups(conn, _groups_of(_SELECT_ARCHIVED.execute(conn, names=names)))


def _groups_of(rows: Iterable[tuple[Any, ...]]) -> Groups:
    return {
        (job, tuple(mappings)): Contribution(runs, first, last)
        for job, mappings, runs, first, last in rows
    }


def _group_rows(groups: Groups) -> list[tuple[Any, ...]]:
    return [
        (job, f"{{{','.join(map(str, mappings))}}}", each.runs, each.first, each.last)
        for (job, mappings), each in groups.items()
    ]


def _add_groups(
    groups: Groups,
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


def _read_groups(conn: Connection, groups: Groups) -> Mapping[Pair, Contribution]:
    """Read the contributions of groups to each pair."""
    if not groups:
        return {}
    params = column_arrays(_GROUP, _group_rows(groups))
    return read_contributions(conn, _SELECT_PAIRS_OF_GROUPS, params)
