"""How one dataset feeds another: the shortest ways, or all that lies on any."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lineage.questions.answers import Dataset, Edge, Node
from lineage.questions.edges import Edges, by_name
from lineage.questions.limits import no_more
from lineage.questions.portable import Portable

if TYPE_CHECKING:
    from collections.abc import Mapping

_WAYS = """
WITH p AS MATERIALIZED (
    SELECT * FROM lineage.shortest_edges(%(start)s, %(goal)s, %(observed)s) WHERE NOT %(every)s
    UNION ALL
    SELECT * FROM lineage.edges_between(%(start)s, %(goal)s, %(observed)s) WHERE %(every)s
), whole AS MATERIALIZED (
    SELECT count(*) AS edges, count(DISTINCT target) FILTER (WHERE target <> %(start)s) AS nodes,
           min(distance) FILTER (WHERE target = %(goal)s) AS length
    FROM p
), near AS MATERIALIZED (
    -- As far as the limit goes: nothing is looked up of what lies behind.
    SELECT min(distance) AS farthest
    FROM (SELECT distance, sum(count(*)) OVER (ORDER BY distance) AS edges
          FROM p GROUP BY distance) AS step
    WHERE edges >= %(limit)s
)
SELECT whole.edges, whole.nodes, whole.length, p.distance,
       p.source, p.target, p.job, p.runs,
       lineage.iso(p.first_seen), lineage.iso(p.last_seen), p.declared
FROM p CROSS JOIN whole CROSS JOIN near
WHERE near.farthest IS NULL OR p.distance <= near.farthest
"""


@dataclass(frozen=True, slots=True, repr=False)
class Paths(Portable):
    """How ``source`` feeds ``target``: the datasets and edges of the shortest ways.

    With ``every`` those that lie on any way, which may pass a dataset twice. A way has a step or
    more: one from a dataset to itself goes round a cycle. Where no way leads from source to target
    but one leads back, ``reverse`` is true and the rest tells of that. ``length`` is how many steps
    the shortest has, None where none leads either way; distances are from where the ways begin. A
    limit is of edges; ``left_out`` counts the edges and nodes that are not there.
    """

    source: Dataset
    target: Dataset
    every: bool
    reverse: bool
    length: int | None
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: Mapping[str, int] = field(default_factory=no_more)

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


class Walks(Edges):
    """Ways from dataset to dataset."""

    def path(
        self,
        source: str,
        target: str,
        *,
        every: bool = False,
        observed: bool = False,
        limit: int | None = None,
    ) -> Paths:
        """Return the shortest ways from one dataset to another, or what lies on ``every`` way.

        Where none leads there, those that lead back. With ``observed`` they pass no edge that only
        a design states. ``limit`` is of edges, nearest first.
        """
        passed = {"every": every, "observed": observed, "limit": limit}
        with self._snapshot():
            start, goal = self.resolve(source), self.resolve(target)
            found = self._ways(start, goal, passed)
            reverse = not found.steps and start != goal
            if reverse:
                found = self._ways(goal, start, passed)
        steps = found.steps
        reverse = reverse and bool(steps)
        begin = goal if reverse else start
        nodes = {begin: Node(begin, 0)} if steps else {}
        for number, edge in steps:
            nodes.setdefault(edge.target, Node(edge.target, number))
        edges = tuple(edge for _, edge in steps)
        counts = {"edges": found.edges - len(edges), "nodes": found.nodes - len(nodes)}
        left_out = {name: count for name, count in counts.items() if count > 0}
        length = found.length
        return Paths(start, goal, every, reverse, length, tuple(nodes.values()), edges, left_out)

    def _ways(self, start: Dataset, goal: Dataset, passed: Mapping[str, Any]) -> _Ways:
        """Return each edge with the number of its step, nearest first."""
        rows = self._rows(_WAYS, {"start": start.id, "goal": goal.id, **passed})
        if not rows:
            return _Ways((), 0, 0, None)
        edges = self._edges([row[4:] for row in rows])
        steps = [(row[3], edge) for row, edge in zip(rows, edges, strict=True)]
        steps.sort(key=lambda step: (step[0], by_name(step[1])))
        whole, nodes, length = rows[0][:3]
        return _Ways(tuple(steps[: passed["limit"]]), whole, nodes + 1, length)
