"""Paths in a pattern of Cypher, and which fixed sequences of edges one of several lengths is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.query.cypher.lexer import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.cypher.lexer import Token

# From which labels to which the edges lead: docs/reference/graph.md.
ENDS: dict[str, tuple[tuple[str, str], ...]] = {
    "INPUT_TO": (("Dataset", "Run"),),
    "OUTPUTS": (("Run", "Dataset"),),
    "EXECUTES": (("Job", "Run"),),
    "PARENT": (("Run", "Run"),),
    "FEEDS": (("Dataset", "Dataset"),),
    "HAS_FIELD": (("Dataset", "Field"),),
    "DERIVES": (("Field", "Field"), ("Field", "Dataset")),
}
LABELS = frozenset({"Dataset", "Job", "Run", "Field"})
# Edges of one path: joins that the planner puts in order.
LONGEST = 12


@dataclass(frozen=True, slots=True)
class Step:
    """An edge of a type, passed from its start to its end where ``forward``."""

    type: str
    forward: bool

    @property
    def may_loop(self) -> bool:
        """Whether both ends may be one vertex."""
        return any(start == end for start, end in ENDS[self.type])

    def reaches(self, labels: frozenset[str]) -> frozenset[str]:
        """The labels where it leads from ``labels``."""
        ends = ENDS[self.type] if self.forward else [(b, a) for a, b in ENDS[self.type]]
        return frozenset(end for start, end in ends if start in labels)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a pattern."""

    name: str | None
    label: str | None


@dataclass(slots=True)
class Edge:
    """An edge of a pattern: from ``start`` to ``end``, its bracket ``opened``, perhaps
    ``in_named`` path.

    ``direction`` is > or < or nothing; ``star`` is where the lengths are stated, if they are.
    """

    start: int
    end: int
    opened: int
    name: str | None
    types: tuple[str, ...]
    direction: str
    least: int
    most: int
    star: int | None
    properties: tuple[int, int] | None
    in_named: bool
    left: Node
    right: Node = field(default_factory=lambda: Node(None, None))

    @property
    def unrolled(self) -> bool:
        """Whether it may be of several edges."""
        return self.star is not None

    @property
    def alternatives(self) -> bool:
        """Whether it may be of several types."""
        return len(self.types) > 1

    def bracket(self, inner: str, text: str) -> str:
        """The edge with another name and type, its properties as they were."""
        start, end = self.properties or (0, 0)
        inner = f"{inner} {text[start:end]}".rstrip()
        return f"{'<' * (self.direction == '<')}-[{inner}]-{'>' * (self.direction == '>')}"

    def written(self, steps: Sequence[Step], names: Sequence[str], text: str) -> str:
        """The edges of ``steps``, called by ``names``, with nodes between them."""
        start, end = self.properties or (0, 0)
        parts = []
        for i, (step, name) in enumerate(zip(steps, names, strict=True)):
            inner = f"{name}:{step.type} {text[start:end]}".rstrip()
            parts.append(self._between(*steps[i - 1 : i + 1]) if i else "")
            parts.append(f"-[{inner}]->" if step.forward else f"<-[{inner}]-")
        return "".join(parts)

    def _between(self, before: Step, after: Step) -> str:
        """The node between two edges. In a path that has a name it is read, and is quicker so."""
        labels = [at for at in before.reaches(LABELS) if after.reaches(frozenset({at}))]
        return f"(:{labels[0]})" if self.in_named and len(labels) == 1 else "()"


