"""Results in the formats of other tools: rows of a table, and graphs in several notations.

``rows`` and ``graph`` convert a result to plain data by the functions of its kind
(``lineage.export.registry``). Each notation is a module that renders a diagram, and is imported
when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.export.diagram import Diagram

# Each is a module of this package with a function write(graph).
NOTATIONS = ("dot", "mermaid", "graphml", "html")


def rows(result: object) -> list[dict[str, Any]]:
    """Return one row for each edge of a result; all rows have the same keys."""
    from lineage.export import registry

    registry.import_kinds()
    return registry.result_rows(result)


def columns(result: object) -> tuple[str, ...]:
    """Return the keys of the rows of a result, even if it has no rows."""
    from lineage.export import registry

    registry.import_kinds()
    return registry.result_columns(result)


def graph(*several: object) -> Diagram:
    """Build one diagram of several results; common nodes and edges occur once."""
    from lineage.export import registry

    registry.import_kinds()
    return registry.diagram_of(*several)


def text(graph: Diagram, form: str) -> str:
    """Render a diagram in one of the NOTATIONS; the text ends with a line feed."""
    if form not in NOTATIONS:
        raise ValueError(f"{form} is not one of {', '.join(NOTATIONS)}")
    if form != "graphml":  # GraphML is read by programs, the other notations by people
        graph = graph.printable()
    written: str = import_module(f"lineage.export.{form}").write(graph)
    return written
