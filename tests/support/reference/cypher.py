"""Reference matcher of Cypher patterns: tries every edge of a small graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Graph:
    """The labels of the vertices; type, start and end of the edges. Indexes identify both."""

    labels: list[str]
    edges: list[tuple[str, int, int]]


@dataclass
class Hop:
    """An edge of a pattern: ``way`` is ``>``, ``<`` or empty."""

    types: list[str]
    way: str
    minimum: int = 1
    maximum: int = 1
    star: bool = True

    def written(self, name: str) -> str:
        types = f":{'|'.join(self.types)}" if self.types else ""
        star = f"*{self.minimum}..{self.maximum}" if self.star else ""
        return f"{'<' * (self.way == '<')}-[{name}{types}{star}]-{'>' * (self.way == '>')}"


@dataclass
class Pattern:
    """Nodes n0, n1, ..., each with a label or None, connected by edges e0, e1, ..."""

    labels: list[str | None]
    hops: list[Hop]
    circle: bool = False  # the last node is the first one
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = [f"n{i}" for i in range(len(self.labels))]
        if self.circle:
            self.names[-1] = "n0"

    def written(self) -> str:
        text = ""
        for i, name in enumerate(self.names):
            label = self.labels[i] if not (self.circle and i == len(self.names) - 1) else None
            text += f"({name}{f':{label}' if label else ''})"
            text += self.hops[i].written(f"e{i}") if i < len(self.hops) else ""
        return text


Row = dict[str, Any]  # n0: a vertex; e0: edges; p: vertices and edges alternately


def matches(graph: Graph, pattern: Pattern) -> Iterator[Row]:
    """Yield each match of the pattern. A match contains an edge at most once."""
    for first, label in enumerate(graph.labels):
        if pattern.labels[0] in (None, label):
            yield from _on(graph, pattern, 0, {"n0": first, "p": [first]})


def _on(graph: Graph, pattern: Pattern, done: int, row: Row) -> Iterator[Row]:
    if done == len(pattern.hops):
        yield row
        return
    hop = pattern.hops[done]
    for walk in _walks(graph, hop, row["p"]):
        end, name = walk[-1], pattern.names[done + 1]
        if row.get(name, end) != end:
            continue
        wanted = None if name in row else pattern.labels[done + 1]
        if wanted in (None, graph.labels[end]):
            edges = walk[len(row["p"]) :: 2]
            yield from _on(
                graph, pattern, done + 1, {**row, name: end, f"e{done}": edges, "p": walk}
            )


def _walks(graph: Graph, hop: Hop, walk: list[int], length: int = 0) -> Iterator[list[int]]:
    if length >= hop.minimum:
        yield walk
    if length == hop.maximum:
        return
    for edge, (type, start, end) in enumerate(graph.edges):
        if edge in walk[1::2] or (hop.types and type not in hop.types):
            continue
        # A set: an edge from a vertex to itself matches once, also without a direction.
        ways = {end} if hop.way != "<" and start == walk[-1] else set()
        ways |= {start} if hop.way != ">" and end == walk[-1] else set()
        for other in ways:
            yield from _walks(graph, hop, [*walk, edge, other], length + 1)
