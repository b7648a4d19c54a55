"""What a dataset was made from, and what was made from it, over the summary of all runs."""

from __future__ import annotations

from typing import Any

from lineage.questions.answers import Dataset, Direction, Edge, Job, Node, Run, Trace
from lineage.questions.names import Names
from lineage.questions.runs import RUN

_TRACED = """
WITH passed AS MATERIALIZED (
    SELECT source, target, job, min(distance) AS distance, upstream
    FROM (
        SELECT *, true AS upstream
        FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'upstream', %(depth)s)
        WHERE %(upstream)s
        UNION ALL
        SELECT *, false
        FROM lineage.trace_edges(ARRAY[%(root)s::bigint], 'downstream', %(depth)s)
        WHERE %(downstream)s) AS e
    GROUP BY source, target, job, upstream
), last_run AS MATERIALIZED (
    SELECT job, latest.run
    FROM (SELECT DISTINCT job FROM passed) AS j
    CROSS JOIN LATERAL (
        SELECT {run} AS run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
        WHERE x.job = j.job AND x.last_seen IS NOT NULL
        ORDER BY x.last_seen DESC LIMIT 1) AS latest
)
SELECT p.distance, p.upstream, s.id, s.namespace, s.name, t.id, t.namespace, t.name,
       j.id, j.namespace, j.name, f.runs, lineage.iso(f.first_seen), lineage.iso(f.last_seen), l.run
FROM passed p
JOIN lineage.feeds f USING (source, target, job)
JOIN lineage.dataset s ON s.id = p.source
JOIN lineage.dataset t ON t.id = p.target
JOIN lineage.job j ON j.id = p.job
JOIN last_run l ON l.job = p.job
ORDER BY p.distance, s.namespace, s.name, t.namespace, t.name, j.namespace, j.name
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
    known = {root.id: root}
    distances = {root.id: 0}
    edges: dict[tuple[int, int, int], Edge] = {}
    for distance, upstream, *said in rows:
        source = known.setdefault(said[0], Dataset(*said[0:3]))
        target = known.setdefault(said[3], Dataset(*said[3:6]))
        job = Job(*said[6:9])
        far = source.id if upstream else target.id
        distances[far] = min(distance, distances.get(far, distance))
        edges[source.id, target.id, job.id] = Edge(
            source, target, job, said[9], said[10], said[11], Run(*said[12])
        )
    nodes = [Node(known[id], distance) for id, distance in distances.items()]
    nodes.sort(key=lambda node: (node.distance, node.dataset.namespace, node.dataset.name))
    return Trace(root, direction, depth, tuple(nodes), tuple(edges.values()))
