"""Answers in the formats of other tools: rows of a table, and graphs in several notations.

``rows`` and ``graph`` turn an answer into plain data, once for each kind of answer
(``lineage.export.answers``); each notation is a module over that, loaded where it is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.export.diagram import Diagram

# Each is a module of this package with a function write(graph).
NOTATIONS = ("dot", "mermaid", "graphml", "html")


def rows(answer: object) -> list[dict[str, Any]]:
    """Return a row for each edge of an answer, with the same keys in each."""
    from lineage.export import answers

    return answers.result_rows(answer)


def columns(answer: object) -> tuple[str, ...]:
    """Return the keys of the rows of an answer, also where there is none."""
    from lineage.export import answers

    return answers.result_columns(answer)


def graph(*several: object) -> Diagram:
    """Return the graph of answers; what several of them have is there once."""
    from lineage.export import answers

    return answers.diagram_of(*several)


def text(graph: Diagram, form: str) -> str:
    """Return a graph in one of the NOTATIONS; it ends with a line feed."""
    if form not in NOTATIONS:
        raise ValueError(f"{form} is none of {', '.join(NOTATIONS)}")
    if form != "graphml":  # which is data; the others are pictures
        graph = graph.printable()
    written: str = import_module(f"lineage.export.{form}").write(graph)
    return written
