"""The sources of an expression's value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import CONDITIONAL, IDENTITY, TRANSFORMATION, Deps, How, Kind, Outer
from lineage.columns.relation import (
    EMPTY,
    Column,
    Rows,
    either_column,
    of_source,
    replace_placeholders,
)
from lineage.spark.columns.aggregates import AGGREGATES
from lineage.spark.columns.containers import CONTAINERS
from lineage.spark.columns.lambdas import LAMBDAS
from lineage.spark.columns.structs import STRUCTS
from lineage.spark.document.plan import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.columns.algebra import Loop, Source
    from lineage.spark.document.plan import Expression, Plan


@dataclass
class Scope:
    """The columns that the expressions of one operator can reference.

    ``columns`` has expression ids as keys. ``rows`` has the rows of the operators evaluated so far,
    and ``inputs`` those of the children. ``lost`` collects the names of attributes that no operator
    below outputs. ``variables`` are those of enclosing lambda functions, by expression id.
    ``common`` is the value of a common subexpression that an expression uses several times.
    """

    plan: Plan
    columns: Mapping[int, Column]
    rows: Mapping[int, Rows]
    inputs: tuple[Rows, ...]
    common: Column = EMPTY
    variables: Mapping[int, Column] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    known: dict[int, Column] = field(default_factory=dict)

    @cached_property
    def child_deps(self) -> Deps:
        """All columns of the children, merged."""
        return algebra.merge_deps(rows.all_deps for rows in self.inputs)

    def evaluate_column(self, index: int) -> Column:
        """Return the sources of the expression, after evaluating the expressions below it."""
        if index not in self.known:
            for place in _unevaluated_expressions(self.plan, index, self.known):
                self.known[place] = self._evaluate_expression(self.plan.exprs[place])
        return self.known[index]

    def deps_of(self, index: int) -> Deps:
        return self.evaluate_column(index).deps

    def apply_step(self, how: How, indexes: Iterable[int]) -> Deps:
        """Return the sources of all the expressions, after one more step."""
        return algebra.apply_step(how, algebra.merge_deps(map(self.deps_of, indexes)))

    def with_variables(self, variables: Mapping[int, Column]) -> Scope:
        """Return a scope with the variables of a lambda function added."""
        return replace(self, variables={**self.variables, **variables}, known={})

    def subquery_rows(self, index: int) -> Rows:
        """Return the rows of a subquery's plan, with references to the outer query replaced."""
        return replace_placeholders(self.rows.get(index, Rows()), self._outer_column)

    def _outer_column(self, source: Source) -> Column | None:
        if not isinstance(source, Outer) or source.id not in self.columns:
            return None
        return nested_in(self.columns[source.id], source)

    def _evaluate_expression(self, expr: Expression) -> Column:
        if expr.is_attribute:
            return self._evaluate_attribute(expr)
        if expr.cls == VARIABLE:
            return self._evaluate_session_variable(expr)
        if expr.plan is not None:
            return self._evaluate_subquery(expr)
        if rule := RULES.get(expr.cls):
            return rule(self, expr)
        how = How(Kind.TRANSFORMATION, masking=expr.cls in MASKING)
        return Column(self.apply_step(how, expr.children))

    def _evaluate_attribute(self, expr: Expression) -> Column:
        column = self.columns.get(-1 if expr.id is None else expr.id)
        if column is None:
            self.lost.append(expr.name or expr.cls)
            return Column(algebra.apply_step(TRANSFORMATION, self.child_deps))
        return column

    def _evaluate_session_variable(self, expr: Expression) -> Column:
        """Return the value of a session variable: a column of the one row that it was set from."""
        rows = Rows() if expr.plan is None else self.rows.get(expr.plan, Rows())
        place = expr.ordinal or 0
        column = rows.columns[place] if place < len(rows.columns) else EMPTY
        return column.with_extra(rows.wide)

    def _evaluate_subquery(self, expr: Expression) -> Column:
        rows = self.subquery_rows(expr.plan or 0)
        if expr.cls == "Exists":
            return Column(rows.wide)
        if expr.cls == "ScalarSubquery" and len(rows.columns) == 1:
            return rows.columns[0].with_extra(rows.wide)
        how = IDENTITY if expr.cls == "ScalarSubquery" else TRANSFORMATION
        return Column(algebra.merge_deps([algebra.apply_step(how, rows.all_deps), rows.wide]))


def nested_in(column: Column, source: Outer | Loop) -> Column:
    """Return the column, or its nested value at the path of the source."""
    for name in source.inside:
        column = column.nested_value(name)
    return column


def _unevaluated_expressions(plan: Plan, index: int, known: Mapping[int, Column]) -> list[int]:
    """Return the expressions below that are not yet evaluated, children first."""
    seen, pending = set(), [index]
    while pending:
        place = pending.pop()
        if place not in seen and place not in known:
            seen.add(place)
            expr = plan.exprs[place]
            if expr.plan is None and expr.cls not in APART:
                pending += expr.children
            elif expr.cls in LAMBDAS:
                pending += (at for at in expr.children if plan.exprs[at].cls != "LambdaFunction")
    return sorted(seen)


def _evaluate_child(scope: Scope, expr: Expression) -> Column:
    return scope.evaluate_column(expr.children[0]) if expr.children else EMPTY


def _evaluate_replacement(scope: Scope, expr: Expression) -> Column:
    if len(expr.children) == 1:
        return scope.evaluate_column(expr.children[0])
    return Column(scope.apply_step(TRANSFORMATION, expr.children))


