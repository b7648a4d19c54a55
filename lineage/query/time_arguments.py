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

    Raises ValueError for what is no time, or none that PostgreSQL and Python have.
    """
    whole = text if len(text) > len(_DATE) else f"{text}T00:00:00"
    time = timestamps.normal(whole)
    if _ZONE.search(whole, len(_DATE)):
        return time
    try:
        moment = datetime.fromisoformat(time[:-1]).astimezone(timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise ValueError("is outside the years 1 to 9999 in UTC") from None
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def time_of(text: str) -> str:
    """Return the same. Raises UsageError, which says what is wrong with the time."""
    try:
        return parse_time(text)
    except ValueError as reason:
        raise UsageError(f'The time "{text}" {reason}.', _HINT) from None
