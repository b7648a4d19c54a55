"""Reference implementation of filtered dataset lineage, computed from the list of events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from support.reference.executions import Executions
from support.reference.graph import _key, expected, in_order

if TYPE_CHECKING:
    from lineage.query.filters import Filters

Name = tuple[str, str]
Edge = tuple[Name, Name, Name]


class Oracle:
    """The trace of a dataset in one direction after ``filters``."""

    def __init__(
        self, texts: list[str], root: Name, direction: str, depth: int | None, filters: Filters
    ) -> None:
        self.graph, self.said = expected(texts), in_order(texts)
        self.root, self.upstream, self.filters = root, direction == "upstream", filters
        edges: list[Edge] = [key[1:] for key in self.graph if key[0] == "FEEDS"]
        self.stale = {edge for edge in edges if self._is_stale(edge)}
        if not filters.observed:
            edges += [key[1:] for key in self.graph if key[0] == "DECLARED" and len(key) == 4]
        passable = [edge for edge in edges if filters.stale or edge not in self.stale]
        self.distances = {root: 0}
        for step in range(1, 50 if depth is None else depth + 1):
            for edge in passable:
                if self.distances.get(self.near(edge)) == step - 1:
                    self.distances.setdefault(self.far(edge), step)
        self.passed = {
            edge for edge in passable
            if self.near(edge) in self.distances
            and (depth is None or self.distances[self.near(edge)] < depth)
        }  # fmt: skip
        of_edges = filters.jobs or filters.types or filters.since
        self.fitting = [
            dataset
            for dataset in sorted(self.distances, key=lambda d: (self.distances[d], d))
            if dataset == root
            or (
                self._fits(dataset)
                and (
                    not of_edges or any(self.far(e) == dataset for e in self.passed if self.fits(e))
                )
            )
        ]
        limit = len(self.fitting) if filters.limit is None else filters.limit + 1
        self.kept, self.omitted = self.fitting[:limit], self.fitting[limit:]

    def near(self, edge: Edge) -> Name:
        return edge[1] if self.upstream else edge[0]

    def far(self, edge: Edge) -> Name:
        return edge[0] if self.upstream else edge[1]

    def edges(self) -> set[Edge]:
        return {edge for edge in self.passed if self.fits(edge)
                and self.near(edge) in self.kept and self.far(edge) in self.kept}  # fmt: skip

    def behind(self, dataset: Name) -> tuple[Name, int]:
        """Return the nearest matching dataset on the shortest path, and the datasets between.

        Of several shortest paths, the one with the first name at each step is followed.
        """
        hidden = 0
        while True:
            dataset = min(
                self.near(edge) for edge in self.passed
                if self.far(edge) == dataset
                and self.distances[self.near(edge)] == self.distances[dataset] - 1
            )  # fmt: skip
            if dataset in self.fitting:
                return dataset, hidden
            hidden += 1

    def next_to(self, dataset: Name) -> set[Name]:
        """Return the adjacent datasets of the result, else the one before the collapsed path."""
        found = {self.near(edge) for edge in self.passed if self.fits(edge)
                 and self.far(edge) == dataset and self.near(edge) in self.kept}  # fmt: skip
        return found or {self.behind(dataset)[0]} & set(self.kept)

    def ways(self) -> set[tuple[Name, Name, int]]:
        reached = {self.far(edge) for edge in self.edges()}
        return {(self.behind(d)[0], d, self.behind(d)[1])
                for d in self.kept if d != self.root and d not in reached}  # fmt: skip

    def fits(self, edge: Edge) -> bool:
        filters, job = self.filters, edge[2]
        told = [e["job"].get("facets", {}) for _, e in self.said
                if "job" in e and _key(e["job"]) == job]  # fmt: skip
        types = [f["jobType"]["jobType"] for f in told if "jobType" in f][-1:]
        return bool(
            (not filters.jobs or (job and job[1] in filters.jobs))
            and (not filters.types or set(types) & set(filters.types))
            and (not filters.since or self.properties(edge)["last_seen"] >= filters.since)
        )

    def properties(self, edge: Edge) -> dict[str, Any]:
        return self.graph.get(("FEEDS", *edge)) or self.graph[("DECLARED", *edge)]

    def _fits(self, dataset: Name) -> bool:
        filters = self.filters
        tags = self.graph["Dataset", dataset].get("tags", [])
        return (not filters.namespaces or dataset[0] in filters.namespaces) and (
            not filters.tags or bool(set(filters.tags) & set(tags))
        )

    def _is_stale(self, edge: Edge) -> bool:
        """Return whether a later execution of the job wrote the target without the edge."""
        written = Executions(self.graph, self.said).last_write(edge[1], edge[2])
        return written is not None and written > self.graph[("FEEDS", *edge)]["last_seen"]


def with_type(event: str, type: str | None) -> str:
    """Return the event with this job type."""
    body = json.loads(event)
    body["job"]["facets"] = {"jobType": {"jobType": type}} if type else {}
    return json.dumps(body)
