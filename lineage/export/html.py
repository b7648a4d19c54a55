"""A self-contained HTML page of a diagram, which loads nothing from a server."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections import defaultdict
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING

from lineage.export.diagram import describe_item, numbered_ids, replace_control_characters
from lineage.export.layout import place_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.export.diagram import Diagram, Edge, Node
    from lineage.export.layout import Layout

_CHARACTER = 7.3  # pixels, with the font of page.css
_LABEL_CHARACTER = 6.1
_MAX_NAME_LENGTH = 48  # characters of a name in the picture; its details contain the whole name
_MAX_LABEL_LENGTH = 30
_GAP = 60.0  # of an edge, beside its label
_HEIGHT = 28.0
_HELP = "Drag to move, turn the wheel to zoom, click a node to highlight its lineage."
_MAX_LABELS = 80  # with more edges, their labels would overlap


def write(graph: Diagram) -> str:
    """Render the page: the picture, details of the selected element, and a table of edges."""
    style, script = _package_source("page.css"), _package_source("page.js")
    policy = (
        f"default-src 'none'; style-src '{_csp_digest(style)}'; script-src '{_csp_digest(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    size = f"{_count_of(len(graph.nodes), 'node')}, {_count_of(len(graph.edges), 'edge')}."
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        '<head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape_text(graph.title)}</title>",
        f"<style>{style}</style></head>",
        "<body>",
        f"<header><h1>{escape_text(graph.title)}</h1>",
        f"<p>{size} {_HELP}</p></header>",
        *_svg_lines(graph),
        '<pre id="details" aria-live="polite"></pre>',
        *table_lines(graph),
        f"<script>{script}</script>",
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def draw_picture(graph: Diagram) -> tuple[str, float, float]:
    """Render the picture as SVG; return it with its width and height."""
    text = "\n".join(_svg_lines(graph))
    match = re.search(r'viewBox="0 0 (\d+) (\d+)"', text)
    assert match, "a picture has a size"
    width, height = match.groups()
    style = f"{_package_source('page.css')} svg {{ min-height: 0; max-height: none; border: 0; }}"
    begin = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
    text = text.replace("<svg", begin, 1).replace(
        "<defs>", f"<style>{escape(style)}</style><defs>", 1
    )
    return text, float(width), float(height)


def _svg_lines(graph: Diagram) -> Iterator[str]:
    names = numbered_ids(graph.nodes)
    texts = {node.id: _shorten_name(node.label) for node in graph.nodes}
    widths = {id: _text_width(text) * _CHARACTER + 20 for id, text in texts.items()}
    bundles: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        bundles[edge.source, edge.target].append(edge)
    labels = dict.fromkeys(bundles, "")
    if len(bundles) <= _MAX_LABELS:
        labels = {ends: _shorten_label(edges) for ends, edges in bundles.items()}
    longest = max(map(_text_width, labels.values()), default=0)
    placed = place_nodes(widths, bundles, graph.roots, _GAP + longest * _LABEL_CHARACTER)
    size = f"0 0 {placed.width:.0f} {placed.height:.0f}"
    yield f'<svg id="picture" viewBox="{size}" role="img" aria-label="{escape_text(graph.title)}">'
    yield '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
    yield ' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
    for (source, target), edges in bundles.items():
        yield from _edge_line(
            (names[source], names[target]),
            _edge_path(source, target, placed, widths),
            edges,
            labels[source, target],
            turned=placed.nodes[target][0] < placed.nodes[source][0],
        )
    for node in graph.nodes:
        x, y = placed.nodes[node.id]
        yield _node_box(node, names[node.id], texts[node.id], (x, y, widths[node.id]), graph)
    yield "</svg>"


def _node_box(
    node: Node, name: str, text: str, place: tuple[float, float, float], graph: Diagram
) -> str:
    x, y, width = place
    root = " root" if node.id in graph.roots else ""
    return (
        f'<g class="node {escape_text(node.kind)}{root}" id="{name}" tabindex="0">'
        f"<title>{escape_text(describe_item(node.label, node.attributes))}</title>"
        f'<rect x="{x:.0f}" y="{y - _HEIGHT / 2:.0f}" width="{width:.0f}" height="{_HEIGHT:.0f}"/>'
        f'<text x="{x + 10:.0f}" y="{y + 4:.0f}">{escape_text(text)}</text></g>'
    )


def _edge_line(
    ends: tuple[str, str],
    path: tuple[str, tuple[float, float]],
    edges: list[Edge],
    label: str,
    *,
    turned: bool,
) -> Iterator[str]:
    """Yield one line for all edges between the same two nodes."""
    line, (x, y) = path
    tooltip = "\n\n".join(describe_item(edge.label, edge.attributes) for edge in edges)
    back = " back" if turned else ""
    declared = " declared" if all(edge.dashed for edge in edges) else ""
    yield f'<g class="edge{back}{declared}" data-source="{ends[0]}" data-target="{ends[1]}">'
    yield f"<title>{escape_text(tooltip)}</title>"
    yield f'<path class="reach" d="{line}"/><path class="line" d="{line}"/>'
    if label:
        yield f'<text x="{x:.0f}" y="{y - 3:.0f}">{escape_text(label)}</text>'
    yield "</g>"


def _shorten_label(edges: list[Edge]) -> str:
    """Return the beginning and the end of a long text, which distinguish most labels."""
    text = " ".join("; ".join(dict.fromkeys(edge.label for edge in edges)).split())
    if len(text) <= _MAX_LABEL_LENGTH:
        return text
    half = _MAX_LABEL_LENGTH // 2
    return f"{text[: half - 1]}…{text[-half:]}"


def _edge_path(
    source: str, target: str, placed: Layout, widths: dict[str, float]
) -> tuple[str, tuple[float, float]]:
    """Return a line between the facing sides of two nodes, and its middle."""
    (x, y), (end_x, end_y) = placed.nodes[source], placed.nodes[target]
    if end_x < x:
        end_x += widths[target]
    else:
        x += widths[source]
    line = f"M{x:.0f} {y:.0f}"
    if source == target:
        top = y - _HEIGHT / 2
        return f"{line}C{x + 40:.0f} {y:.0f} {x:.0f} {top - 30:.0f} {x - 15:.0f} {top:.0f}", (
            x,
            top,
        )
    points = [(x, y), *placed.edges[source, target], (end_x, end_y)]
    for (left, up), (right, down) in pairwise(points):
        reach = (right - left) / 2
        line += f"C{left + reach:.0f} {up:.0f} {right - reach:.0f} {down:.0f}"
        line += f" {right:.0f} {down:.0f}"
    middle = len(points) // 2
    (left, up), (right, down) = points[middle - 1], points[middle]
    return line, ((left + right) / 2, (up + down) / 2)


def table_lines(graph: Diagram) -> Iterator[str]:
    """Yield a table of the edges."""
    labels = {node.id: node.label for node in graph.nodes}
    names = list(dict.fromkeys(name for edge in graph.edges for name in edge.attributes))
    yield '<div class="table"><table><thead><tr>'
    yield "".join(f"<th>{escape_text(name)}</th>" for name in ("from", "to", "by", *names))
    yield "</tr></thead><tbody>"
    for edge in graph.edges:
        cells = [labels[edge.source], labels[edge.target], edge.label]
        cells += [_value_text(edge.attributes.get(name)) for name in names]
        yield f"<tr>{''.join(f'<td>{escape_text(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table></div>"


def _value_text(value: object) -> str:
    return "" if value is None else str(value)


def escape_text(text: str) -> str:
    """Escape a text for HTML, and replace its control characters."""
    return escape(replace_control_characters(text))


def _count_of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _shorten_name(text: str) -> str:
    """Return the end of a long text: the end of a name is more specific than its beginning."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_NAME_LENGTH else f"…{line[1 - _MAX_NAME_LENGTH :]}"


def _text_width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _package_source(name: str) -> str:
    return files("lineage.export").joinpath(name).read_text(encoding="utf-8")


def _csp_digest(text: str) -> str:
    """Return the CSP hash-source that allows exactly this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
