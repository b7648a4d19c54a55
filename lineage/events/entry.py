"""Entries of the event log: an event, its text, and the digest of the text."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from lineage.openlineage import Event, encode_utf_8, parse_event

_SPACES = b" \t\n\r"  # of JSON


class Entry(Struct, frozen=True, gc=False):
    """An event with the text it was read from, in UTF-8; ``sha256`` is that of the text.

    ``document`` is the key of the plan document that gave it, if one did.
    """

    sha256: bytes
    body: bytes
    event: Event
    document: bytes = b""

    @property
    def revision(self) -> str:
        """What decides which of two events has the last word on a facet: time, then content."""
        return f"{self.event.time} {self.sha256[:8].hex()}"


def read_entry(text: str | bytes) -> Entry:
    """Return the entry for one JSON object. Raises InvalidEvent."""
    body = encode_utf_8(text).strip(_SPACES)
    return Entry(hashlib.sha256(body).digest(), body, parse_event(body))


def stored_entry(sha256: bytes, body: str | bytes) -> Entry:
    """Return an entry of the log. Raises InvalidEvent where this version cannot read it."""
    body = encode_utf_8(body)
    return Entry(sha256, body, parse_event(body))
