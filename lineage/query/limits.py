"""Answers with several lists: at most so many of each, and how many more there are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


def no_more() -> Mapping[str, int]:
    """Return the ``omitted`` of an answer that has all."""
    return {}


def limit_lists(answer: T, limit: int | None) -> T:
    """Return an answer with at most so many of each list; ``omitted`` counts the others.

    ``answer`` is a dataclass with tuples and ``omitted``, by the name of the list.
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
    omitted = {name: len(value) - limit for name, value in lists.items()}
    cut: T = dataclasses.replace(
        record,
        omitted={**record.omitted, **omitted},
        **{name: value[:limit] for name, value in lists.items()},
    )
    return cut
