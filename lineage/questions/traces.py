"""What a dataset was made from, and what was made from it, over the summary of all runs."""

from __future__ import annotations

from typing import Any

from lineage.questions.answers import Dataset, Direction, Edge, Job, Node, Run, Trace
from lineage.questions.names import Names
from lineage.questions.runs import RUN

# One statement, so that all is of one moment: a row for each edge, dataset and job, each told once.
_TRACED = """
WITH passed AS MATERIALIZED (
    SELECT *, true AS upstream
    FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s) WHERE %(upstream)s
    UNION ALL
    SELECT *, false
    FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s) WHERE %(downstream)s
)
SELECT 'edge', p.source, p.target, p.job, p.distance, p.upstream, p.runs,
       lineage.iso(p.first_seen), lineage.iso(p.last_seen), NULL::jsonb
FROM passed p
UNION ALL
SELECT 'dataset', d.id, NULL, NULL, NULL, NULL, NULL, d.namespace, d.name, NULL
FROM lineage.dataset d
WHERE d.id = ANY (ARRAY(SELECT source FROM passed UNION SELECT target FROM passed))
UNION ALL
SELECT 'job', j.id, NULL, NULL, NULL, NULL, NULL, j.namespace, j.name, latest.run
FROM lineage.job j
CROSS JOIN LATERAL (
    SELECT {run} AS run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
    WHERE x.job = j.id AND x.last_seen IS NOT NULL
    ORDER BY x.last_seen DESC LIMIT 1) AS latest
WHERE j.id = ANY (ARRAY(SELECT DISTINCT job FROM passed))
"""
_TRACE = _TRACED.replace("{run}", RUN)


class Traces(Names):
    """Traces from dataset to dataset."""

    def upstream(self, name: str, depth: int | None = None) -> Trace:
        """Return what the dataset was made from, ``depth`` steps back or all the way."""
        return self.trace(name, "upstream", depth)

    def downstream(self, name: str, depth: int | None = None) -> Trace:
        """Return what was made from the dataset, ``depth`` steps on or all the way."""
        return self.trace(name, "downstream", depth)

    def trace(self, name: str, direction: Direction = "both", depth: int | None = None) -> Trace:
        """Return the trace of a dataset; ``both`` is upstream and downstream together."""
        root = self.resolve(name)
        rows = self._rows(
            _TRACE,
            {
                "root": root.id,
                "depth": depth,
                "upstream": direction != "downstream",
                "downstream": direction != "upstream",
            },
        )
        return _trace(root, direction, depth, rows)


def _trace(
    root: Dataset, direction: Direction, depth: int | None, rows: list[tuple[Any, ...]]
) -> Trace:
    """Return the answer that ``rows`` of _TRACE give."""
    datasets, jobs = {root.id: root}, {}
    for kind, id, *said in rows:
        if kind == "dataset":
            datasets[id] = Dataset(id, *said[5:7])
        elif kind == "job":
            jobs[id] = Job(id, *said[5:7]), Run(*said[7])
    distances = {root.id: 0}
    edges: dict[tuple[int, int, int], tuple[int, Edge]] = {}
    for kind, source, target, job, distance, upstream, *said in rows:
        if kind == "edge":
            far = source if upstream else target
            distances[far] = min(distance, distances.get(far, distance))
            known = edges.get((source, target, job), (distance,))
            by, last_run = jobs[job]
            runs, first, last, _ = said
            edge = Edge(datasets[source], datasets[target], by, runs, first, last, last_run)
            edges[source, target, job] = min(distance, known[0]), edge
    nodes = [Node(datasets[id], distance) for id, distance in distances.items()]
    nodes.sort(key=lambda node: (node.distance, node.dataset.namespace, node.dataset.name))
    ordered = sorted(edges.values(), key=_place)
    return Trace(root, direction, depth, tuple(nodes), tuple(edge for _, edge in ordered))


def _place(passed: tuple[int, Edge]) -> tuple[Any, ...]:
    """Nearest first, then by name."""
    distance, edge = passed
    things = (edge.source, edge.target, edge.job)
    return (distance, *((thing.namespace, thing.name) for thing in things))
