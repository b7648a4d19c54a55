"""Records of the order of jobs, all frozen. Times are UTC, ISO 8601, or None if unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from lineage.query.display import Portable

if TYPE_CHECKING:
    from lineage.query.archive import RunArchive
    from lineage.query.records import Dataset, Job

Omission: TypeAlias = Literal[
    "no run succeeded", "stream", "ignored", "removed", "no place in the order"
]


class Reason(Struct, frozen=True, gc=False):
    """A dataset that one job writes and another reads.

    ``first_seen``: the time since which both have done so. ``written``, ``read``: their last times
    in the window; that of the design if ``declared``. ``declared``: no run in the window of one of
    the two did so, but its design reports it. ``view``: the view through which it is read.
    """

    dataset: Dataset
    first_seen: str
    written: str
    read: str
    declared: bool
    view: Dataset | None


class Precedence(Struct, frozen=True, gc=False):
    """``before`` must end before ``after`` begins. ``implied``: a chain of others already says so.

    ``implied`` is None if the reduction was not computed: there is a cycle, or there are too many
    jobs.
    """

    before: Job
    after: Job
    reasons: tuple[Reason, ...]
    implied: bool | None


class SharedOutput(Struct, frozen=True, gc=False):
    """One of several writers of a dataset; the order does not decide between them.

    ``modes``: write modes that its runs reported, as append and overwrite.
    """

    dataset: Dataset
    job: Job
    last_written: str
    modes: tuple[str, ...]


class PlannedJob(Struct, frozen=True, gc=False):
    """A job of the order.

    ``type``: its job type. ``level``: length of the longest chain of jobs before it; None if there
    is a cycle. ``seconds``, ``seconds_p90``: median and 90th percentile of the durations of its
    last successful runs, at most ``durations`` = 20; None without one. ``slack``: seconds by which
    it can be late without making the whole later; ``starts``: seconds after the start with the
    requested number of workers. ``outputs``: datasets that it writes. ``own``: those that it also
    reads, which orders nothing. ``tested``: those that it reads, if it only checks them; ``tests``:
    the names of its tests of them.
    ``declared``: no run in the window, only a design. ``stale``: why it must run again, if the
    query asked for that.
    """

    job: Job
    type: str | None
    level: int | None
    seconds: float | None
    seconds_p90: float | None
    durations: int
    last_successful_run: str | None
    slack: float | None
    starts: float | None
    outputs: tuple[Dataset, ...]
    own: tuple[Dataset, ...]
    tested: tuple[Dataset, ...]
    tests: tuple[str, ...]
    declared: bool
    stale: str | None


class OmittedJob(Struct, frozen=True, gc=False):
    """A job that is not in the order, and the reason."""

    job: Job
    reason: Omission


class CycleStep(Struct, frozen=True, gc=False):
    """``before`` writes ``datasets``, and ``after`` reads them.

    ``days``: number of days (UTC) in the window on which ``after`` read ``datasets[0]``.
    ``days_after``: on so many of them ``before`` had written it earlier on that day.
    """

    before: Job
    after: Job
    datasets: tuple[Dataset, ...]
    days: int
    days_after: int


class JobCycle(Struct, frozen=True, gc=False):
    """Jobs each of which must run before each other: a strongly connected component.

    ``steps``: a shortest way round. ``feedback``: the dataset of that way that was most often read
    before it was written on that day; None if no read shows one. As ``feedback`` of the query, it
    removes this way round; there may be others.
    """

    jobs: tuple[Job, ...]
    steps: tuple[CycleStep, ...]
    feedback: Dataset | None


class Feedback(Struct, frozen=True, gc=False):
    """A dataset whose readers take the data of the round before, and the pairs of jobs it frees."""

    dataset: Dataset
    pairs: int


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Portable):
    """The order of jobs, from the runs between ``since`` and ``until`` and from designs.

    ``roots``: the jobs and datasets that the query named. ``jobs``: by level and name.
    ``cycles``: if there is one, there is no order: levels, the critical path and times are not
    computed. ``critical_path``: the chain of jobs with the greatest sum of median durations,
    ``critical_seconds``; a job without one counts 0. ``work``: the sum over all jobs.
    ``workers``, ``seconds``: the end of a list schedule by the critical path for so many workers;
    None if the query had none. ``width``: number of jobs on the widest level. ``isolated``: jobs on
    no edge. ``archive``: None unless runs of the window are archived, which are not counted.
    """

    roots: tuple[Job | Dataset, ...]
    direction: str
    since: str
    until: str
    jobs: tuple[PlannedJob, ...]
    edges: tuple[Precedence, ...]
    cycles: tuple[JobCycle, ...]
    critical_path: tuple[Job, ...]
    critical_seconds: float
    work: float
    workers: int | None
    seconds: float | None
    width: int
    isolated: tuple[Job, ...]
    shared_outputs: tuple[SharedOutput, ...]
    omitted_jobs: tuple[OmittedJob, ...]
    feedback: tuple[Feedback, ...]
    archive: RunArchive | None = None

    @property
    def jobs_by_level(self) -> tuple[tuple[PlannedJob, ...], ...]:
        """The jobs of each level, which may run at the same time; none if there is a cycle."""
        if self.cycles:
            return ()
        levels: dict[int | None, list[PlannedJob]] = {}
        for each in self.jobs:
            levels.setdefault(each.level, []).append(each)
        return tuple(map(tuple, levels.values()))
