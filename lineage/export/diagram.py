"""The diagram that all notations render: plain text and numbers in a deterministic order."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from lineage.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

Value: TypeAlias = str | int | float | bool | None

# Characters that XML 1.0 does not allow (https://www.w3.org/TR/xml/#charsets).
_NO_CHARACTER = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Node:
    """A node. ``id`` is unique; ``label`` need not be. ``kind``: dataset, column, job or run."""

    id: str
    label: str
    kind: str
    attributes: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge in the direction of the data. There may be several between two nodes.

    ``dashed``: the edge is declared, and no run showed it.
    """

    source: str
    target: str
    label: str
    attributes: Mapping[str, Value]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """A diagram. ``roots``: ids of the root nodes of the results."""

    title: str
    roots: frozenset[str]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def printable(self) -> Diagram:
        """Return the diagram with control characters in its texts as visible escapes."""
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
    """Collects nodes and edges. A duplicate is ignored; the first one added remains."""

    def __init__(self) -> None:
        self._nodes: dict[Hashable, Node] = {}
        self._ids: set[str] = set()
        self._edges: dict[Hashable, Edge] = {}
        self._roots: list[str] = []
        self._titles: list[str] = []

    def add_node(
        self, key: Hashable, label: str, kind: str, attributes: Mapping[str, Value] | None = None
    ) -> str:
        """Return the id of the node of ``key``: its label, with a number if that id is in use."""
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
        """Add an edge between two ids; ``key`` distinguishes parallel edges."""
        edge = Edge(source, target, label, attributes or {}, dashed)
        self._edges.setdefault((source, target, label, key), edge)

    def set_root(self, id: str, title: str) -> None:
        """Add a root node and the title of its result."""
        self._roots.append(id)
        self._titles.append(title)

    def build_diagram(self) -> Diagram:
        """Return the finished diagram."""
        return Diagram(
            " and ".join(dict.fromkeys(self._titles)),
            frozenset(self._roots),
            tuple(self._nodes.values()),
            tuple(self._edges.values()),
        )


def numbered_ids(nodes: Sequence[Node]) -> dict[str, str]:
    """Map node ids to ids that are valid in every notation: n0, n1 and so on."""
    return {node.id: f"n{place}" for place, node in enumerate(nodes)}


def replace_control_characters(text: str) -> str:
    """Replace control characters, which are not allowed in XML, by U+FFFD."""
    return _NO_CHARACTER.sub("\ufffd", text)


def describe_item(label: str, attributes: Mapping[str, Value]) -> str:
    """Return one line for the label and one for each attribute with a value."""
    attributes_text = (
        f"{name}: {value}" for name, value in attributes.items() if value is not None
    )
    return replace_control_characters("\n".join([label, *attributes_text]))
