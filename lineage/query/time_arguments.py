"""Times that people ask with: without an offset of the zone of this machine, as in psql."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from lineage.errors import UsageError
from lineage.openlineage import timestamps

_HINT = "Write it as 2026-01-31T18:00:00Z, or with an offset."
_DATE = "2026-01-31"
_ZONE = re.compile(r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)", re.ASCII)


def parse_time(text: str) -> str:
    """Return a time as the database has it, ISO 8601 in UTC; a date is its beginning.

    Raises ValueError for what is no time, or none that PostgreSQL and Python have, and for one
    without an offset that clocks skip or show twice.
    """
    whole = text if len(text) > len(_DATE) else f"{text}T00:00:00"
    time = timestamps.normalize_time(whole)
    if _ZONE.search(whole, len(_DATE)):
        return time
    try:
        parsed = _parse_timestamp(datetime.fromisoformat(time[:-1]), is_date=whole != text)
    except (OverflowError, OSError):
        raise ValueError("is outside the years 1 to 9999 in UTC") from None
    return parsed.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _parse_timestamp(local_time: datetime, *, is_date: bool) -> datetime:
    """Return when clocks of this machine show a time, in UTC; a date begins where its hour would.

    By either reading of ``fold``: they differ where the offset changes.
    """
    try:
        first, second = (local_time.replace(fold=fold).astimezone(timezone.utc) for fold in (0, 1))
    except ValueError:
        raise OverflowError from None
    if first == second:
        return first
    is_skipped = first.astimezone().replace(tzinfo=None) != local_time
    if is_date:
        # of a midnight that is skipped the earlier of the two is still the day before
        return max(first, second) if is_skipped else min(first, second)
    if is_skipped:
        raise ValueError("is skipped by the clocks of this machine's time zone")
    raise ValueError("is there twice in this machine's time zone")


def time_of(text: str) -> str:
    """Return the same. Raises UsageError, which says what is wrong with the time."""
    try:
        return parse_time(text)
    except ValueError as reason:
        raise UsageError(f'The time "{text}" {reason}.', _HINT) from None
