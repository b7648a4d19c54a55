"""What an expression takes its value from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from lineage.spark.columns import algebra
from lineage.spark.columns.algebra import (
    AGGREGATION,
    CONDITIONAL,
    IDENTITY,
    NOTHING,
    TRANSFORMATION,
    WINDOW,
    Deps,
    How,
    Kind,
    Outer,
    Source,
)
from lineage.spark.columns.column import EMPTY, Column, Rows, replaced, taken_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lineage.spark.plan import Expression, Plan


@dataclass
class Scope:
    """The columns that the expressions of one operator can see.

    ``columns`` is by expression id, ``rows`` has the rows of the plan's operators so far and
    ``inputs`` those of the children; ``lost`` collects the names of attributes that nothing below
    gives. ``common`` is what an expression stands for that is used several times in one.
    """

    plan: Plan
    columns: Mapping[int, Column]
    rows: Mapping[int, Rows]
    inputs: tuple[Rows, ...]
    common: Deps = NOTHING
    lost: list[str] = field(default_factory=list)
    known: dict[int, Column] = field(default_factory=dict)

    @cached_property
    def below(self) -> Deps:
        """All columns of the children together."""
        return algebra.merged(rows.all for rows in self.inputs)

    def column(self, index: int) -> Column:
        """Return what the expression is made of; all it stands on is found before it."""
        if index not in self.known:
            for place in _wanted(self.plan, index, self.known):
                self.known[place] = self._evaluate(self.plan.exprs[place])
        return self.known[index]

    def deps(self, index: int) -> Deps:
        return self.column(index).deps

    def applied(self, how: How, indexes: Iterable[int]) -> Deps:
        """What all the expressions are made of, after one more step."""
        return algebra.applied(how, algebra.merged(map(self.deps, indexes)))

    def subquery(self, index: int) -> Rows:
        """The rows of a subquery's plan, its references to the outer query replaced."""
        rows = self.rows.get(index, Rows())
        outer: dict[Source, Deps] = {Outer(id): column.deps for id, column in self.columns.items()}
        return replaced(rows, outer)

    def _evaluate(self, expr: Expression) -> Column:
        if expr.is_attribute:
            return self._attribute(expr)
        if expr.plan is not None:
            return Column(self._subquery(expr))
        if rule := RULES.get(expr.cls):
            return rule(self, expr)
        how = How(Kind.TRANSFORMATION, masking=expr.cls in MASKING)
        return Column(self.applied(how, expr.children))

    def _attribute(self, expr: Expression) -> Column:
        found = self.columns.get(-1 if expr.id is None else expr.id)
        if found is None:
            self.lost.append(expr.name or expr.cls)
            return Column(algebra.applied(TRANSFORMATION, self.below))
        return found

    def _subquery(self, expr: Expression) -> Deps:
        rows = self.subquery(expr.plan or 0)
        if expr.cls == "Exists":
            return rows.wide
        how = IDENTITY if expr.cls == "ScalarSubquery" else TRANSFORMATION
        return algebra.merged([algebra.applied(how, rows.all), rows.wide])


def _wanted(plan: Plan, index: int, known: Mapping[int, Column]) -> list[int]:
    """The expressions below that are not known yet, those first that others stand on."""
    found, pending = set(), [index]
    while pending:
        place = pending.pop()
        if place not in found and place not in known:
            found.add(place)
            if plan.exprs[place].plan is None and plan.exprs[place].cls not in APART:
                pending += plan.exprs[place].children
    return sorted(found)


def _same(scope: Scope, expr: Expression) -> Column:
    return scope.column(expr.children[0]) if expr.children else EMPTY


def _called(scope: Scope, expr: Expression) -> Column:
    """A method of Spark's own; CHAR and VARCHAR are kept to their length by one."""
    if expr.function in KEPT_TO_LENGTH:
        return scope.column(expr.children[0])
    return Column(scope.applied(TRANSFORMATION, expr.children))


def _cast(scope: Scope, expr: Expression) -> Column:
    """A cast, which does nothing to what has the type already."""
    child = expr.children[0]
    if expr.type and expr.type == scope.plan.exprs[child].type:
        return scope.column(child)
    return Column(scope.applied(TRANSFORMATION, expr.children))


def _nothing(scope: Scope, expr: Expression) -> Column:
    return EMPTY


def _outer(scope: Scope, expr: Expression) -> Column:
    attribute = scope.plan.exprs[expr.children[0]] if expr.children else expr
    return Column(algebra.of(Outer(attribute.id or 0)))


def _object(scope: Scope, expr: Expression) -> Column:
    """The object that a typed operator hands on, which stands in no column of its own."""
    return Column(scope.below)


