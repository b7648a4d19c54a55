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
    upstream = trace.direction == "upstream"
    notes: dict[Dataset, dict[Dataset, str]] = defaultdict(dict)
    edges: dict[tuple[Dataset, Dataset], list[Edge]] = defaultdict(list)
    for edge in trace.edges:
        ends = (edge.target, edge.source) if upstream else (edge.source, edge.target)
        edges[ends].append(edge)
    for (near, far), between in edges.items():
        notes[near][far] = jobs(between)
    for way in trace.ways:
        notes[way.near][way.far] = f"[{_hidden(way.hidden)}]"
    more = {node.dataset: node.more for node in trace.nodes if node.more}

    def behind(node: Dataset | str) -> list[Branch[Dataset | str]]:
        if isinstance(node, str):
            return []
        found: list[Branch[Dataset | str]] = [
            (end, end.full_name, notes[node][end]) for end in sorted(notes.get(node, ()), key=str)
        ]
        if node in more:
            found.append((f"more {node}", f"… {more[node]:,} more", ""))
        return found

    root: Dataset | str = trace.root
    return "\n".join([trace.root.full_name, *branches(root, behind)])


def _hidden(count: int) -> str:
    if not count:
        return "by a step that is not shown"
    return f"through {count:,} dataset{'s' if count > 1 else ''} not shown"


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
        yield f"{prefix}{name}{' ↑' if again else ''}  {note}".rstrip()
        if node not in drawn:
            drawn.add(node)
            waiting.append(_level(behind(node), indent))


def _level(level: Sequence[Branch[T]], indent: str) -> Iterator[tuple[str, str, Branch[T]]]:
    for left, branch in enumerate(level, start=1 - len(level)):
        stem, line = ("└── ", "    ") if left == 0 else ("├── ", "│   ")
        yield indent + stem, indent + line, branch


def jobs(edges: Sequence[Edge]) -> str:
    """Return which jobs made the step, the newest first, and when they last ran."""
    newest = sorted(edges, key=lambda edge: edge.last_seen, reverse=True)
    return "; ".join(
        f"[{edge.job.name}, {moment(edge.last_seen)}{', stale' if edge.stale else ''}]"
        for edge in newest
    )
