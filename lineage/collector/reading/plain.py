"""Answers as JSON has them."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec


def plain(value: object) -> Any:
    """Return an answer as JSON has it: records as objects, without ids, which no rebuild keeps."""
    if names := _fields(value):
        said = {name: plain(getattr(value, name)) for name in names if name != "id"}
        full_name = getattr(value, "full_name", None)
        return said if full_name is None else {**said, "full_name": full_name}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def _fields(value: object) -> tuple[str, ...]:
    if isinstance(value, msgspec.Struct):
        return value.__struct_fields__
    if dataclasses.is_dataclass(value):
        return tuple(field.name for field in dataclasses.fields(value))
    return ()
