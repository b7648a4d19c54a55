"""Notebook output of a graph result: a picture and its edges, in HTML without scripts."""

from __future__ import annotations

import base64

from lineage.export import graph as graph_of
from lineage.export.html import draw_picture, escape_text, table_lines

# The layout of more nodes takes too long for the output of a cell.
_MAX_NODES = 300


def to_html(result: object) -> str:
    """Render the HTML fragment of a result: title, picture, and collapsed list of edges."""
    graph = graph_of(result).printable()
    parts = [f"<div><p><b>{escape_text(graph.title)}</b></p>"]
    if len(graph.nodes) <= _MAX_NODES:
        text, width, height = draw_picture(graph)
        # A separate image: its styles and ids do not affect other outputs of the notebook.
        source = base64.b64encode(text.encode()).decode()
        parts.append(
            f'<img alt="{escape_text(graph.title)}" src="data:image/svg+xml;base64,{source}"'
            f' style="width:{width:.0f}px;max-width:100%;aspect-ratio:{width:.0f}/{height:.0f}">'
        )
    else:
        parts.append(
            f"<p>{len(graph.nodes):,} nodes are too many for a picture here. Reduce depth or"
            " limit, or write the page: lineage query --format html</p>"
        )
    parts.append(f"<details><summary>{len(graph.edges):,} edges</summary>")
    return "\n".join([*parts, *table_lines(graph), "</details></div>"])


def to_line(result: object) -> str:
    """Return the short form of a result: its kind, its root and its size."""
    graph = graph_of(result).printable()
    size = f"{len(graph.nodes)} nodes, {len(graph.edges)} edges"
    return f"<{type(result).__name__}: {graph.title}; {size}>"
