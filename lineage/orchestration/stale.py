"""Jobs that must run again: an input was written after their last successful run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.orchestration.job_graph import read_edges
from lineage.query.graph_structure import find_reachable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lineage.orchestration.accesses import JobAccesses
    from lineage.orchestration.job_graph import JobGraph
    from lineage.query.records import Dataset


class NewInput(NamedTuple):
    """A dataset that was written after the last successful run, the last write, and its writer."""

    dataset: int
    written: str
    writer: int


def last_successful_runs(
    accesses: JobAccesses, began: Mapping[int, str | None]
) -> dict[int, str | None]:
    """Return when the last successful run of each job began.

    A job whose own runs report no end, because only the runs below it do, has the last time at
    which one of those that completed began to access a dataset.
    """
    return {
        job: began.get(job)
        or max(
            (
                each.last_success
                for of_job in (accesses.reads, accesses.writes)
                for each in of_job.get(job, {}).values()
                if each.last_success
            ),
            default=None,
        )
        for job in accesses.all_jobs
    }


@dataclass(frozen=True, slots=True)
class StaleJobs:
    """The jobs of a graph that must run again.

    ``own``: jobs with a reason of their own, a new input or None if no run completed. ``all_jobs``:
    these and the jobs after them.
    """

    graph: JobGraph
    accesses: JobAccesses
    own: Mapping[int, NewInput | None]
    all_jobs: Collection[int]

    def new_inputs(self) -> set[int]:
        """Return the datasets that reasons name."""
        return {new.dataset for new in self.own.values() if new}

    def describe_reasons(
        self, jobs: Collection[int], datasets: Mapping[int, Dataset]
    ) -> dict[int, str]:
        """Return why each of these jobs must run again. ``datasets``: at least the new inputs."""
        previous = self.graph.previous_jobs()
        reasons: dict[int, str] = {}
        for job in jobs:
            if new := self.own.get(job):
                dataset, writer = datasets[new.dataset], self.accesses.name_jobs([new.writer])
                reasons[job] = f"{dataset} was written at {new.written} by {writer}"
            elif job in self.own:
                reasons[job] = "no run of it completed"
            else:
                stale = [each for each in previous[job] if each in self.all_jobs]
                reasons[job] = f"runs after {self.accesses.name_jobs(stale)}"
        return reasons


def find_stale_jobs(
    graph: JobGraph, accesses: JobAccesses, successes: Mapping[int, str | None]
) -> StaleJobs:
    """Find the jobs with a new input or without a successful run, and all jobs after them.

    A job that defines only views need not run again for its inputs: a view has no data. Its
    readers read the data, and come directly after the jobs that write these.
    """
    own: dict[int, NewInput | None] = {}
    for job in graph.jobs:
        last_success = successes[job]
        if last_success is None:
            own[job] = None
        elif _makes_only_views(accesses, job):
            continue
        elif new := _find_new_input(accesses, job, last_success, graph.writers):
            own[job] = new
    near = {
        job: [each for each in after if not _makes_only_views(accesses, each)]
        for job, after in graph.next_jobs().items()
    }
    return StaleJobs(graph, accesses, own, find_reachable(own, near))


def _makes_only_views(accesses: JobAccesses, job: int) -> bool:
    written = accesses.writes.get(job, {})
    return bool(written) and written.keys() <= accesses.views.keys()


def _find_new_input(
    accesses: JobAccesses, job: int, last_success: str, writers: Mapping[int, Sequence[int]]
) -> NewInput | None:
    """Return the input of ``job`` that another job wrote last, if after its last successful run.

    An input counts from the time when the job last began to read it, if that is later than the
    beginning of its last successful run. A run that has not ended has written nothing.
    """
    newest: NewInput | None = None
    reads = accesses.reads.get(job, {})
    for dataset, view in read_edges(accesses, job):
        read = max(last_success, reads[dataset if view is None else view].last_success or "")
        for writer in writers.get(dataset, ()):
            written = accesses.writes[writer][dataset].last_committed
            if writer == job or written is None or written <= read:
                continue
            if newest is None or (written, -dataset) > (newest.written, -newest.dataset):
                newest = NewInput(dataset, written, writer)
    return newest
