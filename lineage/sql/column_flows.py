"""Trace the columns that a statement writes, by its shape and the columns of its tables."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from lineage.columns import algebra
from lineage.columns.algebra import IDENTITY, NOTHING, Dependency, Deps, Field
from lineage.columns.compaction import ColumnLineage, merge_columns
from lineage.sql.assignments import assignments_of, list_assignments
from lineage.sql.changed_rows import replace_changes, select_update, select_values
from lineage.sql.conflicts import select_conflict
from lineage.sql.definitions import has_no_data
from lineage.sql.dialects import POSTGRES_FAMILY, traits_of
from lineage.sql.merges import MergeReader
from lineage.sql.names import table_name
from lineage.sql.pseudo_columns import replace_pseudo_columns
from lineage.sql.qualification import qualify_query
from lineage.sql.query import FOLDING, Query
from lineage.sql.reasons import UNKNOWN_STAR
from lineage.sql.recursion import mark_recursion
from lineage.sql.result_names import complete_names, mark_unnamed
from lineage.sql.scopes import INVALID_TREE, Unreadable, take_with
from lineage.sql.single_changes import changes_of
from lineage.sql.targets import written_table
from lineage.sql.trees import ADDS_COLUMNS
from lineage.sql.written_columns import (
    NO_TARGET,
    WrittenColumns,
    decode_table,
    encode_table,
    find_column,
    merge_written,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.sql.records import Name

Schemas: TypeAlias = "tuple[tuple[Name, tuple[str, ...]], ...]"


@lru_cache(maxsize=1024)
def trace_statement(
    shape: str, dialect: str, target: Name, schemas: Schemas
) -> WrittenColumns | Unreadable | None:
    """Return the columns that a statement writes to its only output.

    ``schemas`` are the known columns of tables, by their names in the statement. Return None if
    the statement writes values of no table, and the reason if its columns cannot be read.
    """
    try:
        tracer = _Tracer(dialect, target, dict(schemas))
        tracer.adds_columns = bool(ADDS_COLUMNS.search(shape))
        changes = changes_of(shape, dialect, target)
        return merge_written(tracer.trace_tree(each) for each in changes)
    except Unreadable as error:
        return error
    except (SqlglotError, *INVALID_TREE):
        return Unreadable("the statement is not read for its columns")


class _Tracer:
    """Traces one statement. ``adds_columns``: whether a MERGE adds columns to its table."""

    adds_columns = False

    def __init__(self, dialect: str, target: Name, schemas: Mapping[Name, tuple[str, ...]]) -> None:
        self.dialect = dialect
        self.target = target
        self.schemas = schemas

    def trace_tree(self, tree: exp.Expr) -> WrittenColumns | None:
        if isinstance(tree, exp.Create):
            return self._trace_create(tree)
        if isinstance(tree, exp.Insert):
            return self._trace_insert(tree)
        if isinstance(tree, exp.Update):
            return self._trace_update(tree)
        if isinstance(tree, exp.Merge):
            return self._trace_merge(tree)
        if isinstance(tree, exp.Delete):
            return self._trace_delete(tree)
        if isinstance(tree, exp.Select):
            tree.set("into", None)
            return self._trace_result(tree, ())
        raise Unreadable("the statement is not read for its columns")

    def _trace_create(self, tree: exp.Create) -> WrittenColumns | None:
        """Trace CREATE TABLE and CREATE VIEW; without a query, only the names are known."""
        schema = tree.this if isinstance(tree.this, exp.Schema) else None
        items = schema.expressions if schema else []
        columns = [item for item in items if isinstance(item, exp.ColumnDef | exp.Identifier)]
        names = tuple(_fold_identifier(item, self.dialect) for item in columns)
        query = tree.args.get("expression") if not has_no_data(tree) else None
        if isinstance(query, exp.Query):
            return self._trace_result(take_with(tree, query), names)
        if (clone := tree.args.get("clone")) is not None:
            return self._trace_result(exp.select("*").from_(clone.this.copy()), names)
        if query is not None or not names:
            return None
        if any(isinstance(item, exp.LikeProperty) for item in items):
            return None
        return WrittenColumns(names, ColumnLineage(), is_whole=True)

    def _trace_result(self, query: exp.Query, names: tuple[str, ...]) -> WrittenColumns:
        """Trace a query whose result becomes a table."""
        mark_unnamed(query, self.dialect)
        names, deps, rows = self._trace_query(query, names)
        names = complete_names(names, self.schemas.get(self.target, ()))
        if len(set(names)) < len(names):
            raise Unreadable("two columns of the result have the same name")
        return WrittenColumns(names, ColumnLineage(dict(zip(names, deps, strict=True)), rows), True)

    def _trace_insert(self, tree: exp.Insert) -> WrittenColumns | None:
        query = tree.args.get("expression")
        if isinstance(query, exp.Values) and query.find(exp.Query):
            query = select_values(query)
        if not isinstance(query, exp.Query) or isinstance(query, exp.Values):
            return None
        listed = self._listed_columns(tree)
        names, deps, rows = self._trace_query(take_with(tree, query), listed)
        if tree.args.get("by_name"):
            names = tuple(self._stored_target(name) for name in names)
        else:
            names = listed or self._columns_by_position(len(deps), written_table(tree.this))
        lineage = ColumnLineage(dict(zip(names, deps, strict=True)), rows)
        conflict = tree.args.get("conflict")
        if conflict is not None and (conflict.expressions or conflict.args.get("conflict_keys")):
            columns = self.schemas.get(self.target, ())
            select, pairs = select_conflict(tree, query, names, columns)
            updated = self._trace_assignments(tree, select, pairs).lineage
            lineage = merge_columns(lineage, updated)
        return WrittenColumns(names, lineage)

    def _listed_columns(self, tree: exp.Insert) -> tuple[str, ...]:
        if not isinstance(tree.this, exp.Schema):
            return ()
        return tuple(self._stored_target(item.name) for item in tree.this.expressions)

    def _stored_target(self, name: str) -> str:
        """Return a column of the target as the target has it, if its columns are known."""
        columns = self.schemas.get(self.target, ())
        if not columns:
            return name
        if (stored := find_column(columns, name)) is None:
            raise Unreadable(f"the table that is written has no column {name}")
        return stored

    def _columns_by_position(self, count: int, table: exp.Expr) -> tuple[str, ...]:
        """Return the columns that an INSERT without a list writes.

        They are without those of Hive's ``PARTITION (day = '…')``, which have its values.
        """
        columns = self.schemas.get(self.target, ())
        if not columns:
            raise Unreadable(NO_TARGET)
        partition = table.args.get("partition")
        keys = partition.expressions if partition is not None else ()
        fixed = {each.this.name.casefold() for each in keys if isinstance(each, exp.EQ)}
        columns = tuple(name for name in columns if name.casefold() not in fixed)
        is_shorter = count < len(columns) and self.dialect in POSTGRES_FAMILY
        if count != len(columns) and not is_shorter:
            raise Unreadable("the columns of the query are not as many as those of the table")
        return tuple(columns[:count])

    def _trace_update(self, tree: exp.Update) -> WrittenColumns:
        select = select_update(tree, self.dialect)
        assignments = assignments_of(tree, self.target, self.dialect)
        return self._trace_assignments(tree, select, list(list_assignments(assignments)))

    def _trace_assignments(
        self, tree: exp.Expr, select: exp.Select, pairs: list[tuple[str, exp.Expr]]
    ) -> WrittenColumns:
        """Trace values as the columns of a query over the rows of the change."""
        query = select.select(
            *(exp.alias_(value.copy(), f"c{n}") for n, (_, value) in enumerate(pairs))
        )
        _, traced, rows = self._trace_query(take_with(tree, query), ())
        merged: dict[str, Deps] = {}
        for (name, _), deps in zip(pairs, traced, strict=True):
            stored = self._stored_target(name)
            own = Dependency(Field(encode_table(self.target), stored), IDENTITY)
            merged[stored] = algebra.merge_deps([merged.get(stored, NOTHING), deps - {own}])
        return WrittenColumns(tuple(merged), ColumnLineage(merged, rows))

    def _trace_delete(self, tree: exp.Delete) -> WrittenColumns:
        """Trace the choice of the rows that remain."""
        if tree.args.get("using") or tree.args.get("tables") or tree.this.args.get("joins"):
            raise Unreadable("a DELETE of a join is not read for its columns")
        select = exp.select(exp.alias_(exp.Null(), "c")).from_(tree.this.copy())
        if where := tree.args.get("where"):
            select.set("where", where.copy())
        _, _, rows = self._trace_query(take_with(tree, select), ())
        return WrittenColumns((), ColumnLineage({}, rows))

    def _trace_merge(self, tree: exp.Merge) -> WrittenColumns | None:
        source = self._columns_of_item(tree.args["using"])
        target = self.schemas.get(self.target, ())
        reader = MergeReader(tree, target, source, adds_columns=self.adds_columns)
        pairs, conditions = reader.read_actions()
        if not pairs:
            return None
        return self._trace_assignments(tree, reader.select_rows(conditions), pairs)

    def _columns_of_item(self, item: exp.Expr) -> Sequence[str]:
        """Return the columns of a table or a query in FROM; () if they are not known."""
        if isinstance(item, exp.Subquery):
            names = item.this.named_selects
            return item.alias_column_names or (names if "*" not in names else ())
        return self.schemas.get(table_name(item, self.dialect) or (), ())

    def _columns_of_tables(self, query: exp.Query) -> set[str] | None:
        """Return the columns of all tables of a query; None if those of one are not known."""
        queries = {each.alias for each in query.find_all(exp.CTE)}
        tables = [each for each in query.find_all(exp.Table) if each.name not in queries]
        columns = [self._columns_of_item(each) for each in tables]
        return {name for each in columns for name in each} if all(columns) else None

    def _trace_query(
        self, query: exp.Query, names: tuple[str, ...]
    ) -> tuple[tuple[str, ...], list[Deps], Deps]:
        """Return the names of the columns of a query, their sources, and those of its rows.

        ``names`` replace the names of the query, if there are any.
        """
        replace_changes(query, self.dialect, self._columns_of_item)
        replace_pseudo_columns(query, self.dialect, self._columns_of_tables(query))
        for table in query.find_all(exp.Table):
            table.set("partition", None)  # whose name is parsed as a column
            table.meta["name"] = table_name(table, self.dialect) or (table.name,)
            _join_server(table)
        self._refuse_placeholders(query)
        if traits_of(self.dialect).has_implicit_recursion:
            mark_recursion(query)
        if Dialect.get_or_raise(self.dialect).normalization_strategy in FOLDING:
            query = normalize_identifiers(query, dialect=self.dialect)
        written = query.named_selects
        tree = qualify_query(query, self.dialect, lambda name: self.schemas.get(name, ()))
        qualified_names = tree.named_selects
        if "*" in qualified_names or len(qualified_names) < len(tree.selects):
            raise Unreadable(UNKNOWN_STAR)
        if not names:
            names = tuple(
                written
                if len(written) == len(qualified_names) and "*" not in written
                else qualified_names
            )
        if len(names) != len(qualified_names):
            raise Unreadable("the columns of the query are not as many as those of the table")
        rows = Query((), tree, self.dialect).column_rows(encode_table, tuple(qualified_names))
        deps = [self._restore_names(column.deps) for column in rows.columns]
        return names, deps, self._restore_names(rows.wide)

    def _refuse_placeholders(self, query: exp.Query) -> None:
        """Raise Unreadable for a key that the shape does not have: a parameter, a long number."""
        for clause in query.find_all(exp.Group, exp.Order):
            for key in clause.expressions:
                key = key.this if isinstance(key, exp.Ordered) else key
                if isinstance(key.unnest(), exp.Placeholder | exp.Parameter):
                    raise Unreadable("the key of a GROUP BY or ORDER BY is a parameter")

    def _restore_names(self, deps: Deps) -> Deps:
        """Replace folded names of columns by those that the tables have."""

        def restore_source(source: algebra.Source) -> Deps:
            assert isinstance(source, Field)
            columns = self.schemas.get(decode_table(source.dataset), ())
            stored = find_column(columns, source.column) if columns else source.column
            if stored is None:
                raise Unreadable(f"the column {source.column} is in none of the tables")
            return algebra.of_source(source._replace(column=stored))

        return algebra.substitute_sources(deps, restore_source)


def _join_server(table: exp.Table) -> None:
    """Give a table of another server a name of three parts, with the first two in one."""
    parts = table.parts if isinstance(table.this, exp.Dot) else []
    if len(parts) == 4 and all(isinstance(part, exp.Identifier) for part in parts):
        first = exp.to_identifier(f"{parts[0].name}.{parts[1].name}", quoted=True)
        for key, part in (("catalog", first), ("db", parts[2]), ("this", parts[3])):
            table.set(key, part)


def _fold_identifier(item: exp.Expr, dialect: str) -> str:
    identifier = item.this if isinstance(item, exp.ColumnDef) else item
    if Dialect.get_or_raise(dialect).normalization_strategy in FOLDING:
        normalize_identifiers(identifier, dialect=dialect)
    return str(identifier.name)
