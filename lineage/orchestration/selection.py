"""The jobs of a plan: all of them, or those that some names need or affect."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from lineage.errors import NotFound
from lineage.orchestration.accesses import job_of_kind
from lineage.orchestration.job_graph import read_links
from lineage.orchestration.records import OmittedJob
from lineage.query.graph_structure import find_reachable
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.orchestration.accesses import JobAccesses
    from lineage.orchestration.job_graph import JobGraph
    from lineage.orchestration.records import Omission
    from lineage.query.records import Job, OneWay


def select_jobs(
    graph: JobGraph,
    accesses: JobAccesses,
    roots: Sequence[Job | Dataset],
    direction: OneWay,
    since: str,
) -> tuple[JobGraph, tuple[OmittedJob, ...]]:
    """Return the part of the graph that a plan has, and the jobs that have no place in it.

    Upstream of a dataset are its writers and all jobs before them, downstream its readers and all
    jobs after them. Upstream of a job is the job itself and all before, downstream all after it.
    Raises NotFound if nobody wrote, or read, one of ``roots``.
    """
    if not roots:
        linked = set(chain.from_iterable(graph.links))
        outside = {job for job in graph.jobs if job not in linked and not accesses.writes.get(job)}
        return graph.only_jobs(set(graph.jobs) - outside), _omitted_jobs(accesses, outside)
    selected: set[int] = set()
    near = graph.previous_jobs() if direction == "upstream" else graph.next_jobs()
    for root in roots:
        if isinstance(root, Dataset):
            starts = _adjacent_jobs(accesses, graph, root, direction)
        else:
            starts = accesses.units.get(root.id, set()).intersection(graph.jobs)
        if not starts:
            did = "read or wrote" if not isinstance(root, Dataset) else (
                "wrote" if direction == "upstream" else "read"
            )  # fmt: skip
            what = f"{root}" if isinstance(root, Dataset) else "anything"
            who = "job" if isinstance(root, Dataset) else f"run of {root}"
            raise NotFound(f"No {who} {did} {what} since {since}.", "Give an earlier since.")
        if direction == "downstream" and not isinstance(root, Dataset):
            starts = set(chain.from_iterable(near[job] for job in starts))
        selected |= find_reachable(starts, near)
    streams = tuple(
        each for each in _omitted_jobs(accesses, ()) if _is_adjacent(accesses, each, selected)
    )
    return graph.only_jobs(selected), streams


def _adjacent_jobs(
    accesses: JobAccesses, graph: JobGraph, dataset: Dataset, direction: OneWay
) -> set[int]:
    """Return the writers of a dataset, or of what a view is made of; or its readers."""
    if direction == "upstream":
        sources = (dataset.id, *accesses.views.get(dataset.id, ()))
        return {job for each in sources for job in graph.writers.get(each, ())}
    return {
        job
        for job in graph.jobs
        if any(link.dataset == dataset.id for link in read_links(accesses, job))
    }


def _omitted_jobs(accesses: JobAccesses, outside: set[int] | tuple[()]) -> tuple[OmittedJob, ...]:
    reasons: list[tuple[set[int] | tuple[()], Omission]] = [
        (accesses.failed, "no run succeeded"),
        (accesses.streams, "stream"),
        (outside, "no place in the order"),
    ]
    omitted = [
        OmittedJob(job_of_kind(accesses.kinds[job]), reason)
        for jobs, reason in reasons
        for job in jobs
    ]
    return tuple(sorted(omitted, key=lambda each: (each.reason, each.job.full_name)))


def _is_adjacent(accesses: JobAccesses, omitted: OmittedJob, selected: set[int]) -> bool:
    """Return whether a stream writes what one of the jobs reads, or reads what one writes."""
    if omitted.reason != "stream":
        return False
    id = omitted.job.id
    written, read = accesses.writes.get(id, {}).keys(), accesses.reads.get(id, {}).keys()
    return any(
        accesses.reads.get(job, {}).keys() & written or accesses.writes.get(job, {}).keys() & read
        for job in selected
    )
