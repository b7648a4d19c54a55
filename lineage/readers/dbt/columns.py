"""The tables and columns that the compiled SQL of a model reads.

Columns without a table, and stars, are resolved by the columns in ``catalog.json``. Where these are
not sufficient, the tables remain known and the columns are unresolved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.compaction import ColumnLineage, bound_size
from lineage.naming import DatasetName, of_path
from lineage.readers.dbt.nodes import relation_parts
from lineage.sql.names import ignore_case
from lineage.sql.qualification import qualify_query
from lineage.sql.query import Query, read_query
from lineage.sql.reasons import UNKNOWN_STAR
from lineage.sql.scopes import Unreadable
from lineage.sql.user_functions import user_functions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.columns.algebra import Deps, Field
    from lineage.readers.dbt.nodes import Project
    from lineage.sql.scopes import Name

# Names of dialects in sqlglot that differ from the name of the adapter.
_DIALECTS = {"sqlserver": "tsql", "fabric": "tsql", "synapse": "tsql", "glue": "spark"}

# Dialects in which a format and a path are a table. The names of their tables have no slash.
_PATH_DIALECTS = frozenset({"spark", "databricks"})


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
    """Reads the compiled SQL of the models of a project.

    ``stored`` are columns of tables of the server that an imported catalog has. The catalog of the
    project wins.
    """

    project: Project
    stored: Mapping[Name, Sequence[str]] = field(default_factory=dict)
    _relations: dict[Name, DatasetName] = field(default_factory=dict)
    _node_ids: dict[DatasetName, str] = field(default_factory=dict)
    _databases: set[str] = field(default_factory=set)
    _imported: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for imported, columns in self.stored.items():
            by_name = {column.casefold(): column for column in columns}
            table = ".".join(imported).casefold()
            is_clear = table not in self._imported and len(by_name) == len(columns)
            self._imported[table] = by_name if is_clear else {}
        folded: dict[Name, set[DatasetName]] = {}
        for node in self.project.all_nodes():
            if name := self.project.relations.get(node.unique_id):
                parts = relation_parts(node)
                self._relations[parts] = name
                folded.setdefault(ignore_case(parts), set()).add(name)
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
        """Return the inputs of the compiled SQL of the node ``output``.

        Raises Unreadable if the text cannot be parsed, so that its tables are not known.
        """
        if self.sql_dialect is None:
            raise Unreadable("the SQL of this adapter cannot be parsed")
        query = read_query(self._name_external_sources(text), self.sql_dialect)
        inputs, unresolved = [], []
        for name in query.tables:
            try:
                inputs.append(self.find_dataset(name))
            except Unreadable as error:
                unresolved.append((str(error), ".".join(name)))
        for source in query.unresolved_sources:
            unresolved.append(("a source in FROM is not a named table", source))
            inputs += self._declared_inputs(output, text)
        if unresolved:
            return ModelReads(tuple(dict.fromkeys(inputs)), None, tuple(unresolved))
        for function in dict.fromkeys(user_functions(query.tree, self.sql_dialect)):
            unresolved.append(("a function is not known, it may read tables", ".".join(function)))
        try:
            columns = self._read_columns(query, output)
        except Unreadable as error:
            unresolved.append((f"columns: {error}", ""))
            return ModelReads(tuple(inputs), None, tuple(unresolved))
        return ModelReads(tuple(inputs), columns, tuple(unresolved))

    def _name_external_sources(self, text: str) -> str:
        """Return SQL with the names of sources whose locations dbt-duckdb wrote into it."""
        from sqlglot import exp

        names = {
            source.relation_name: ".".join(
                exp.to_identifier(part, quoted=True).sql(self.sql_dialect)
                for part in relation_parts(source)
            )
            for source in self.project.artifacts.manifest.sources.values()
            if source.relation_name and re.search(r"['(]", source.relation_name)
        }
        for location in sorted(names, key=len, reverse=True):
            text = text.replace(location, names[location])
        return text

    def _declared_inputs(self, output: str, text: str) -> list[DatasetName]:
        node = self.project.find_node(output)
        return self.project.parent_relations(node, text) if node else []

    def find_dataset(self, name: Name) -> DatasetName:
        """Return the dataset of a table as written in SQL, or of Spark's ``parquet.`s3://b/x```.

        Raises Unreadable if the name depends on the session: without a schema, without a database
        where the project has several, or a path without a scheme.
        """
        if len(name) < 2:
            raise Unreadable("the schema of a table is not known")
        if self.sql_dialect in _PATH_DIALECTS and len(name) == 2 and "/" in name[1]:
            if ":" not in name[1]:
                raise Unreadable("the file system of a path is not known")
            return of_path(name[1])
        if len(name) == 2 and self._databases:
            if len(self._databases) > 1:
                raise Unreadable("the database of a table is not known")
            name = (*self._databases, *name)
        known = self._relations.get(name) or self._relations.get(ignore_case(name))
        return known or DatasetName(self.project.namespace, ".".join(name))

    def _read_columns(self, query: Query, output: str) -> ColumnLineage:
        """Trace the columns of a query. Raises Unreadable if the text alone is not sufficient."""
        written = query.tree.named_selects
        tree = qualify_query(query.tree, self.sql_dialect or "", self._columns_of)
        names = tree.named_selects
        if "*" in names:
            raise Unreadable(UNKNOWN_STAR)
        if len(set(names)) < len(names) or len(written) < len(query.tree.selects):
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

    def _columns_of(self, name: Name) -> Sequence[str]:
        """Return the columns that the catalog has for a table in SQL; empty if it lacks it."""
        return list(self._column_names(self.find_dataset(name)).values())

    def _column_names(self, dataset: DatasetName) -> Mapping[str, str]:
        """Return the columns of a table by their folded names; empty if they are not known."""
        unique_id = self._node_ids.get(dataset)
        if unique_id and (names := self._stored_names(unique_id)):
            return names
        if dataset.namespace != self.project.namespace:
            return {}
        return self._imported.get(dataset.name.casefold(), {})

    def _stored_names(self, unique_id: str) -> Mapping[str, str]:
        """Return the names of the columns of a node as the database has them, by folded name.

        Empty if two of them differ only by case.
        """
        table = self.project.find_catalog_table(unique_id)
        columns = [column.name for column in table.columns.values()] if table else []
        names = {name.casefold(): name for name in columns}
        return names if len(names) == len(columns) else {}

    def _restore_names(self, deps: Deps) -> Deps:
        """Replace folded names of columns by those that the database has."""
        return algebra.substitute_sources(
            deps,
            lambda source: algebra.of_source(self._restore_field(source)),  # type: ignore[arg-type]
        )

    def _restore_field(self, source: Field) -> Field:
        names = self._column_names(source.dataset)
        return source._replace(column=names.get(source.column.casefold(), source.column))
