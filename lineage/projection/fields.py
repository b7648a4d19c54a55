"""Field vertices: columns named by schemas and column mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.projection.rows import list_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import psycopg

    Connection = psycopg.Connection[Any]

_CLEAR_TYPES = """
UPDATE lineage.field SET type = NULL, nested = lineage.is_path(name) WHERE id = ANY (%s::bigint[])
"""
_DELETE = "SELECT lineage.delete_fields(%s::bigint[])"


class DroppedRow(NamedTuple):
    """A field that is not in the latest schema."""

    id: int
    typed: bool
    mapped: bool


_SQL = StatementFile(__file__)
_ADD_COLUMNS = _SQL.statement("add_columns", int)
_ADD_SCHEMA_COLUMNS = _SQL.statement("add_schema_columns", int)
_SELECT_DROPPED = _SQL.statement("select_dropped", DroppedRow)
_SET_SPELLINGS = _SQL.statement("set_spellings")
_SET_SCHEMAS = _SQL.statement("set_schemas")
_WRITE_VERTICES = _SQL.statement("write_field_vertices")
_WRITE_EDGES = _SQL.statement("write_field_edges")


def write_fields(
    conn: Connection,
    new_columns: Sequence[tuple[int, str]],
    schemas: Mapping[int, int | None],
    reassigned: Collection[int],
) -> None:
    """Write the fields of new columns, and of datasets with a new schema or reassigned names.

    ``schemas``: digest of each schema whose columns are not yet in the graph, by dataset.
    """
    changed: set[int] = set()
    if written := sorted({*schemas, *reassigned}):
        changed.update(_ADD_SCHEMA_COLUMNS.fetch(conn, datasets=written))
        changed.update(_drop_columns(conn, written))
    if schemas:
        _SET_SCHEMAS.execute(conn, datasets=list(schemas), digests=list(schemas.values()))
    if new_columns:  # after the schemas, which state types: a field is then inserted only once
        datasets, names = list_columns(new_columns)
        changed.update(_ADD_COLUMNS.fetch(conn, datasets=datasets, names=names))
    if written or changed:
        _SET_SPELLINGS.execute(conn, datasets=written, fields=sorted(changed))
    if changed:
        _WRITE_VERTICES.execute(conn, fields=sorted(changed))
        _WRITE_EDGES.execute(conn, fields=sorted(changed))


def _drop_columns(conn: Connection, datasets: list[int]) -> list[int]:
    """Delete fields without a schema or mapping; return those that only lose their type."""
    dropped = _SELECT_DROPPED.fetch(conn, datasets=datasets)
    untyped = [field.id for field in dropped if field.mapped and field.typed]
    if untyped:
        conn.execute(_CLEAR_TYPES, (untyped,))
    if unnamed := [field.id for field in dropped if not field.mapped]:
        conn.execute(_DELETE, (unnamed,))
    return untyped
