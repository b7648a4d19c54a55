"""The jobs of a plan: all of them, or those that some names need or affect."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from lineage.errors import NotFound
from lineage.orchestration.accesses import job_of_kind
from lineage.orchestration.job_graph import read_edges
from lineage.orchestration.records import OmittedJob
from lineage.query.graph_structure import find_reachable
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.orchestration.accesses import JobAccesses
    from lineage.orchestration.job_graph import JobGraph
    from lineage.orchestration.records import Omission
    from lineage.query.records import Job, OneWay

_EARLIER = "Set since to an earlier time."


def select_jobs(
    graph: JobGraph,
    accesses: JobAccesses,
    roots: Sequence[Job | Dataset],
    direction: OneWay,
    since: str,
) -> tuple[JobGraph, tuple[OmittedJob, ...]]:
    """Return the part of the graph that a plan has, and the jobs that have no place in it.

    Upstream of a dataset are its writers and all jobs before them, downstream its readers and all
    jobs after them. Upstream of a job is the job itself and all before, downstream all after it. A
    job that only groups others stands for these. Raises NotFound if nobody wrote, or read, one of
    ``roots``.
    """
    if not roots:
        linked = set(chain.from_iterable(graph.edges))
        outside = {job for job in graph.jobs if job not in linked and not accesses.writes.get(job)}
        return graph.only_jobs(set(graph.jobs) - outside), _omitted_jobs(accesses, outside)
    selected: set[int] = set()
    near = graph.previous_jobs() if direction == "upstream" else graph.next_jobs()
    for root in roots:
        if isinstance(root, Dataset):
            starts = _adjacent_jobs(accesses, graph, root, direction)
        else:
            starts = _units_of(accesses, root).intersection(graph.jobs)
        if not starts:
            raise (
                _explain_dataset(accesses, root, direction, since)
                if isinstance(root, Dataset)
                else _explain_job(accesses, root, since)
            )
        if direction == "downstream" and not isinstance(root, Dataset):
            starts = set(chain.from_iterable(near[job] for job in starts)) - starts
        selected |= find_reachable(starts, near)
    beside = tuple(
        each for each in _omitted_jobs(accesses, ()) if _is_adjacent(accesses, each, selected)
    )
    return graph.only_jobs(selected), beside


def _units_of(accesses: JobAccesses, job: Job) -> set[int]:
    return accesses.units.get(job.id, set()) | accesses.grouped.get(job.id, set())


def _explain_job(accesses: JobAccesses, job: Job, since: str) -> NotFound:
    """Say why a job has no place in the order."""
    units = _units_of(accesses, job)
    if units & accesses.streams:
        return NotFound(f"{job} is a stream: it runs all the time, outside the order.")
    if units & accesses.ignored:
        return NotFound(f"{job} is ignored in the configuration.")
    if units & accesses.removed:
        return NotFound(f"{job} was removed from its project of dbt, and has not run since.")
    if units:
        return NotFound(f"All runs of {job} since {since} failed.", _EARLIER)
    return NotFound(f"No run of {job} read or wrote anything since {since}.", _EARLIER)


def _explain_dataset(
    accesses: JobAccesses, dataset: Dataset, direction: OneWay, since: str
) -> NotFound:
    """Say why no job of the order wrote, or read, a dataset."""
    is_output = direction == "upstream"
    of_job = accesses.writes if is_output else accesses.reads
    if streams := {job for job in accesses.streams if dataset.id in of_job.get(job, ())}:
        do = "write" if is_output else "read"
        who = f"a stream {do}s" if len(streams) == 1 else f"streams {do}"
        return NotFound(f"Only {who} {dataset}: {accesses.name_jobs(streams)}.")
    if ignored := {job for job in accesses.ignored if dataset.id in of_job.get(job, ())}:
        do = "write" if is_output else "read"
        return NotFound(f"Only ignored jobs {do} {dataset}: {accesses.name_jobs(ignored)}.")
    if removed := {job for job in accesses.removed if dataset.id in of_job.get(job, ())}:
        do = "write" if is_output else "read"
        return NotFound(f"Only removed jobs {do} {dataset}: {accesses.name_jobs(removed)}.")
    did = "wrote" if is_output else "read"
    failed = {
        job for job, id, output in accesses.failed_accesses
        if (id, output) == (dataset.id, is_output)
    }  # fmt: skip
    if failed:
        jobs = accesses.name_jobs(failed)
        return NotFound(f"All runs that {did} {dataset} since {since} failed: {jobs}.", _EARLIER)
    hint = f"{_EARLIER} No job writes an external source." if is_output else _EARLIER
    return NotFound(f"No job {did} {dataset} since {since}.", hint)


def _adjacent_jobs(
    accesses: JobAccesses, graph: JobGraph, dataset: Dataset, direction: OneWay
) -> set[int]:
    """Return the writers of a dataset, or of the sources of a view; or its readers."""
    if direction == "upstream":
        sources = (dataset.id, *accesses.views.get(dataset.id, ()))
        return {job for each in sources for job in graph.writers.get(each, ())}
    return {
        job
        for job in graph.jobs
        if any(edge.dataset == dataset.id for edge in read_edges(accesses, job))
    }


def _omitted_jobs(accesses: JobAccesses, outside: set[int] | tuple[()]) -> tuple[OmittedJob, ...]:
    reasons: list[tuple[set[int] | tuple[()], Omission]] = [
        (accesses.failed, "no run succeeded"),
        (accesses.streams, "stream"),
        (accesses.ignored, "ignored"),
        (accesses.removed - accesses.ignored, "removed"),
        (outside, "no place in the order"),
    ]
    omitted = [
        OmittedJob(job_of_kind(accesses.kinds[job]), reason)
        for jobs, reason in reasons
        for job in jobs
    ]
    return tuple(sorted(omitted, key=lambda each: (each.reason, each.job.full_name)))


def _is_adjacent(accesses: JobAccesses, omitted: OmittedJob, selected: set[int]) -> bool:
    """Return whether a stream or an ignored job is before or after one of the jobs."""
    if omitted.reason not in ("stream", "ignored"):
        return False
    id = omitted.job.id
    written, read = accesses.writes.get(id, {}).keys(), accesses.reads.get(id, {}).keys()
    return any(
        accesses.reads.get(job, {}).keys() & written or accesses.writes.get(job, {}).keys() & read
        for job in selected
    )
