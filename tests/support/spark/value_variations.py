"""Small tables as SQL, and the same tables with other values in one column."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from lineage.spark.document.data_types import nested_types

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = list[tuple[Any, ...]]
Steps = tuple[int | str, ...]


def columns(schema: str) -> list[tuple[str, str]]:
    """Return the columns of a schema in DDL with their types in Spark's notation."""
    plain = re.sub(r"([:,])\s+", r"\1", schema.lower())
    named = re.sub(r"(^|,)(\w+) ", r"\1\2:", plain)
    return nested_types(f"struct<{named}>")[1]


def names(schema: str) -> list[str]:
    """Return the column names of a schema in DDL."""
    return [name for name, _ in columns(schema)]


def variations(schema: str, rows: Rows) -> Iterator[tuple[str, Rows]]:
    """Yield the path of a column or field, and the rows with its values changed.

    Arrays and maps are changed as a whole, which may make them longer, and field by field.
    """
    for place, (column, data_type) in enumerate(columns(schema)):
        old = [row[place] for row in rows]
        if not data_type.startswith("struct<"):
            yield column, _with(rows, place, changed(old))
        for path, steps in _fields(data_type):
            new = iter(changed([leaf for value in old for leaf in _leaves(value, steps)]))
            varied = [_rebuilt(value, steps, new) for value in old]
            yield f"{column}.{path}", _with(rows, place, varied)


def _fields(data_type: str) -> Iterator[tuple[str, Steps]]:
    """Yield the leaf fields of a type by path and by indexes."""
    outer, nested = nested_types(data_type)
    for place, (name, inner) in enumerate(nested):
        deeper = list(_fields(inner))
        for path, steps in deeper:
            yield f"{name}.{path}", (place if outer == "struct" else name, *steps)
        if not deeper and outer != "array":
            yield name, (place if outer == "struct" else name,)


def _leaves(value: Any, steps: Steps) -> list[Any]:
    """Return the values at a path."""
    if not steps or value is None:
        return [value] if not steps else []
    if isinstance(steps[0], int):
        held = [value[steps[0]]]
    else:
        held = {"key": list, "value": lambda of: list(of.values())}.get(steps[0], list)(value)
    return [leaf for each in held for leaf in _leaves(each, steps[1:])]


def _rebuilt(value: Any, steps: Steps, new: Iterator[Any]) -> Any:
    """Return the value with other values at a path."""
    if not steps or value is None:
        return value if steps else next(new)
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        return (*value[:step], _rebuilt(value[step], rest, new), *value[step + 1 :])
    if step == "key":
        return {_rebuilt(key, rest, new): held for key, held in value.items()}
    if step == "value":
        return {key: _rebuilt(held, rest, new) for key, held in value.items()}
    return [_rebuilt(each, rest, new) for each in value]


def _with(rows: Rows, place: int, values: list[Any]) -> Rows:
    return [
        (*row[:place], value, *row[place + 1 :]) for row, value in zip(rows, values, strict=True)
    ]


def changed(values: list[Any]) -> list[Any]:
    """Give each row the value of the next, and the last row a new value."""
    return [*values[1:], other(values[0])]


def other(value: Any) -> Any:
    """Return a value of the same type."""
    if isinstance(value, int):
        return value + 1000
    if isinstance(value, str):
        return json.dumps({"k": "9", "l": "9"}) if value.startswith("{") else f"{value}!"
    if isinstance(value, list):
        return [*value, *map(other, value)]
    if isinstance(value, dict):
        return {other(key): other(held) for key, held in value.items()} | {"more": 1}
    return tuple(map(other, value)) if isinstance(value, tuple) else 1000


def as_sql(schema: str, rows: Rows) -> str:
    """Return a query whose result is the rows."""
    listed = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    casts = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in columns(schema))
    return f"SELECT {casts} FROM VALUES {listed} AS t({', '.join(names(schema))})"


def literal(value: Any) -> str:
    """Return the value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return f"array({', '.join(map(literal, value))})"
    if isinstance(value, dict):
        return f"map({', '.join(literal(part) for pair in value.items() for part in pair)})"
    if isinstance(value, tuple):
        return f"struct({', '.join(map(literal, value))})"
    return f"'{value}'" if isinstance(value, str) else str(value)


def touches(names: set[str], column: str) -> bool:
    """Return whether ``names`` contains the column, a struct that contains it, or a field of it."""
    return any(
        f"{column}.".startswith(f"{name}.") or name.startswith(f"{column}.") for name in names
    )
