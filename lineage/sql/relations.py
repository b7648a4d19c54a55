"""Trace the rows of a query: the sources of its columns, and of its choice of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.columns import algebra
from lineage.columns.algebra import FILTER, GROUP_BY, JOIN, SORT, Deps
from lineage.sql.dialects import traits_of
from lineage.sql.expressions import ExpressionWalk
from lineage.sql.from_items import list_items, name_of_item, read_rows
from lineage.sql.pivots import read_pivot, take_pivot
from lineage.sql.reasons import UNKNOWN_STAR
from lineage.sql.recursion import is_recursive, read_recursive
from lineage.sql.scopes import Scope, Source, Unreadable, clause_of, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lineage.naming import DatasetName
    from lineage.sql.scopes import Name

# The clauses of SELECT that are supported, or that change neither values nor sources.
CLAUSES = {
    *("distinct", "expressions", "from", "group", "having", "joins", "order", "where", "windows"),
    *("with", "qualify", "limit", "offset", "fetch", "hint", "kind", "laterals", "locks"),
    *("operation_modifiers", "options", "cluster", "distribute", "sort"),
}


class RelationReader:
    """Traces a query from its tables up, as the column walk does for Spark's plans.

    ``named`` maps the name of a table in the query to its dataset.
    """

    def __init__(self, named: Callable[[Name], DatasetName], dialect: str | None = None) -> None:
        self._named = named
        self._dialect = dialect
        self._values = ExpressionWalk(self.read_query, dialect)

    def read_query(self, tree: exp.Expr, scope: Scope) -> Source:
        """Return the rows of a query.

        Raises Unreadable if the text alone is not sufficient.
        """
        scope = self._read_with(tree, scope)
        if isinstance(tree, exp.Select):
            return self._read_select(tree, scope)
        if isinstance(tree, exp.Subquery):
            return self._read_modifiers(tree, self.read_query(tree.this, scope), scope)
        if isinstance(tree, exp.SetOperation):
            return self._read_modifiers(tree, self._set_operation(tree, scope), scope)
        raise Unreadable(f"an expression of type {tree.key} is not supported")

    def _read_with(self, tree: exp.Expr, scope: Scope) -> Scope:
        clause = clause_of(tree, "with")
        if clause is None:
            return scope
        definitions = dict(scope.definitions)
        for definition in clause.expressions:
            if clause.args.get("recursive") and is_recursive(definition):
                definitions[definition.alias] = self._read_recursive(definition, definitions, scope)
                continue
            inner = Scope(definitions=definitions, outer=scope.outer)
            definitions[definition.alias] = _rename_columns(
                definition, self.read_query(definition.this, inner)
            )
        return Scope(scope.sources, definitions, scope.windows, scope.outer)

    def _read_recursive(
        self, definition: exp.CTE, definitions: Mapping[str, Source], scope: Scope
    ) -> Source:
        def read_member(query: exp.Expr, rows: Source | None) -> Source:
            own = {} if rows is None else {definition.alias: rows}
            inner = Scope(definitions={**definitions, **own}, outer=scope.outer)
            return _rename_columns(definition, self.read_query(query, inner))

        return read_recursive(definition, read_member)

    def _read_select(self, tree: exp.Select, outer: Scope) -> Source:
        unknown = {key.rstrip("_") for key, value in tree.args.items() if value} - CLAUSES
        if unknown:
            raise Unreadable(f"the clause {min(unknown)} is not supported")
        scope, joined = self._read_from(tree, outer)
        result = self._read_projections(tree, scope)
        wide = [source.wide for source in scope.sources.values()]
        wide += [joined, *self._read_clauses(tree, scope, result)]
        return Source(result.columns, result.table, algebra.merge_deps(wide))

    def _read_from(self, tree: exp.Select, outer: Scope) -> tuple[Scope, Deps]:
        """Return the scope of the sources in FROM, and the sources of its join conditions."""
        start = clause_of(tree, "from")
        joins = list(tree.args.get("joins") or [])
        listed = [*([start.this] if start else []), *(join.this for join in joins)]
        listed += tree.args.get("laterals") or []
        sources: dict[str, Source] = {}
        for item in list_items(listed, joins):
            name = name_of_item(item)
            if name in sources:
                raise Unreadable("two sources have the same name")
            sources[name] = self._read_item(item, sources, outer)
        windows = {window.name: window for window in tree.args.get("windows") or []}
        scope = Scope(sources, outer.definitions, windows, outer.outer)
        return scope, algebra.merge_deps(self._read_join(join, scope) for join in joins)

    def _read_item(self, item: exp.Expr, before: Mapping[str, Source], scope: Scope) -> Source:
        """Return the rows of an item of FROM; ``before`` are the items before it."""
        if item.args.get("pivots"):
            plain, pivot = take_pivot(item)
            rows = self._read_item(plain, before, scope)
            return read_pivot(pivot, item.alias_or_name, rows, self._values, scope)
        beside = Scope(before, scope.definitions, outer=scope.outer)
        if (read := read_rows(item, beside, self._values, self._dialect)) is not None:
            return read
        if isinstance(item, exp.Subquery):
            return _rename_columns(item, self.read_query(item, scope.inner_scope()))
        if isinstance(item, exp.Lateral) and isinstance(item.this, exp.Subquery):
            return _rename_columns(item, self.read_query(item.this, beside.subquery_scope()))
        if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
            raise Unreadable(f"a source of type {item.key} is not supported")
        if not item.db and item.name in scope.definitions:
            return _rename_columns(item, scope.definitions[item.name])
        return _rename_columns(item, Source(table=self._named(name_of(item))))

    def _read_join(self, join: exp.Join, scope: Scope) -> Deps:
        if join.args.get("using") or join.args.get("method"):
            raise Unreadable("the columns of a join are unknown without the schemas of its tables")
        return self._values.trace_all(JOIN, [join.args.get("on")], scope)

    def _read_projections(self, tree: exp.Select, scope: Scope) -> Source:
        """Return the columns of SELECT; a star over a table includes all of its columns."""
        columns: list[tuple[str, Deps]] = []
        tables: list[DatasetName] = []
        for item in tree.expressions:
            if not item.is_star:
                columns.append((item.output_name, self._values.trace_expression(item, scope)))
                continue
            for source in _star_sources(item, scope):
                if source.unnamed is not None:
                    raise Unreadable("the columns of a function in FROM are not known")
                columns += source.columns
                tables += [source.table] if source.table else []
        if len(tables) > 1:
            raise Unreadable(UNKNOWN_STAR)
        return Source(tuple(columns), tables[0] if tables else None)

    def _read_clauses(self, tree: exp.Select, scope: Scope, result: Source) -> Iterator[Deps]:
        """Yield the sources that filter, group and sort the rows."""
        for key in ("where", "having", "qualify"):
            if clause := tree.args.get(key):
                yield self._values.trace_all(FILTER, [clause.this], scope)
        if tree.args.get("group"):
            yield algebra.apply_step(GROUP_BY, self._read_group_keys(tree, scope, result))
        if distinct := tree.args.get("distinct"):
            on = distinct.args.get("on")
            keys = self._read_distinct_on(on, scope, result) if on else result.all_deps
            yield algebra.apply_step(GROUP_BY, keys)
        yield self._read_order_by(tree, scope, result)

    def _read_distinct_on(self, on: exp.Expr, scope: Scope, result: Source) -> Deps:
        deps = []
        for key in _flat_keys([on]):
            own = _column_of_result(key, result)
            deps.append(self._values.trace_expression(key, scope) if own is None else own)
        return algebra.merge_deps(deps)

    def _read_group_keys(self, tree: exp.Select, scope: Scope, result: Source) -> Deps:
        deps = []
        for key in _grouping_keys(tree):
            if (place := _column_at_position(key, result)) is not None:
                deps.append(place)
                continue
            if traits_of(self._dialect).groups_by_result and _is_of(key, result):
                deps.append(result.column_deps(key.name))
                continue
            own = self._values.trace_expression(key, scope)
            # databases differ in whether columns of the table or of the result take precedence
            if _is_of(key, result) and result.column_deps(key.name) != own:
                raise Unreadable(f"the column {key.name} in GROUP BY is ambiguous")
            deps.append(own)
        return algebra.merge_deps(deps)

    def _read_order_by(self, tree: exp.Expr, scope: Scope, result: Source) -> Deps:
        """Trace ORDER BY, or SORT BY; a name is of a column of the result, if there is one."""
        order = tree.args.get("order") or tree.args.get("sort") or tree.args.get("cluster")
        deps = []
        for key in _flat_keys(item.this for item in order.expressions) if order else ():
            if (own := _column_of_result(key, result)) is not None:
                deps.append(own)
            elif _is_all(key):
                deps.append(result.all_deps)
            else:
                deps.append(self._values.trace_expression(key, scope))
        return algebra.apply_step(SORT, algebra.merge_deps(deps))

    def _read_modifiers(self, tree: exp.Expr, source: Source, scope: Scope) -> Source:
        """Apply the clauses after a parenthesized query or a set operation."""
        plain = Scope({"": source}, scope.definitions, outer=scope.outer)
        wide = algebra.merge_deps([source.wide, self._read_order_by(tree, plain, source)])
        return Source(source.columns, source.table, wide)

    def _set_operation(self, tree: exp.SetOperation, scope: Scope) -> Source:
        """Trace UNION, EXCEPT and INTERSECT, which match columns by position."""
        left, right = self.read_query(tree.left, scope), self.read_query(tree.right, scope)
        both = algebra.merge_deps([left.all_deps, right.all_deps])
        if tree.args.get("by_name") or len(left.columns) != len(right.columns):
            raise Unreadable("the columns of a set operation cannot be matched by position")
        wide = [left.wide, right.wide]
        if not isinstance(tree, exp.Union):
            return Source(
                left.columns, None, algebra.merge_deps([*wide, algebra.apply_step(JOIN, both)])
            )
        if tree.args.get("distinct"):
            wide.append(algebra.apply_step(GROUP_BY, both))
        pairs = zip(left.columns, right.columns, strict=True)
        columns = tuple((name, algebra.merge_deps([one, two])) for (name, one), (_, two) in pairs)
        return Source(columns, None, algebra.merge_deps(wide))


def _rename_columns(item: exp.Expr, source: Source) -> Source:
    """Rename the columns as in ``AS t (a, b)``."""
    names = item.alias_column_names
    if not names:
        return source
    if source.table or len(names) != len(source.columns):
        raise Unreadable("column aliases cannot be assigned without the schema of the table")
    renamed = zip(names, (deps for _, deps in source.columns), strict=True)
    return Source(tuple(renamed), None, source.wide)


def _star_sources(item: exp.Expr, scope: Scope) -> list[Source]:
    star = item.find(exp.Star)
    if star is None or any(star.args.values()):
        raise Unreadable("a star with modifiers is not supported")
    if not isinstance(item, exp.Column):
        return list(scope.sources.values())
    if item.table not in scope.sources:
        raise Unreadable(f"the query has no source {item.table}")
    return [scope.sources[item.table]]


def _grouping_keys(tree: exp.Select) -> Iterator[exp.Expr]:
    """Yield the keys of GROUP BY, including those in ROLLUP, CUBE and GROUPING SETS.

    The keys of GROUP BY ALL are the columns of the result without aggregates.
    """
    group = tree.args["group"]
    if group.args.get("all") and not group.expressions:
        yield from (item for item in tree.expressions if not item.find(exp.AggFunc))
    yield from _flat_keys(group.expressions)
    for value in group.args.values():
        for part in value if isinstance(value, list) else ():
            if isinstance(part, exp.Rollup | exp.Cube | exp.GroupingSets):
                yield from _flat_keys(part.expressions)


def _flat_keys(keys: Iterable[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the keys of a list, without the parentheses around one or several."""
    for key in keys:
        if isinstance(key, exp.Tuple):
            yield from _flat_keys(key.expressions)
        elif isinstance(key, exp.Paren) and isinstance(key.this, exp.Literal | exp.Paren):
            yield from _flat_keys([key.this])
        else:
            yield key


def _is_all(key: exp.Expr) -> bool:
    """Return whether the key is that of ORDER BY ALL: all columns of the result."""
    return isinstance(key, exp.Column | exp.Var) and key.sql().upper() == "ALL"


def _is_of(key: exp.Expr, result: Source) -> bool:
    """Return whether the key is the name of a column of the result."""
    return isinstance(key, exp.Column) and not key.table and result.has_column(key.name)


def _column_of_result(key: exp.Expr, result: Source) -> Deps | None:
    """Return the column of the result that a key is; None for another key."""
    if _is_of(key, result):
        return result.column_deps(key.name)
    return _column_at_position(key, result)


def _column_at_position(key: exp.Expr, result: Source) -> Deps | None:
    """Return the column at a position, as in ``GROUP BY 2``; None for another key.

    Raises Unreadable if the columns are unknown without the schema of the table.
    """
    if not key.is_int:
        return None
    if result.table:
        raise Unreadable("the column at a position is unknown without the schema of its table")
    place = int(key.name)
    return result.columns[place - 1][1] if 1 <= place <= len(result.columns) else None
