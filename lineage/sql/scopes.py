"""Name resolution in a query: sources, their columns, and enclosing queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.columns import algebra
from lineage.columns.algebra import NOTHING, Deps, Field
from lineage.sql.reasons import UNKNOWN_STAR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from lineage.naming import DatasetName

Name: TypeAlias = tuple[str, ...]
# Exceptions of sqlglot beside its own ones, for texts that are not valid SQL.
INVALID_TREE = (
    RecursionError, AttributeError, LookupError, TypeError, ValueError, AssertionError
)  # fmt: skip


class Unreadable(Exception):
    """The text is not a query, or is ambiguous without the schemas of its tables."""


def clause_of(tree: exp.Expr, name: str) -> Any:
    """Return a clause whose name is a Python keyword; newer versions of sqlglot append ``_``."""
    return tree.args.get(f"{name}_") or tree.args.get(name)


def set_clause(tree: exp.Expr, name: str, clause: exp.Expr) -> None:
    """Set a clause whose name is a Python keyword."""
    tree.set(f"{name}_" if f"{name}_" in tree.arg_types else name, clause)


def take_with(tree: exp.Expr, query: exp.Query) -> exp.Query:
    """Return the query with the CTEs of the statement around it.

    Raises Unreadable if both have some.
    """
    if (clause := clause_of(tree, "with")) is not None:
        if clause_of(query, "with") is not None:
            raise Unreadable("two WITH clauses are not read for their columns")
        set_clause(query, "with", clause.copy())
    return query


def name_of(table: exp.Table) -> Name:
    """Return the parts of a table's name as written.

    They are stored, because identifiers are normalized later.
    """
    if "name" not in table.meta:
        table.meta["name"] = tuple(part.name for part in table.parts)
    return tuple(table.meta["name"])


@dataclass(frozen=True)
class Source:
    """An item of FROM, or a whole query: its columns, in order.

    ``table`` is set if the list is incomplete: the source has all columns of this table.
    ``unnamed`` is set if names are not known: the dependencies of each column of a function.
    """

    columns: tuple[tuple[str, Deps], ...] = ()
    table: DatasetName | None = None
    wide: Deps = NOTHING
    unnamed: Deps | None = None

    def has_column(self, name: str) -> bool:
        return any(known == name for known, _ in self.columns)

    @property
    def is_open(self) -> bool:
        """Whether the source may have further columns than those listed."""
        return self.table is not None or self.unnamed is not None

    def column_deps(self, name: str) -> Deps:
        matches = [deps for known, deps in self.columns if known == name]
        if len(matches) == 1:
            return matches[0]
        if not matches and self.unnamed is not None:
            return self.unnamed
        if matches or self.table is None:
            raise Unreadable(f"the column {name} is ambiguous or unknown")
        return algebra.of_source(Field(self.table, name))

    @property
    def all_deps(self) -> Deps:
        """The dependencies of all columns, merged.

        Raises Unreadable if the columns are unknown without the schema of the table.
        """
        if self.table:
            raise Unreadable(UNKNOWN_STAR)
        return algebra.merge_deps(deps for _, deps in self.columns)


@dataclass(frozen=True)
class Scope:
    """The names visible to a part of the query: sources, CTEs, and the enclosing query."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    definitions: Mapping[str, Source] = field(default_factory=dict)
    windows: Mapping[str, exp.Expr] = field(default_factory=dict)
    outer: Scope | None = None

    def resolve_column(self, name: str, qualifier: str) -> Deps:
        """Return the dependencies of a column, by SQL's rules as far as possible without schemas.

        Raises Unreadable if it may be a column of several sources.
        """
        if qualifier:
            return self._find_source(qualifier).column_deps(name)
        having = [source for source in self.sources.values() if source.has_column(name)]
        open_ended = [source for source in self.sources.values() if source.is_open]
        if len(having) == 1 and not open_ended:
            return having[0].column_deps(name)
        if self.outer and not having and not open_ended:
            return self.outer.resolve_column(name, qualifier)
        if len(self.sources) != 1 or self.outer:
            raise Unreadable(f"the column {name} is ambiguous without the schemas of the tables")
        (source,) = self.sources.values()
        return source.column_deps(name)

    def is_row(self, name: str) -> bool:
        """Return whether a name is that of a source, and of none of its columns."""
        source = self.sources.get(name)
        return source is not None and source.unnamed is None and not source.has_column(name)

    def row_deps(self, name: str) -> Deps:
        """Return the dependencies of a row of a source. Raises Unreadable if not known."""
        return self._find_source(name).all_deps

    def _find_source(self, name: str) -> Source:
        if name in self.sources:
            return self.sources[name]
        if self.outer is None:
            raise Unreadable(f"the query has no source {name}")
        return self.outer._find_source(name)

    def inner_scope(self) -> Scope:
        """Build the scope of a query in FROM: definitions, and the query around both."""
        return Scope(definitions=self.definitions, outer=self.outer)

    def subquery_scope(self) -> Scope:
        """Build the scope of a subquery in an expression, which can reference all of this one."""
        return Scope(definitions=self.definitions, outer=self)
