"""Runs of a dataset, of a job or of all jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database.statements import StatementFile
from lineage.errors import NotFound, UsageError
from lineage.query.archive import read_archive_since
from lineage.query.arguments import texts_of
from lineage.query.names import resolve_dataset, resolve_job
from lineage.query.records import Dataset, Job, Run, job_of
from lineage.query.time_arguments import TimeArgument, time_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.archive import RunArchive
    from lineage.query.session import Session

T = TypeVar("T")


class AccessRow(NamedTuple):
    """A run, its job, and a dataset that it read or wrote."""

    run: list[Any]
    job: int
    job_namespace: str
    job_name: str
    dataset: int
    namespace: str
    name: str
    is_output: bool
    facets: dict[str, Any]
    committed: bool


class RunRow(NamedTuple):
    """A run as returned by ``lineage.run_record``."""

    run: list[Any]


class JobRunRow(NamedTuple):
    """A run and its job."""

    run: list[Any]
    job: int | None
    job_namespace: str | None
    job_name: str | None


_SQL = StatementFile(__file__)
_SELECT_ACCESSES = _SQL.statement("select_accesses", AccessRow)
_SELECT_RUNS_OF_JOB = _SQL.statement("select_runs_of_job", RunRow)
_SELECT_RUNS = _SQL.statement("select_runs", JobRunRow)

# What a run does to a dataset: values of Access.access_kind.
ACCESS_KINDS = ("read", "wrote", "altered", "truncated", "dropped", "writes", "was to write")
# Changes that write no rows, as in lineage.writes_rows().
_CHANGES = {"alter": "altered", "truncate": "truncated", "drop": "dropped"}
STATES = ("START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER")


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Selects runs. ``states``: any if empty; RUNNING includes START.

    ``since``, ``until``: times (ISO 8601) of the first event of the run; ``until`` is excluded.
    """

    states: tuple[str, ...] = ()
    since: TimeArgument | None = None
    until: TimeArgument | None = None

    def to_parameters(self) -> dict[str, Any]:
        """Return the parameters of the statements.

        Raises UsageError for an invalid time or state.
        """
        states = [state.upper() for state in texts_of(self.states)]
        if unknown := [state for state in states if state not in STATES]:
            hint = f"The states are {', '.join(STATES)}."
            raise UsageError(f'There is no state "{unknown[0]}".', hint)
        if "RUNNING" in states:  # most producers send none between START and the end
            states.append("START")
        return {
            "states": states,
            "since": time_of(self.since) if self.since else "-infinity",
            "until": time_of(self.until) if self.until else "infinity",
        }


EVERY_RUN = RunFilter()


@dataclass(frozen=True, slots=True)
class Access:
    """A read or write of a dataset by a run.

    ``is_output``: the run reports the dataset as an output. ``facets``: facets of the access.
    ``committed``: the write has taken place; false for a failed run and for a running batch.
    """

    run: Run
    job: Job | None
    dataset: Dataset
    is_output: bool
    facets: Mapping[str, Any]
    committed: bool

    @property
    def access_kind(self) -> str:
        """One of ``ACCESS_KINDS``; "wrote" unless the run reports a change without rows."""
        if not self.is_output:
            return "read"
        if self.committed:
            return _CHANGES.get(_write_mode(self.facets), "wrote")
        return "was to write" if self.run.state in ("FAIL", "ABORT") else "writes"


@dataclass(frozen=True, slots=True)
class JobRun:
    """A run and its job; None if no event names the job."""

    run: Run
    job: Job | None


def list_dataset_runs(
    session: Session, name: str, limit: int = 20, where: RunFilter = EVERY_RUN, *, offset: int = 0
) -> tuple[Access, ...]:
    """List the runs that read or wrote a dataset, newest first."""
    rows = session.fetch(
        _SELECT_ACCESSES,
        id=resolve_dataset(session, name).id,
        limit=limit,
        offset=offset,
        **where.to_parameters(),
    )
    return tuple(
        Access(
            Run(*row.run),
            Job(row.job, row.job_namespace, row.job_name),
            Dataset(row.dataset, row.namespace, row.name),
            row.is_output,
            row.facets,
            row.committed,
        )
        for row in rows
    )


def list_job_runs(
    session: Session, name: str, limit: int = 20, where: RunFilter = EVERY_RUN, *, offset: int = 0
) -> tuple[Run, ...]:
    """List the runs of a job, newest first."""
    rows = session.fetch(
        _SELECT_RUNS_OF_JOB,
        id=resolve_job(session, name).id,
        limit=limit,
        offset=offset,
        **where.to_parameters(),
    )
    return tuple(Run(*row.run) for row in rows)


def list_runs(
    session: Session, limit: int = 20, where: RunFilter = EVERY_RUN, *, offset: int = 0
) -> tuple[JobRun, ...]:
    """List the runs of all jobs; the run whose first event is the newest comes first."""
    rows = session.fetch(_SELECT_RUNS, limit=limit, offset=offset, **where.to_parameters())
    return tuple(
        JobRun(Run(*row.run), job_of(row.job, row.job_namespace, row.job_name)) for row in rows
    )


def find_archive_of_list(session: Session, where: RunFilter, *, is_cut: bool) -> RunArchive | None:
    """Return the archive of runs if a list of runs, newest first, reaches its time.

    ``is_cut``: the limit may have omitted runs, so that the list ends before that time.
    """
    return None if is_cut else read_archive_since(session, where.to_parameters()["since"])


def _write_mode(facets: Mapping[str, Any]) -> str:
    """Return the mode of a write as ``lineage.write_mode()``; empty if it was not reported."""
    for facet, part in (("lineage_write", "mode"), ("lifecycleStateChange",) * 2):
        body = facets.get(facet)
        if isinstance(body, dict) and (mode := body.get(part)) is not None:
            return str(mode).lower()
    return ""


def row_of_run(rows: Sequence[T], run_id: str) -> T:
    """Return the only row of a statement about one run. Raises NotFound if there is none."""
    if not rows:
        raise NotFound(f'No run has the id "{run_id}".')
    return rows[0]
