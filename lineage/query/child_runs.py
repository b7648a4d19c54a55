"""Child runs of a run without datasets: an orchestrator or an application only starts others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from lineage.query.session import Session

# A job starts much the same runs each time.
_NEWEST_RUNS = 20


class ChildRow(NamedTuple):
    """A job of child runs with datasets: their number, how many failed, and the newest run."""

    namespace: str
    name: str
    runs: int
    failed: int
    newest: str


_SQL = StatementFile(__file__)
_SELECT_CHILD_JOBS = _SQL.statement("select_child_jobs", ChildRow)


def child_jobs_of_run(session: Session, run_id: str) -> list[ChildRow]:
    """Return the jobs of child runs with datasets; none if the run itself has datasets."""
    return session.fetch(_SELECT_CHILD_JOBS, run_id=run_id, job=None, runs=0)


def child_jobs_of_job(session: Session, job: int) -> list[ChildRow]:
    """Return the jobs of child runs with datasets, for the newest runs of a job without any."""
    return session.fetch(_SELECT_CHILD_JOBS, run_id=None, job=job, runs=_NEWEST_RUNS)
