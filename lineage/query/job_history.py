"""The newest runs of a job, with the durations and the numbers of rows expected of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.database.statements import StatementFile
from lineage.query.archive import read_archive, read_archive_of_runs
from lineage.query.names import resolve_job
from lineage.query.records import Dataset, Job, Run

if TYPE_CHECKING:
    from lineage.query.archive import RunArchive
    from lineage.query.session import Session

# The least and the greatest value that root causes regard as usual.
Range: TypeAlias = tuple[float, float]

RUNS = 30


class HistoryRow(NamedTuple):
    """A run, its duration and the range expected of it, and its outputs."""

    id: int
    run: list[Any]
    duration: float | None
    low: float | None
    high: float | None
    outputs: list[list[Any]] | None


_SQL = StatementFile(__file__)
_SELECT_HISTORY = _SQL.statement("select_job_history", HistoryRow)


@dataclass(frozen=True, slots=True)
class OutputRows:
    """An output of a run. ``rows``: None if unreported. ``expected``: as in ``RunFigures``."""

    dataset: Dataset
    rows: int | None
    expected: Range | None


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A run in numbers.

    ``duration``: seconds from its start to its end; None while it has not ended. ``expected``: the
    least and the greatest usual value after the up to 20 runs before it, by the rule of root
    causes; None for fewer than five such runs and for streams.
    """

    run: Run
    duration: float | None
    expected: Range | None
    outputs: tuple[OutputRows, ...]


@dataclass(frozen=True, slots=True)
class JobHistory:
    """The newest runs of a job, newest first.

    ``archive``: None unless older runs are archived that belong to the list, or that one of its
    runs was compared with.
    """

    job: Job
    runs: tuple[RunFigures, ...]
    archive: RunArchive | None = None


def find_job_history(session: Session, name: str, limit: int = RUNS) -> JobHistory:
    """Find the newest runs of a job, with the durations and rows expected of them."""
    job = resolve_job(session, name)
    rows = session.fetch(_SELECT_HISTORY, id=job.id, limit=limit)
    if len(rows) < limit:
        archive = read_archive(session)
    else:
        archive = read_archive_of_runs(session, [row.id for row in rows])
    return JobHistory(
        job,
        tuple(
            RunFigures(
                Run(*row.run),
                row.duration,
                _range_of(row.low, row.high),
                tuple(
                    OutputRows(Dataset(*dataset), number, _range_of(low, high))
                    for dataset, number, low, high in row.outputs or ()
                ),
            )
            for row in rows
        ),
        archive,
    )


def _range_of(low: float | None, high: float | None) -> Range | None:
    return None if low is None or high is None else (low, high)
