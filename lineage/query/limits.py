"""Limits of results with several lists: maximum length of each, and counts of the rest."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.query.arguments import need_in_range

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


def no_more() -> Mapping[str, int]:
    """Return the ``omitted`` of a complete result: an empty mapping."""
    return {}


def limit_lists(answer: T, limit: int | None) -> T:
    """Cut each list of a result to ``limit`` entries and count the rest in ``omitted``.

    ``answer``: a dataclass with tuples and a mapping ``omitted``, keyed by the name of the list.
    ``limit``: None for all.
    """
    if limit is None:
        return answer
    need_in_range(limit=limit)
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
