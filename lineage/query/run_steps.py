"""Run lineage combined by job: one step for all runs of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.query.archive import RunArchive, read_archive
from lineage.query.arguments import need_direction
from lineage.query.display import Portable
from lineage.query.records import Dataset, Job, Run, job_of
from lineage.query.run_records import matched_by
from lineage.query.runs import read_run_with_inputs, resolve_dataset_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.records import OneWay
    from lineage.query.session import Session
    from lineage.query.time_arguments import TimeArgument


class StepRow(NamedTuple):
    """A step from job to job; ``run`` is the latest of ``runs``."""

    distance: int
    reader: int | None
    reader_namespace: str | None
    reader_name: str | None
    dataset: int
    namespace: str
    name: str
    writer: int | None
    writer_namespace: str | None
    writer_name: str | None
    runs: int
    run: list[Any] | None
    first: str | None
    last: str | None
    exact: int
    perhaps: int
    since: str | None
    total: int


_SQL = StatementFile(__file__)
_SELECT_STEPS = _SQL.statement("select_steps", StepRow)


class RunStep(Struct, frozen=True, gc=False):
    """A step of run lineage between two jobs through ``dataset``.

    ``reader``: None for lineage as of a time. ``writer``: None if no run is known to have written
    the dataset. ``runs``: number of runs of the job farther from the root. ``run``: the latest of
    them. ``first``, ``last``: times of their first and last write (downstream: read). ``exact``:
    number of them that report the same version as the other end. ``perhaps``: number of further
    runs, since ``since``, whose writes may have been visible: a newer write of the same job
    followed, and it is not reported whether it replaced theirs.
    """

    distance: int
    reader: Job | None
    dataset: Dataset
    writer: Job | None
    runs: int
    run: Run | None
    first: str | None
    last: str | None
    exact: int
    perhaps: int
    since: str | None

    @property
    def matched_by(self) -> str | None:
        """The match of reads and writes: "by version", "by time", or the number by version."""
        if not self.writer or not self.runs:
            return None
        if 0 < self.exact < self.runs:
            return f"{self.exact:,} of {self.runs:,} {matched_by(exact=True)}"
        return matched_by(exact=self.exact > 0)


@dataclass(frozen=True, slots=True, repr=False)
class RunSteps(Portable):
    """Run lineage of a run, or of a dataset ``at`` a time, combined by job; nearest first.

    ``omitted``: number of steps over the limit. ``perhaps``: whether writes were followed that may
    have been replaced. ``archive``: the archived runs, at which a trace ends.
    """

    root: Run | Dataset
    at: str | None
    depth: int | None
    steps: tuple[RunStep, ...]
    direction: OneWay = "upstream"
    perhaps: bool = False
    omitted: int = 0
    archive: RunArchive | None = None


def trace_run_steps(
    session: Session,
    run_id: str,
    direction: OneWay = "upstream",
    depth: int | None = None,
    *,
    limit: int | None = None,
    perhaps: bool = False,
) -> RunSteps:
    """Trace the jobs whose writes a run read, or the jobs that read its writes.

    ``limit``: maximum number of steps. ``perhaps``: also follow writes that may have been replaced.
    Raises NotFound.
    """
    need_direction(direction)
    run = read_run_with_inputs(session, run_id)
    rows = session.fetch(
        _SELECT_STEPS, run_id=run.run_id, direction=direction, dataset=None, at=None,
        depth=depth, perhaps=perhaps, limit=limit,
    )  # fmt: skip
    steps, omitted = _read_steps(rows)
    archive = read_archive(session)
    return RunSteps(run, None, depth, steps, direction, perhaps, omitted, archive)


def trace_steps_at(
    session: Session,
    name: str,
    time: TimeArgument | None = None,
    depth: int | None = None,
    *,
    limit: int | None = None,
    perhaps: bool = False,
) -> RunSteps:
    """Trace the jobs whose writes were visible in a dataset at a time, and their upstream.

    ``time`` is as in ``trace_runs_at``.
    """
    root, at = resolve_dataset_at(session, name, time)
    rows = session.fetch(
        _SELECT_STEPS, run_id=None, direction=None, dataset=root.id, at=at,
        depth=depth, perhaps=perhaps, limit=limit,
    )  # fmt: skip
    steps, omitted = _read_steps(rows)
    archive = read_archive(session)
    return RunSteps(root, at, depth, steps, "upstream", perhaps, omitted, archive)


def _read_steps(rows: Sequence[StepRow]) -> tuple[tuple[RunStep, ...], int]:
    """Build the steps of rows; return them and the number of omitted ones."""
    steps = tuple(
        RunStep(
            row.distance,
            job_of(row.reader, row.reader_namespace, row.reader_name),
            Dataset(row.dataset, row.namespace, row.name),
            job_of(row.writer, row.writer_namespace, row.writer_name),
            row.runs,
            Run(*row.run) if row.run else None,
            row.first,
            row.last,
            row.exact,
            row.perhaps,
            row.since,
        )
        for row in rows
    )
    return steps, rows[0].total - len(steps) if rows else 0
