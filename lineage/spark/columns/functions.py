"""Operators that run functions over rows: typed Datasets, pandas and Arrow, scripts."""

from __future__ import annotations

from lineage.spark.columns import algebra
from lineage.spark.columns.algebra import AGGREGATION, FILTER, JOIN, TRANSFORMATION
from lineage.spark.columns.column import Column, Rows
from lineage.spark.columns.operators import Operator, Rule, deciding, opaque


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
    counts = [op.node.get(name, int) or 0 for name in ("leftGroupingLen", "rightGroupingLen")]
    keys = [
        column.deps
        for rows, count in zip(op.inputs, counts, strict=False)
        for column in rows.columns[:count]
    ]
    rows = opaque(AGGREGATION)(op)
    keyed = algebra.applied(JOIN, algebra.merged(keys))
    return Rows(rows.columns, algebra.merged([rows.wide, keyed]))


_mapped = opaque(TRANSFORMATION)
_grouped = opaque(AGGREGATION, "groupingAttributes")

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
    "FlatMapGroupsWithState": _grouped,
    "MapElements": _each,
    "MapGroups": _grouped,
    "MapInArrow": _mapped,
    "MapInPandas": _mapped,
    "MapPartitions": _mapped,
    "PythonMapInArrow": _mapped,
    "ScriptTransformation": _mapped,
    "SerializeFromObject": _columns,
    "TransformWithState": _grouped,
    "TransformWithStateInPySpark": _grouped,
    "TransformWithStateInPandas": _grouped,
    "TypedFilter": deciding(FILTER, "deserializer"),
}
