"""What the expressions of a query take their values from."""

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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lineage.sql.scopes import Scope, Source

HASHED = How(Kind.TRANSFORMATION, masking=True)
COUNTED = How(Kind.AGGREGATION, masking=True)
# What looks like a column and is a fact of the session, or of the row's place in the result.
NO_COLUMNS = {"rownum", "sysdate", "systimestamp"}
HASHES = (exp.MD5, exp.MD5Digest, exp.SHA, exp.SHA2)


class Values:
    """The rule for each kind of expression; ``query`` gives the rows of a subquery."""

    def __init__(self, query: Callable[[exp.Expr, Scope], Source]) -> None:
        self._query = query
        self._rules: dict[type[Any], Callable[[Any, Scope], Deps]] = {
            exp.Alias: self._same,
            exp.Case: self._case,
            exp.Coalesce: self._coalesce,
            exp.Column: self._column,
            exp.Exists: self._exists,
            exp.Filter: self._filter,
            exp.If: self._if,
            exp.In: self._in,
            exp.Ordered: self._same,
            exp.Paren: self._same,
            exp.Query: self._scalar,
            exp.Star: self._nothing,
            exp.Window: self._window,
            exp.WithinGroup: self._within,
            exp.AggFunc: self._aggregate,
        }

    def of(self, node: exp.Expr, scope: Scope) -> Deps:
        """Return what an expression is made of."""
        for kind, rule in self._rules.items():
            if isinstance(node, kind):
                return rule(node, scope)
        how = HASHED if isinstance(node, HASHES) else TRANSFORMATION
        return algebra.applied(how, self._below(node, scope))

    def together(self, how: How, nodes: Iterable[exp.Expr | None], scope: Scope) -> Deps:
        """Return what all the expressions are made of, after one more step."""
        return algebra.applied(how, algebra.merged(self.of(node, scope) for node in nodes if node))

    def _below(self, node: exp.Expr, scope: Scope) -> Deps:
        return algebra.merged(self.of(child, scope) for child in node.iter_expressions())

    def _nothing(self, node: exp.Expr, scope: Scope) -> Deps:
        return NOTHING

    def _same(self, node: exp.Expr, scope: Scope) -> Deps:
        return self.of(node.this, scope)

    def _column(self, node: exp.Column, scope: Scope) -> Deps:
        if node.is_star or (not node.table and node.name.lower() in NO_COLUMNS):
            return NOTHING
        return scope.column(node.name, node.table)

    def _chosen(self, conditions: Iterable[Any], values: Iterable[Any], scope: Scope) -> Deps:
        deciding = self.together(CONDITIONAL, conditions, scope)
        return algebra.merged([deciding, self.together(TRANSFORMATION, values, scope)])

    def _case(self, node: exp.Case, scope: Scope) -> Deps:
        branches = node.args.get("ifs") or []
        conditions = [node.this, *(branch.this for branch in branches)]
        values = [*(branch.args.get("true") for branch in branches), node.args.get("default")]
        return self._chosen(conditions, values, scope)

    def _if(self, node: exp.If, scope: Scope) -> Deps:
        return self._chosen([node.this], [node.args.get("true"), node.args.get("false")], scope)

    def _coalesce(self, node: exp.Coalesce, scope: Scope) -> Deps:
        parts = [node.this, *node.expressions]
        return self._chosen(parts[:-1], parts, scope)

    def _aggregate(self, node: exp.AggFunc, scope: Scope) -> Deps:
        how = COUNTED if isinstance(node, exp.Count | exp.CountIf) else AGGREGATION
        return algebra.applied(how, self._below(node, scope))

    def _filter(self, node: exp.Filter, scope: Scope) -> Deps:
        condition = self.together(CONDITIONAL, [node.expression.this], scope)
        return algebra.merged([self.of(node.this, scope), condition])

    def _within(self, node: exp.WithinGroup, scope: Scope) -> Deps:
        ordered = self.together(AGGREGATION, node.expression.expressions, scope)
        return algebra.merged([self.of(node.this, scope), ordered])

    def _window(self, node: exp.Window, scope: Scope) -> Deps:
        return algebra.merged([self.of(node.this, scope), *self._specification(node, scope)])

    def _specification(self, node: exp.Expr, scope: Scope) -> Iterator[Deps]:
        order = node.args.get("order")
        parts = [*(node.args.get("partition_by") or []), *(order.expressions if order else [])]
        yield self.together(WINDOW, parts, scope)
        named = scope.windows.get(node.alias)
        if named is not None and named is not node:
            yield from self._specification(named, scope)

    def _scalar(self, node: exp.Query, scope: Scope) -> Deps:
        source = self._query(node, scope.below())
        return algebra.merged([source.all, source.wide])

    def _exists(self, node: exp.Exists, scope: Scope) -> Deps:
        return self._query(node.this, scope.below()).wide

    def _in(self, node: exp.In, scope: Scope) -> Deps:
        """Both sides, and what decides the rows of the subquery."""
        parts = self.together(TRANSFORMATION, [node.this, *node.expressions], scope)
        query = node.args.get("query")
        if query is None:
            return parts
        source = self._query(query, scope.below())
        return algebra.merged([parts, algebra.applied(TRANSFORMATION, source.all), source.wide])
