"""Times of events, made comparable as text."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

# RFC 3339, and what producers write beside it: no zone, no seconds, a comma, an offset of +0200.
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?"
    r"(?:[Zz]|([+-])(\d\d):?(\d\d)?)?",
    re.ASCII,
)

# What nearly all producers write; whether there is such a day and hour is left to datetime.
_NORMAL_FORM = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?Z", re.ASCII)


def normalize_time(text: str) -> str:
    """Return ``text`` as ``YYYY-MM-DDTHH:MM:SS.ffffffZ`` in UTC; without a zone it is UTC already.

    What is finer than a microsecond is cut off. Raises ValueError for what is no time: a date that
    does not exist, a leap second, an offset of a day or more, a year outside 1 to 9999.
    """
    plain = _NORMAL_FORM.fullmatch(text)
    if plain:
        datetime.fromisoformat(plain[1])
        return f"{plain[1]}.{(plain[2] or '').ljust(6, '0')}Z"
    match = _TIME.fullmatch(text)
    if not match:
        raise ValueError("is not an ISO 8601 date and time")
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = match.groups()
    time = datetime(
        int(year), int(month), int(day), int(hour), int(minute), int(second or 0),
        int(fraction[:6].ljust(6, "0")) if fraction else 0,
    )  # fmt: skip
    if sign:
        if int(hours) > 23 or int(minutes or 0) > 59:
            raise ValueError("has an offset of a day or more")
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
        time = _shift_time(time, offset if sign == "-" else -offset)
    return time.isoformat(timespec="microseconds") + "Z"


# Names of zones behind an offset, as Java writes them, and words for UTC in place of one.
_ZONE_NAME = re.compile(r"(.*(?:[Zz]|[+-]\d\d:?(?:\d\d)?))\[[\w/+-]+\]", re.ASCII)
_UTC = re.compile(r"(.*:\d\d(?:[.,]\d+)?) ?(?:UTC|GMT)", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def of_event(text: str) -> str:
    """Return ``text`` as ``normalize_time`` does, taking more: a date alone is its midnight in
    UTC.
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
    """Return the present time in the same form."""
    time = datetime.now(timezone.utc).replace(tzinfo=None)
    return time.isoformat(timespec="microseconds") + "Z"


def of_milliseconds(milliseconds: int) -> str:
    """Return milliseconds since the epoch as ``YYYY-MM-DDTHH:MM:SS.fffZ``."""
    time = datetime.fromtimestamp(milliseconds // 1000, timezone.utc)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
