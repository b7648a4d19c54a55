"""What answers have in common: how a notebook shows them, and what other packages take."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame

T = TypeVar("T")


class Tabular:
    """An answer that is no graph: a record, some of whose values are lists of records."""

    __slots__ = ()

    def __repr__(self) -> str:
        from lineage.export import tables

        return tables.to_line(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the values, and a table for each list."""
        from lineage.export import tables

        return tables.to_html(self)


class Rows(tuple[T, ...]):
    """A list of records."""

    __slots__ = ()

    def __repr__(self) -> str:
        from lineage.export import tables

        return tables.rows_to_line(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a table with a row for each record."""
        from lineage.export import tables

        return tables.rows_to_html(self)


class Portable:
    """An answer that is a graph."""

    __slots__ = ()

    def __repr__(self) -> str:
        from lineage.export import notebook

        return notebook.to_line(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the picture, and the edges."""
        from lineage.export import notebook

        return notebook.to_html(self)

    def to_networkx(self) -> MultiDiGraph[str]:
        """Return a MultiDiGraph: nodes by full name, an edge for each job.

        Raises UsageError where networkx is not installed (the extra ``networkx``).
        """
        from lineage.export import frames

        return frames.to_networkx(self)

    def to_pandas(self) -> DataFrame:
        """Return a DataFrame with a row for each edge, as ``--format csv`` has them.

        Raises UsageError where pandas is not installed (the extra ``pandas``).
        """
        from lineage.export import frames

        return frames.to_pandas(self)
