"""A graph as all notations take it: plain text and numbers, in an order that stays."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from lineage.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

Value: TypeAlias = str | int | float | bool | None

# What XML 1.0 has no character for (https://www.w3.org/TR/xml/#charsets).
_NO_CHARACTER = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Node:
    """``id`` is unique; ``label`` need not be. ``kind`` is dataset, column, job or run."""

    id: str
    label: str
    kind: str
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Edge:
    """Leads from what was read to what was made of it. Between two nodes there may be several.

    ``dashed`` is what no run showed.
    """

    source: str
    target: str
    label: str
    attributes: Mapping[str, Value]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """``roots`` are the ids of the nodes that were asked about."""

    title: str
    roots: frozenset[str]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def printable(self) -> Diagram:
        """Return the same graph with control characters of its texts as visible escapes."""
        nodes = tuple(
            replace(
                node,
                label=escape_controls(node.label),
                attributes=_escape_attributes(node.attributes),
            )
            for node in self.nodes
        )
        edges = tuple(
            replace(
                edge,
                label=escape_controls(edge.label),
                attributes=_escape_attributes(edge.attributes),
            )
            for edge in self.edges
        )
        return replace(self, title=escape_controls(self.title), nodes=nodes, edges=edges)


def _escape_attributes(attributes: Mapping[str, Value]) -> dict[str, Value]:
    return {
        name: escape_controls(value) if isinstance(value, str) else value
        for name, value in attributes.items()
    }


class DiagramBuilder:
    """Collects nodes and edges; what is added twice is there once, as it was added first."""

    def __init__(self) -> None:
        self._nodes: dict[Hashable, Node] = {}
        self._ids: set[str] = set()
        self._edges: dict[Hashable, Edge] = {}
        self._roots: list[str] = []
        self._titles: list[str] = []

    def add_node(
        self, key: Hashable, label: str, kind: str, attributes: Mapping[str, Value] | None = None
    ) -> str:
        """Return the id of the node of ``key``: its label, numbered where another has that id."""
        if key not in self._nodes:
            id, number = label, 2
            while id in self._ids:
                id, number = f"{label} [{number}]", number + 1
            self._ids.add(id)
            self._nodes[key] = Node(id, label, kind, attributes or {})
        return self._nodes[key].id

    def add_edge(
        self,
        source: str,
        target: str,
        label: str,
        attributes: Mapping[str, Value] | None = None,
        key: Hashable = None,
        *,
        dashed: bool = False,
    ) -> None:
        """Add an edge between two ids; ``key`` tells it from others between the same."""
        edge = Edge(source, target, label, attributes or {}, dashed)
        self._edges.setdefault((source, target, label, key), edge)

    def set_root(self, id: str, title: str) -> None:
        """Note what was asked."""
        self._roots.append(id)
        self._titles.append(title)

    def build_diagram(self) -> Diagram:
        """Return all of it."""
        return Diagram(
            " and ".join(dict.fromkeys(self._titles)),
            frozenset(self._roots),
            tuple(self._nodes.values()),
            tuple(self._edges.values()),
        )


def numbered_ids(nodes: Sequence[Node]) -> dict[str, str]:
    """Return for each id of a node one that any notation takes: n0, n1 and so on."""
    return {node.id: f"n{place}" for place, node in enumerate(nodes)}


def replace_control_characters(text: str) -> str:
    """Return ``text`` with U+FFFD in place of control characters, which XML cannot hold at all."""
    return _NO_CHARACTER.sub("\ufffd", text)


def describe_item(label: str, attributes: Mapping[str, Value]) -> str:
    """Return a line for the label and one for each attribute that has a value."""
    attributes_text = (
        f"{name}: {value}" for name, value in attributes.items() if value is not None
    )
    return replace_control_characters("\n".join([label, *attributes_text]))
