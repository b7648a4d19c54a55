"""LATERAL VIEW and its like: several rows of one, made of an array, a map or a list of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.spark.columns import algebra
from lineage.spark.columns.algebra import JOIN, TRANSFORMATION, Deps
from lineage.spark.columns.column import EMPTY, Column, Rows, taken_out
from lineage.spark.columns.operators import Operator, Rule, by_place, opaque
from lineage.spark.schema import element_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.spark.plan import Expression


def _generate(op: Operator) -> Rows:
    """LATERAL VIEW and its like: how many rows the generator makes decides all columns."""
    generator = op.expression("generator")
    made = op.ids("generatorOutput")
    if generator is None:
        return opaque(TRANSFORMATION)(op)
    given = op.deps(TRANSFORMATION, "generator")
    columns = dict.fromkeys(made, Column(given))
    if rule := GENERATORS.get(generator.cls):
        columns |= zip(made, rule(op, generator, len(made)), strict=False)
    is_fixed = generator.cls in FIXED_ROWS or _has_fixed_length(op, generator)
    return Rows(op.output(columns), op.wide() if is_fixed else op.wide(_many(given)))


def _many(given: Deps) -> Deps:
    return algebra.applied(JOIN, given)


def _has_fixed_length(op: Operator, generator: Expression) -> bool:
    """Is it an array or map written out, with as many elements in each row?"""
    children = [op.scope.plan.exprs[index] for index in generator.children]
    return bool(children) and children[0].cls in ("CreateArray", "CreateMap")


def _stacked(op: Operator, generator: Expression, width: int) -> tuple[Column, ...]:
    """STACK(n, ..): its arguments after the first fill the rows one after the other."""
    given = [op.scope.column(index) for index in generator.children[1:]]
    rounds = [given[start : start + width] for start in range(0, len(given), width)]
    if rounds:
        rounds[-1] += [EMPTY] * (width - len(rounds[-1]))
    return by_place(rounds)


def _exploded(op: Operator, generator: Expression, width: int) -> tuple[Column, ...]:
    """EXPLODE and POSEXPLODE: the elements of an array, or the keys and values of a map."""
    container = op.scope.deps(generator.children[0])
    place = (Column(algebra.applied(TRANSFORMATION, container)),) * (generator.cls == "PosExplode")
    names = ("_element",) if width == len(place) + 1 else ("key", "value")
    return (*place, *(taken_out(container, name) for name in names))


def _inlined(op: Operator, generator: Expression, width: int) -> tuple[Column, ...]:
    """INLINE: the fields of the structs in an array."""
    array = generator.children[0]
    struct = taken_out(op.scope.deps(array), "_element").taken
    names = element_fields(op.scope.plan.exprs[array].type or "")
    if struct is None or len(names) != width:
        return ()
    return tuple(map(struct.member, names))


GENERATORS: dict[str, Callable[[Operator, Expression, int], tuple[Column, ...]]] = {
    "Explode": _exploded,
    "Inline": _inlined,
    "PosExplode": _exploded,
    "Stack": _stacked,
}
# Generators that make the same number of rows of each.
FIXED_ROWS = {"JsonTuple", "Stack"}

GENERATES: dict[str, Rule] = {"Generate": _generate}
