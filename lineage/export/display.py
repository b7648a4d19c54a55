"""Display of a result: in one line, and as HTML in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.export import notebook, tables
from lineage.export.frames import to_networkx, to_pandas
from lineage.query.display import Grid, Portable, Rows

if TYPE_CHECKING:
    from lineage.query.display import Displayed

__all__ = ["to_html", "to_line", "to_networkx", "to_pandas"]


def to_line(result: Displayed) -> str:
    """Return the one-line form of a result."""
    if isinstance(result, Portable):
        return notebook.to_line(result)
    if isinstance(result, Rows):
        return tables.rows_to_line(result)
    if isinstance(result, Grid):
        return tables.cypher_to_line(result.columns, result.rows)
    return tables.to_line(result)


def to_html(result: Displayed) -> str:
    """Render the HTML fragment of a result: a diagram for a graph, else tables."""
    if isinstance(result, Portable):
        return notebook.to_html(result)
    if isinstance(result, Rows):
        return tables.rows_to_html(result)
    if isinstance(result, Grid):
        return tables.cypher_to_html(result.columns, result.rows, result.omitted)
    return tables.to_html(result)
