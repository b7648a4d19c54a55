"""The tables and columns that the compiled SQL of a model reads.

Columns without a table, and stars, are resolved by the columns in ``catalog.json``. Where these are
not sufficient, the tables remain known and the columns are unresolved.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lineage.columns import algebra
from lineage.columns.compaction import ColumnLineage, bound_size
from lineage.naming import DatasetName
from lineage.readers.dbt_nodes import relation_parts
from lineage.sql.query import FOLDING, Query, read_query
from lineage.sql.scopes import Unreadable, name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlglot import exp

    from lineage.columns.algebra import Deps, Field
    from lineage.readers.dbt_nodes import Project
    from lineage.sql.scopes import Name

# Names of dialects in sqlglot that differ from the name of the adapter.
_DIALECTS = {"sqlserver": "tsql", "fabric": "tsql", "synapse": "tsql", "glue": "spark"}


@dataclass(frozen=True)
class ModelReads:
    """The inputs of a model, and the sources of its columns as far as they are known.

    ``unresolved``: reasons why tables or columns are missing, each with the part concerned.
    """

    inputs: tuple[DatasetName, ...]
    columns: ColumnLineage | None = None
    unresolved: tuple[tuple[str, str], ...] = ()


@dataclass
class ModelReader:
    """Reads the compiled SQL of the models of a project."""

    project: Project
    _relations: dict[Name, DatasetName] = field(default_factory=dict)
    _node_ids: dict[DatasetName, str] = field(default_factory=dict)
    _databases: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        folded: dict[Name, set[DatasetName]] = {}
        for node in self.project.all_nodes():
            if name := self.project.relations.get(node.unique_id):
                parts = relation_parts(node)
                self._relations[parts] = name
                folded.setdefault(_fold_name(parts), set()).add(name)
                if not self._node_ids.get(name) or self._stored_names(node.unique_id):
                    self._node_ids[name] = node.unique_id
                self._databases |= {node.database} if node.database else set()
        for parts, names in folded.items():
            if len(names) == 1:
                self._relations.setdefault(parts, *names)

    @property
    def sql_dialect(self) -> str | None:
        """sqlglot's name for the SQL of the adapter; None if sqlglot does not have it."""
        from sqlglot.dialects.dialect import Dialect

        adapter = self.project.artifacts.manifest.metadata.adapter_type or ""
        name = _DIALECTS.get(adapter, adapter)
        return name if name in Dialect.classes else None

    def read_model(self, text: str, output: str) -> ModelReads:
        """Return what the compiled SQL of the node ``output`` reads.

        Raises Unreadable if the text cannot be parsed, so that its tables are not known.
        """
        if self.sql_dialect is None:
            raise Unreadable("the SQL of this adapter cannot be parsed")
        query = read_query(text, self.sql_dialect)
        inputs, unresolved = [], []
        for name in query.tables:
            try:
                inputs.append(self.find_dataset(name))
            except Unreadable as error:
                unresolved.append((str(error), ".".join(name)))
        if unresolved:
            return ModelReads(tuple(inputs), None, tuple(unresolved))
        try:
            columns = self._read_columns(query, output)
        except Unreadable as error:
            return ModelReads(tuple(inputs), None, ((f"columns: {error}", ""),))
        return ModelReads(tuple(inputs), columns)

    def find_dataset(self, name: Name) -> DatasetName:
        """Return the dataset of a table as written in SQL.

        Raises Unreadable if the name depends on the session: without a schema, or without a
        database where the project has several.
        """
        if len(name) < 2:
            raise Unreadable("the schema of a table is not known")
        if len(name) == 2 and self._databases:
            if len(self._databases) > 1:
                raise Unreadable("the database of a table is not known")
            name = (*self._databases, *name)
        known = self._relations.get(name) or self._relations.get(_fold_name(name))
        return known or DatasetName(self.project.namespace, ".".join(name))

    def _read_columns(self, query: Query, output: str) -> ColumnLineage:
        """Trace the columns of a query. Raises Unreadable if the text alone is not sufficient."""
        from sqlglot.errors import SqlglotError

        written = query.tree.named_selects
        try:
            tree = self._qualify_query(query.tree)
        except (SqlglotError, RecursionError) as error:
            raise Unreadable("the columns cannot be resolved by catalog.json") from error
        names = tree.named_selects
        if "*" in names:
            raise Unreadable("the columns of a star are unknown without the schemas of its tables")
        if len(set(names)) < len(names) or not all(names):
            raise Unreadable("a column of the result has no name of its own")
        rows = Query(query.tables, tree).column_rows(self.find_dataset, names)
        if len(written) == len(names) and "*" not in written:
            names = written
        stored = self._stored_names(output)
        return bound_size(
            ColumnLineage(
                {
                    stored.get(name.casefold(), name): self._restore_names(column.deps)
                    for name, column in zip(names, rows.columns, strict=True)
                },
                self._restore_names(rows.wide),
            )
        )

    def _qualify_query(self, tree: exp.Query) -> Any:
        """Return a copy of a query in which each column has its table, and stars are expanded.

        The query is returned as it is unless the catalog has every table: sqlglot would attribute a
        column of an unknown table to the only other one.
        """
        from sqlglot import exp
        from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
        from sqlglot.optimizer.qualify import qualify
        from sqlglot.optimizer.scope import traverse_scope
        from sqlglot.schema import MappingSchema

        tree = tree.copy()
        tables = [
            source
            for scope in traverse_scope(tree)
            for source in scope.sources.values()
            if isinstance(source, exp.Table)
        ]
        columns = [self._columns_of(name_of(table)) for table in tables]
        if not tables or not all(columns):
            return tree
        tree = normalize_identifiers(tree, dialect=self.sql_dialect)
        schema: dict[str, Any] = {}
        for table, names in zip(tables, columns, strict=True):
            level = schema
            for part in table.parts[:-1]:
                level = level.setdefault(part.name, {})
            level[table.parts[-1].name] = dict.fromkeys(map(self._fold_column, names), "unknown")
        return qualify(
            tree,
            dialect=self.sql_dialect,
            schema=MappingSchema(schema, dialect=self.sql_dialect, normalize=False),
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )

    def _columns_of(self, name: Name) -> Sequence[str]:
        """Return the columns that the catalog has for a table in SQL; empty if it lacks it."""
        unique_id = self._node_ids.get(self.find_dataset(name))
        return list(self._stored_names(unique_id).values()) if unique_id else []

    def _stored_names(self, unique_id: str) -> Mapping[str, str]:
        """Return the names of the columns of a node as the database has them, by folded name.

        Empty if two of them differ only by case.
        """
        table = self.project.find_catalog_table(unique_id)
        columns = [column.name for column in table.columns.values()] if table else []
        names = {name.casefold(): name for name in columns}
        return names if len(names) == len(columns) else {}

    def _fold_column(self, name: str) -> str:
        """Return the name of a stored column as sqlglot writes references to it."""
        from sqlglot.dialects.dialect import Dialect

        strategy = Dialect.get_or_raise(self.sql_dialect).normalization_strategy
        if strategy in FOLDING or strategy == "CASE_SENSITIVE":
            return name
        return name.upper() if strategy == "CASE_INSENSITIVE_UPPERCASE" else name.lower()

    def _restore_names(self, deps: Deps) -> Deps:
        """Replace folded names of columns by those that the database has."""
        return algebra.substitute_sources(
            deps,
            lambda source: algebra.of_source(self._restore_field(source)),  # type: ignore[arg-type]
        )

    def _restore_field(self, source: Field) -> Field:
        unique_id = self._node_ids.get(source.dataset)
        stored = self._stored_names(unique_id) if unique_id else {}
        return source._replace(column=stored.get(source.column.casefold(), source.column))


def _fold_name(name: Sequence[str]) -> Name:
    return tuple(part.casefold() for part in name)
