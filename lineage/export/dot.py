"""DOT, the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.export.diagram import describe_item, numbered_ids, replace_control_characters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.export.diagram import Diagram

_SHAPES = {"dataset": "cylinder", "column": "box", "job": "ellipse", "run": "ellipse"}

# In a quoted string the parser replaces only \". The renderer of labels replaces other escapes and
# HTML entities (https://graphviz.org/docs/attr-types/escString/).
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;", "\n": "\\n", "\r": "\\r"})


def write(graph: Diagram) -> str:
    """Render a digraph; attributes of nodes and edges are in their tooltips."""
    return "\n".join(_dot_lines(graph)) + "\n"


def _dot_lines(graph: Diagram) -> Iterator[str]:
    names = numbered_ids(graph.nodes)
    yield "digraph lineage {"
    yield f"  graph [rankdir=LR, label={_quote_text(graph.title)}, labelloc=t];"
    yield "  node [fontname=monospace, fontsize=11];"
    yield "  edge [fontname=monospace, fontsize=9];"
    for node in graph.nodes:
        tooltip = _quote_text(describe_item(node.label, node.attributes))
        bold = ", penwidth=2" if node.id in graph.roots else ""
        shape = _SHAPES.get(node.kind, "box")
        yield f"  {names[node.id]} [label={_quote_text(node.label)}, shape={shape}, tooltip={tooltip}{bold}];"  # noqa: E501
    for edge in graph.edges:
        tooltip = _quote_text(describe_item(edge.label, edge.attributes))
        ends = f"{names[edge.source]} -> {names[edge.target]}"
        dashed = ", style=dashed" if edge.dashed else ""
        yield f"  {ends} [label={_quote_text(edge.label)}, tooltip={tooltip}{dashed}];"
    yield "}"


def _quote_text(text: str) -> str:
    return f'"{replace_control_characters(text).translate(_ESCAPES)}"'
