"""Resolve the columns of a query by those of its tables: stars, and columns without a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.sql.query import FOLDING
from lineage.sql.scopes import INVALID_TREE, Unreadable, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot import exp
    from sqlglot.schema import MappingSchema

    from lineage.sql.scopes import Name


def qualify_query(
    tree: exp.Query, dialect: str, columns_of: Callable[[Name], Sequence[str]]
) -> exp.Query:
    """Return a copy of a query in which each column has its table, and stars are expanded.

    ``columns_of`` returns the columns of a table as written in the query, by the names that the
    database has; an empty result means that they are not known. Unless all tables are known, the
    query is only copied: sqlglot would attribute a column of an unknown table to another one.
    Raises Unreadable if a column is in none of the tables.
    """
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
    from sqlglot.optimizer.qualify import qualify
    from sqlglot.schema import MappingSchema

    from lineage.sql.result_keys import restore_keys, set_keys_aside
    from lineage.sql.whole_rows import expand_rows

    tree = tree.copy()
    try:
        tables = list(_tables_of(tree))
        columns = [columns_of(name_of(table)) for table in tables]
        if not tables or not all(columns):
            _refuse_references_to_aliases(tree)
            return tree
        tree = normalize_identifiers(tree, dialect=dialect)
        set_keys_aside(tree, dialect)
        schema: dict[str, Any] = {}
        for table, names in zip(tables, columns, strict=True):
            level = schema
            for part in table.parts[:-1]:
                level = level.setdefault(part.name, {})
            folded = (fold_column(name, dialect) for name in names)
            level[table.parts[-1].name] = dict.fromkeys(folded, "unknown")
        known = MappingSchema(schema, dialect=dialect, normalize=False)
        qualified = qualify(
            tree,
            dialect=dialect,
            schema=known,
            expand_alias_refs=False,  # sqlglot also replaces columns of tables by aliases
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )
        _resolve_rest(qualified, known)
        expand_rows(qualified, lambda name, source: _columns_of(name, source, known))
        restore_keys(qualified)
    except (SqlglotError, *INVALID_TREE) as error:
        raise Unreadable("the columns cannot be resolved by those of the tables") from error
    return qualified


def fold_column(name: str, dialect: str) -> str:
    """Return the name of a stored column as sqlglot writes references to it."""
    from sqlglot.dialects.dialect import Dialect

    strategy = Dialect.get_or_raise(dialect).normalization_strategy
    if strategy in FOLDING or strategy == "CASE_SENSITIVE":
        return name
    return name.upper() if strategy == "CASE_INSENSITIVE_UPPERCASE" else name.lower()


def _tables_of(tree: exp.Query) -> Iterator[exp.Table]:
    """Yield the tables of all scopes, without functions that return rows."""
    from sqlglot import exp
    from sqlglot.optimizer.scope import traverse_scope

    for scope in traverse_scope(tree):
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
                yield source


def _resolve_rest(tree: exp.Query, schema: MappingSchema) -> None:
    """Resolve the columns that sqlglot leaves without a table.

    These are columns in aggregates of HAVING, and references to columns of the same SELECT, which
    several databases allow. Raises Unreadable if a column is neither.
    """
    from sqlglot import exp
    from sqlglot.optimizer.scope import traverse_scope

    for scope in traverse_scope(tree):
        select = scope.expression
        if not isinstance(select, exp.Select):
            continue
        aliases: dict[str, exp.Expr] = {}
        for projection in select.expressions:
            for column in _unqualified_columns(projection, select):
                _resolve_column(column, scope, schema, aliases)
            aliases[projection.alias_or_name] = projection.unalias()
        clauses = [each for key, each in select.args.items() if key != "expressions"]
        for clause in clauses:
            for part in clause if isinstance(clause, list) else [clause]:
                for column in _unqualified_columns(part, select):
                    _resolve_column(column, scope, schema, aliases)


def _resolve_column(
    column: exp.Column, scope: Any, schema: MappingSchema, aliases: dict[str, exp.Expr]
) -> None:
    """Give a column its table, or replace it by the column of SELECT that has its name."""
    from sqlglot import exp

    owners = [
        name
        for name, (_, source) in scope.selected_sources.items()
        if column.name in _columns_of(name, source, schema)
    ]
    if len(owners) == 1:
        column.set("table", exp.to_identifier(owners[0]))
    elif column.name in aliases:
        column.replace(exp.paren(aliases[column.name].copy()))
    else:
        raise Unreadable(f"the column {column.name} is in none of the tables")


def _columns_of(name: str, source: Any, schema: MappingSchema) -> Sequence[str]:
    """Return the columns of a table or of the query of a scope.

    The column of a function that returns one has the name of its alias: ``unnest(tags) AS tag``.
    """
    from sqlglot import exp

    rows = source if isinstance(source, exp.Table) else source.expression
    if isinstance(rows, exp.Table) and isinstance(rows.this, exp.Identifier):
        return schema.column_names(rows, normalize=False)
    if isinstance(rows, exp.Query):
        return rows.named_selects
    return (name,) if not rows.alias_column_names else ()


def _refuse_references_to_aliases(tree: exp.Query) -> None:
    """Raise Unreadable if a column of SELECT may be another column of the same SELECT.

    Where the columns of the table are not known, both are possible.
    """
    from sqlglot import exp

    for select in tree.find_all(exp.Select):
        aliases: set[str] = set()
        for projection in select.expressions:
            for column in _unqualified_columns(projection, select):
                if column.name in aliases:
                    raise Unreadable(f"the column {column.name} may be that of a table or a result")
            if isinstance(projection, exp.Alias):
                aliases.add(projection.alias)


def _unqualified_columns(part: Any, select: exp.Select) -> Iterator[exp.Column]:
    """Yield the columns without a table in a part of a SELECT, without those of its subqueries."""
    from sqlglot import exp

    if not isinstance(part, exp.Expression):
        return
    for column in list(part.find_all(exp.Column)):
        is_all = isinstance(column.parent, exp.Ordered) and column.sql() == "ALL"
        if column.table or column.is_star or is_all:
            continue
        if column.find_ancestor(exp.Select) is select:
            yield column
