"""Root cause analysis: possible causes of a run's failure, delay or bad result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query import logged_facets
from lineage.query.archive import read_archive_of_reads, read_archive_of_runs
from lineage.query.causes import Cause
from lineage.query.display import Tabular
from lineage.query.limits import limit_lists, no_more
from lineage.query.names import resolve_run
from lineage.query.quality import Check
from lineage.query.records import Dataset, Job, Run, dataset_of
from lineage.query.run_history import row_of_run
from lineage.query.schema_diff import diff_schemas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.archive import RunArchive
    from lineage.query.causes import Fault, Kind
    from lineage.query.session import Session

# Maximum number of writes whose columns are compared with the previous run; the nearest first.
MAX_SCHEMAS = 500


class RunRow(NamedTuple):
    """The analyzed run and its jobs."""

    id: int
    run: list[Any]
    jobs: list[list[Any]] | None


class UpstreamRunRow(NamedTuple):
    """An upstream run; vertex ids.

    ``followed_at``: the least distance at which its own reads are upstream too, or None.
    """

    run: int
    job: int
    distance: int
    followed_at: int | None


class CauseRow(NamedTuple):
    """A cause; the columns are the fields of ``Cause``."""

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
    runs_before: int | None


class FailedCheckRow(NamedTuple):
    """A failed result of a check, made by ``run`` itself or before ``reader`` read the dataset."""

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
    """A write of a dataset by one of its names, and the id of the previous run."""

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
_SELECT_UPSTREAM_RUNS = _SQL.statement("select_runs_upstream", UpstreamRunRow)
_SELECT_CAUSES = _SQL.statement("select_causes", CauseRow)
_SELECT_FAILED_CHECKS = _SQL.statement("select_failed_checks", FailedCheckRow)
_SELECT_WRITES = _SQL.statement("select_previous_writes", WriteRow)


@dataclass(frozen=True, slots=True, repr=False)
class RootCause(Tabular):
    """Possible causes of the end of ``run``: by kind, the worst first, then by distance.

    ``looked_at``: number of runs examined: the run, its child runs and the runs upstream. Columns
    are compared for at most the 500 nearest writes, without ``unlogged`` ones of them: the log does
    not have the events of both runs. ``archive``: None unless a run was examined from before its
    time, whose previous runs may be archived, or one that read what an archived run may have
    written. ``omitted``: number of causes over the limit.
    """

    run: Run
    jobs: tuple[Job, ...]
    depth: int | None
    causes: tuple[Cause, ...]
    looked_at: int
    unlogged: int
    archive: RunArchive | None
    omitted: Mapping[str, int] = field(default_factory=no_more)


def find_root_cause(
    session: Session,
    run_id: str,
    depth: int | None = None,
    *,
    last_failed: bool = False,
    limit: int | None = None,
) -> RootCause:
    """Find possible causes of a run's failure, delay or bad result.

    Examines the run, its child runs, and the runs whose writes they read, up to ``depth`` steps
    upstream (None: to the sources). The name of a job or dataset resolves to its last run, with
    ``last_failed`` to its last failed run. Raises NotFound.
    """
    run_id = resolve_run(session, run_id, last_failed=last_failed)
    root = row_of_run(session.fetch(_SELECT_RUN, run_id=run_id), run_id)
    upstream = session.fetch(_SELECT_UPSTREAM_RUNS, id=root.id, depth=depth)
    executions = _arrays_of(upstream)
    followed_at = [row.followed_at for row in upstream]
    rows = session.fetch(_SELECT_CAUSES, **executions, depth=depth, followed_at=followed_at)
    causes = [_read_cause(row) for row in rows]
    causes += _find_failed_checks(session, executions)
    others, unlogged = _find_other_columns(session, executions)
    causes += others
    jobs = tuple(Job(*job) for job in root.jobs or ())
    looked_at = len({row.run for row in upstream} | {root.id})
    run = Run(*root.run)
    archive = read_archive_of_runs(session, executions["runs"]) or read_archive_of_reads(
        session,
        [
            (row.run, row.job)
            for row in upstream
            if row.followed_at is not None and (depth is None or row.followed_at < depth)
        ],
    )
    result = RootCause(run, jobs, depth, tuple(causes), looked_at, unlogged, archive)
    return limit_lists(result, limit)


def _arrays_of(upstream: list[UpstreamRunRow]) -> dict[str, list[int]]:
    return {
        "runs": [row.run for row in upstream],
        "jobs": [row.job for row in upstream],
        "distances": [row.distance for row in upstream],
    }


def _find_failed_checks(session: Session, executions: dict[str, list[int]]) -> list[Cause]:
    """Return one cause for each report of checks with at least one failure."""
    checks: dict[Any, list[FailedCheckRow]] = {}
    for row in session.fetch(_SELECT_FAILED_CHECKS, **executions):
        run_id, *_ = row.run
        checks.setdefault((run_id, row.job, row.dataset, row.checked_at), []).append(row)
    return [_read_failure(rows) for rows in checks.values()]


def _find_other_columns(
    session: Session, executions: dict[str, list[int]]
) -> tuple[list[Cause], int]:
    """Return a cause for each write whose columns differ from those of the previous run.

    Also return the number of writes whose columns are not compared, because the log has no events
    of a run.
    """
    rows = session.fetch(_SELECT_WRITES, **executions, limit=MAX_SCHEMAS)
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
            # Once per dataset, even if it was written by several names.
            causes.setdefault((run.run_id, job.id, dataset.id), cause)
    unlogged = sum(not {run.run_id, row.before} <= reported.keys() for row, run in writes)
    return list(causes.values()), unlogged


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
        row.observed, row.median, row.spread, row.runs_before,
    )  # fmt: skip
