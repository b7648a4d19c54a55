"""Cycles between jobs: components, a shortest way round each, and the feedback that removes it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from lineage.orchestration.order import sort_jobs
from lineage.query.graph_structure import GraphStructure

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from lineage.orchestration.job_graph import JobGraph


def find_components(pairs: Collection[tuple[int, int]]) -> list[list[int]]:
    """Return the strongly connected components with at least two jobs."""
    return GraphStructure(pairs).cycle_components()


def find_cyclic_components(graph: JobGraph) -> list[list[int]]:
    """Return the components like ``find_components``; sorting shows sooner that there is none."""
    try:
        sort_jobs(graph.next_jobs())
    except ValueError:
        return find_components(graph.edges)
    return []


def find_shortest_cycle(
    component: Sequence[int],
    successors: Mapping[int, Sequence[int]],
    key: Callable[[int], object],
) -> list[int]:
    """Return a shortest cycle in a component, which begins with its first job by ``key``.

    Each job is searched from, breadth first, and no further than the best cycle so far. Jobs are
    taken in the order of ``key``, so that the result depends only on the graph.
    """
    inside = sorted(component, key=key)  # type: ignore[arg-type]
    place = {job: number for number, job in enumerate(inside)}
    near = [sorted(place[t] for t in successors[job] if t in place) for job in inside]
    best: list[int] = []
    for start in range(len(inside)):
        if cycle := _cycle_through(start, near, len(best) or len(inside) + 1):
            best = cycle
        if len(best) == 2:
            break
    first = best.index(min(best))
    return [inside[number] for number in best[first:] + best[:first]]


def _cycle_through(start: int, near: Sequence[Sequence[int]], shorter_than: int) -> list[int]:
    """Return a shortest cycle through ``start`` with fewer jobs than that, or an empty list."""
    came: dict[int, int] = {}
    length = {start: 1}
    queue = deque([start])
    while queue:
        job = queue.popleft()
        if length[job] >= shorter_than:
            return []
        for target in near[job]:
            if target == start:
                way = [job]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if target not in length:
                came[target], length[target] = job, length[job] + 1
                queue.append(target)
    return []


def apply_feedback(graph: JobGraph, datasets: Collection[int]) -> tuple[JobGraph, dict[int, int]]:
    """Remove the edges by ``datasets`` within cycles; return the graph, and pairs by dataset.

    The readers of such a dataset take the data of the round before. Elsewhere it still orders.
    """
    number = dict.fromkeys(datasets, 0)
    if not number:
        return graph, number
    part_of = {job: part for part, jobs in enumerate(find_components(graph.edges)) for job in jobs}
    pairs = []
    for (before, after), edges in graph.edges.items():
        if before in part_of and part_of[before] == part_of.get(after):
            linked = {edge.dataset for edge in edges if edge.dataset in number}
            for dataset in linked:
                number[dataset] += 1
            if linked:
                pairs.append((before, after))
    return graph.without_edges(datasets, pairs), number
