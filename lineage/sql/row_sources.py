"""Items of FROM that sqlglot does not parse as tables, although their rows are those of tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.dialects import traits_of
from lineage.sql.inputs import REMOTE_QUERIES, TABLE_ARGUMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE_FUNCTIONS = re.compile(r"READ_\w+|\w+_SCAN")
_CLICKHOUSE_FUNCTIONS = frozenset(
    {"S3", "S3CLUSTER", "GCS", "HDFS", "URL", "FILE", "REMOTE", "REMOTESECURE", "CLUSTER"}
    | {"MYSQL", "POSTGRESQL", "MONGODB"}
)
_FUNCTIONS = REMOTE_QUERIES | TABLE_ARGUMENTS | _CLICKHOUSE_FUNCTIONS | {"DYNAMIC_IDENTIFIER"}


# An item of FROM in the shape of a statement: a literal, a stage, or a function.
_ITEM = re.compile(
    r"(?i)\b(?:FROM|JOIN)\s+(?:'(?P<literal>\?)'|(?P<stage>@)|(?P<function>\w+)\s*\()"
)


def reads_files(shape: str, dialect: str) -> bool:
    """Return whether a statement names files in FROM, whose rows the database reads.

    ``shape``: of the statement, so that no literal looks like a part of it.
    """
    for item in _ITEM.finditer(shape):
        if item["literal"] or item["stage"]:
            is_file = dialect == ("duckdb" if item["literal"] else "snowflake")
        else:
            name = item["function"].upper()
            is_of_dialect = (
                _FILE_FUNCTIONS.fullmatch(name)
                or (dialect == "clickhouse" and name in _CLICKHOUSE_FUNCTIONS)
                or (dialect == "tsql" and name == "OPENROWSET")
            )
            is_file = bool(is_of_dialect) and name not in REMOTE_QUERIES
        if is_file:
            return True
    return False


def replace_streams(tree: exp.Expr) -> None:
    """Replace the streaming reads of Databricks by their tables: ``STREAM(t)`` and ``STREAM t``."""
    for stream in list(tree.find_all(exp.Stream)):
        item = stream.this
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table):
            item.this.set("alias", item.args.get("alias"))
            item = item.this
        stream.replace(item)


def unresolved_sources(tree: exp.Expr, dialect: str | None) -> Iterator[str]:
    """Yield the items of FROM whose tables or files the text names in a way that is not read.

    These are stages, tables of linked servers, names in expressions, and functions that return
    rows of files, of tables, and of queries elsewhere. Of a function only the name is returned,
    because its arguments may have secrets.
    """
    for item in tree.find_all(exp.Table, exp.TableFromRows):
        rows = item.this
        if isinstance(rows, exp.Func):
            name = (rows.name if isinstance(rows, exp.Anonymous) else rows.sql_name()).upper()
            of_table = isinstance(rows.args.get("expression"), exp.Table)  # ML.PREDICT
            if of_table or name in _FUNCTIONS or _FILE_FUNCTIONS.fullmatch(name):
                yield name
        elif isinstance(rows, exp.Dot) and traits_of(dialect).has_nested_sources:
            continue  # an array in a row of another source
        elif isinstance(item, exp.Table) and not isinstance(rows, exp.Identifier):
            yield ".".join(part.sql(dialect) for part in item.parts)
