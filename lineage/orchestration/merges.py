"""Jobs that one command starts: they are one task unless another job must run between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.orchestration.cycles import find_components
from lineage.orchestration.order import sort_jobs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


def choose_merges(
    successors: Mapping[int, Sequence[int]], same: Mapping[int, int]
) -> dict[int, int]:
    """Map jobs to those of which they can take the place, such that the graph has no cycle.

    ``same``: jobs to the first one with the same command. A job remains if another must run between
    it and each of the same.
    """
    merged = replace_jobs(successors, same)
    try:
        sort_jobs(merged)
    except ValueError:
        pairs = [(job, target) for job, targets in merged.items() for target in targets]
        cyclic = {job for component in find_components(pairs) for job in component}
        inside = {
            job: [each for each in targets if same.get(each, each) in cyclic]
            for job, targets in successors.items()
            if same.get(job, job) in cyclic
        }
        outside = {job: other for job, other in same.items() if other not in cyclic}
        return outside | _merge_in_turn(inside, same)
    return dict(same)


def replace_jobs(
    successors: Mapping[int, Sequence[int]], same: Mapping[int, int]
) -> dict[int, list[int]]:
    """Return the successors with other jobs in the place of those that are the ``same``."""
    merged: dict[int, dict[int, None]] = {}
    for id, targets in successors.items():
        job = same.get(id, id)
        known = merged.setdefault(job, {})
        known.update(dict.fromkeys(same.get(each, each) for each in targets))
        known.pop(job, None)
    return {id: list(targets) for id, targets in merged.items()}


def _merge_in_turn(
    successors: Mapping[int, Sequence[int]], same: Mapping[int, int]
) -> dict[int, int]:
    """Map each job to the first of the ``same`` such that the graph has no cycle.

    Each step searches the graph in which the jobs before are already merged.
    """
    after = {job: set(targets) for job, targets in successors.items()}
    before: dict[int, set[int]] = {job: set() for job in after}
    for job, targets in after.items():
        for target in targets:
            before[target].add(job)
    retained: dict[int, list[int]] = {}
    merged: dict[int, int] = {}
    for job in successors:
        others = retained.setdefault(same.get(job, job), [])
        apart = _find_indirect(job, after) | _find_indirect(job, before)
        other = next((each for each in others if each not in apart), None)
        if other is None:
            others.append(job)
        else:
            merged[job] = other
            _move_edges(job, other, after, before)
            _move_edges(job, other, before, after)
    return merged


def _find_indirect(job: int, near: Mapping[int, Collection[int]]) -> set[int]:
    """Return the jobs that a way of at least two edges leads to."""
    reached: set[int] = set()
    left = list(near[job])
    while left:
        for each in near[left.pop()]:
            if each not in reached:
                reached.add(each)
                left.append(each)
    return reached


def _move_edges(job: int, other: int, near: dict[int, set[int]], back: dict[int, set[int]]) -> None:
    """Give the edges of a job to another; an edge between the two is no longer one."""
    targets = near.pop(job)
    for each in targets:
        back[each].discard(job)
        if each != other:
            back[each].add(other)
    near[other] |= targets - {other}
