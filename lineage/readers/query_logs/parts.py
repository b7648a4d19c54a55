"""Parts: periods of a unit without a long pause; the statements of a part are one run of a job."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lineage.readers.query_logs.rows import to_datetime

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")


class Period(NamedTuple):
    """First and last time, normalized."""

    first: str
    last: str


class Part(NamedTuple):
    """A part of a unit: its first time, and whether a pause follows it in the log of the server."""

    unit: str
    first: str
    has_ended: bool


class Changes(NamedTuple):
    """The periods that new rows replace, and those that they give."""

    removed: list[Period]
    added: list[Period]


def merge_periods(existing: Iterable[Period], new: Iterable[Period], idle: float) -> Changes:
    """Merge periods with a pause of at most ``idle`` seconds between them.

    ``existing`` periods that no new one reaches are in neither list.
    """
    old = set(existing)
    entries = sorted([*((period, False) for period in old), *((period, True) for period in new)])
    changes = Changes([], [])
    group: list[tuple[Period, bool]] = []
    last = ""
    for period, is_new in entries:
        if group and is_pause(last, period.first, idle):
            _close_group(group, last, changes)
            group, last = [], ""
        group.append((period, is_new))
        last = max(last, period.last)
    if group:
        _close_group(group, last, changes)
    return changes


def split_rows(rows: Iterable[tuple[Period, T]], idle: float) -> list[tuple[Period, list[T]]]:
    """Return the parts that the rows of a unit give, in order. A row has the last time of its own.

    The rows of a part are in the order of their times.
    """
    ordered = sorted(rows, key=lambda each: each[0].last)
    times = [period.last for period, _ in ordered]
    parts = merge_periods([], (period for period, _ in ordered), idle).added
    bounds = [(bisect_left(times, part.first), bisect_right(times, part.last)) for part in parts]
    return [
        (part, [row for _, row in ordered[start:end]])
        for part, (start, end) in zip(parts, bounds, strict=True)
    ]


def is_pause(last: str, first: str, idle: float) -> bool:
    """Return whether more than ``idle`` seconds lie between two times."""
    return last < first and (to_datetime(first) - to_datetime(last)).total_seconds() > idle


def _close_group(group: list[tuple[Period, bool]], last: str, changes: Changes) -> None:
    if any(is_new for _, is_new in group):
        changes.removed.extend(period for period, is_new in group if not is_new)
        changes.added.append(Period(group[0][0].first, last))
