"""Normalize times of events, so that they can be compared as text."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

# RFC 3339, and deviations of producers: no zone, no seconds, a comma, an offset of +0200.
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?"
    r"(?:[Zz]|([+-])(\d\d):?(\d\d)?)?",
    re.ASCII,
)

# The format of nearly all producers; datetime validates the day and the hour.
_NORMAL_FORM = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?Z", re.ASCII)


def normalize_time(text: str) -> str:
    """Normalize ``text`` to ``YYYY-MM-DDTHH:MM:SS.ffffffZ`` in UTC, the default zone.

    Digits after microseconds are truncated. Raises ValueError if ``text`` is not a valid time: a
    date that does not exist, a leap second, an offset of a day or more, or a year outside 1 to
    9999.
    """
    plain = _NORMAL_FORM.fullmatch(text)
    if plain:
        try:
            datetime.fromisoformat(plain[1])
        except ValueError as error:
            raise _not_valid(error) from None
        return f"{plain[1]}.{(plain[2] or '').ljust(6, '0')}Z"
    match = _TIME.fullmatch(text)
    if not match:
        raise ValueError("is not an ISO 8601 date and time")
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = match.groups()
    try:
        time = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0),
            int(fraction[:6].ljust(6, "0")) if fraction else 0,
        )  # fmt: skip
    except ValueError as error:
        raise _not_valid(error) from None
    if sign:
        if int(hours) > 23 or int(minutes or 0) > 59:
            raise ValueError("has an offset of a day or more")
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
        time = _shift_time(time, offset if sign == "-" else -offset)
    return of_datetime(time)


def _not_valid(error: ValueError) -> ValueError:
    return ValueError(f"is not valid: {error}")


# Zone names after an offset, as Java writes them, and UTC or GMT instead of an offset.
_ZONE_NAME = re.compile(r"(.*(?:[Zz]|[+-]\d\d:?(?:\d\d)?))\[[\w/+-]+\]", re.ASCII)
_UTC = re.compile(r"(.*:\d\d(?:[.,]\d+)?) ?(?:UTC|GMT)", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def of_event(text: str) -> str:
    """Normalize ``text`` as ``normalize_time`` does, but accept more formats.

    These are a date alone (midnight in UTC), zone names after an offset, and UTC or GMT.
    """
    if match := _ZONE_NAME.fullmatch(text):
        return normalize_time(match[1])
    if match := _UTC.fullmatch(text):
        return normalize_time(f"{match[1]}Z")
    return normalize_time(f"{text}T00:00:00Z" if is_date(text) else text)


def is_date(text: str) -> bool:
    """Return whether a text is a date without a time."""
    return _DATE.fullmatch(text) is not None


def _shift_time(time: datetime, by: timedelta) -> datetime:
    try:
        return time + by
    except OverflowError:
        raise ValueError("is outside the years 1 to 9999 in UTC") from None


def current_time() -> str:
    """Return the current time in the same format."""
    return of_datetime(datetime.now(timezone.utc))


def of_datetime(time: datetime) -> str:
    """Format a time in the same format; one without a zone is in UTC."""
    if time.tzinfo is not None:
        time = time.astimezone(timezone.utc).replace(tzinfo=None)
    return time.isoformat(timespec="microseconds") + "Z"


def of_milliseconds(milliseconds: int) -> str:
    """Format milliseconds since the epoch as ``YYYY-MM-DDTHH:MM:SS.fffZ``."""
    time = datetime.fromtimestamp(milliseconds // 1000, timezone.utc)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
