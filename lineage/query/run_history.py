"""The runs of a dataset or a job, and how a run is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database.statements import StatementFile
from lineage.errors import NotFound
from lineage.query.names import resolve_dataset, resolve_job
from lineage.query.records import Dataset, Job, Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.session import Session

T = TypeVar("T")


class AccessRow(NamedTuple):
    """A run and a dataset that it read or wrote."""

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
    """A run, as ``lineage.run_record`` gives it."""

    run: list[Any]


_SQL = StatementFile(__file__)
_SELECT_ACCESSES = _SQL.statement("select_accesses", AccessRow)
_SELECT_RUNS_OF_JOB = _SQL.statement("select_runs_of_job", RunRow)


@dataclass(frozen=True, slots=True)
class Access:
    """A run that read or wrote a dataset, and what it said of it.

    ``is_output``: the run says that it writes it. ``committed``: it has written it; a run that
    failed
    has not, nor a batch that goes on.
    """

    run: Run
    job: Job | None
    dataset: Dataset
    is_output: bool
    facets: Mapping[str, Any]
    committed: bool

    @property
    def access_kind(self) -> str:
        """What the run did: "read", "wrote", "writes" or "was to write"."""
        if not self.is_output:
            return "read"
        if self.committed:
            return "wrote"
        return "was to write" if self.run.state in ("FAIL", "ABORT") else "writes"


def list_dataset_runs(session: Session, name: str, limit: int = 20) -> tuple[Access, ...]:
    """Return the runs that read or wrote the dataset, newest first."""
    rows = session.fetch(_SELECT_ACCESSES, id=resolve_dataset(session, name).id, limit=limit)
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


def list_job_runs(session: Session, name: str, limit: int = 20) -> tuple[Run, ...]:
    """Return the runs of the job, newest first."""
    rows = session.fetch(_SELECT_RUNS_OF_JOB, id=resolve_job(session, name).id, limit=limit)
    return tuple(Run(*row.run) for row in rows)


def row_of_run(rows: Sequence[T], run_id: str) -> T:
    """Return the row that a statement about one run gave. Raises NotFound where there is none."""
    if not rows:
        raise NotFound(f'No run has the id "{run_id}".')
    return rows[0]
