"""What a run read, or what was there at a time, from job to job: one step for all runs of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.query.portable import Portable
from lineage.query.records import Dataset, Job, Run, job_of, matched_by
from lineage.query.runs import read_run, resolve_dataset_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.records import OneWay
    from lineage.query.session import Session


class StepRow(NamedTuple):
    """A step from job to job; ``run`` is the newest of ``runs``."""

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
_SELECT_UPSTREAM = _SQL.statement("select_steps_upstream", StepRow)
_SELECT_DOWNSTREAM = _SQL.statement("select_steps_downstream", StepRow)
_SELECT_AT = _SQL.statement("select_steps_at", StepRow)


class RunStep(Struct, frozen=True, gc=False):
    """``runs`` of the job far from the root, which read ``dataset`` or had written it.

    ``reader`` is None where the question is what somebody would have read; without a ``writer`` no
    run is known to have written it. ``run`` is the newest of the runs; ``first`` and ``last`` are
    when they wrote, downstream when they read. ``exact`` of them state the same version as the
    other end. ``perhaps`` more may have been there, since ``since``: a newer write of the same job
    followed, and nobody says whether it replaced theirs.
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
        """How reads and writes are matched: by their version, by time, or some by either."""
        if not self.writer or not self.runs:
            return None
        if 0 < self.exact < self.runs:
            return f"{self.exact:,} of {self.runs:,} {matched_by(exact=True)}"
        return matched_by(exact=self.exact > 0)


@dataclass(frozen=True, slots=True, repr=False)
class RunSteps(Portable):
    """What a run read, or a dataset was made of ``at`` a time, from job to job; nearest first.

    A limit has ``omitted`` so many steps. With ``perhaps`` writes were followed too that may have
    been replaced.
    """

    root: Run | Dataset
    at: str | None
    depth: int | None
    steps: tuple[RunStep, ...]
    direction: OneWay = "upstream"
    perhaps: bool = False
    omitted: int = 0


def trace_run_steps(
    session: Session,
    run_id: str,
    direction: OneWay = "upstream",
    depth: int | None = None,
    *,
    limit: int | None = None,
    perhaps: bool = False,
) -> RunSteps:
    """Return which jobs had written what a run read, or which read what it wrote.

    ``perhaps``: go also by writes that may have been replaced. Raises NotFound.
    """
    run = read_run(session, run_id)
    statement = _SELECT_UPSTREAM if direction == "upstream" else _SELECT_DOWNSTREAM
    rows = session.fetch(statement, run_id=run.run_id, depth=depth, limit=limit, perhaps=perhaps)
    steps, omitted = _read_steps(rows)
    return RunSteps(run, None, depth, steps, direction, perhaps, omitted)


def trace_steps_at(
    session: Session,
    name: str,
    time: str | None = None,
    depth: int | None = None,
    *,
    limit: int | None = None,
    perhaps: bool = False,
) -> RunSteps:
    """Return which jobs' writes a dataset consisted of at a time, and what these had read.

    ``time`` is as ``at`` has it.
    """
    root, at = resolve_dataset_at(session, name, time)
    rows = session.fetch(
        _SELECT_AT, dataset=root.id, at=at, depth=depth, limit=limit, perhaps=perhaps
    )
    steps, omitted = _read_steps(rows)
    return RunSteps(root, at, depth, steps, "upstream", perhaps, omitted)


def _read_steps(rows: Sequence[StepRow]) -> tuple[tuple[RunStep, ...], int]:
    """Return the steps of rows, and how many more there are."""
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
