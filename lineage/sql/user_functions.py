"""Functions in queries that are not part of the database: they may read or write tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.dialects import TSQL
from lineage.sql.names import fold_part
from lineage.sql.word_lists import read_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.sql.records import Name

# The list of functions of a dialect, by dialects that share it. In other dialects, functions
# without a schema are taken for those of the database.
_LISTS = {
    "postgres": "postgres",
    "mysql": "mysql",
    "snowflake": "snowflake",
    "duckdb": "duckdb",
    **dict.fromkeys(("spark", "databricks", "hive"), "spark"),
}
# Functions that users of these define neither read nor write tables.
_WITHOUT_TABLES = frozenset({"redshift"})
_SYSTEM_SCHEMAS = frozenset(
    {"pg_catalog", "information_schema", "sys", "system", "builtin", "snowflake", "safe", "net"}
    | {"keys", "hll_count", "aead", "ml", "ai", "kll_quantiles", "obj", "d3a_count", "excluded"}
)
_SYSTEM_PREFIXES = ("st_", "system$", "dbms_", "utl_")
# Methods of the types xml, hierarchyid, geography and geometry of T-SQL.
_METHODS = frozenset(
    {"value", "nodes", "query", "exist", "modify", "getancestor", "getdescendant", "getlevel"}
    | {"isdescendantof", "getreparentedvalue", "tostring", "parse", "read", "write", "makevalid"}
    | {"reduce", "lat", "long", "filter", "bufferwithtolerance", "instanceof"}
)


def user_function(node: exp.Expr, dialect: str) -> Name | None:
    """Return the name of a function that users defined; None for another expression.

    A name without a schema is that of a function of the database if sqlglot or the list of the
    dialect has it. T-SQL and BigQuery require the schema for functions of users, except for
    BigQuery's temporary ones.
    """
    if not isinstance(node, exp.Func) or dialect in _WITHOUT_TABLES:
        return None
    qualifiers = _qualifiers_of(node)
    if qualifiers is None:
        return None
    is_anonymous = isinstance(node, exp.Anonymous | exp.AnonymousAggFunc)
    if not is_anonymous and not qualifiers:
        return None
    written = node.name if is_anonymous else node.sql_name()
    parts = [*qualifiers, *(written.split(".") if dialect == "bigquery" else [written])]
    lower = [part.lower() for part in parts]
    if lower[0] in _SYSTEM_SCHEMAS or lower[0].startswith(_SYSTEM_PREFIXES) or not lower[-1]:
        return None
    if len(parts) == 1:
        names = builtin_functions(dialect)
        is_known = not names or lower[0] in names
    else:
        is_known = _is_method(lower[-1], dialect)
    return None if is_known else tuple(fold_part(part, dialect, quoted=False) for part in parts)


def possible_function(node: exp.Expr, dialect: str) -> Name | None:
    """Return the name of a function without a schema that may be one of users, by its name alone.

    There is no list of the functions of its database.
    """
    if not isinstance(node, exp.Anonymous) or _qualifiers_of(node) != []:
        return None
    has_schema = dialect in TSQL or dialect == "bigquery"
    if has_schema or dialect in _WITHOUT_TABLES or builtin_functions(dialect):
        return None
    return (fold_part(node.name, dialect, quoted=False),)


def user_functions(tree: exp.Expr, dialect: str) -> Iterator[Name]:
    """Yield the functions of a tree that users defined."""
    for node in tree.find_all(exp.Func):
        if (name := user_function(node, dialect)) is not None:
            yield name


def builtin_functions(dialect: str) -> frozenset[str]:
    """Return the functions of a database in lower case; empty if there is no list of them."""
    if dialect not in _LISTS:
        return frozenset()
    return read_words(f"functions/{_LISTS[dialect]}.txt")


def _qualifiers_of(node: exp.Func) -> list[str] | None:
    """Return the schema of a function and its qualifiers; None for a method of a value."""
    parent = node.parent
    if isinstance(parent, exp.Table) and parent.this is node:
        return [part.name for key in ("catalog", "db") if (part := parent.args.get(key))]
    if not isinstance(parent, exp.Dot) or parent.expression is not node:
        return []
    parts: list[str] = []
    before: exp.Expr = parent.this
    while isinstance(before, exp.Dot):
        if not isinstance(before.expression, exp.Identifier):
            return None
        parts.insert(0, before.expression.name)
        before = before.this
    if isinstance(before, exp.Column):
        return [*(part.name for part in before.parts), *parts]
    return [before.name, *parts] if isinstance(before, exp.Identifier | exp.Var) else None


def _is_method(name: str, dialect: str) -> bool:
    """Return whether a function after a dot is one of the value before it: ``x.nodes('/r')``."""
    if dialect in TSQL:
        return name in _METHODS or name.startswith("st")
    return dialect == "duckdb" and name in builtin_functions(dialect)
