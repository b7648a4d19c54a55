"""Paths of Cypher patterns, and the fixed sequences of edges that a variable length stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.query.cypher.lexer import syntax_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.cypher.lexer import Token

# Labels of the source and the target of each type of edge: docs/reference/graph.md.
ENDS: dict[str, tuple[tuple[str, str], ...]] = {
    "INPUT_TO": (("Dataset", "Run"),),
    "OUTPUTS": (("Run", "Dataset"),),
    "EXECUTES": (("Job", "Run"),),
    "PARENT": (("Run", "Run"),),
    "FEEDS": (("Dataset", "Dataset"),),
    "HAS_FIELD": (("Dataset", "Field"),),
    "DERIVES": (("Field", "Field"), ("Field", "Dataset")),
    "DECLARED": (("Dataset", "Dataset"), ("Field", "Field"), ("Field", "Dataset")),
    "IS": (("Asset", "Dataset"), ("Asset", "Job")),
    **dict.fromkeys(
        ("PRODUCES", "CONSUMES", "TRANSFORMS", "MATERIALIZES", "HAS_SCHEMA", "MEMBER_OF"),
        (("Asset", "Asset"),),
    ),
    "WITNESS": (("Record", "Record"),),
}
LABELS = frozenset({"Dataset", "Job", "Run", "Field", "Asset", "Record"})
# Maximum length of a pattern. Each edge is a join, and the planner searches for their order.
MAX_PATTERN_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Step:
    """An edge of a type, followed from its start to its end if ``forward``."""

    type: str
    forward: bool

    @property
    def may_loop(self) -> bool:
        """Whether both ends may be the same vertex."""
        return any(start == end for start, end in ENDS[self.type])

    def reachable_labels(self, labels: frozenset[str]) -> frozenset[str]:
        """Return the labels that the step reaches from ``labels``."""
        ends = ENDS[self.type] if self.forward else [(b, a) for a, b in ENDS[self.type]]
        return frozenset(end for start, end in ends if start in labels)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a pattern."""

    name: str | None
    label: str | None


@dataclass(slots=True)
class Edge:
    """An edge of a pattern.

    ``start``, ``end``, ``opened`` and ``star`` are positions: of the edge, its bracket, and the
    star of its lengths. ``direction`` is >, < or empty. ``in_named``: the path has a name.
    """

    start: int
    end: int
    opened: int
    name: str | None
    types: tuple[str, ...]
    direction: str
    minimum: int
    maximum: int
    star: int | None
    properties: tuple[int, int] | None
    in_named: bool
    left: Node
    right: Node = field(default_factory=lambda: Node(None, None))

    @property
    def is_variable_length(self) -> bool:
        """Whether the pattern has a range of lengths."""
        return self.star is not None

    @property
    def has_alternatives(self) -> bool:
        """Whether the pattern has several types."""
        return len(self.types) > 1

    def bracket_text(self, inner: str, text: str) -> str:
        """Return the edge with ``inner`` as its name and type, and with its properties."""
        start, end = self.properties or (0, 0)
        inner = f"{inner} {text[start:end]}".rstrip()
        return f"{'<' * (self.direction == '<')}-[{inner}]-{'>' * (self.direction == '>')}"

    def expanded_text(self, steps: Sequence[Step], names: Sequence[str], text: str) -> str:
        """Return the edges of ``steps`` with these ``names``, and the nodes between them."""
        start, end = self.properties or (0, 0)
        parts = []
        for i, (step, name) in enumerate(zip(steps, names, strict=True)):
            inner = f"{name}:{step.type} {text[start:end]}".rstrip()
            parts.append(self._node_between(*steps[i - 1 : i + 1]) if i else "")
            parts.append(f"-[{inner}]->" if step.forward else f"<-[{inner}]-")
        return "".join(parts)

    def _node_between(self, before: Step, after: Step) -> str:
        """Return the node between two edges. Reading it in a named path is faster with a label."""
        labels = [
            at for at in before.reachable_labels(LABELS) if after.reachable_labels(frozenset({at}))
        ]
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
    def bound_names(self) -> tuple[str, ...]:
        """The names of the path, its nodes and its edges."""
        named = [self.name, *(n.name for n in self.nodes), *(e.name for e in self.edges)]
        return tuple(name for name in named if name)


def step_sequences(edge: Edge, left: str | None, right: str | None) -> list[tuple[Step, ...]]:
    """Return the sequences of steps that ``edge`` stands for between two labels, shortest first.

    If the schema allows none, one sequence is returned that matches nothing.
    """
    types = edge.types or tuple(ENDS)
    directions = {">": (True,), "<": (False,), "": (True, False)}[edge.direction]
    steps = [Step(type, forward) for type in types for forward in directions]
    ends = frozenset({right}) if right else LABELS
    reached: list[tuple[tuple[Step, ...], frozenset[str]]] = [
        ((), frozenset({left}) if left else LABELS)
    ]
    sequences: list[tuple[Step, ...]] = []
    for length in range(1, edge.maximum + 1):
        reached = [
            ((*before, step), labels)
            for before, at in reached
            for step in steps
            if (labels := step.reachable_labels(at))
        ]
        if length >= edge.minimum:
            sequences += [steps for steps, labels in reached if labels & ends]
        if len(reached) > 20_000:
            break
    return sequences or [(steps[0],) * edge.minimum]


