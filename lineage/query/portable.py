"""Base classes of result records: notebook output, and conversion for other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame

T = TypeVar("T")


class Tabular:
    """A result that is not a graph: a record with values and lists of records."""

    __slots__ = ()

    def __repr__(self) -> str:
        from lineage.export import tables

        return tables.to_line(self)

    def _repr_html_(self) -> str:
        """Render HTML for a notebook: the values, and a table for each list."""
        from lineage.export import tables

        return tables.to_html(self)


class Rows(tuple[T, ...]):
    """A list of records."""

    __slots__ = ()

    def __repr__(self) -> str:
        from lineage.export import tables

        return tables.rows_to_line(self)

    def _repr_html_(self) -> str:
        """Render HTML for a notebook: a table with a row for each record."""
        from lineage.export import tables

        return tables.rows_to_html(self)


class Portable:
    """A result that is a graph."""

    __slots__ = ()

    def __repr__(self) -> str:
        from lineage.export import notebook

        return notebook.to_line(self)

    def _repr_html_(self) -> str:
        """Render HTML for a notebook: the diagram and the edges."""
        from lineage.export import notebook

        return notebook.to_html(self)

    def to_networkx(self) -> MultiDiGraph[str]:
        """Convert to a MultiDiGraph: nodes are keyed by full name; each job is an edge.

        Raises UsageError if networkx (extra ``networkx``) is not installed.
        """
        from lineage.export import frames

        return frames.to_networkx(self)

    def to_pandas(self) -> DataFrame:
        """Convert to a DataFrame with one row for each edge; columns as of ``--format csv``.

        Raises UsageError if pandas (extra ``pandas``) is not installed.
        """
        from lineage.export import frames

        return frames.to_pandas(self)
