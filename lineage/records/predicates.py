"""Conditions on the rows of a frame: SQL text, a column, a row or values by column."""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.suggestions import suggest_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

# Sums of floating-point numbers differ in their last bits if the rows come in another order.
RELATIVE_TOLERANCE = 1e-9


def condition_of(frame: DataFrame, where: Any) -> Column:
    """Return the condition as a column.

    ``where`` is SQL text, a ``Column``, a ``Row`` of the frame, or a dictionary from column names
    to values, where ``None`` matches null. Columns of types that Spark cannot compare are left out.
    Raises ``UsageError`` if a column is missing or ambiguous.
    """
    from pyspark.sql import Column, Row
    from pyspark.sql import functions as F

    if isinstance(where, str):
        return F.expr(where)
    if isinstance(where, Row):
        return _conjunction_of(
            _column_equalities(frame, dict(zip(frame.columns, where, strict=True)))
        )
    if isinstance(where, dict):
        return _conjunction_of(_column_equalities(frame, where))
    if isinstance(where, Column):
        return where
    raise UsageError(
        f"A condition cannot be a {type(where).__name__}.",
        "Use SQL text, a Column, a Row of the frame, or a dictionary of column values.",
    )


def uncompared_columns(frame: DataFrame, where: Any) -> list[str]:
    """Return the columns of a row or a dictionary that the condition leaves out."""
    from pyspark.sql import Row

    if not isinstance(where, Row | dict):
        return []
    fold = _fold_of(frame)
    names = {fold(name) for name in (frame.columns if isinstance(where, Row) else where)}
    return [
        each.name
        for each in frame.schema.fields
        if fold(each.name) in names and not _is_comparable(each.dataType)
    ]


def _fold_of(frame: DataFrame) -> Callable[[str], str]:
    """Return the function that makes names of one column equal in the session of a frame."""
    is_sensitive = frame.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    return str if is_sensitive else str.lower


def _column_equalities(frame: DataFrame, values: Mapping[str, Any]) -> Iterator[Column]:
    fold = _fold_of(frame)
    fields = frame.schema.fields
    for name, value in values.items():
        types = [field.dataType for field in fields if fold(field.name) == fold(name)]
        if not types:
            raise UsageError(f"The frame has no column {name}.", suggest_name(name, frame.columns))
        if len(types) > 1:
            raise UsageError(
                f"The frame has several columns named {name}.", "Rename them by toDF()."
            )
        if _is_comparable(types[0]):
            yield _column_equality(frame[f"`{name.replace('`', '``')}`"], value, types[0])


def _column_equality(column: Column, value: Any, data_type: DataType) -> Column:
    from pyspark.sql import functions as F
    from pyspark.sql.types import DoubleType, FloatType, StructType

    if value is None:
        return column.isNull()
    if isinstance(data_type, StructType):
        pairs = zip(data_type.fields, value, strict=True)
        fields = (_column_equality(column[each.name], part, each.dataType) for each, part in pairs)
        return reduce(and_, fields, column.isNotNull())
    literal = _literal_of(value, data_type)
    equal = column.eqNullSafe(literal)
    if isinstance(data_type, DoubleType | FloatType):
        return equal | (F.abs(column - literal) <= F.abs(literal) * RELATIVE_TOLERANCE)
    return equal


def _literal_of(value: Any, data_type: DataType) -> Column:
    """Return a value as a literal of a type.

    Spark makes an instant of each ``datetime``, by the time zone of the process, and the time on
    the clock of an instant by the time zone of the session. A text is that time without a zone.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, TimestampNTZType

    if isinstance(data_type, TimestampNTZType) and isinstance(value, datetime):
        value = value.isoformat(sep=" ")
    if isinstance(data_type, ArrayType) and value is not None:
        elements = (_literal_of(each, data_type.elementType) for each in value)
        return F.array(*elements).cast(data_type)
    return F.lit(value).cast(data_type)


def _is_comparable(data_type: DataType) -> bool:
    from pyspark.sql.types import ArrayType, StructType

    if isinstance(data_type, ArrayType):
        # Elements are compared bit for bit, which fails for sums of floating-point numbers.
        return data_type.elementType.typeName() not in ("double", "float", "map", "struct", "array")
    if isinstance(data_type, StructType):
        return all(_is_comparable(field.dataType) for field in data_type.fields)
    return data_type.typeName() not in ("map", "variant", "interval", "udt")


def _conjunction_of(conditions: Iterator[Column]) -> Column:
    from pyspark.sql import functions as F

    return reduce(and_, conditions, F.lit(True))
