"""How one dataset feeds another: the shortest ways, or all that lies on any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.questions.answers import Dataset, Edge, Job, Node, Run
from lineage.questions.names import Names
from lineage.questions.portable import Portable
from lineage.questions.runs import RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

_PASSED = """
WITH passed AS MATERIALIZED (
    SELECT * FROM lineage.shortest_edges(%(start)s, %(goal)s) WHERE NOT %(every)s
    UNION ALL
    SELECT * FROM lineage.edges_between(%(start)s, %(goal)s) WHERE %(every)s
), last_run AS MATERIALIZED (
    SELECT job, latest.run
    FROM (SELECT DISTINCT job FROM passed) AS j
    CROSS JOIN LATERAL (
        SELECT {run} AS run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
        WHERE x.job = j.job AND x.last_seen IS NOT NULL
        ORDER BY x.last_seen DESC LIMIT 1) AS latest
)
SELECT p.distance, s.id, s.namespace, s.name, t.id, t.namespace, t.name,
       j.id, j.namespace, j.name, f.runs, lineage.iso(f.first_seen), lineage.iso(f.last_seen), l.run
FROM passed p
JOIN lineage.feeds f USING (source, target, job)
JOIN lineage.dataset s ON s.id = p.source
JOIN lineage.dataset t ON t.id = p.target
JOIN lineage.job j ON j.id = p.job
JOIN last_run l ON l.job = p.job
ORDER BY p.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
"""
_WAYS = _PASSED.replace("{run}", RUN)


@dataclass(frozen=True, slots=True)
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


class Walks(Names):
    """Ways from dataset to dataset."""

    def path(self, source: str, target: str, *, every: bool = False) -> Paths:
        """Return the shortest ways from one dataset to another, or what lies on ``every`` way.

        Where none leads there, those that lead back.
        """
        start, goal = self.resolve(source), self.resolve(target)
        rows = self._ways(start, goal, every)
        if reverse := not rows and start != goal:
            rows = self._ways(goal, start, every)
        begin, end = (goal, start) if reverse and rows else (start, goal)
        length = min((row[0] for row in rows if row[4] == end.id), default=None)
        nodes, edges = _graph(begin, rows)
        return Paths(start, goal, every, reverse and bool(rows), length, nodes, edges)

    def _ways(self, start: Dataset, goal: Dataset, every: bool) -> list[tuple[Any, ...]]:
        return self._rows(_WAYS, {"start": start.id, "goal": goal.id, "every": every})


def _graph(
    begin: Dataset, rows: Sequence[tuple[Any, ...]]
) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
    """Return what the rows of _WAYS, nearest first, tell of datasets and of edges."""
    nodes = {begin.id: Node(begin, 0)} if rows else {}
    edges = []
    for distance, *said in rows:
        source, target, job = Dataset(*said[0:3]), Dataset(*said[3:6]), Job(*said[6:9])
        nodes.setdefault(target.id, Node(target, distance))
        edges.append(Edge(source, target, job, said[9], said[10], said[11], Run(*said[12])))
    return tuple(nodes.values()), tuple(edges)
