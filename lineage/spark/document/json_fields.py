"""Typed access to fields of parsed JSON; errors contain the path of the invalid field."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from lineage.errors import InvalidEvent

T = TypeVar("T")

NAMES = {dict: "an object", list: "an array", str: "a string", int: "an integer", bool: "a boolean"}


class Fields:
    """The fields of one JSON object, at ``path`` in its document."""

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise invalid_field(path, "an object")
        self.value: dict[str, Any] = value
        self.path = path

    def require(self, key: str, kind: type[T]) -> T:
        """Return the field; raise InvalidEvent if it is missing or not of ``kind``."""
        value = self.value.get(key)
        if not _is_kind(value, kind):
            raise invalid_field(self.path_of(key), NAMES[kind])
        return cast("T", value)

    def get_optional(self, key: str, kind: type[T]) -> T | None:
        """Return the field, or None if it is missing or null."""
        return None if self.value.get(key) is None else self.require(key, kind)

    def get_text(self, key: str) -> str | None:
        return self.get_optional(key, str)

    def get_texts(self, key: str) -> tuple[str, ...]:
        """Return an array of strings; items of other types are omitted."""
        return tuple(item for item in self.get_optional(key, list) or () if isinstance(item, str))

    def get_indexes(self, key: str, limit: int) -> tuple[int, ...]:
        """Return an array of indexes below ``limit``; raise InvalidEvent for any other item."""
        indexes = self.get_optional(key, list) or []
        for place, index in enumerate(indexes):
            if not _is_kind(index, int) or not 0 <= index < limit:
                raise invalid_field(f"{self.path_of(key)}[{place}]", f"an index below {limit}")
        return tuple(indexes)

    def get_part(self, key: str) -> Fields:
        """Return the object in the field."""
        return Fields(self.value.get(key), self.path_of(key))

    def get_parts(self, key: str) -> list[Fields]:
        """Return the objects of an array; an empty list if the field is missing."""
        parts = self.get_optional(key, list) or []
        return [Fields(item, f"{self.path_of(key)}[{place}]") for place, item in enumerate(parts)]

    def get_strings(self, key: str) -> dict[str, str]:
        """Return an object of strings; values of other types are omitted."""
        strings = self.get_optional(key, dict) or {}
        return {name: value for name, value in strings.items() if isinstance(value, str)}

    def path_of(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def _is_kind(value: Any, kind: type[Any]) -> bool:
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def invalid_field(path: str, expected: str) -> InvalidEvent:
    """Build an error that names the field of a plan document and its expected value."""
    return InvalidEvent(
        f'This is not a plan document: "{path or "the document"}" is not {expected}.'
    )
