"""Parse times given by users; without an offset, in the time zone of this machine, as in psql."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import TypeAlias

from lineage.errors import UsageError
from lineage.openlineage import timestamps

TimeArgument: TypeAlias = str | datetime

_HINT = "Write it as 2026-01-31T18:00:00Z, or with an offset."
_DATE = "2026-01-31"
_ZONE = re.compile(r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)", re.ASCII)


def parse_time(text: str) -> str:
    """Convert a time to ISO 8601 in UTC with microseconds; a date means the start of that day.

    Raises ValueError if the text is not a time, if the time is outside the range of PostgreSQL or
    Python, or if it has no offset and the clocks of this machine skip it or show it twice.
    """
    whole = text if len(text) > len(_DATE) else f"{text}T00:00:00"
    time = timestamps.normalize_time(whole)
    if _ZONE.search(whole, len(_DATE)):
        return time
    try:
        parsed = _parse_timestamp(datetime.fromisoformat(time[:-1]), is_date=whole != text)
    except (OverflowError, OSError):
        raise ValueError("is outside the years 1 to 9999 in UTC") from None
    return timestamps.of_datetime(parsed)


def _parse_timestamp(local_time: datetime, *, is_date: bool) -> datetime:
    """Convert a local time of this machine to UTC; a date means its first existing time.

    Both values of ``fold`` are tried: their results differ if the offset changes at that time.
    """
    try:
        first, second = (local_time.replace(fold=fold).astimezone(timezone.utc) for fold in (0, 1))
    except ValueError:
        raise OverflowError from None
    if first == second:
        return first
    is_skipped = first.astimezone().replace(tzinfo=None) != local_time
    if is_date:
        # If midnight is skipped, the earlier result still lies on the previous day.
        return max(first, second) if is_skipped else min(first, second)
    if is_skipped:
        raise ValueError("is skipped by the clocks of this machine's time zone")
    raise ValueError("occurs twice in this machine's time zone")


def time_of(time: TimeArgument) -> str:
    """Convert a time like ``parse_time``, or a datetime with a time zone.

    Raises UsageError, whose message gives the reason.
    """
    if isinstance(time, datetime) and time.tzinfo is not None:
        return timestamps.of_datetime(time)
    text = str(time)
    try:
        if not isinstance(time, str):
            raise ValueError("is no text, nor a datetime with a time zone")
        return parse_time(text)
    except ValueError as reason:
        raise UsageError(f'The time "{text}" {reason}.', _HINT) from None
