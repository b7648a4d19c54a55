"""Dataset vertices. Vertices of jobs and runs are written together with their facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import bigint_array
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from collections.abc import Collection

    import psycopg


class SchemaRow(NamedTuple):
    """A dataset whose schema differs from its columns in the graph."""

    id: int
    digest: int | None


_SQL = StatementFile(__file__)
_WRITE = _SQL.statement("write_dataset_vertices", SchemaRow)


def write_dataset_vertices(
    conn: psycopg.Connection[Any], datasets: Collection[int]
) -> dict[int, int | None]:
    """Write the vertices of the canonical datasets among ``datasets``.

    Return the digest of each schema whose columns are not yet in the graph, by dataset.
    """
    return dict(_WRITE.fetch(conn, datasets=bigint_array(sorted(datasets))))