def parse_path(text: str, tokens: Sequence[Token]) -> Path:
    """Return the path of these tokens. Raises QueryError."""
    return _Parser(text, tokens).parse_path()


class _Parser:
    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0
        self.named = False

    def parse_path(self) -> Path:
        name = None
        if self._peek_token(1) == "=":
            name = self._next_token().text
            self._next_token()
            self.named = True
        start = self._token_position()
        nodes, edges = [self._parse_node()], []
        while self.at < len(self.tokens):
            edge = self._parse_edge(nodes[-1])
            nodes.append(self._parse_node())
            edge.right = nodes[-1]
            edges.append(edge)
        return Path(name, start, self.tokens[-1].end_position, tuple(nodes), tuple(edges))

    def _peek_token(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def _token_position(self) -> int:
        if self.at < len(self.tokens):
            return self.tokens[self.at].at
        return self.tokens[-1].end_position if self.tokens else len(self.text)

    def _next_token(self, pattern: str = "") -> Token:
        if self.at >= len(self.tokens) or (pattern and self._peek_token() != pattern):
            seen = self._peek_token()
            raise syntax_error(
                self.text,
                self._token_position(),
                f'The pattern is invalid at "{seen}"' if seen else "The pattern is incomplete",
                "Write a path as (a:Label)-[e:TYPE]->(b).",
            )
        self.at += 1
        return self.tokens[self.at - 1]

    def _name_of(self, among: frozenset[str] | dict[str, object], what: str) -> str:
        token = self._next_token()
        name = token.text.strip("`")
        if name not in among:
            raise syntax_error(
                self.text, token.at, f'There is no {what} "{name}"',
                f"Use one of {', '.join(sorted(among))}.",
            )  # fmt: skip
        return name

    def _parse_node(self) -> Node:
        depth = self._next_token("(").depth
        name = label = None
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "word":
            name = self._next_token().text
        if self._peek_token() == ":":
            self._next_token()
            label = self._name_of(LABELS, "label")
        while self.at < len(self.tokens) and self.tokens[self.at].depth > depth:
            self._next_token()
        self._next_token(")")
        return Node(name, label)

    def _parse_edge(self, left: Node) -> Edge:
        start = self._token_position()
        back = self._peek_token() == "<"
        if back:
            self._next_token()
        self._next_token("-")
        edge = Edge(start, start, start, None, (), "", 1, 1, None, None, self.named, left)
        if self._peek_token() == "[":
            self._parse_body(edge)
        end = self._next_token("-").end_position
        if self._peek_token() == ">":
            end = self._next_token().end_position
            edge.direction = ">"
        if back:
            # <-[]-> is the same as -[]-
            edge.direction = "" if edge.direction else "<"
        edge.end = end
        return edge

    def _parse_body(self, edge: Edge) -> None:
        bracket = self._next_token("[")
        edge.opened, depth = bracket.at, bracket.depth
        if self.tokens[self.at].kind == "word":
            edge.name = self._next_token().text
        types: list[str] = []
        if self._peek_token() == ":":
            self._next_token()
            types.append(self._name_of(dict.fromkeys(ENDS), "type of edges"))
            while self._peek_token() == "|":
                self._next_token()
                if self._peek_token() == ":":
                    self._next_token()
                types.append(self._name_of(dict.fromkeys(ENDS), "type of edges"))
        edge.types = tuple(dict.fromkeys(types))
        if self._peek_token() == "*":
            self._parse_range(edge)
        if self._peek_token() != "]":
            first = self._token_position()
            while self._peek_token() != "]" or self.tokens[self.at].depth > depth:
                self._next_token()
            edge.properties = (first, self.tokens[self.at - 1].end_position)
        self._next_token("]")

    def _parse_range(self, edge: Edge) -> None:
        edge.star = self._next_token("*").at
        minimum = self._parse_number()
        maximum = minimum
        if self._peek_token() == "..":
            self._next_token()
            maximum = self._parse_number()
        if maximum is None:
            raise syntax_error(
                self.text, edge.star, "A pattern needs a maximum length", "Write [*1..5]; a trace"
                " of any length is `lineage query`, or lineage.upstream() and downstream() in SQL.",
            )  # fmt: skip
        edge.minimum, edge.maximum = 1 if minimum is None else minimum, maximum
        if edge.minimum == 0:
            raise syntax_error(
                self.text, edge.star, "The minimum length of a pattern is 1",
                "Begin at 1, and match the node itself in another part of a UNION.",
            )  # fmt: skip
        if edge.maximum > MAX_PATTERN_LENGTH or edge.minimum > edge.maximum:
            message = (
                f"The length of a pattern is from 1 to {MAX_PATTERN_LENGTH}, with the minimum first"
            )
            raise syntax_error(
                self.text, edge.star, message, "A trace of any length is `lineage query`, or"
                " lineage.upstream() and downstream() in SQL.",
            )  # fmt: skip

    def _parse_number(self) -> int | None:
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "number":
            return int(self._next_token().text[:9])
        return None
