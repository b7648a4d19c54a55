"""Jobs that must run again: an input was written after their last successful run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.orchestration.job_graph import read_links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lineage.orchestration.accesses import JobAccesses

# A dataset that was written after the last successful run, the time of the write, and its writer.
NewInput = tuple[int, str, int]


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


def find_new_input(
    accesses: JobAccesses,
    job: int,
    last_success: str | None,
    writers: Mapping[int, Sequence[int]],
) -> NewInput | None:
    """Return the input of ``job`` that another job wrote last, if after its last successful run.

    An input counts from the time when the job last began to read it, if that is later than the
    beginning of its last successful run. A job without a successful run has no new input. A run that
    has not ended has written nothing.
    """
    if last_success is None:
        return None
    newest: NewInput | None = None
    reads = accesses.reads.get(job, {})
    for dataset, view in read_links(accesses, job):
        read = max(last_success, reads[dataset if view is None else view].last_success or "")
        for writer in writers.get(dataset, ()):
            written = accesses.writes[writer][dataset].last_committed
            if writer == job or written is None or written <= read:
                continue
            if newest is None or (written, -dataset) > (newest[1], -newest[0]):
                newest = (dataset, written, writer)
    return newest


def explain_stale(
    order: Sequence[int],
    predecessors: Mapping[int, Sequence[int]],
    own_reason: Callable[[int], str | None],
    name: Callable[[int], str],
) -> dict[int, str]:
    """Return why jobs must run again: for a reason of their own, or after one that must.

    ``order``: the jobs in an order in which predecessors come first.
    """
    reasons: dict[int, str] = {}
    for job in order:
        before = sorted(name(each) for each in predecessors[job] if each in reasons)
        if reason := own_reason(job):
            reasons[job] = reason
        elif before:
            more = f" and {len(before) - 1:,} more" if len(before) > 1 else ""
            reasons[job] = f"runs after {before[0]}{more}"
    return reasons
