"""Entries of the event log: an event, its text, and the digest of the text."""

from __future__ import annotations

import hashlib

from msgspec import Struct

from lineage.openlineage import Event, encode_utf_8, parse_event

# The job of an event or of its parent run, in the text of the event. It divides events between
# writers that would wait for each other; any other division gives the same graph.
JOB_PATTERN = r'"job"\s*:\s*\{[^{}]*?"name"\s*:\s*"([^"]*)"'
_SPACES = b" \t\n\r"  # of JSON


class Entry(Struct, frozen=True, gc=False):
    """An event and its text. ``body``: the text in UTF-8. ``sha256``: digest of the text.

    ``document``: key of the plan document that it was converted from; empty if there is none.
    """

    sha256: bytes
    body: bytes
    event: Event
    document: bytes = b""

    @property
    def revision(self) -> str:
        """The revision of the facets of the event; the greater wins. Time, then digest."""
        return f"{self.event.time} {self.sha256[:8].hex()}"


def read_entry(text: str | bytes) -> Entry:
    """Parse one JSON object into an entry. Raises InvalidEvent."""
    body = encode_utf_8(text).strip(_SPACES)
    return Entry(hashlib.sha256(body).digest(), body, parse_event(body))


def stored_entry(sha256: bytes, body: str | bytes) -> Entry:
    """Parse an entry of the log. Raises InvalidEvent if this version cannot parse it."""
    body = encode_utf_8(body)
    return Entry(sha256, body, parse_event(body))
