"""Operators that run functions over rows: typed Datasets, pandas and Arrow, scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import AGGREGATION, FILTER, GROUP_BY, JOIN, TRANSFORMATION
from lineage.columns.relation import Column, Rows
from lineage.spark.columns.operators import Operator, Rule, deciding, opaque

if TYPE_CHECKING:
    from lineage.columns.algebra import Deps


def _object(op: Operator) -> Rows:
    """Columns become an object, of which nobody knows what is taken."""
    return Rows((Column(op.deps(TRANSFORMATION, "deserializer")),), op.wide())


def _columns(op: Operator) -> Rows:
    """An object becomes columns."""
    return Rows(op.named("serializer"), op.wide())


def _each(op: Operator) -> Rows:
    """A function of one row that gives one row."""
    column = Column(algebra.applied(TRANSFORMATION, op.scope.below))
    return Rows((column,) * len(op.node.out), op.wide())


def _appended(op: Operator) -> Rows:
    """The columns of the input and others, made by a function of it: the key of ``groupByKey``."""
    made = Column(op.deps(TRANSFORMATION, "deserializer") or op.scope.below)
    known = op.scope.columns
    own = {expr.id: made for expr in op.scope.plan.output(op.node) if expr.id not in known}
    return Rows(op.output({id: column for id, column in own.items() if id is not None}), op.wide())


def _cogrouped(op: Operator) -> Rows:
    """Groups of two inputs side by side; the first columns of each are the keys."""
    rows = opaque(AGGREGATION)(op)
    keyed = algebra.applied(JOIN, _leading_keys(op, "leftGroupingLen", "rightGroupingLen"))
    return Rows(rows.columns, algebra.merged([rows.wide, keyed]))


def _stateful_in_python(op: Operator) -> Rows:
    """Groups with state: the keys are the first columns of the rows and of the initial state."""
    keys = _leading_keys(op, "groupingAttributesLen", "initialStateGroupingAttrsLen")
    given = op.scope.below  # the function's arguments are without those of the initial state
    column = Column(algebra.applied(AGGREGATION, given))
    wide = op.wide(algebra.applied(GROUP_BY, keys), algebra.applied(FILTER, given))
    return Rows((column,) * len(op.node.out), wide)


def _leading_keys(op: Operator, *counts: str) -> Deps:
    """The keys of each input: as many of its first columns as the argument says."""
    return algebra.merged(
        column.deps
        for rows, count in zip(op.inputs, counts, strict=False)
        for column in rows.columns[: op.node.get(count, int) or 0]
    )


_mapped = opaque(TRANSFORMATION)
_grouped = opaque(AGGREGATION, "groupingAttributes")
_stateful = opaque(
    AGGREGATION, "groupingAttributes", "initialStateGroupingAttrs", "initialStateGroupAttrs"
)

FUNCTIONS: dict[str, Rule] = {
    "AppendColumns": _appended,
    "AppendColumnsWithObject": _appended,
    "AttachDistributedSequence": lambda op: Rows(
        op.output(dict.fromkeys(op.ids("sequenceAttr"), Column())), op.wide()
    ),
    "CoGroup": opaque(AGGREGATION, "leftGroup", "rightGroup"),
    "DeserializeToObject": _object,
    "FlatMapCoGroupsInArrow": _cogrouped,
    "FlatMapCoGroupsInPandas": _cogrouped,
    "FlatMapGroupsInArrow": _grouped,
    "FlatMapGroupsInPandas": _grouped,
    "FlatMapGroupsInPandasWithState": _grouped,
    "FlatMapGroupsWithState": _stateful,
    "MapElements": _each,
    "MapGroups": _grouped,
    "MapInArrow": _mapped,
    "MapInPandas": _mapped,
    "MapPartitions": _mapped,
    "PythonMapInArrow": _mapped,
    "ScriptTransformation": _mapped,
    "SerializeFromObject": _columns,
    "TransformWithState": _stateful,
    "TransformWithStateInPySpark": _stateful_in_python,
    "TransformWithStateInPandas": _stateful_in_python,
    "TypedFilter": deciding(FILTER, "deserializer"),
}
