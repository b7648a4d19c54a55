"""Trace the sources of the expressions of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineage.columns import algebra
from lineage.columns.algebra import (
    AGGREGATION,
    CONDITIONAL,
    NOTHING,
    TRANSFORMATION,
    WINDOW,
    Deps,
    How,
    Kind,
)
from lineage.sql.dialects import traits_of
from lineage.sql.scopes import Unreadable
from lineage.sql.whole_rows import is_row_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lineage.sql.scopes import Scope, Source

HASHED = How(Kind.TRANSFORMATION, masking=True)
COUNTED = How(Kind.AGGREGATION, masking=True)
# Names that look like columns but are values of the session, or the position of the row.
NO_COLUMNS = {"rownum", "sysdate", "systimestamp"}
HASHES = (exp.MD5, exp.MD5Digest, exp.SHA, exp.SHA2)


class ExpressionWalk:
    """The rule for each kind of expression; ``query`` returns the rows of a subquery."""

    def __init__(
        self, query: Callable[[exp.Expr, Scope], Source], dialect: str | None = None
    ) -> None:
        self._query = query
        self._dialect = dialect
        self._rules: dict[type[Any], Callable[[Any, Scope], Deps]] = {
            exp.Alias: self._trace_child,
            exp.Case: self._trace_case,
            exp.Coalesce: self._trace_coalesce,
            exp.Column: self._trace_column,
            exp.Exists: self._trace_exists,
            exp.Filter: self._trace_filter,
            exp.If: self._trace_if,
            exp.In: self._trace_in,
            exp.Ordered: self._trace_child,
            exp.Paren: self._trace_child,
            exp.Query: self._trace_scalar_subquery,
            exp.Star: self._trace_star,
            exp.TableColumn: self._trace_row,
            exp.Columns: self._refuse_columns,
            exp.Parameter: self._trace_parameter,
            exp.Window: self._trace_window,
            exp.WithinGroup: self._trace_within_group,
            exp.AggFunc: self._trace_aggregate,
        }

    def trace_expression(self, node: exp.Expr, scope: Scope) -> Deps:
        """Return the sources of an expression."""
        for kind, rule in self._rules.items():
            if isinstance(node, kind):
                return rule(node, scope)
        how = HASHED if isinstance(node, HASHES) else TRANSFORMATION
        return algebra.apply_step(how, self._trace_children(node, scope))

    def trace_all(self, how: How, nodes: Iterable[exp.Expr | None], scope: Scope) -> Deps:
        """Return the sources of all the expressions, after one more step."""
        return algebra.apply_step(
            how, algebra.merge_deps(self.trace_expression(node, scope) for node in nodes if node)
        )

    def _trace_children(self, node: exp.Expr, scope: Scope) -> Deps:
        return algebra.merge_deps(
            self.trace_expression(child, scope) for child in node.iter_expressions()
        )

    def _trace_star(self, node: exp.Star, scope: Scope) -> Deps:
        """Trace all columns of all sources: ``struct(*)``."""
        if any(node.args.values()):
            raise Unreadable("a star with modifiers is not supported")
        return algebra.merge_deps(source.all_deps for source in scope.sources.values())

    def _trace_row(self, node: exp.TableColumn, scope: Scope) -> Deps:
        return scope.row_deps(node.name)

    def _refuse_columns(self, node: exp.Columns, scope: Scope) -> Deps:
        raise Unreadable("an expression for each of several columns is not supported")

    def _trace_parameter(self, node: exp.Parameter, scope: Scope) -> Deps:
        """Return no source for a value of the client; ``$1`` of Snowflake is a column."""
        if self._dialect == "snowflake" and not isinstance(node.this, exp.Var):
            raise Unreadable("the column at a position is not known")
        return NOTHING

    def _trace_child(self, node: exp.Expr, scope: Scope) -> Deps:
        return self.trace_expression(node.this, scope)

    def _trace_column(self, node: exp.Column, scope: Scope) -> Deps:
        if node.is_star:
            return scope.row_deps(node.table)
        if not node.table and node.name.lower() in NO_COLUMNS:
            return NOTHING
        has_rows = not node.table and traits_of(self._dialect).has_rows_by_name
        if has_rows and scope.is_row(node.name):
            return scope.row_deps(node.name)
        return scope.resolve_column(node.name, node.table)

    def _trace_choice(self, conditions: Iterable[Any], values: Iterable[Any], scope: Scope) -> Deps:
        deciding = self.trace_all(CONDITIONAL, conditions, scope)
        return algebra.merge_deps([deciding, self.trace_all(TRANSFORMATION, values, scope)])

    def _trace_case(self, node: exp.Case, scope: Scope) -> Deps:
        branches = node.args.get("ifs") or []
        conditions = [node.this, *(branch.this for branch in branches)]
        values = [*(branch.args.get("true") for branch in branches), node.args.get("default")]
        return self._trace_choice(conditions, values, scope)

    def _trace_if(self, node: exp.If, scope: Scope) -> Deps:
        return self._trace_choice(
            [node.this], [node.args.get("true"), node.args.get("false")], scope
        )

    def _trace_coalesce(self, node: exp.Coalesce, scope: Scope) -> Deps:
        parts = [node.this, *node.expressions]
        return self._trace_choice(parts[:-1], parts, scope)

    def _trace_aggregate(self, node: exp.AggFunc, scope: Scope) -> Deps:
        if is_row_count(node):
            return NOTHING
        how = COUNTED if isinstance(node, exp.Count | exp.CountIf) else AGGREGATION
        return algebra.apply_step(how, self._trace_children(node, scope))

    def _trace_filter(self, node: exp.Filter, scope: Scope) -> Deps:
        condition = self.trace_all(CONDITIONAL, [node.expression.this], scope)
        return algebra.merge_deps([self.trace_expression(node.this, scope), condition])

    def _trace_within_group(self, node: exp.WithinGroup, scope: Scope) -> Deps:
        ordered = self.trace_all(AGGREGATION, node.expression.expressions, scope)
        return algebra.merge_deps([self.trace_expression(node.this, scope), ordered])

    def _trace_window(self, node: exp.Window, scope: Scope) -> Deps:
        return algebra.merge_deps(
            [self.trace_expression(node.this, scope), *self._trace_specification(node, scope)]
        )

    def _trace_specification(self, node: exp.Expr, scope: Scope) -> Iterator[Deps]:
        order = node.args.get("order")
        parts = [*(node.args.get("partition_by") or []), *(order.expressions if order else [])]
        yield self.trace_all(WINDOW, parts, scope)
        named = scope.windows.get(node.alias)
        if named is not None and named is not node:
            yield from self._trace_specification(named, scope)

    def _trace_scalar_subquery(self, node: exp.Query, scope: Scope) -> Deps:
        source = self._query(node, scope.subquery_scope())
        return algebra.merge_deps([source.all_deps, source.wide])

    def _trace_exists(self, node: exp.Exists, scope: Scope) -> Deps:
        return self._query(node.this, scope.subquery_scope()).wide

    def _trace_in(self, node: exp.In, scope: Scope) -> Deps:
        """Trace both sides, and the sources that decide the rows of the subquery."""
        parts = self.trace_all(TRANSFORMATION, [node.this, *node.expressions], scope)
        query = node.args.get("query")
        if query is None:
            return parts
        source = self._query(query, scope.subquery_scope())
        return algebra.merge_deps(
            [parts, algebra.apply_step(TRANSFORMATION, source.all_deps), source.wide]
        )
