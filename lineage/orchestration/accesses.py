"""Read the inputs and outputs of jobs, by runs in a window and by designs."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.orchestration.units import JobKind, UnitRule, find_unit
from lineage.query.graph_structure import find_reachable
from lineage.query.records import Job

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from lineage.query.records import Dataset
    from lineage.query.session import Session


class AccessRow(NamedTuple):
    """A dataset that runs of a chain of jobs read or wrote; times None if all of them failed."""

    jobs: list[int]
    sound: int
    dataset: int
    output: bool
    has_rows: bool
    contributing: bool
    first_seen: str | None
    last_seen: str | None
    last_success: str | None
    last_committed: str | None
    modes: list[str] | None
    runs: int


class DeclaredRow(NamedTuple):
    """An input or output in the design of a job."""

    job: int
    dataset: int
    output: bool
    first_seen: str
    last_seen: str


class KindRow(NamedTuple):
    """A job with its type."""

    id: int
    namespace: str
    name: str
    type: str | None
    integration: str | None
    is_stream: bool
    is_check: bool


class TestNamesRow(NamedTuple):
    """The names of the tests that a job makes."""

    job: int
    names: list[str]


class DurationRow(NamedTuple):
    """The durations of the last successful runs of a job, in seconds."""

    id: int
    median: float | None
    p90: float | None
    runs: int
    began: str | None


class ViewRow(NamedTuple):
    """A dataset that a view is made of. ``stored``: the view is materialized."""

    view: int
    source: int
    stored: bool


_SQL = StatementFile(__file__)
_SELECT_ACCESSES = _SQL.statement("select_job_accesses", AccessRow)
_SELECT_DECLARED = _SQL.statement("select_declared_accesses", DeclaredRow)
_SELECT_KINDS = _SQL.statement("select_job_kinds", KindRow)
_SELECT_TEST_NAMES = _SQL.statement("select_test_names", TestNamesRow)
_SELECT_DURATIONS = _SQL.statement("select_durations", DurationRow)
_SELECT_VIEWS = _SQL.statement("select_view_sources", ViewRow)


class Access(NamedTuple):
    """The accesses of a unit to a dataset: first and last time, and the last successful one.

    ``runs``: number of runs, of the unit and of those folded into it. ``last_committed``: the last
    access of those that have ended.
    """

    first_seen: str
    last_seen: str
    last_success: str | None
    modes: tuple[str, ...]
    declared: bool
    runs: int = 0
    last_committed: str | None = None


@dataclass(frozen=True, slots=True)
class JobAccesses:
    """The inputs and outputs of each unit.

    ``reads``, ``writes``: from a unit to the datasets. ``failed``: units of which no run succeeded.
    ``ignored``, ``removed``: units that are to be left out of the order.
    ``views``: from a view to the datasets that it is made of. ``units``: the units of each job.
    ``grouped``: the units below each job that groups them. ``failed_accesses``: unit, dataset and
    whether it is an output, if all runs with that access failed. ``tests``: the names of the tests
    of each unit that only checks its inputs.
    """

    reads: dict[int, dict[int, Access]] = field(default_factory=dict)
    writes: dict[int, dict[int, Access]] = field(default_factory=dict)
    streams: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    ignored: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    views: dict[int, tuple[int, ...]] = field(default_factory=dict)
    units: dict[int, set[int]] = field(default_factory=dict)
    grouped: dict[int, set[int]] = field(default_factory=dict)
    failed_accesses: set[tuple[int, int, bool]] = field(default_factory=set)
    kinds: dict[int, KindRow] = field(default_factory=dict)
    tests: dict[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def all_jobs(self) -> set[int]:
        """All units that wrote or read, or are declared to."""
        return self.reads.keys() | self.writes.keys()

    def ignore_jobs(self, patterns: Sequence[str]) -> None:
        """Ignore the units whose full names, or names alone, match one of the patterns."""
        for unit in self.all_jobs | self.failed:
            job = job_of_kind(self.kinds[unit])
            if any(has_matching_name(job, each) for each in patterns):
                self.ignored.add(unit)
        self.failed.difference_update(self.ignored)
        self.streams.difference_update(self.ignored)

    def remove_checks(self) -> None:
        """Remove the inputs of units that only check them, such as the tests of dbt."""
        for unit in [unit for unit in self.reads if self.kinds[unit].is_check]:
            del self.reads[unit]

    def remove_exposures(self) -> None:
        """Remove the exposures of dbt, which use data and do not run."""
        for unit in self.all_jobs:
            if (self.kinds[unit].type or "").upper() == "EXPOSURE":
                self.reads.pop(unit, None)
                self.writes.pop(unit, None)

    def name_jobs(self, jobs: Collection[int]) -> str:
        """Return the full name of the first of some jobs, and the number of the others."""
        first = min(job_of_kind(self.kinds[job]).full_name for job in jobs)
        return f"{first} and {len(jobs) - 1:,} more" if len(jobs) > 1 else first

    def add_access(self, unit: int, dataset: int, access: Access, *, output: bool) -> None:
        """Add accesses of a unit to a dataset; those of runs take precedence over designs."""
        of_unit = (self.writes if output else self.reads).setdefault(unit, {})
        known = of_unit.get(dataset)
        of_unit[dataset] = _merge_accesses(known, access) if known else access


def has_matching_name(entity: Dataset | Job, pattern: str) -> bool:
    """Return whether the full name, or the name without the namespace, matches a pattern."""
    return fnmatchcase(entity.full_name, pattern) or fnmatchcase(entity.name, pattern)


def read_accesses(
    session: Session, since: str, *, observed: bool = False, rules: Sequence[UnitRule] = ()
) -> JobAccesses:
    """Read the accesses of all units. ``observed``: leave out designs."""
    rows = session.fetch(_SELECT_ACCESSES, since=since)
    declared = [] if observed else session.fetch(_SELECT_DECLARED)
    ids = {id for row in rows for id in row.jobs} | {row.job for row in declared}
    kinds = {row.id: row for row in session.fetch(_SELECT_KINDS, ids=sorted(ids))}
    views = session.fetch(_SELECT_VIEWS)
    result = JobAccesses(kinds=kinds, views=_sources_of_views(views))
    _add_runs(result, rows, rules)
    _add_designs(result, declared)
    _add_refreshes(result, views)
    result.failed.difference_update(result.all_jobs)
    result.streams.update(unit for unit in result.all_jobs if kinds[unit].is_stream)
    result.tests.update(_read_tests(session, result, since))
    return result


def _read_tests(
    session: Session, result: JobAccesses, since: str
) -> Iterator[tuple[int, tuple[str, ...]]]:
    checks = sorted(unit for unit in result.reads if result.kinds[unit].is_check)
    if checks:
        datasets = sorted({dataset for unit in checks for dataset in result.reads[unit]})
        rows = session.fetch(_SELECT_TEST_NAMES, jobs=checks, datasets=datasets, since=since)
        yield from ((row.job, tuple(row.names)) for row in rows)


def read_durations(session: Session, jobs: Collection[int]) -> Mapping[int, DurationRow]:
    """Read the durations of the last successful runs of jobs; those without one are omitted."""
    return {row.id: row for row in session.fetch(_SELECT_DURATIONS, ids=sorted(jobs))}


def job_of_kind(kind: KindRow) -> Job:
    """Return the job of a row."""
    return Job(kind.id, kind.namespace, kind.name)


def _add_runs(result: JobAccesses, rows: Iterable[AccessRow], rules: Sequence[UnitRule]) -> None:
    kinds = {
        id: JobKind(f"{row.namespace}/{row.name}", row.type, row.integration)
        for id, row in result.kinds.items()
    }
    units: dict[tuple[int, ...], int] = {}
    for row in rows:
        chain = tuple(row.jobs)
        if (unit := units.get(chain)) is None:
            unit = units[chain] = find_unit(chain, kinds, rules)
            top = chain.index(unit) + 1
            for job in chain[:top]:
                result.units.setdefault(job, set()).add(unit)
            for job in chain[top:]:
                result.grouped.setdefault(job, set()).add(unit)
        if row.first_seen is None or row.last_seen is None:
            result.failed.add(unit)
            result.failed_accesses.add((unit, row.dataset, row.output))
        elif not row.has_rows:
            result.writes.setdefault(unit, {})
        else:
            # A statement that completed is no success of an application that then failed.
            success = row.last_success if row.sound > chain.index(unit) else None
            modes = tuple(row.modes or ())
            access = Access(
                row.first_seen,
                row.last_seen,
                success,
                modes,
                declared=False,
                runs=row.runs,
                last_committed=row.last_committed,
            )
            result.add_access(unit, row.dataset, access, output=row.output)


def _add_designs(result: JobAccesses, rows: Iterable[DeclaredRow]) -> None:
    for row in rows:
        access = Access(row.first_seen, row.last_seen, None, (), declared=True)
        for unit in result.units.setdefault(row.job, {row.job}):
            result.add_access(unit, row.dataset, access, output=row.output)


def _merge_accesses(one: Access, other: Access) -> Access:
    if one.declared != other.declared:
        return other if one.declared else one
    return Access(
        min(one.first_seen, other.first_seen),
        max(one.last_seen, other.last_seen),
        _latest_time(one.last_success, other.last_success),
        tuple(sorted({*one.modes, *other.modes})),
        one.declared,
        one.runs + other.runs,
        _latest_time(one.last_committed, other.last_committed),
    )


def _latest_time(one: str | None, other: str | None) -> str | None:
    return max(one or "", other or "") or None


def _add_refreshes(result: JobAccesses, rows: Iterable[ViewRow]) -> None:
    """Let each writer of a materialized view read the sources of the view.

    The statement of a refresh does not name it.
    """
    stored: dict[int, list[int]] = {}
    for row in rows:
        if row.stored:
            stored.setdefault(row.view, []).append(row.source)
    for unit, written in result.writes.items():
        own = set(result.reads.get(unit, ()))
        for view in written.keys() & stored.keys():
            for source in set(stored[view]) - own:
                result.add_access(unit, source, written[view]._replace(modes=()), output=False)


def _sources_of_views(rows: Iterable[ViewRow]) -> dict[int, tuple[int, ...]]:
    """Return the sources of each view and, if these are views, their sources."""
    direct: dict[int, list[int]] = {}
    for row in rows:
        if not row.stored:
            direct.setdefault(row.view, []).append(row.source)
    return {view: tuple(sorted(find_reachable([view], direct) - {view})) for view in direct}
