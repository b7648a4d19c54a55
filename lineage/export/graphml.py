"""GraphML (http://graphml.graphdrawing.org), which networkx, Gephi and yEd read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.control_characters import replace_controls
from lineage.export.diagram import numbered_ids, replace_control_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.export.diagram import Diagram, Value

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"""

# XML parsers normalize line breaks and tabs that are not written as character references.
_ESCAPES = str.maketrans({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;",
    "\n": "&#10;", "\r": "&#13;", "\t": "&#9;",
})  # fmt: skip
_TYPES = {bool: "boolean", int: "long", float: "double"}


def write(graph: Diagram) -> str:
    """Render a document with one directed graph and typed attributes."""
    return "\n".join(_graphml_lines(graph)) + "\n"


def _graphml_lines(graph: Diagram) -> Iterator[str]:
    names = numbered_ids(graph.nodes)
    nodes = [
        {"label": node.label, "kind": node.kind, "root": node.id in graph.roots, **node.attributes}
        for node in graph.nodes
    ]
    edges = [{"label": edge.label, **edge.attributes} for edge in graph.edges]
    node_keys, edge_keys = _attribute_keys(nodes, "kn"), _attribute_keys(edges, "ke")
    yield _HEAD
    yield from _key_declarations("node", node_keys)
    yield from _key_declarations("edge", edge_keys)
    yield '<graph id="lineage" edgedefault="directed">'
    for node, data in zip(graph.nodes, nodes, strict=True):
        yield f'<node id="{names[node.id]}">{_data_element(data, node_keys)}</node>'
    for edge, data in zip(graph.edges, edges, strict=True):
        ends = f'source="{names[edge.source]}" target="{names[edge.target]}"'
        yield f"<edge {ends}>{_data_element(data, edge_keys)}</edge>"
    yield "</graph>"
    yield "</graphml>"


def _attribute_keys(
    items: Iterable[Mapping[str, Value]], prefix: str
) -> dict[str, tuple[str, str]]:
    """Return id and type of each attribute; the type is text if the values have several types."""
    kinds: dict[str, set[type]] = {}
    for item in items:
        for name, value in item.items():
            if value is not None:
                kinds.setdefault(name, set()).add(type(value))
    return {
        name: (f"{prefix}{place}", _TYPES.get(of.pop(), "string") if len(of) == 1 else "string")
        for place, (name, of) in enumerate(kinds.items())
    }


def _key_declarations(of: str, keys: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    for name, (id, kind) in keys.items():
        yield f'<key id="{id}" for="{of}" attr.name="{_escape_text(name)}" attr.type="{kind}"/>'


def _data_element(item: Mapping[str, Value], keys: Mapping[str, tuple[str, str]]) -> str:
    return "".join(
        f'<data key="{keys[name][0]}">{_escape_text(_value_text(value))}</data>'
        for name, value in item.items()
        if value is not None
    )


def _value_text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escape_text(text: str) -> str:
    text = replace_control_characters(text).translate(_ESCAPES)
    return replace_controls(text, lambda character: f"&#{ord(character)};")
