"""Mermaid flowcharts, which GitHub, GitLab and many wikis draw from Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.export.diagram import drawable, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.export.diagram import Graph

_SHAPES = {"dataset": ('[("', '")]'), "column": ('["', '"]'), "job": ('(["', '"])'),
           "run": ('(["', '"])')}  # fmt: skip

# A label is read as Markdown and then as HTML; a character's number (#35;) is what neither reads.
# Plain are letters and digits, and what stands between two of them and forms no link.
_PLAIN = re.compile(r"[^\W_]+(?:(?:://|:/|[-_/:=,. ])(?=[^\W_]))?|/(?=[^\W_])")
_LINK = re.compile(r"(?i)\b(?:https?|ftp|www|mailto|xmpp)\b")


def write(graph: Graph) -> str:
    """Return a flowchart from left to right."""
    return "\n".join(_lines(graph)) + "\n"


def _lines(graph: Graph) -> Iterator[str]:
    names = numbered(graph.nodes)
    yield "flowchart LR"
    for node in graph.nodes:
        left, right = _SHAPES.get(node.kind, _SHAPES["column"])
        yield f"  {names[node.id]}{left}{_escaped(node.label)}{right}"
    for edge in graph.edges:
        arrow = "-.->" if edge.dashed else "-->"
        yield f'  {names[edge.source]} {arrow}|"{_escaped(edge.label)}"| {names[edge.target]}'
    yield "  classDef root stroke-width:3px"
    for node in graph.nodes:
        if node.id in graph.roots:
            yield f"  class {names[node.id]} root"


def _escaped(text: str) -> str:
    """Return a label. One that looks like a link, or like an item of a list, has no plain signs."""
    text = drawable(text) or " "  # a label has a character at least
    if _LINK.search(text) or re.match(r"\s*(?:\d+[.)]|[-+*])", text):
        return "".join(c if c.isalnum() or c == " " else _number(c) for c in text)
    parts, at = [], 0
    while at < len(text):
        plain = _PLAIN.match(text, at)
        parts.append(plain.group() if plain else _number(text[at]))
        at = plain.end() if plain else at + 1
    return "".join(parts)


def _number(character: str) -> str:
    return f"#{ord(character)};"
