"""Column rules for LATERAL VIEW and similar: generators, which create several rows from one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import JOIN, NOTHING, TRANSFORMATION, Deps
from lineage.columns.relation import ELEMENT, EMPTY, KEY, VALUE, Column, Rows
from lineage.spark.columns.operators import Operator, Rule, by_place, opaque_function
from lineage.spark.document.data_types import element_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.spark.document.plan import Expression


def _trace_generate(op: Operator) -> Rows:
    """Trace LATERAL VIEW and similar: the number of generated rows affects all columns."""
    generator = op.argument_expression("generator")
    ids = op.attribute_ids("generatorOutput")
    if generator is None:
        return opaque_function(TRANSFORMATION)(op)
    deps = op.argument_deps(TRANSFORMATION, "generator")
    columns = dict.fromkeys(ids, Column(deps))
    if rule := GENERATORS.get(generator.cls):
        columns |= zip(ids, rule(op, generator, len(ids)), strict=False)
    return Rows(op.output_columns(columns), op.row_deps(_row_count_deps(op, generator, deps)))


def _row_count_deps(op: Operator, generator: Expression, deps: Deps) -> Deps:
    """Return the sources of the number of rows that a generator creates from one."""
    if generator.cls in FIXED_ROWS:
        return NOTHING
    if generator.cls in OF_ELEMENTS:
        deps = op.scope.evaluate_column(generator.children[0]).decides_length
    return algebra.apply_step(JOIN, deps)


def _stack_columns(op: Operator, generator: Expression, width: int) -> tuple[Column, ...]:
    """Return the columns of STACK(n, …): the other arguments fill the rows in order."""
    values = [op.scope.evaluate_column(index) for index in generator.children[1:]]
    rounds = [values[start : start + width] for start in range(0, len(values), width)]
    if rounds:
        rounds[-1] += [EMPTY] * (width - len(rounds[-1]))
    return by_place(rounds)


def _explode_columns(op: Operator, generator: Expression, width: int) -> tuple[Column, ...]:
    """Return the columns of EXPLODE and POSEXPLODE: elements, or keys and values."""
    container = op.scope.evaluate_column(generator.children[0])
    place = Column(algebra.apply_step(TRANSFORMATION, container.decides_length))
    places = (place,) * (generator.cls == "PosExplode")
    names = (ELEMENT,) if width == len(places) + 1 else (KEY, VALUE)
    return (*places, *(container.nested_value(name).apply_step(TRANSFORMATION) for name in names))


def _inline_columns(op: Operator, generator: Expression, width: int) -> tuple[Column, ...]:
    """Return the columns of INLINE: the fields of the structs in an array."""
    array = generator.children[0]
    struct = op.scope.evaluate_column(array).nested_value(ELEMENT).apply_step(TRANSFORMATION)
    names = element_fields(op.scope.plan.exprs[array].type or "")
    if struct.members is not None and not struct.origin:
        names = tuple(struct.members)
    return tuple(map(struct.nested_value, names)) if len(names) == width else ()


GENERATORS: dict[str, Callable[[Operator, Expression, int], tuple[Column, ...]]] = {
    "Explode": _explode_columns,
    "Inline": _inline_columns,
    "PosExplode": _explode_columns,
    "Stack": _stack_columns,
}
# Generators that create one row from each element of their argument.
OF_ELEMENTS = {"Explode", "Inline", "PosExplode"}
# Generators whose number of rows is constant.
FIXED_ROWS = {"JsonTuple", "Stack"}

GENERATES: dict[str, Rule] = {"Generate": _trace_generate}
