"""Paths between two datasets: the shortest, or all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.display import Portable
from lineage.query.edges import by_name, read_edges
from lineage.query.limits import no_more
from lineage.query.names import resolve_dataset
from lineage.query.records import Dataset, Edge, Node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.session import Session


class PathEdgeRow(NamedTuple):
    """An edge of the paths.

    ``total``, ``nodes``, ``length``: number of edges, number of datasets except the first, and
    shortest length of the complete result.
    """

    total: int
    nodes: int
    length: int
    distance: int
    source: int
    target: int
    job: int | None
    runs: int
    first_seen: str
    last_seen: str
    declared: bool
    confidence: float | None


_SQL = StatementFile(__file__)
_SELECT_EDGES = _SQL.tuples("select_path_edges", PathEdgeRow)


@dataclass(frozen=True, slots=True, repr=False)
class Paths(Portable):
    """Datasets and edges of the paths from ``source`` to ``target``.

    ``all_paths``: true for all paths, which may pass a dataset twice; false for the shortest. A
    path has at least one edge; a path from a dataset to itself is a cycle. ``reverse``: true if no
    path leads from source to target but one leads back; nodes, edges and length are then those of
    the paths back. ``length``: number of edges of a shortest path; None if no path exists in either
    direction. Distances count from the start of the paths. The limit applies to edges.
    ``omitted``: numbers of omitted edges and nodes, by the name of the list.
    """

    source: Dataset
    target: Dataset
    all_paths: bool
    reverse: bool
    length: int | None
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    omitted: Mapping[str, int] = field(default_factory=no_more)

    @property
    def start(self) -> Dataset:
        """The first dataset of the paths."""
        return self.target if self.reverse else self.source

    @property
    def goal(self) -> Dataset:
        """The last dataset of the paths."""
        return self.source if self.reverse else self.target


@dataclass(frozen=True, slots=True)
class _PathEdges:
    """Distance and edge of each step, nearest first; total edges and nodes; shortest length."""

    steps: tuple[tuple[int, Edge], ...]
    edges: int
    nodes: int
    length: int | None


def find_paths(
    session: Session,
    source: str,
    target: str,
    *,
    all_paths: bool = False,
    observed: bool = False,
    min_confidence: float = 0,
    limit: int | None = None,
) -> Paths:
    """Return the shortest paths from one dataset to another, or all with ``all_paths``.

    If there is none, return the paths from ``target`` to ``source``. ``observed``: ignore edges
    that only a design reports. ``min_confidence``: ignore declared edges below it. ``limit``:
    maximum number of edges, nearest first.
    """
    passed = {
        "every": all_paths,
        "observed": observed,
        "min_confidence": min_confidence,
        "limit": limit,
    }
    with session.snapshot():
        start, goal = resolve_dataset(session, source), resolve_dataset(session, target)
        shortest = _read_path_edges(session, start, goal, passed)
        reverse = not shortest.steps and start != goal
        if reverse:
            shortest = _read_path_edges(session, goal, start, passed)
    steps = shortest.steps
    reverse = reverse and bool(steps)
    begin = goal if reverse else start
    nodes = {begin: Node(begin, 0)} if steps else {}
    for number, edge in steps:
        nodes.setdefault(edge.target, Node(edge.target, number))
    edges = tuple(edge for _, edge in steps)
    counts = {"edges": shortest.edges - len(edges), "nodes": shortest.nodes - len(nodes)}
    omitted = {name: count for name, count in counts.items() if count > 0}
    length = shortest.length
    return Paths(start, goal, all_paths, reverse, length, tuple(nodes.values()), edges, omitted)


def _read_path_edges(
    session: Session, start: Dataset, goal: Dataset, passed: Mapping[str, Any]
) -> _PathEdges:
    """Read each edge with its distance, nearest first."""
    rows = session.fetch(_SELECT_EDGES, start=start.id, goal=goal.id, **passed)
    if not rows:
        return _PathEdges((), 0, 0, None)
    distances = [distance for _, _, _, distance, *_ in rows]
    edges = read_edges(session, [row[4:] for row in rows])
    steps = list(zip(distances, edges, strict=True))
    steps.sort(key=lambda step: (step[0], by_name(step[1])))
    whole, nodes, length, *_ = rows[0]
    return _PathEdges(tuple(steps[: passed["limit"]]), whole, nodes + 1, length)
