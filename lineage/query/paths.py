"""How one dataset feeds another: the shortest ways, or all that lies on any."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.edges import by_name, read_edges
from lineage.query.limits import no_more
from lineage.query.names import resolve_dataset
from lineage.query.portable import Portable
from lineage.query.records import Dataset, Edge, Node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.session import Session


class PathEdgeRow(NamedTuple):
    """An edge, and of the whole answer the edges, datasets and shortest length."""

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


_SQL = StatementFile(__file__)
_SELECT_EDGES = _SQL.tuples("select_path_edges", PathEdgeRow)


@dataclass(frozen=True, slots=True, repr=False)
class Paths(Portable):
    """How ``source`` feeds ``target``: the datasets and edges of the shortest ways.

    With ``all_paths`` those that lie on any way, which may pass a dataset twice. A way has a step
    or more: one from a dataset to itself goes round a cycle. Where no way leads from source to
    target but one leads back, ``reverse`` is true and the rest tells of that. ``length`` is how
    many steps the shortest has, None where none leads either way; distances are from where the
    ways begin. A limit is of edges; ``omitted`` counts the edges and nodes that are not there.
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
        """Where the ways begin."""
        return self.target if self.reverse else self.source

    @property
    def goal(self) -> Dataset:
        """Where the ways end."""
        return self.source if self.reverse else self.target


@dataclass(frozen=True, slots=True)
class _Ways:
    """The nearest steps; how many edges and nodes there are in all, and the shortest length."""

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
    limit: int | None = None,
) -> Paths:
    """Return the shortest ways from one dataset to another, with ``all_paths`` all of them.

    Where none leads there, those that lead back. With ``observed`` they pass no edge that only
    a design states. ``limit`` is of edges, nearest first.
    """
    passed = {"every": all_paths, "observed": observed, "limit": limit}
    with session.snapshot():
        start, goal = resolve_dataset(session, source), resolve_dataset(session, target)
        shortest = _read_ways(session, start, goal, passed)
        reverse = not shortest.steps and start != goal
        if reverse:
            shortest = _read_ways(session, goal, start, passed)
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


def _read_ways(session: Session, start: Dataset, goal: Dataset, passed: Mapping[str, Any]) -> _Ways:
    """Return each edge with the number of its step, nearest first."""
    rows = session.fetch(_SELECT_EDGES, start=start.id, goal=goal.id, **passed)
    if not rows:
        return _Ways((), 0, 0, None)
    distances = [distance for _, _, _, distance, *_ in rows]
    edges = read_edges(session, [row[4:] for row in rows])
    steps = list(zip(distances, edges, strict=True))
    steps.sort(key=lambda step: (step[0], by_name(step[1])))
    whole, nodes, length, *_ = rows[0]
    return _Ways(tuple(steps[: passed["limit"]]), whole, nodes + 1, length)
