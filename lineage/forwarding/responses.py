"""The meaning of responses of HTTP backends to events."""

from __future__ import annotations

from typing import Any

# Statuses that concern the event; all others concern the backend and may be temporary.
_OF_THE_EVENT = (400, 413, 422)


def is_about_event(status: int) -> bool:
    """Return whether a status concerns the event, so that it would be rejected again."""
    return status in _OF_THE_EVENT


def retry_after_seconds(response: Any) -> float:
    """Return the seconds in Retry-After, or 0 if it contains a date, which is rare."""
    header = response.headers.get("Retry-After", "")
    return float(header) if header.isascii() and header.isdigit() and len(header) < 8 else 0.0
