"""Small tables as SQL, and the same tables with the values of one column changed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = list[tuple[Any, ...]]


def names(schema: str) -> list[str]:
    """The column names of a schema in DDL."""
    flat = re.sub(r"<[^<>]*>|\([^()]*\)", "", re.sub(r"<[^<>]*>", "", schema))
    return [column.split()[0] for column in flat.split(",")]


def variations(
    columns: list[str], rows: Rows, nested: dict[str, list[str]]
) -> Iterator[tuple[str, Rows]]:
    """Yield the path of a column, or of a field in it, and the rows with its values changed."""
    for place, column in enumerate(columns):
        old = [row[place] for row in rows]
        if column in nested:
            for at, field in enumerate(nested[column]):
                inner = changed([value[at] for value in old])
                new = [
                    (*value[:at], now, *value[at + 1 :])
                    for value, now in zip(old, inner, strict=True)
                ]
                yield f"{column}.{field}", _with(rows, place, new)
        else:
            yield column, _with(rows, place, changed(old))


def _with(rows: Rows, place: int, values: list[Any]) -> Rows:
    return [
        (*row[:place], value, *row[place + 1 :]) for row, value in zip(rows, values, strict=True)
    ]


def changed(values: list[Any]) -> list[Any]:
    """Give each row the value of the next, and the last one a value that was not there."""
    return [*values[1:], other(values[0])]


def other(value: Any) -> Any:
    """Return a value of the same type."""
    if isinstance(value, int):
        return value + 1000
    if isinstance(value, str):
        return json.dumps({"k": "9", "l": "9"}) if value.startswith("{") else f"{value}!"
    if isinstance(value, list):
        return [*value, *map(other, value)]
    return tuple(map(other, value)) if isinstance(value, tuple) else 1000


def as_sql(schema: str, rows: Rows) -> str:
    """A query that gives the rows."""
    listed = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
    parts = re.split(r",\s*(?![^<]*>)", schema)
    casts = ", ".join(
        f"CAST({name} AS {kind}) AS {name}"
        for name, kind in (part.strip().split(" ", 1) for part in parts)
    )
    return f"SELECT {casts} FROM VALUES {listed} AS t({', '.join(names(schema))})"


def literal(value: Any) -> str:
    """The value in SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return f"array({', '.join(map(literal, value))})"
    if isinstance(value, tuple):
        return f"struct({', '.join(map(literal, value))})"
    return f"'{value}'" if isinstance(value, str) else str(value)


def touches(names: set[str], column: str) -> bool:
    """Is the column among the names, or the struct around it, or a field in it?"""
    return any(
        f"{column}.".startswith(f"{name}.") or name.startswith(f"{column}.") for name in names
    )
