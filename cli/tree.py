"""A trace drawn as a tree."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .render import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lineage.graph.answers import Dataset, Edge, Trace


def draw(trace: Trace) -> str:
    """Return the trace as a tree from its root.

    A graph is no tree: a dataset that is met again is named again with ``↑``, and what is behind it
    is drawn once, where it was met first.
    """
    behind: dict[Dataset, list[Edge]] = defaultdict(list)
    for edge in trace.edges:
        behind[edge.target if trace.direction == "upstream" else edge.source].append(edge)
    lines = _branches(trace, trace.root, behind)
    return "\n".join([trace.root.full_name, *lines])


def _branches(trace: Trace, root: Dataset, behind: Mapping[Dataset, list[Edge]]) -> Iterator[str]:
    drawn = {root}
    waiting = [_level(trace, behind[root], "")]
    while waiting:
        if (branch := next(waiting[-1], None)) is None:
            waiting.pop()
            continue
        prefix, indent, dataset, jobs = branch
        again = dataset in drawn and bool(behind.get(dataset))
        yield f"{prefix}{dataset.full_name}{' ↑' if again else ''}  {jobs}"
        if dataset not in drawn:
            drawn.add(dataset)
            waiting.append(_level(trace, behind.get(dataset, []), indent))


def _level(
    trace: Trace, edges: Sequence[Edge], indent: str
) -> Iterator[tuple[str, str, Dataset, str]]:
    by_end: dict[Dataset, list[Edge]] = defaultdict(list)
    for edge in edges:
        by_end[edge.source if trace.direction == "upstream" else edge.target].append(edge)
    for left, dataset in enumerate(sorted(by_end, key=str), start=1 - len(by_end)):
        branch, line = ("└── ", "    ") if left == 0 else ("├── ", "│   ")
        yield indent + branch, indent + line, dataset, _jobs(by_end[dataset])


def _jobs(edges: Sequence[Edge]) -> str:
    """Which jobs made the step, the newest first, and when they last ran."""
    newest = sorted(edges, key=lambda edge: edge.last_seen, reverse=True)
    return "; ".join(f"[{edge.job.name}, {moment(edge.last_seen)}]" for edge in newest)
