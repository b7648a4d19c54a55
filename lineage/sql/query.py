"""From the text of a query to the tables it reads and what its columns are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from lineage.columns.relation import Column, Rows
from lineage.sql.scopes import Scope, Unreadable, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlglot import exp

    from lineage.naming import DatasetName
    from lineage.sql.scopes import Name


# How databases keep a name without quotes that are not to be asked: others keep it as it is.
FOLDING = {"LOWERCASE", "UPPERCASE"}


@dataclass(frozen=True)
class Query:
    """A query as sqlglot reads it; ``tables`` are the names of those it reads, as it has them."""

    tables: tuple[Name, ...]
    tree: exp.Query

    def column_rows(self, named: Callable[[Name], DatasetName], output: Sequence[str]) -> Rows:
        """Return what the columns called ``output`` are made of, and what decides the rows.

        Raises:
            Unreadable: the text alone does not tell.
        """
        from lineage.sql.relations import RelationReader

        source = RelationReader(named).read_query(self.tree, Scope())
        if source.table is None and len(source.columns) == len(output):
            column_deps = [deps for _, deps in source.columns]
        else:
            column_deps = [source.column_deps(name) for name in output]
        return Rows(tuple(map(Column, column_deps)), source.wide)


@lru_cache(maxsize=256)
def read_query(text: str, dialect: str | None) -> Query:
    """Read a query in the words of a database; ``dialect`` is sqlglot's name for it.

    Raises:
        Unreadable: it is no query, or sqlglot does not know its grammar.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
    from sqlglot.optimizer.scope import traverse_scope

    try:
        tree = sqlglot.parse_one(text, dialect=dialect)
        if not isinstance(tree, exp.Query):
            raise Unreadable("it is no query")
        tables = dict.fromkeys(
            name_of(source)
            for scope in traverse_scope(tree)
            for source in scope.sources.values()
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
        )
        if Dialect.get_or_raise(dialect).normalization_strategy in FOLDING:
            normalize_identifiers(tree, dialect=dialect)
    except (SqlglotError, RecursionError) as error:
        raise Unreadable("its grammar is not known") from error
    return Query(tuple(tables), tree)
