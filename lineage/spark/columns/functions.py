"""Column rules for functions over rows: typed Datasets, pandas and Arrow, scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import AGGREGATION, FILTER, GROUP_BY, JOIN, TRANSFORMATION
from lineage.columns.relation import Column, Rows
from lineage.spark.columns.operators import Operator, Rule, opaque_function, pass_through

if TYPE_CHECKING:
    from lineage.columns.algebra import Deps


def _trace_to_object(op: Operator) -> Rows:
    """Trace columns into an object; the function may use any of them."""
    return Rows((Column(op.argument_deps(TRANSFORMATION, "deserializer")),), op.row_deps())


def _trace_from_object(op: Operator) -> Rows:
    """Trace an object into columns."""
    return Rows(op.named_columns("serializer"), op.row_deps())


def _trace_map_elements(op: Operator) -> Rows:
    """Trace a function that returns one row for each row."""
    column = Column(algebra.apply_step(TRANSFORMATION, op.scope.child_deps))
    return Rows((column,) * len(op.node.out), op.row_deps())


def _trace_append_columns(op: Operator) -> Rows:
    """Trace the columns of the input, and those computed from it, such as a ``groupByKey`` key."""
    appended = Column(op.argument_deps(TRANSFORMATION, "deserializer") or op.scope.child_deps)
    known = op.scope.columns
    own = {
        expr.id: appended
        for expr in op.scope.plan.output_expressions(op.node)
        if expr.id not in known
    }
    return Rows(
        op.output_columns({id: column for id, column in own.items() if id is not None}),
        op.row_deps(),
    )


def _trace_cogroup(op: Operator) -> Rows:
    """Trace matching groups of two inputs; the first columns of each input are the keys."""
    rows = opaque_function(AGGREGATION)(op)
    keyed = algebra.apply_step(JOIN, _leading_keys(op, "leftGroupingLen", "rightGroupingLen"))
    return Rows(rows.columns, algebra.merge_deps([rows.wide, keyed]))


def _stateful_in_python(op: Operator) -> Rows:
    """Trace groups with state; the first columns of rows and initial state are the keys."""
    keys = _leading_keys(op, "groupingAttributesLen", "initialStateGroupingAttrsLen")
    deps = op.scope.child_deps  # the function's arguments exclude the initial state
    column = Column(algebra.apply_step(AGGREGATION, deps))
    wide = op.row_deps(algebra.apply_step(GROUP_BY, keys), algebra.apply_step(FILTER, deps))
    return Rows((column,) * len(op.node.out), wide)


def _leading_keys(op: Operator, *counts: str) -> Deps:
    """Return the keys of each input: its first columns, as many as the argument specifies."""
    return algebra.merge_deps(
        column.deps
        for rows, count in zip(op.input_rows, counts, strict=False)
        for column in rows.columns[: op.node.get_argument(count, int) or 0]
    )


_mapped = opaque_function(TRANSFORMATION)
_grouped = opaque_function(AGGREGATION, "groupingAttributes")
_stateful = opaque_function(
    AGGREGATION, "groupingAttributes", "initialStateGroupingAttrs", "initialStateGroupAttrs"
)

FUNCTIONS: dict[str, Rule] = {
    "AppendColumns": _trace_append_columns,
    "AppendColumnsWithObject": _trace_append_columns,
    "AttachDistributedSequence": lambda op: Rows(
        op.output_columns(dict.fromkeys(op.attribute_ids("sequenceAttr"), Column())), op.row_deps()
    ),
    "CoGroup": opaque_function(AGGREGATION, "leftGroup", "rightGroup"),
    "DeserializeToObject": _trace_to_object,
    "FlatMapCoGroupsInArrow": _trace_cogroup,
    "FlatMapCoGroupsInPandas": _trace_cogroup,
    "FlatMapGroupsInArrow": _grouped,
    "FlatMapGroupsInPandas": _grouped,
    "FlatMapGroupsInPandasWithState": _grouped,
    "FlatMapGroupsWithState": _stateful,
    "MapElements": _trace_map_elements,
    "MapGroups": _grouped,
    "MapInArrow": _mapped,
    "MapInPandas": _mapped,
    "MapPartitions": _mapped,
    "PythonMapInArrow": _mapped,
    "ScriptTransformation": _mapped,
    "SerializeFromObject": _trace_from_object,
    "TransformWithState": _stateful,
    "TransformWithStateInPySpark": _stateful_in_python,
    "TransformWithStateInPandas": _stateful_in_python,
    "TypedFilter": pass_through(FILTER, "deserializer"),
}
