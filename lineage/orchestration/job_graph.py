"""The graph of jobs: every writer of a dataset comes before every reader of it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.garbage import pause_collection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from lineage.orchestration.accesses import JobAccesses


class JobEdge(NamedTuple):
    """An edge between two jobs: a dataset; ``view`` if the reader reads it through one."""

    dataset: int
    view: int | None


@dataclass(frozen=True, slots=True)
class JobGraph:
    """Jobs, and the datasets by which one precedes another.

    ``edges``: from a pair (before, after) to the datasets. ``own``: datasets that a job reads and
    writes. ``writers``: all jobs that write a dataset.
    """

    jobs: tuple[int, ...]
    edges: Mapping[tuple[int, int], tuple[JobEdge, ...]]
    own: Mapping[int, tuple[int, ...]]
    writers: Mapping[int, tuple[int, ...]]

    def next_jobs(self) -> dict[int, list[int]]:
        """Return the jobs directly after each job."""
        after: dict[int, list[int]] = {job: [] for job in self.jobs}
        for before, job in self.edges:
            after[before].append(job)
        return after

    def previous_jobs(self) -> dict[int, list[int]]:
        """Return the jobs directly before each job."""
        before: dict[int, list[int]] = {job: [] for job in self.jobs}
        for job, after in self.edges:
            before[after].append(job)
        return before

    def only_jobs(self, jobs: Collection[int]) -> JobGraph:
        """Return the graph of some of the jobs, with the edges between them."""
        return JobGraph(
            tuple(job for job in self.jobs if job in jobs),
            {
                pair: edges
                for pair, edges in self.edges.items()
                if pair[0] in jobs and pair[1] in jobs
            },
            self.own,
            self.writers,
        )

    def without_edges(
        self, datasets: Collection[int], pairs: Collection[tuple[int, int]]
    ) -> JobGraph:
        """Return the graph without the edges by ``datasets`` between these pairs."""
        edges = dict(self.edges)
        for pair in pairs:
            if left := tuple(edge for edge in edges[pair] if edge.dataset not in datasets):
                edges[pair] = left
            else:
                del edges[pair]
        return JobGraph(self.jobs, edges, self.own, self.writers)


@pause_collection()
def build_job_graph(accesses: JobAccesses, omitted: Collection[int] = ()) -> JobGraph:
    """Build the graph of all jobs but the ``omitted`` ones.

    A view is passed through: its readers also read its source datasets.
    """
    jobs = tuple(job for job in sorted(accesses.all_jobs) if job not in omitted)
    writers: dict[int, list[int]] = defaultdict(list)
    for job in jobs:
        for dataset in accesses.writes.get(job, ()):
            writers[dataset].append(job)
    # Most pairs have one edge, which all readers of its dataset share: no list for each pair.
    direct = {dataset: (JobEdge(dataset, None),) for dataset in writers}
    edges: dict[tuple[int, int], tuple[JobEdge, ...]] = {}
    own: dict[int, tuple[int, ...]] = {}
    for job in jobs:
        reads = accesses.reads.get(job, {})
        through = _read_through_views(accesses, reads) if accesses.views else {}
        for dataset in (*reads, *through) if through else reads:
            if dataset not in writers:
                continue
            view = through.get(dataset) if through else None
            edge = direct[dataset] if view is None else (JobEdge(dataset, view),)
            for writer in writers[dataset]:
                if writer == job:
                    own[job] = (*own.get(job, ()), dataset)
                    continue
                pair = (writer, job)
                if pair in edges:
                    edges[pair] += edge
                else:
                    edges[pair] = edge
    return JobGraph(
        jobs,
        edges,
        {job: tuple(sorted(datasets)) for job, datasets in own.items()},
        {dataset: tuple(each) for dataset, each in writers.items()},
    )


def read_edges(accesses: JobAccesses, job: int) -> Iterator[JobEdge]:
    """Yield the inputs of a job, as edges: read directly or, if not, through a view."""
    reads = accesses.reads.get(job, {})
    for dataset in reads:
        yield JobEdge(dataset, None)
    for dataset, view in _read_through_views(accesses, reads).items():
        yield JobEdge(dataset, view)


def _read_through_views(accesses: JobAccesses, reads: Collection[int]) -> dict[int, int]:
    """Return the datasets that are read through a view and not directly, with the first view."""
    through: dict[int, int] = {}
    if not accesses.views:
        return through
    for view in reads:
        for dataset in accesses.views.get(view, ()):
            if dataset not in reads:
                through.setdefault(dataset, view)
    return through
