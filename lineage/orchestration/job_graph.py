"""The graph of jobs: every writer of a dataset comes before every reader of it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage.garbage import pause_collection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from lineage.orchestration.accesses import JobAccesses


class Link(NamedTuple):
    """A dataset that links two jobs; ``view`` if the reader reads it through one."""

    dataset: int
    view: int | None


@dataclass(frozen=True, slots=True)
class JobGraph:
    """Jobs, and the datasets by which one precedes another.

    ``links``: from a pair (before, after) to the datasets. ``own``: datasets that a job reads and
    writes. ``writers``: all jobs that write a dataset.
    """

    jobs: tuple[int, ...]
    links: Mapping[tuple[int, int], tuple[Link, ...]]
    own: Mapping[int, tuple[int, ...]]
    writers: Mapping[int, tuple[int, ...]]

    def next_jobs(self) -> dict[int, list[int]]:
        """Return the jobs directly after each job."""
        after: dict[int, list[int]] = {job: [] for job in self.jobs}
        for before, job in self.links:
            after[before].append(job)
        return after

    def previous_jobs(self) -> dict[int, list[int]]:
        """Return the jobs directly before each job."""
        before: dict[int, list[int]] = {job: [] for job in self.jobs}
        for job, after in self.links:
            before[after].append(job)
        return before

    def only_jobs(self, jobs: Collection[int]) -> JobGraph:
        """Return the graph of some of the jobs, with the links between them."""
        return JobGraph(
            tuple(job for job in self.jobs if job in jobs),
            {
                pair: links
                for pair, links in self.links.items()
                if pair[0] in jobs and pair[1] in jobs
            },
            self.own,
            self.writers,
        )

    def without_links(
        self, datasets: Collection[int], pairs: Collection[tuple[int, int]]
    ) -> JobGraph:
        """Return the graph in which ``datasets`` do not link these pairs."""
        links = dict(self.links)
        for pair in pairs:
            if left := tuple(link for link in links[pair] if link.dataset not in datasets):
                links[pair] = left
            else:
                del links[pair]
        return JobGraph(self.jobs, links, self.own, self.writers)


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
    # Most pairs have one link, which all readers of its dataset share: no list for each pair.
    direct = {dataset: (Link(dataset, None),) for dataset in writers}
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    own: dict[int, tuple[int, ...]] = {}
    for job in jobs:
        reads = accesses.reads.get(job, {})
        through = _read_through_views(accesses, reads) if accesses.views else {}
        for dataset in (*reads, *through) if through else reads:
            if dataset not in writers:
                continue
            view = through.get(dataset) if through else None
            link = direct[dataset] if view is None else (Link(dataset, view),)
            for writer in writers[dataset]:
                if writer == job:
                    own[job] = (*own.get(job, ()), dataset)
                    continue
                pair = (writer, job)
                if pair in links:
                    links[pair] += link
                else:
                    links[pair] = link
    return JobGraph(
        jobs,
        links,
        {job: tuple(sorted(datasets)) for job, datasets in own.items()},
        {dataset: tuple(each) for dataset, each in writers.items()},
    )


def read_links(accesses: JobAccesses, job: int) -> Iterator[Link]:
    """Yield the datasets that a job reads, directly or, if it does not, through a view."""
    reads = accesses.reads.get(job, {})
    for dataset in reads:
        yield Link(dataset, None)
    for dataset, view in _read_through_views(accesses, reads).items():
        yield Link(dataset, view)


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
