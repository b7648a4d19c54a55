"""Draw traces as trees."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from lineage.query.records import Dataset, Job, JobTrace

from . import job_names
from .render import count_of, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from lineage.query.records import ColumnTrace, Edge, JobEdge, Trace
    from lineage.query.run_records import RunLineage
    from lineage.query.run_steps import RunSteps

    A = TypeVar("A", Trace, ColumnTrace, JobTrace, RunLineage, RunLineage | RunSteps)

T = TypeVar("T", bound="Hashable")

Entity: TypeAlias = Dataset | Job

# Jobs named for a step between two datasets, and datasets for one between two jobs; there may be
# many, as of a producer that names each query as a job.
MAX_JOBS = 5
MAX_DATASETS = 3
# Text of a step between jobs without data.
AFTER = "one runs after the other"

# An adjacent node, its name, and the note on the step to it.
Branch: TypeAlias = tuple[T, str, str]


def picture_lines(results: Sequence[A], picture: Callable[[A], Iterable[str]]) -> Iterator[str]:
    """Yield the lines of each result's picture; several have their directions as headings."""
    for place, each in enumerate(results):
        if len(results) > 1:
            yield from ("",) if place else ()
            yield each.direction.upper()
        yield from picture(each)


def trace_lines(trace: Trace | JobTrace, names: Mapping[Job, str]) -> list[str]:
    """Return the lines of the trace as a tree from its root; ``names`` are those of jobs."""
    notes: dict[Entity, dict[Entity, str]] = defaultdict(dict)
    more: dict[Entity, int] = {}
    if isinstance(trace, JobTrace):
        for (near, far), steps in _edges_between(trace).items():
            notes[near][far] = describe_datasets(steps)
        more.update(
            {node.job: node.omitted_neighbours for node in trace.nodes if node.omitted_neighbours}
        )
    else:
        for (near, far), edges in _edges_between(trace).items():
            notes[near][far] = describe_jobs(edges, names)
        more.update(
            {
                node.dataset: node.omitted_neighbours
                for node in trace.nodes
                if node.omitted_neighbours
            }
        )
    for way in trace.collapsed_paths:
        what = "job" if isinstance(trace, JobTrace) else "dataset"
        notes[way.near][way.far] = f"[{_omitted_note(way.filtered_out, what)}]"

    def next_branches(node: Entity | str) -> list[Branch[Entity | str]]:
        if isinstance(node, str):
            return []
        branches: list[Branch[Entity | str]] = [
            (end, _display_name(end, names), notes[node][end])
            for end in sorted(notes.get(node, ()), key=str)
        ]
        if node in more:
            branches.append((f"more {node}", f"… {more[node]:,} more", ""))
        return branches

    root: Entity | str = trace.root
    return [trace.root.full_name, *branch_lines(root, next_branches)]


def _edges_between(trace: Trace | JobTrace) -> dict[tuple[Entity, Entity], list[Any]]:
    """Return the edges by their ends, the one near the root first."""
    edges: dict[tuple[Entity, Entity], list[Any]] = defaultdict(list)
    for edge in trace.edges:
        # an end that a trace of jobs omits is the dataset at its root
        source, target = edge.source or trace.root, edge.target or trace.root
        edges[(target, source) if trace.direction == "upstream" else (source, target)].append(edge)
    return edges


def _display_name(entity: Entity, names: Mapping[Job, str]) -> str:
    return job_names.full_names(entity, names) if isinstance(entity, Job) else entity.full_name


def _omitted_note(count: int, what: str) -> str:
    if not count:
        return "by a step that is not shown"
    return f"through {count:,} {what}{'s' if count > 1 else ''} not shown"


def branch_lines(root: T, next_branches: Callable[[T], list[Branch[T]]]) -> Iterator[str]:
    """Yield a line for each branch of the tree from ``root``.

    A node that is reached again is repeated with ``↑``; its branches are drawn only at its first
    occurrence.
    """
    known: dict[T, list[Branch[T]]] = {}

    def once(node: T) -> list[Branch[T]]:
        # cached: a node with many branches may be reached on many lines
        if node not in known:
            known[node] = next_branches(node)
        return known[node]

    visited = {root}
    pending = [_level_branches(once(root), "")]
    while pending:
        if (branch := next(pending[-1], None)) is None:
            pending.pop()
            continue
        prefix, indent, (node, name, note) = branch
        again = node in visited and bool(once(node))
        yield f"{prefix}{name}{' ↑' if again else ''}  {note}".rstrip()
        if node not in visited:
            visited.add(node)
            pending.append(_level_branches(once(node), indent))


def _level_branches(
    level: Sequence[Branch[T]], indent: str
) -> Iterator[tuple[str, str, Branch[T]]]:
    for left, branch in enumerate(level, start=1 - len(level)):
        stem, line = ("└── ", "    ") if left == 0 else ("├── ", "│   ")
        yield indent + stem, indent + line, branch


def describe_jobs(edges: Sequence[Edge], names: Mapping[Job, str]) -> str:
    """Return the jobs of a step, the newest first, with the times of their last runs."""
    newest = sorted(edges, key=lambda edge: edge.last_seen, reverse=True)
    described = [f"[{describe_source(edge, names)}]" for edge in newest[:MAX_JOBS]]
    return _join_notes(described, len(newest) - MAX_JOBS, "job")


def _join_notes(notes: list[str], more: int, what: str) -> str:
    """Return the notes on a step, and the number of those that are omitted."""
    return "; ".join([*notes, count_of(more, f"more {what}")] if more > 0 else notes)


def describe_source(edge: Edge, names: Mapping[Job, str]) -> str:
    """Return the job of an edge and the time of its last run, or the design that declares it."""
    if edge.is_observed and edge.job:
        name = job_names.beside_target(edge.job, edge.target, names)
        return f"{name}, {format_time(edge.last_seen)}{', stale' if edge.stale else ''}"
    sure = "" if edge.confidence == 1 else f", confidence {edge.confidence:g}"
    return f"declared by {names[edge.job]}{sure}" if edge.job else f"declared{sure}"


def describe_datasets(edges: Sequence[JobEdge]) -> str:
    """Return the datasets by which a job feeds another, the newest first, with their times."""
    newest = sorted(edges, key=lambda edge: edge.last_seen, reverse=True)
    parts = [
        f"[{edge.dataset.full_name if edge.dataset else AFTER}, {format_time(edge.last_seen)}"
        f"{', declared' if edge.declared else ''}{', stale' if edge.stale else ''}]"
        for edge in newest[:MAX_DATASETS]
    ]
    return _join_notes(parts, len(newest) - MAX_DATASETS, "dataset")
