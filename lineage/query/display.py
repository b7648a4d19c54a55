"""Base classes of results: their one-line form, notebook output, and conversion for other packages.

The formats belong to ``lineage.export``, a layer above. It is imported when a result is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame

T = TypeVar("T")


class Displayed:
    """A result with a one-line form and notebook output."""

    __slots__ = ()

    def __repr__(self) -> str:
        from lineage.export import display

        return display.to_line(self)

    def _repr_html_(self) -> str:
        """Render HTML for a notebook: a diagram or tables."""
        from lineage.export import display

        return display.to_html(self)


class Tabular(Displayed):
    """A result that is not a graph: a record with values and lists of records."""

    __slots__ = ()


class Rows(Displayed, tuple[T, ...]):
    """A list of records."""

    __slots__ = ()


class Portable(Displayed):
    """A result that is a graph."""

    __slots__ = ()

    def to_networkx(self) -> MultiDiGraph[str]:
        """Convert to a MultiDiGraph: nodes are keyed by full name; each job is an edge.

        Raises UsageError if networkx (extra ``networkx``) is not installed.
        """
        from lineage.export import display

        return display.to_networkx(self)

    def to_pandas(self) -> DataFrame:
        """Convert to a DataFrame with one row for each edge; with the columns of ``--format csv``.

        Raises UsageError if pandas (extra ``pandas``) is not installed.
        """
        from lineage.export import display

        return display.to_pandas(self)


class Grid(Displayed):
    """A table of values. Some of its rows may not have been fetched."""

    __slots__ = ()

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    omitted: int
