"""Why a run failed, was late or gave a bad result: what is wrong with what it read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from lineage.database.statements import StatementFile
from lineage.query import logged_facets
from lineage.query.dataset_diff import diff_schemas
from lineage.query.limits import limit_lists, no_more
from lineage.query.names import resolve_run
from lineage.query.portable import Tabular
from lineage.query.quality import Check
from lineage.query.records import Dataset, Job, Run, dataset_of
from lineage.query.root_cause_text import describe_cause
from lineage.query.run_history import row_of_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.dataset_diff import ColumnChange
    from lineage.query.session import Session

Kind: TypeAlias = Literal["stale input", "failed", "aborted", "not ended", "took long", "late",
                          "few rows", "other columns", "failed check"]  # fmt: skip
Fault: TypeAlias = Literal["failed", "aborted", "running", "unended"]

# Writes whose columns are compared with those of the run before: the nearest.
MOST_SCHEMAS = 500


class RunRow(NamedTuple):
    """The run that was asked about, and its jobs."""

    id: int
    run: list[Any]
    jobs: list[list[Any]] | None


class UpstreamRunRow(NamedTuple):
    """A run behind it, by the ids of vertices."""

    run: int
    job: int
    distance: int


class CauseRow(NamedTuple):
    """A cause; the meaning of its columns is that of ``Cause``."""

    kind: Kind
    distance: int
    run: list[Any]
    job: int
    job_namespace: str
    job_name: str
    dataset: int | None
    namespace: str | None
    name: str | None
    fault: Fault | None
    reader: list[Any] | None
    read_at: str | None
    seen: list[Any] | None
    seen_at: str | None
    observed: float | None
    median: float | None
    spread: float | None
    runs: int | None


class FailedCheckRow(NamedTuple):
    """A result that failed, of a check by ``run`` or by one before ``reader``."""

    distance: int
    run: list[Any]
    job: int
    job_namespace: str
    job_name: str
    dataset: int | None
    namespace: str | None
    name: str | None
    reader: list[Any] | None
    read_at: str | None
    checked_at: str | None
    part: str
    assertion: str | None
    check_name: str | None
    column_name: str | None
    severity: str | None
    expected: str | None
    actual: str | None


class WriteRow(NamedTuple):
    """A write under one of the names of the dataset, and the id of the run before."""

    distance: int
    run: list[Any]
    job: int
    job_namespace: str
    job_name: str
    dataset: int
    namespace: str
    name: str
    written_namespace: str
    written_name: str
    before: str


_SQL = StatementFile(__file__)
_SELECT_RUN = _SQL.statement("select_run", RunRow)
_SELECT_UPSTREAM_RUNS = _SQL.statement("select_runs_behind", UpstreamRunRow)
_SELECT_CAUSES = _SQL.statement("select_causes", CauseRow)
_SELECT_FAILED_CHECKS = _SQL.statement("select_failed_checks", FailedCheckRow)
_SELECT_WRITES = _SQL.statement("select_previous_writes", WriteRow)


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that is wrong with ``run``, ``distance`` steps behind; 0 is what was asked about.

    Of a stale input: ``fault`` is what was wrong with the run that was to write ``dataset`` when
    ``reader`` read it at ``read_at``; what was there had been written by ``seen``, the newest
    write. ``observed`` is how long the run took, how long after its nominal time it ended
    (seconds),
    or how many rows it wrote; ``expected`` and ``spread`` are the median of so many ``runs`` before
    it and the median of how far they are from that. ``columns`` are those that the run before of
    the same job had not written like this. ``checks`` are those that failed when ``run`` checked
    ``dataset`` at ``checked_at``; with a ``reader`` they had failed before it read the dataset.
    ``describe_cause`` says it in words.
    """

    kind: Kind
    distance: int
    run: Run
    job: Job
    dataset: Dataset | None
    fault: Fault | None = None
    reader: Run | None = None
    read_at: str | None = None
    seen: Run | None = None
    seen_at: str | None = None
    observed: float | None = None
    expected: float | None = None
    spread: float | None = None
    runs: int | None = None
    columns: tuple[ColumnChange, ...] = ()
    checks: tuple[str, ...] = ()
    checked_at: str | None = None

    @property
    def reason(self) -> str:
        """What is wrong, in words."""
        return describe_cause(self)


@dataclass(frozen=True, slots=True, repr=False)
class RootCause(Tabular):
    """What may be why a run ended as it did; the worst kind first, of a kind the nearest.

    ``looked_at`` is how many runs were: the run, what it started, and the runs behind. Columns were
    compared of the nearest 500 writes at most, where the log has the events of both runs. With a
    limit ``omitted`` counts the causes that are not there.
    """

    run: Run
    jobs: tuple[Job, ...]
    depth: int | None
    causes: tuple[Cause, ...]
    looked_at: int
    omitted: Mapping[str, int] = field(default_factory=no_more)


