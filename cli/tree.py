"""Traces drawn as trees."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from .render import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from lineage.questions.answers import Dataset, Edge, Trace

T = TypeVar("T", bound="Hashable")

# What is behind a node, its name, and what is said of the step to it.
Branch: TypeAlias = tuple[T, str, str]


def draw(trace: Trace) -> str:
    """Return the trace as a tree from its root."""
    edges: dict[Dataset, list[Edge]] = defaultdict(list)
    for edge in trace.edges:
        edges[edge.target if trace.direction == "upstream" else edge.source].append(edge)

    def behind(dataset: Dataset) -> list[Branch[Dataset]]:
        by_end: dict[Dataset, list[Edge]] = defaultdict(list)
        for edge in edges.get(dataset, []):
            by_end[edge.source if trace.direction == "upstream" else edge.target].append(edge)
        return [(end, end.full_name, _jobs(by_end[end])) for end in sorted(by_end, key=str)]

    return "\n".join([trace.root.full_name, *branches(trace.root, behind)])


def branches(root: T, behind: Callable[[T], list[Branch[T]]]) -> Iterator[str]:
    """Yield a line for each branch of the tree from ``root``.

    A graph is no tree: a node that is met again is named again with ``↑``, and what is behind it
    is drawn once, where it was met first.
    """
    drawn = {root}
    waiting = [_level(behind(root), "")]
    while waiting:
        if (branch := next(waiting[-1], None)) is None:
            waiting.pop()
            continue
        prefix, indent, (node, name, note) = branch
        again = node in drawn and bool(behind(node))
        yield f"{prefix}{name}{' ↑' if again else ''}  {note}"
        if node not in drawn:
            drawn.add(node)
            waiting.append(_level(behind(node), indent))


def _level(level: Sequence[Branch[T]], indent: str) -> Iterator[tuple[str, str, Branch[T]]]:
    for left, branch in enumerate(level, start=1 - len(level)):
        stem, line = ("└── ", "    ") if left == 0 else ("├── ", "│   ")
        yield indent + stem, indent + line, branch


def _jobs(edges: Sequence[Edge]) -> str:
    """Which jobs made the step, the newest first, and when they last ran."""
    newest = sorted(edges, key=lambda edge: edge.last_seen, reverse=True)
    return "; ".join(f"[{edge.job.name}, {moment(edge.last_seen)}]" for edge in newest)
