"""The order of a graph without cycles: levels, transitive reduction and the critical path."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# The bit sets of the reduction take memory quadratic in the number of jobs: 60 MB at this number.
MAX_REDUCED_JOBS = 20_000


class Order(NamedTuple):
    """A topological order, by level and then by the key of the sort; the level of each job."""

    jobs: list[int]
    level: dict[int, int]


class Timing(NamedTuple):
    """Durations along the order.

    ``path``: the chain with the greatest sum, ``seconds``. ``slack``: how much later each job may
    end without making the sum greater. ``remaining``: greatest sum from the start of a job on.
    """

    path: list[int]
    seconds: float
    slack: dict[int, float]
    remaining: dict[int, float]


def sort_jobs(
    successors: Mapping[int, Sequence[int]], key: Callable[[int], object] | None = None
) -> Order:
    """Sort the jobs of a graph without cycles. A level is the length of the longest chain before.

    Raises ValueError if there is a cycle.
    """
    left = dict.fromkeys(successors, 0)
    for targets in successors.values():
        for target in targets:
            left[target] += 1
    ready = [job for job, number in left.items() if not number]
    jobs: list[int] = []
    level: dict[int, int] = {}
    depth = 0
    while ready:
        ready.sort(key=key)  # type: ignore[arg-type]
        jobs += ready
        level.update(dict.fromkeys(ready, depth))
        freed = []
        for job in ready:
            for target in successors[job]:
                left[target] -= 1
                if not left[target]:
                    freed.append(target)
        ready, depth = freed, depth + 1
    if len(jobs) < len(left):
        raise ValueError("the graph has a cycle")
    return Order(jobs, level)


def reduce_edges(
    order: Sequence[int], successors: Mapping[int, Iterable[int]]
) -> dict[int, list[int]]:
    """Return the transitive reduction: the least edges with the same reachability.

    ``order`` is topological. Each job has a bit set of the jobs reachable from it; an edge is left
    out if a successor earlier in the order reaches its target.
    """
    position = {job: place for place, job in enumerate(order)}
    reached = [0] * len(position)
    reduced: dict[int, list[int]] = {}
    for job in reversed(order):
        seen, retained = 0, []
        for place in sorted(position[target] for target in successors[job]):
            if not seen >> place & 1:
                seen |= reached[place] | 1 << place
                retained.append(order[place])
        reached[position[job]] = seen
        reduced[job] = retained
    return reduced


def time_jobs(
    order: Sequence[int], successors: Mapping[int, Iterable[int]], seconds: Mapping[int, float]
) -> Timing:
    """Compute the critical path and the slack of each job.

    Of chains with equal sums, the critical path takes the job that is first in ``order``.
    """
    start = dict.fromkeys(order, 0.0)
    for job in order:
        end = start[job] + seconds.get(job, 0.0)
        for target in successors[job]:
            if start[target] < end:
                start[target] = end
    remaining: dict[int, float] = {}
    following: dict[int, Any] = {}
    position = {job: place for place, job in enumerate(order)}
    for job in reversed(order):
        next_: Any = None
        longest = -1.0
        for target in successors[job]:
            rest = remaining[target]
            if rest > longest or (rest == longest and position[target] < position[next_]):
                next_, longest = target, rest
        following[job] = next_
        remaining[job] = seconds.get(job, 0.0) + max(longest, 0.0)
    path = []
    at = min(order, key=lambda job: (-remaining[job], position[job]), default=None)
    total = remaining[at] if at is not None else 0.0
    while at is not None:
        path.append(at)
        at = following[at]
    slack = {job: max(0.0, total - start[job] - remaining[job]) for job in order}
    return Timing(path, total, slack, remaining)


def schedule_jobs(
    order: Sequence[int],
    successors: Mapping[int, Iterable[int]],
    seconds: Mapping[int, float],
    remaining: Mapping[int, float],
    workers: int,
) -> tuple[dict[int, float], float]:
    """Schedule the jobs on so many workers; return the start of each, and the end of the last.

    List scheduling: a free worker takes the ready job with the greatest ``remaining``. The end is
    at most twice that of the best schedule (Graham 1966), not always the best.
    """
    position = {job: place for place, job in enumerate(order)}
    left = dict.fromkeys(order, 0)
    for job in order:
        for target in successors[job]:
            left[target] += 1
    ready: list[tuple[float, int]] = []
    for job in order:
        if not left[job]:
            heappush(ready, (-remaining[job], position[job]))
    running: list[tuple[float, int]] = []
    starts: dict[int, float] = {}
    now = 0.0
    while ready or running:
        while ready and len(running) < workers:
            place = heappop(ready)[1]
            starts[order[place]] = now
            heappush(running, (now + seconds.get(order[place], 0.0), place))
        now, place = heappop(running)
        for target in successors[order[place]]:
            left[target] -= 1
            if not left[target]:
                heappush(ready, (-remaining[target], position[target]))
    return starts, now
