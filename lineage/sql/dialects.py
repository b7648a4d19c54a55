"""What distinguishes the SQL dialects, by their names in sqlglot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TSQL = frozenset({"tsql"})
# Dialects with the procedures, the system tables and the clients of PostgreSQL.
POSTGRES_FAMILY = frozenset({"postgres", "redshift"})
_DEFINITIONS = ("CREATE", "DROP", "ALTER", "RENAME")


@dataclass(frozen=True)
class Traits:
    """What distinguishes a dialect. The defaults are what most dialects have."""

    # `"…"` is a string, and names are in backticks.
    has_double_quoted_strings: bool = False
    # A backslash escapes in strings.
    has_backslash_escapes: bool = False
    # A comment may be in a comment.
    nests_comments: bool = False
    # `#` begins a comment.
    has_hash_comments: bool = False
    # `//` begins a comment.
    has_slash_comments: bool = False
    # `$$…$$` is a string.
    has_dollar_quotes: bool = False
    # `q'[…]'` is a string without escapes; other delimiters may stand for the brackets.
    has_q_quotes: bool = False
    # `E'…'` is a string with escapes.
    has_escape_strings: bool = False
    # How names are compared. `as_written` also stands for a case that depends on the server.
    case: Literal["ignored", "as_written", "lower_unquoted", "upper_unquoted"] = "ignored"
    # Names have a database and a table, without a schema.
    has_two_levels: bool = False
    # USE with one part names a schema.
    uses_schemas: bool = False
    # A session cannot change its database, only its search path.
    has_fixed_database: bool = False
    # The schema that USE of a database selects.
    schema_after_use: str = ""
    # The schema of a session from its start, unless its user or role has another.
    schema_of_sessions: str = ""
    # A savepoint does not replace an earlier one of the same name.
    keeps_earlier_savepoints: bool = False
    # Beginnings of statements that commit the open transaction and are not part of one.
    committing_kinds: tuple[str, ...] = ()
    # Definitions commit before they are executed, and so also if they fail. Routines may commit the
    # transaction of their caller.
    commits_before_definitions: bool = False
    # Each statement is in a transaction. Clients commit at the end, so that statements that are not
    # rolled back count.
    lacks_autocommit: bool = False
    # A call is in a transaction, which begins again when its body ends it.
    has_transaction_of_call: bool = False
    # An error aborts the transaction: statements fail until a ROLLBACK, as does COMMIT.
    aborts_transactions: bool = False
    # The search path is part of the transaction.
    rolls_back_paths: bool = False
    # END is a COMMIT.
    commits_by_end: bool = False
    # Recursive CTEs need no keyword.
    has_implicit_recursion: bool = False
    # FROM accepts a column of an enclosing FROM: `FROM orders AS o, o.items`.
    has_nested_sources: bool = False
    # DUAL is a row without values. Oracle has it in the schema SYS.
    has_dual: bool = False
    # A cast has the name of its value.
    names_casts: bool = False
    # A scalar subquery has the name of its column.
    names_subqueries: bool = False
    # A name in GROUP BY is a column of the result, if there is one.
    groups_by_result: bool = False
    # The name of a source is a value: its row.
    has_rows_by_name: bool = False
    # EXPLAIN ANALYZE executes the statement.
    executes_explained: bool = False
    # SELECT … INTO assigns variables.
    assigns_by_into: bool = False
    # A query without rows leaves its variables as they are.
    retains_variables: bool = False
    # Variables of a session have `@` before their names.
    has_signs: bool = False
    # A plain name in a query, if it is of a variable, is of no column.
    prefers_variables: bool = False
    # Variables are declared after the BEGIN of their block.
    declares_inside: bool = False
    # sqlglot parses `%s`, also in place of a list of rows: `VALUES %s`.
    has_format_parameters: bool = False
    # Parameters are `$1`. sqlglot takes `$1,$` for the beginning of a string.
    has_dollar_parameters: bool = False
    # Parameters are `?1`, which sqlglot does not parse.
    has_numbered_marks: bool = False
    # Catalogs name the database of each table.
    has_catalog_database: bool = False
    # A database is one file, in which a table needs no schema.
    has_one_database: bool = False
    # A table may be a format and the path of its files.
    has_tables_by_path: bool = False


_MOST = Traits()
_TRAITS = {
    "tsql": Traits(
        nests_comments=True,
        schema_after_use="dbo",
        schema_of_sessions="dbo",
        has_implicit_recursion=True,
        retains_variables=True,
        has_signs=True,
        prefers_variables=True,
        has_catalog_database=True,
    ),
    "postgres": Traits(
        nests_comments=True,
        has_dollar_quotes=True,
        has_escape_strings=True,
        case="lower_unquoted",
        has_fixed_database=True,
        schema_of_sessions="public",
        keeps_earlier_savepoints=True,
        has_transaction_of_call=True,
        aborts_transactions=True,
        rolls_back_paths=True,
        commits_by_end=True,
        names_casts=True,
        names_subqueries=True,
        has_rows_by_name=True,
        executes_explained=True,
        prefers_variables=True,
        has_format_parameters=True,
        has_dollar_parameters=True,
        has_catalog_database=True,
    ),
    "redshift": Traits(
        has_backslash_escapes=True,
        nests_comments=True,
        has_dollar_quotes=True,
        has_escape_strings=True,
        case="lower_unquoted",
        has_fixed_database=True,
        schema_of_sessions="public",
        keeps_earlier_savepoints=True,
        committing_kinds=("TRUNCATE",),
        has_transaction_of_call=True,
        aborts_transactions=True,
        rolls_back_paths=True,
        commits_by_end=True,
        has_nested_sources=True,
        names_casts=True,
        names_subqueries=True,
        has_rows_by_name=True,
        executes_explained=True,
        prefers_variables=True,
        has_format_parameters=True,
        has_dollar_parameters=True,
        has_catalog_database=True,
    ),
    "duckdb": Traits(
        nests_comments=True,
        has_dollar_quotes=True,
        has_escape_strings=True,
        schema_after_use="main",
        schema_of_sessions="main",
        commits_by_end=True,
        has_rows_by_name=True,
        executes_explained=True,
        has_dollar_parameters=True,
        has_numbered_marks=True,
        has_one_database=True,
    ),
    "snowflake": Traits(
        has_backslash_escapes=True,
        has_slash_comments=True,
        has_dollar_quotes=True,
        case="upper_unquoted",
        schema_after_use="PUBLIC",
        committing_kinds=_DEFINITIONS,
        has_implicit_recursion=True,
        has_dual=True,
        assigns_by_into=True,
        has_catalog_database=True,
    ),
    "bigquery": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
        has_hash_comments=True,
        case="as_written",
        has_nested_sources=True,
        groups_by_result=True,
        has_rows_by_name=True,
        declares_inside=True,
        has_catalog_database=True,
    ),
    "spark": Traits(
        has_tables_by_path=True,
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
        nests_comments=True,
        uses_schemas=True,
        names_casts=True,
    ),
    "databricks": Traits(
        has_tables_by_path=True,
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
        nests_comments=True,
        has_dollar_quotes=True,
        uses_schemas=True,
        names_casts=True,
        has_catalog_database=True,
    ),
    "hive": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
        has_two_levels=True,
        has_dual=True,
        names_casts=True,
    ),
    "mysql": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
        has_hash_comments=True,
        case="as_written",
        has_two_levels=True,
        committing_kinds=(*_DEFINITIONS, "TRUNCATE"),
        commits_before_definitions=True,
        has_dual=True,
        assigns_by_into=True,
        retains_variables=True,
        has_signs=True,
        prefers_variables=True,
        declares_inside=True,
    ),
    "oracle": Traits(
        has_q_quotes=True,
        case="upper_unquoted",
        committing_kinds=(*_DEFINITIONS, "TRUNCATE"),
        commits_before_definitions=True,
        lacks_autocommit=True,
        has_implicit_recursion=True,
        has_dual=True,
        assigns_by_into=True,
    ),
    "trino": Traits(uses_schemas=True, executes_explained=True),
    "sqlite": Traits(has_numbered_marks=True, has_one_database=True),
    "clickhouse": Traits(has_backslash_escapes=True, groups_by_result=True),
    "teradata": Traits(has_implicit_recursion=True),
    "presto": Traits(executes_explained=True),
    "athena": Traits(executes_explained=True),
}


def traits_of(dialect: str | None) -> Traits:
    """Return the traits of a dialect; of others, such as None, those of most."""
    return _TRAITS.get(dialect or "", _MOST)
