"""What a run read, or what was there at a time, from job to job: one step for all runs of a job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from lineage.questions.answers import Dataset, Job, Run, tie
from lineage.questions.moments import Moments
from lineage.questions.portable import Portable
from lineage.questions.runs import RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.questions.answers import OneWay

# What is cut is counted by the server: rows that are not shown do not leave it.
_STEPS = """
SELECT s.distance, i.id, i.namespace, i.name, d.id, d.namespace, d.name, o.id, o.namespace, o.name,
       s.runs, CASE WHEN r.id IS NOT NULL THEN {run} END, lineage.iso(s.first),
       lineage.iso(s.last), s.exact, s.perhaps, lineage.iso(s.since), count(*) OVER ()
FROM {steps} AS s
JOIN lineage.dataset d ON d.id = s.dataset
LEFT JOIN lineage.job i ON i.id = s.reader_job
LEFT JOIN lineage.job o ON o.id = s.writer_job
LEFT JOIN lineage.run r ON r.id = s.run
ORDER BY s.distance, i.namespace NULLS FIRST, i.name, d.namespace, d.name, o.namespace, o.name
LIMIT %(limit)s
"""
_RUN = "(SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s"


def _asked(steps: str) -> str:
    return _STEPS.replace("{run}", RUN).replace("{steps}", steps)


_OF_RUN = {
    "upstream": _asked(f"lineage.steps_of_run({_RUN})"),
    "downstream": _asked(f"lineage.steps_from_run({_RUN})"),
}
_AT = _asked("lineage.steps_at(%(dataset)s, %(at)s::timestamptz, %(depth)s, %(perhaps)s)")


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
            return f"{self.exact:,} of {self.runs:,} {tie(exact=True)}"
        return tie(exact=self.exact > 0)


@dataclass(frozen=True, slots=True, repr=False)
class RunSteps(Portable):
    """What a run read, or a dataset was made of ``at`` a time, from job to job; nearest first.

    A limit has ``left_out`` so many steps. With ``perhaps`` writes were followed too that may have
    been replaced.
    """

    root: Run | Dataset
    at: str | None
    depth: int | None
    steps: tuple[RunStep, ...]
    direction: OneWay = "upstream"
    perhaps: bool = False
    left_out: int = 0


class RunStepQuestions(Moments):
    """Questions about a run or a time that are answered from job to job."""

    def run_steps(
        self,
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
        run = self._run(run_id)
        given = {"run_id": run.run_id, "depth": depth, "limit": limit, "perhaps": perhaps}
        steps, left_out = _steps(self._rows(_OF_RUN[direction], given))
        return RunSteps(run, None, depth, steps, direction, perhaps, left_out)

    def steps_at(
        self,
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
        root, moment = self._dataset_at(name, time)
        given = {"dataset": root.id, "at": moment, "depth": depth, "limit": limit}
        steps, left_out = _steps(self._rows(_AT, {**given, "perhaps": perhaps}))
        return RunSteps(root, moment, depth, steps, "upstream", perhaps, left_out)


def _steps(rows: Sequence[tuple[Any, ...]]) -> tuple[tuple[RunStep, ...], int]:
    """Return the steps of rows, and how many more there are."""
    steps = tuple(_read(rows))
    return steps, rows[0][-1] - len(steps) if rows else 0


def _read(rows: Iterable[tuple[Any, ...]]) -> Iterable[RunStep]:
    for distance, *names, runs, run, first, last, exact, perhaps, since, _ in rows:
        yield RunStep(
            distance,
            Job(*names[:3]) if names[0] else None,
            Dataset(*names[3:6]),
            Job(*names[6:]) if names[6] else None,
            runs,
            Run(*run) if run else None,
            first, last, exact, perhaps, since,
        )  # fmt: skip
