"""Parse the text of a query into the tables that it reads and its column lineage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from lineage.columns.relation import Column, Rows
from lineage.sql.scopes import INVALID_TREE, Scope, Unreadable, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from lineage.naming import DatasetName
    from lineage.sql.scopes import Name


# Strategies for names without quotes that need no catalog; other strategies keep names as written.
FOLDING = {"LOWERCASE", "UPPERCASE"}


@dataclass(frozen=True)
class Query:
    """A parsed query; ``tables`` are the names of the tables that it reads, as written.

    ``unresolved_sources``: items of FROM that may be other tables.
    """

    tables: tuple[Name, ...]
    tree: exp.Query
    dialect: str | None = None
    unresolved_sources: tuple[str, ...] = ()

    def column_rows(self, named: Callable[[Name], DatasetName], output: Sequence[str]) -> Rows:
        """Return the sources of the columns named ``output``, and of the choice of rows.

        Raises Unreadable if the text alone is not sufficient.
        """
        from lineage.sql.relations import RelationReader

        source = RelationReader(named, self.dialect).read_query(self.tree, Scope())
        if source.table is None and len(source.columns) == len(output):
            column_deps = [deps for _, deps in source.columns]
        else:
            column_deps = [source.column_deps(name) for name in output]
        return Rows(tuple(map(Column, column_deps)), source.wide)


@lru_cache(maxsize=256)
def read_query(text: str, dialect: str | None) -> Query:
    """Parse a query of a database; ``dialect`` is sqlglot's name for its SQL.

    Raises Unreadable if it is not a query, or if sqlglot cannot parse it.
    """
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
    from sqlglot.optimizer.scope import traverse_scope

    from lineage.sql.row_sources import replace_streams, unresolved_sources
    from lineage.sql.trees import parse_tree

    try:
        tree = parse_tree(text, dialect)
        if not isinstance(tree, exp.Query):
            raise Unreadable("the text is not a query")
        replace_streams(tree)
        unresolved = dict.fromkeys(unresolved_sources(tree, dialect))
        tables = dict.fromkeys(
            name_of(source)
            for scope in traverse_scope(tree)
            for source in scope.sources.values()
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
        )
        if Dialect.get_or_raise(dialect).normalization_strategy in FOLDING:
            normalize_identifiers(tree, dialect=dialect)
    except (SqlglotError, *INVALID_TREE) as error:
        raise Unreadable("the text cannot be parsed") from error
    return Query(tuple(tables), tree, dialect, tuple(unresolved))
