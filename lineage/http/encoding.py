"""Convert results to values of JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec


def to_json(value: object) -> Any:
    """Return a result as values of JSON; records omit ids, which change with a rebuild."""
    if names := _field_names(value):
        fields = {name: to_json(getattr(value, name)) for name in names if name != "id"}
        full_name = getattr(value, "full_name", None)
        return fields if full_name is None else {**fields, "full_name": full_name}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    return value


def plain_part(record: object, limit: int) -> dict[str, Any]:
    """Return a record with at most ``limit`` entries of each of its lists.

    ``omitted`` has the number of further entries for each list that was cut.
    """
    lists = {name: getattr(record, name) for name in _field_names(record)}
    cut = {name: len(v) - limit for name, v in lists.items() if isinstance(v, tuple) and v[limit:]}
    fields = {
        name: to_json(value[:limit] if name in cut else value)
        for name, value in lists.items()
        if name != "id"
    }
    return {**fields, "omitted": cut}


def _field_names(value: object) -> tuple[str, ...]:
    if isinstance(value, msgspec.Struct):
        return value.__struct_fields__
    if dataclasses.is_dataclass(value):
        return tuple(field.name for field in dataclasses.fields(value))
    return ()
