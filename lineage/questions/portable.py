"""What answers that are graphs have in common: they can be taken to other Python packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame


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
        from lineage.export import packages

        return packages.to_networkx(self)

    def to_pandas(self) -> DataFrame:
        """Return a DataFrame with a row for each edge, as ``--format csv`` has them.

        Raises UsageError where pandas is not installed (the extra ``pandas``).
        """
        from lineage.export import packages

        return packages.to_pandas(self)
