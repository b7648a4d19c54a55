"""Jobs whose next run is overdue: they run at intervals, and the last one has long passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.archive import need_time_in_graph
from lineage.query.records import Job, Run
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from lineage.query.session import Session
    from lineage.query.time_arguments import TimeArgument


class OverdueRow(NamedTuple):
    """A job, its latest run, and how many jobs are overdue."""

    id: int
    namespace: str
    name: str
    run: list[Any]
    median: float
    spread: float
    runs: int
    expected_by: str
    total: int


_SQL = StatementFile(__file__)
_SELECT_OVERDUE = _SQL.statement("select_overdue_jobs", OverdueRow)
_NOW = "SELECT lineage.iso8601(clock_timestamp())"


@dataclass(frozen=True, slots=True)
class OverdueJob:
    """A job without the run that was expected.

    ``last_run``: the latest run of its last nominal time. ``expected_by``: the time by which the
    next was expected to begin: by the rule of root causes, from the ``median`` and the ``spread``
    of the ``intervals`` between the nominal times of up to 21 runs, in seconds. Retries and
    backfills are not among them. A run that reported no nominal time counts with its start.
    """

    job: Job
    last_run: Run
    expected_by: str
    median: float
    spread: float
    intervals: int


@dataclass(frozen=True, slots=True)
class Overdue:
    """The jobs that were overdue at ``time``, the most recently expected first."""

    time: str
    jobs: tuple[OverdueJob, ...]
    omitted: int


def find_overdue(
    session: Session, time: TimeArgument | None = None, limit: int | None = None
) -> Overdue:
    """Find the jobs whose next run is overdue at a time, by default now.

    A job is overdue if its last run began longer ago than the greatest usual interval between its
    runs, but not 20 times as long: then it has been retired. Jobs with fewer than five intervals
    and streams are never overdue. Raises UsageError if ``time`` is not a time, or if runs from
    before a later time are archived.
    """
    if time is None:
        [(now,)] = session.fetch_rows(_NOW, ())
    else:
        now = time_of(time)
    need_time_in_graph(session, now)
    rows = session.fetch(_SELECT_OVERDUE, time=now, limit=limit)
    jobs = tuple(
        OverdueJob(
            Job(row.id, row.namespace, row.name),
            Run(*row.run),
            row.expected_by,
            row.median,
            row.spread,
            row.runs,
        )
        for row in rows
    )
    return Overdue(now, jobs, rows[0].total - len(rows) if rows else 0)