@dataclass(frozen=True, slots=True)
class Path:
    """A path of a pattern, with its name if it has one."""

    name: str | None
    start: int
    end: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names that it gives."""
        named = [self.name, *(n.name for n in self.nodes), *(e.name for e in self.edges)]
        return tuple(name for name in named if name)


def sequences(edge: Edge, left: str | None, right: str | None) -> list[tuple[Step, ...]]:
    """Return the steps that ``edge`` may stand for between two labels, shortest first.

    Where there are none the schema has no such path; then one that finds nothing.
    """
    types = edge.types or tuple(ENDS)
    ways = {">": (True,), "<": (False,), "": (True, False)}[edge.direction]
    steps = [Step(type, forward) for type in types for forward in ways]
    ends = frozenset({right}) if right else LABELS
    reached: list[tuple[tuple[Step, ...], frozenset[str]]] = [
        ((), frozenset({left}) if left else LABELS)
    ]
    found: list[tuple[Step, ...]] = []
    for length in range(1, edge.most + 1):
        reached = [
            ((*before, step), labels)
            for before, at in reached
            for step in steps
            if (labels := step.reaches(at))
        ]
        if length >= edge.least:
            found += [steps for steps, labels in reached if labels & ends]
        if len(reached) > 20_000:
            break
    return found or [(steps[0],) * edge.least]


def parse(text: str, found: Sequence[Token]) -> Path:
    """Return the path of these tokens. Raises QueryError."""
    return _Parser(text, found).path()


class _Parser:
    def __init__(self, text: str, found: Sequence[Token]) -> None:
        self.text, self.found, self.at = text, found, 0
        self.named = False

    def path(self) -> Path:
        name = None
        if self._see(1) == "=":
            name = self._next().text
            self._next()
            self.named = True
        start = self._here()
        nodes, edges = [self._node()], []
        while self.at < len(self.found):
            edge = self._edge(nodes[-1])
            nodes.append(self._node())
            edge.right = nodes[-1]
            edges.append(edge)
        return Path(name, start, self.found[-1].end, tuple(nodes), tuple(edges))

    def _see(self, ahead: int = 0) -> str:
        return self.found[self.at + ahead].text if self.at + ahead < len(self.found) else ""

    def _here(self) -> int:
        if self.at < len(self.found):
            return self.found[self.at].at
        return self.found[-1].end if self.found else len(self.text)

    def _next(self, wanted: str = "") -> Token:
        if self.at >= len(self.found) or (wanted and self._see() != wanted):
            seen = self._see()
            raise refusal(
                self.text,
                self._here(),
                f'The pattern is not understood at "{seen}"' if seen else "The pattern ends early",
                "A path is written (a:Label)-[e:TYPE]->(b).",
            )
        self.at += 1
        return self.found[self.at - 1]

    def _name_of(self, among: frozenset[str] | dict[str, object], what: str) -> str:
        token = self._next()
        name = token.text.strip("`")
        if name not in among:
            raise refusal(
                self.text, token.at, f'There is no {what} "{name}"',
                f"There are {', '.join(sorted(among))}.",
            )  # fmt: skip
        return name

    def _node(self) -> Node:
        depth = self._next("(").depth
        name = label = None
        if self.at < len(self.found) and self.found[self.at].kind == "word":
            name = self._next().text
        if self._see() == ":":
            self._next()
            label = self._name_of(LABELS, "label")
        while self.at < len(self.found) and self.found[self.at].depth > depth:
            self._next()
        self._next(")")
        return Node(name, label)

    def _edge(self, left: Node) -> Edge:
        start = self._here()
        back = self._see() == "<"
        if back:
            self._next()
        self._next("-")
        edge = Edge(start, start, start, None, (), "", 1, 1, None, None, self.named, left)
        if self._see() == "[":
            self._body(edge)
        end = self._next("-").end
        if self._see() == ">":
            end = self._next().end
            edge.direction = ">"
        if back:
            # <-[]-> is as -[]-
            edge.direction = "" if edge.direction else "<"
        edge.end = end
        return edge

    def _body(self, edge: Edge) -> None:
        bracket = self._next("[")
        edge.opened, depth = bracket.at, bracket.depth
        if self.found[self.at].kind == "word":
            edge.name = self._next().text
        types: list[str] = []
        if self._see() == ":":
            self._next()
            types.append(self._name_of(dict.fromkeys(ENDS), "type of edges"))
            while self._see() == "|":
                self._next()
                if self._see() == ":":
                    self._next()
                types.append(self._name_of(dict.fromkeys(ENDS), "type of edges"))
        edge.types = tuple(dict.fromkeys(types))
        if self._see() == "*":
            self._range(edge)
        if self._see() != "]":
            first = self._here()
            while self._see() != "]" or self.found[self.at].depth > depth:
                self._next()
            edge.properties = (first, self.found[self.at - 1].end)
        self._next("]")

    def _range(self, edge: Edge) -> None:
        edge.star = self._next("*").at
        least = self._number()
        most = least
        if self._see() == "..":
            self._next()
            most = self._number()
        if most is None:
            raise refusal(
                self.text, edge.star, "A pattern needs a greatest length", "Write [*1..5]; a trace"
                " of any length is `lineage query`, or lineage.upstream() and downstream() in SQL.",
            )  # fmt: skip
        edge.least, edge.most = 1 if least is None else least, most
        if edge.least == 0:
            raise refusal(
                self.text, edge.star, "A pattern of no length is not known here",
                "Begin at 1, and ask for the node itself in a part of a UNION.",
            )  # fmt: skip
        if edge.most > LONGEST or edge.least > edge.most:
            said = f"A pattern has a length from 1 to {LONGEST}, the least first"
            raise refusal(
                self.text, edge.star, said, "A trace of any length is `lineage query`, or"
                " lineage.upstream() and downstream() in SQL.",
            )  # fmt: skip

    def _number(self) -> int | None:
        if self.at < len(self.found) and self.found[self.at].kind == "number":
            return int(self._next().text[:9])
        return None
