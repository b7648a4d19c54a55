"""The tables read by a JDBC relation, from its table name or its query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage import naming, sql
from lineage.spark.datasets.resolver import Dataset, ResolvedDataset, Unresolved
from lineage.sql.servers import dialect_of_jdbc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.columns.relation import Rows
    from lineage.naming import DatasetName
    from lineage.spark.document.arguments import Jdbc

_PART = r'(?:[\w$#-]+|"[^"]+"|`[^`]+`|\[[^\]]+\])'
_TABLE = re.compile(rf"\s*{_PART}(?:\s*\.\s*{_PART})*\s*")


def resolve_jdbc(operator: str, jdbc: Jdbc) -> Iterator[ResolvedDataset]:
    """Resolve the tables read by a JDBC relation."""
    if jdbc.dbtable and not is_query(jdbc):
        yield jdbc_table(jdbc.url, jdbc.dbtable)
        return
    try:
        query = _read_query(jdbc)
    except sql.Unreadable as error:
        server = naming.of_jdbc(jdbc.url, "").namespace
        yield Unresolved(operator, f"a query that the database runs: {error}", server)
        return
    for name in query.tables:
        yield Dataset(_table_dataset_name(jdbc, name), "TABLE")


def is_query(jdbc: Jdbc) -> bool:
    """Return whether the relation reads a query instead of a table name."""
    return not (jdbc.dbtable and _TABLE.fullmatch(jdbc.dbtable))


def jdbc_rows(jdbc: Jdbc, output: Sequence[str]) -> Rows:
    """Compute the column lineage of a query that the database runs.

    Raises Unreadable if the text of the query is not sufficient.
    """
    return _read_query(jdbc).column_rows(lambda name: _table_dataset_name(jdbc, name), output)


def jdbc_table(url: str, name: str) -> Dataset:
    """Return the dataset of a table at a JDBC URL."""
    return Dataset(naming.of_jdbc(url, name), "TABLE")


def _read_query(jdbc: Jdbc) -> sql.Query:
    # Spark inserts ``dbtable`` after FROM unchanged, so it may be more than a name.
    text = jdbc.query or f"SELECT * FROM {jdbc.dbtable}"  # noqa: S608 - it is read, not run
    prepared = f"{jdbc.prepare or ''} {text}".strip()
    return sql.read_query(prepared, dialect_of_jdbc(jdbc.url))


def _table_dataset_name(jdbc: Jdbc, name: tuple[str, ...]) -> DatasetName:
    return naming.of_jdbc(jdbc.url, ".".join(name))