def _evaluate_method_call(scope: Scope, expr: Expression) -> Column:
    """Evaluate a call of a method of Spark; checks of VARCHAR lengths keep the value.

    So does the padding of CHAR that is read, which has the value. CHAR that is written is padded.
    """
    if expr.function in LENGTH_CHECKS:
        return scope.evaluate_column(expr.children[0])
    return Column(scope.apply_step(TRANSFORMATION, expr.children))


def _evaluate_nothing(scope: Scope, expr: Expression) -> Column:
    return EMPTY


def _evaluate_outer_reference(scope: Scope, expr: Expression) -> Column:
    attribute = scope.plan.exprs[expr.children[0]] if expr.children else expr
    return of_source(Outer(attribute.id or 0), attribute.type)


def _evaluate_object(scope: Scope, expr: Expression) -> Column:
    """Evaluate the object that a typed operator passes on, which is not a column."""
    return Column(scope.child_deps)


def _evaluate_lambda_variable(scope: Scope, expr: Expression) -> Column:
    """Evaluate a lambda variable; it has no sources if the higher-order function is not known."""
    return scope.variables.get(-1 if expr.id is None else expr.id, EMPTY)


def _evaluate_case(scope: Scope, expr: Expression) -> Column:
    """Evaluate CASE: alternating conditions and values, then the value of ELSE."""
    pairs = len(expr.children) // 2 * 2
    conditions = expr.children[0:pairs:2]
    values = (*expr.children[1:pairs:2], *expr.children[pairs:])
    return _choose_column(scope, conditions, values)


def _evaluate_if(scope: Scope, expr: Expression) -> Column:
    if _is_null_guard(scope, expr):
        return scope.evaluate_column(expr.children[2])
    return _choose_column(scope, expr.children[:1], expr.children[1:])


def _is_null_guard(scope: Scope, expr: Expression) -> bool:
    """Return whether a struct is rebuilt from a nullable one, as unions by name do.

    Its fields are null if the struct is null, which also holds for a field read from the struct.
    """
    parts = [scope.plan.exprs[child] for child in expr.children]
    if [part.cls for part in parts] != ["IsNull", "Literal", "CreateNamedStruct"]:
        return False
    condition = parts[0]
    of = algebra.base_columns(scope.deps_of(condition.children[0]))
    return not of.isdisjoint(algebra.base_columns(scope.deps_of(expr.children[2])))


def _choose_column(scope: Scope, conditions: tuple[int, ...], values: tuple[int, ...]) -> Column:
    value = either_column(map(scope.evaluate_column, values)).apply_step(TRANSFORMATION)
    return value.with_extra(scope.apply_step(CONDITIONAL, conditions))


def _evaluate_coalesce(scope: Scope, expr: Expression) -> Column:
    """Evaluate COALESCE: the first value not null; each is a condition for those after it."""
    values = [scope.evaluate_column(child) for child in expr.children]
    return either_column(
        [
            either_column(values).apply_step(TRANSFORMATION),
            either_column(values[:-1]).apply_step(CONDITIONAL),
        ]
    )


def _evaluate_with(scope: Scope, expr: Expression) -> Column:
    """Evaluate an expression with common subexpressions, its other children: NULLIF, BETWEEN."""
    body, *parts = expr.children
    common = either_column(map(scope.evaluate_column, parts))
    return replace(scope, common=common, known={}).evaluate_column(body)


def _evaluate_common_expression(scope: Scope, expr: Expression) -> Column:
    return scope.common


LENGTH_CHECKS = {"readSidePadding", "varcharTypeWriteSideCheck"}
# Expressions whose children are evaluated only by their own rule. The lambda of a higher-order
# function is one, because it depends on the values to which it is applied.
APART = {"OuterReference", "With", *LAMBDAS}
SAME = (
    "Alias",
    "AssertNotNull",
    "CommonExpressionDef",
    "KnownNotNull",
    "KnownNullable",
    "SortOrder",
    "TempResolvedColumn",
    "WithField",
)
# Functions that Spark replaces by others. One with a single child has already been replaced.
REPLACED = ("NullIf", "Nvl", "Nvl2", "TryElementAt")
Rule = Callable[["Scope", "Expression"], Column]
BASIC: dict[str, Rule] = {
    **dict.fromkeys(SAME, _evaluate_child),
    **dict.fromkeys(REPLACED, _evaluate_replacement),
    "BoundReference": _evaluate_object,
    "CaseWhen": _evaluate_case,
    "Coalesce": _evaluate_coalesce,
    "CommonExpressionRef": _evaluate_common_expression,
    "If": _evaluate_if,
    "Literal": _evaluate_nothing,
    "NamedLambdaVariable": _evaluate_lambda_variable,
    "NullIfResult": _evaluate_if,
    "OuterReference": _evaluate_outer_reference,
    "StaticInvoke": _evaluate_method_call,
    "With": _evaluate_with,
}
RULES = BASIC | AGGREGATES | CONTAINERS | LAMBDAS | STRUCTS
# The result does not reveal the value: digests, ciphers and counts.
MASKING = {
    "AesEncrypt",
    "CollationAwareMurmur3Hash",
    "CollationAwareXxHash64",
    "Count",
    "CountIf",
    "Crc32",
    "HiveHash",
    "Mask",
    "Md5",
    "Murmur3Hash",
    "Sha1",
    "Sha2",
    "XxHash64",
}
