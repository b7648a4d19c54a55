"""Edges of runs in the graph: PARENT, INPUT_TO and OUTPUTS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import bigint_array, define_columns, execute_rows
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import psycopg

_SQL = StatementFile(__file__)
_WRITE_PARENTS = _SQL.statement("write_parent_edges")
_WRITE_INPUTS = _SQL.statement("write_input_edges")
_WRITE_OUTPUTS = _SQL.statement("write_output_edges")
_PARENT = define_columns(children=bigint_array, parents=bigint_array)


def write_parent_edges(conn: psycopg.Connection[Any], parents: Iterable[tuple[int, int]]) -> None:
    """Write PARENT edges for pairs of child and parent."""
    execute_rows(conn, _WRITE_PARENTS, _PARENT, sorted(parents))


def write_access_edges(conn: psycopg.Connection[Any], runs: Collection[int]) -> None:
    """Write INPUT_TO and OUTPUTS edges of ``runs`` from the facts."""
    if runs:
        _WRITE_INPUTS.execute(conn, runs=bigint_array(sorted(runs)))
        _WRITE_OUTPUTS.execute(conn, runs=bigint_array(sorted(runs)))
