"""How one dataset feeds another: the shortest ways, or all that lies on any."""

from __future__ import annotations

from dataclasses import dataclass

from lineage.questions.answers import Dataset, Edge, Node
from lineage.questions.edges import Edges, by_name
from lineage.questions.portable import Portable

_WAYS = """
SELECT p.distance, p.source, p.target, p.job, p.runs,
       lineage.iso(p.first_seen), lineage.iso(p.last_seen), p.declared
FROM (
    SELECT * FROM lineage.shortest_edges(%(start)s, %(goal)s, %(observed)s) WHERE NOT %(every)s
    UNION ALL
    SELECT * FROM lineage.edges_between(%(start)s, %(goal)s, %(observed)s) WHERE %(every)s
) AS p
"""


@dataclass(frozen=True, slots=True, repr=False)
class Paths(Portable):
    """How ``source`` feeds ``target``: the datasets and edges of the shortest ways.

    With ``every`` those that lie on any way, which may pass a dataset twice. A way has a step or
    more: one from a dataset to itself goes round a cycle. Where no way leads from source to target
    but one leads back, ``reverse`` is true and the rest tells of that. ``length`` is how many steps
    the shortest has, None where none leads either way; distances are from where the ways begin.
    """

    source: Dataset
    target: Dataset
    every: bool
    reverse: bool
    length: int | None
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def start(self) -> Dataset:
        """Where the ways begin."""
        return self.target if self.reverse else self.source

    @property
    def goal(self) -> Dataset:
        """Where the ways end."""
        return self.source if self.reverse else self.target


class Walks(Edges):
    """Ways from dataset to dataset."""

    def path(
        self, source: str, target: str, *, every: bool = False, observed: bool = False
    ) -> Paths:
        """Return the shortest ways from one dataset to another, or what lies on ``every`` way.

        Where none leads there, those that lead back. With ``observed`` they pass no edge that only
        a design states.
        """
        with self._snapshot():
            start, goal = self.resolve(source), self.resolve(target)
            steps = self._ways(start, goal, every, observed)
            reverse = not steps and start != goal
            if reverse:
                steps = self._ways(goal, start, every, observed)
        reverse = reverse and bool(steps)
        begin, end = (goal, start) if reverse else (start, goal)
        length = min((number for number, edge in steps if edge.target == end), default=None)
        nodes = {begin: Node(begin, 0)} if steps else {}
        for number, edge in steps:
            nodes.setdefault(edge.target, Node(edge.target, number))
        edges = tuple(edge for _, edge in steps)
        return Paths(start, goal, every, reverse, length, tuple(nodes.values()), edges)

    def _ways(
        self, start: Dataset, goal: Dataset, every: bool, observed: bool
    ) -> list[tuple[int, Edge]]:
        """Return each edge with the number of its step, nearest first."""
        given = {"start": start.id, "goal": goal.id, "every": every, "observed": observed}
        rows = self._rows(_WAYS, given)
        edges = self._edges([row[1:] for row in rows])
        steps = [(row[0], edge) for row, edge in zip(rows, edges, strict=True)]
        return sorted(steps, key=lambda step: (step[0], by_name(step[1])))
