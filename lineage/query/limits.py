"""Answers with several lists: at most so many of each, and how many more there are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


def no_more() -> Mapping[str, int]:
    """Return the ``left_out`` of an answer that has all."""
    return {}


def limit_lists(answer: T, limit: int | None) -> T:
    """Return an answer with at most so many of each list; ``left_out`` counts the others.

    ``answer`` is a dataclass with tuples and ``left_out``, by the name of the list.
    """
    if limit is None:
        return answer
    record: Any = answer
    lists = {
        field.name: value
        for field in dataclasses.fields(record)
        if isinstance(value := getattr(record, field.name), tuple) and len(value) > limit
    }
    if not lists:
        return answer
    left_out = {name: len(value) - limit for name, value in lists.items()}
    cut: T = dataclasses.replace(
        record,
        left_out={**record.left_out, **left_out},
        **{name: value[:limit] for name, value in lists.items()},
    )
    return cut