def find_root_cause(
    session: Session,
    run_id: str,
    depth: int | None = None,
    *,
    last_failed: bool = False,
    limit: int | None = None,
) -> RootCause:
    """Return what may be why a run failed, was late or gave a bad result.

    Looked at are the run, what it started, and the runs whose writes they read, ``depth``
    steps back or all the way to the sources. The name of a job or dataset stands for its last
    run, with ``last_failed`` the last that failed. Raises NotFound.
    """
    run_id = resolve_run(session, run_id, last_failed=last_failed)
    root = row_of_run(session.fetch(_SELECT_RUN, run_id=run_id), run_id)
    upstream = session.fetch(_SELECT_UPSTREAM_RUNS, id=root.id, depth=depth)
    rows = session.fetch(_SELECT_CAUSES, id=root.id, depth=depth)
    causes = [_read_cause(row) for row in rows]
    causes += _find_failed_checks(session, root.id, depth)
    causes += _find_other_columns(session, upstream)
    jobs = tuple(Job(*job) for job in root.jobs or ())
    looked_at = len({row.run for row in upstream} | {root.id})
    run = Run(*root.run)
    return limit_lists(RootCause(run, jobs, depth, tuple(causes), looked_at), limit)


def _find_failed_checks(session: Session, id: int, depth: int | None) -> list[Cause]:
    """Return a cause for each statement about checks of which some failed."""
    checks: dict[Any, list[FailedCheckRow]] = {}
    for row in session.fetch(_SELECT_FAILED_CHECKS, id=id, depth=depth):
        run_id, *_ = row.run
        checks.setdefault((run_id, row.job, row.dataset, row.checked_at), []).append(row)
    return [_read_failure(rows) for rows in checks.values()]


def _find_other_columns(session: Session, upstream: list[UpstreamRunRow]) -> list[Cause]:
    """Return the writes of runs whose columns are not those of the run before."""
    rows = session.fetch(
        _SELECT_WRITES,
        runs=[row.run for row in upstream],
        jobs=[row.job for row in upstream],
        distances=[row.distance for row in upstream],
        limit=MOST_SCHEMAS,
    )
    writes = [(row, Run(*row.run)) for row in rows]
    run_ids = {id for row, run in writes for id in (run.run_id, row.before)}
    reported = logged_facets.of_runs(session, sorted(run_ids))
    pairs = [
        (
            logged_facets.schema_of_run(reported, row.before, name),
            logged_facets.schema_of_run(reported, run.run_id, name),
        )
        for row, run in writes
        for name in [(row.written_namespace, row.written_name)]
    ]
    known = [place for place, pair in enumerate(pairs) if None not in pair]
    changes = diff_schemas(session, [pairs[place] for place in known])
    causes: dict[Any, Cause] = {}
    for at, place in enumerate(known, start=1):
        if columns := changes.get(at):
            row, run = writes[place]
            job = Job(row.job, row.job_namespace, row.job_name)
            dataset = Dataset(row.dataset, row.namespace, row.name)
            cause = Cause("other columns", row.distance, run, job, dataset, columns=columns)
            # once, under however many names it was written
            causes.setdefault((run.run_id, job.id, dataset.id), cause)
    return list(causes.values())


def _read_failure(rows: list[FailedCheckRow]) -> Cause:
    row, *_ = rows
    checks = tuple(
        Check(
            assertion=each.assertion, name=each.check_name, column=each.column_name, success=False,
            severity=each.severity, expected=each.expected, actual=each.actual,
        )
        for each in rows
    )  # fmt: skip
    return Cause(
        "failed check", row.distance, Run(*row.run), Job(row.job, row.job_namespace, row.job_name),
        dataset_of(row.dataset, row.namespace, row.name),
        reader=Run(*row.reader) if row.reader else None,
        read_at=row.read_at if row.reader else None,
        checked_at=row.checked_at, observed=len(rows),
        checks=tuple(f"{check.check_title} {check.describe_result}" for check in checks),
    )  # fmt: skip


def _read_cause(row: CauseRow) -> Cause:
    return Cause(
        row.kind, row.distance, Run(*row.run), Job(row.job, row.job_namespace, row.job_name),
        dataset_of(row.dataset, row.namespace, row.name), row.fault,
        Run(*row.reader) if row.reader else None, row.read_at,
        Run(*row.seen) if row.seen else None, row.seen_at,
        row.observed, row.median, row.spread, row.runs,
    )  # fmt: skip
