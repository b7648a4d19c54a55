"""Mermaid flowcharts, which GitHub, GitLab and many wikis draw from Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.export.diagram import numbered_ids, replace_control_characters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.export.diagram import Diagram

_SHAPES = {"dataset": ('[("', '")]'), "column": ('["', '"]'), "job": ('(["', '"])'),
           "run": ('(["', '"])')}  # fmt: skip

# A label is parsed as Markdown and then as HTML. Neither interprets a character reference (#35;).
# Letters, digits, and separators between two of them that form no link are not escaped.
_PLAIN = re.compile(r"[^\W_]+(?:(?:://|:/|[-_/:=,. ])(?=[^\W_]))?|/(?=[^\W_])")
_LINK = re.compile(r"(?i)\b(?:https?|ftp|www|mailto|xmpp)\b")


def write(graph: Diagram) -> str:
    """Render a flowchart from left to right."""
    return "\n".join(_mermaid_lines(graph)) + "\n"


def _mermaid_lines(graph: Diagram) -> Iterator[str]:
    names = numbered_ids(graph.nodes)
    yield "flowchart LR"
    for node in graph.nodes:
        left, right = _SHAPES.get(node.kind, _SHAPES["column"])
        yield f"  {names[node.id]}{left}{_escape_label(node.label)}{right}"
    for edge in graph.edges:
        arrow = "-.->" if edge.dashed else "-->"
        yield f'  {names[edge.source]} {arrow}|"{_escape_label(edge.label)}"| {names[edge.target]}'
    yield "  classDef root stroke-width:3px"
    for node in graph.nodes:
        if node.id in graph.roots:
            yield f"  class {names[node.id]} root"


def _escape_label(text: str) -> str:
    """Escape a label. If it resembles a link or a list item, all its punctuation is escaped."""
    text = replace_control_characters(text) or " "  # a label must not be empty
    if _LINK.search(text) or re.match(r"\s*(?:\d+[.)]|[-+*])", text):
        return "".join(c if c.isalnum() or c == " " else _character_reference(c) for c in text)
    parts, at = [], 0
    while at < len(text):
        plain = _PLAIN.match(text, at)
        parts.append(plain.group() if plain else _character_reference(text[at]))
        at = plain.end() if plain else at + 1
    return "".join(parts)


def _character_reference(character: str) -> str:
    return f"#{ord(character)};"