def _cases(scope: Scope, expr: Expression) -> Column:
    """CASE: condition and value in turn, then what is else."""
    pairs = len(expr.children) // 2 * 2
    conditions = expr.children[0:pairs:2]
    values = (*expr.children[1:pairs:2], *expr.children[pairs:])
    return _chosen(scope, conditions, values)


def _if(scope: Scope, expr: Expression) -> Column:
    return _chosen(scope, expr.children[:1], expr.children[1:])


def _coalesce(scope: Scope, expr: Expression) -> Column:
    """The first that is not null: whether one is, is the condition for those after it."""
    return _chosen(scope, expr.children[:-1], expr.children)


def _chosen(scope: Scope, conditions: tuple[int, ...], values: tuple[int, ...]) -> Column:
    return Column(
        algebra.merged(
            [scope.applied(CONDITIONAL, conditions), scope.applied(TRANSFORMATION, values)]
        )
    )


def _aggregate(scope: Scope, expr: Expression) -> Column:
    """An aggregate function, and the condition of its FILTER clause."""
    function, *conditions = expr.children
    return Column(
        algebra.merged(
            [scope.applied(AGGREGATION, [function]), scope.applied(CONDITIONAL, conditions)]
        )
    )


def _picked(value: int, by: int) -> Callable[[Scope, Expression], Column]:
    """An aggregate function that takes one of its arguments where the other says so."""

    def rule(scope: Scope, expr: Expression) -> Column:
        picked, deciding = expr.children[value], expr.children[by]
        return Column(
            algebra.merged(
                [scope.applied(AGGREGATION, [picked]), scope.applied(CONDITIONAL, [deciding])]
            )
        )

    return rule


def _window(scope: Scope, expr: Expression) -> Column:
    function, *spec = expr.children
    return Column(algebra.merged([scope.deps(function), scope.applied(WINDOW, spec)]))


def _struct(scope: Scope, expr: Expression) -> Column:
    """A struct that is made: names and values in turn."""
    values = expr.children[1::2]
    members = {name: scope.column(value) for name, value in zip(expr.names, values, strict=False)}
    return Column(scope.applied(TRANSFORMATION, values), members)


def _field(scope: Scope, expr: Expression) -> Column:
    struct = scope.column(expr.children[0])
    name = expr.field or ""
    if struct.members and name in struct.members:
        return struct.members[name]
    if struct.taken:
        return struct.taken.member(name)
    return Column(algebra.member(struct.deps, name))


def _field_of_each(scope: Scope, expr: Expression) -> Column:
    """The array of one field of the structs in an array."""
    array = scope.deps(expr.children[0])
    held = algebra.part(array, "_element")
    return Column(algebra.member(held, expr.field or "") if held else array)


def _item(scope: Scope, expr: Expression) -> Column:
    """One element of an array, one value of a map."""
    container, *place = expr.children
    kind = "map" if expr.cls == "GetMapValue" else scope.plan.exprs[container].type or ""
    name = "value" if kind.startswith("map") else "_element"
    besides = scope.applied(TRANSFORMATION, place)
    column = taken_out(scope.deps(container), name, besides)
    return column if expr.cls != "ElementAt" or kind else Column(column.deps)


def _with(scope: Scope, expr: Expression) -> Column:
    """An expression that names parts of itself, its other children: NULLIF, BETWEEN."""
    body, *parts = expr.children
    common = algebra.merged(map(scope.deps, parts))
    return replace(scope, common=common, known={}).column(body)


def _common(scope: Scope, expr: Expression) -> Column:
    return Column(scope.common)


KEPT_TO_LENGTH = {"charTypeWriteSideCheck", "readSidePadding", "varcharTypeWriteSideCheck"}
# Expressions whose children are seen by their own rules alone.
APART = {"OuterReference", "With"}
RULES: dict[str, Callable[[Scope, Expression], Column]] = {
    "AggregateExpression": _aggregate,
    "Alias": _same,
    "AssertNotNull": _same,
    "BoundReference": _object,
    "CaseWhen": _cases,
    "Cast": _cast,
    "Coalesce": _coalesce,
    "CommonExpressionDef": _same,
    "CommonExpressionRef": _common,
    "CreateNamedStruct": _struct,
    "ElementAt": _item,
    "GetArrayItem": _item,
    "GetArrayStructFields": _field_of_each,
    "GetMapValue": _item,
    "GetStructField": _field,
    "If": _if,
    "KnownNotNull": _same,
    "KnownNullable": _same,
    "Literal": _nothing,
    "MaxBy": _picked(0, 1),
    "MinBy": _picked(0, 1),
    "NullIfResult": _if,
    "OuterReference": _outer,
    "PivotFirst": _picked(1, 0),
    "SortOrder": _same,
    "StaticInvoke": _called,
    "TempResolvedColumn": _same,
    "WindowExpression": _window,
    "With": _with,
}
# What cannot be read from the result: digests, ciphers, and how many there are.
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
