"""The event log: every event as it came, once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.errors import InvalidEvent
from lineage.openlineage import Event, RunEvent, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg

# Binary arrays: in text format PostgreSQL takes 30 times as long to read them.
_APPEND = """
INSERT INTO lineage.event (sha256, event_time, run_id, body)
SELECT * FROM unnest(%b::bytea[], %s::timestamptz[], %b::text[], %b::text[])
ON CONFLICT DO NOTHING
RETURNING sha256
"""

_PAGE = "SELECT id, sha256, body FROM lineage.event WHERE id > %s ORDER BY id LIMIT %s"


@dataclass(frozen=True, slots=True)
class Entry:
    """An event with the text it was read from; ``sha256`` is that of the text in UTF-8."""

    sha256: bytes
    body: str
    event: Event

    @property
    def stamp(self) -> str:
        """What decides which of two events has the last word on a facet: time, then content."""
        return f"{self.event.time} {self.sha256[:8].hex()}"


def read(text: str | bytes) -> Entry:
    """Return the entry for one JSON object. Raises InvalidEvent."""
    event = parse(text)
    if isinstance(text, bytes):
        text = text.decode()
    body = text.strip()
    try:
        encoded = body.encode()
    except UnicodeEncodeError as error:
        raise InvalidEvent(f"The event is not Unicode text: {error.reason}.") from error
    return Entry(hashlib.sha256(encoded).digest(), body, event)


def append(conn: psycopg.Connection[Any], entries: Iterable[Entry]) -> list[Entry]:
    """Write ``entries`` to the log and return those that were not in it before."""
    # In order of content: two writers of the same events never wait for each other in a ring.
    batch = [entry for _, entry in sorted({entry.sha256: entry for entry in entries}.items())]
    rows = conn.execute(
        _APPEND,
        (
            [entry.sha256 for entry in batch],
            [entry.event.time for entry in batch],
            [e.event.run_id if isinstance(e.event, RunEvent) else None for e in batch],
            [entry.body for entry in batch],
        ),
    ).fetchall()
    if len(rows) == len(batch):
        return batch
    new = {row[0] for row in rows}
    return [entry for entry in batch if entry.sha256 in new]


def entries(conn: psycopg.Connection[Any], page: int) -> Iterator[list[Entry]]:
    """Yield all entries of the log, ``page`` at a time."""
    last = 0
    while rows := conn.execute(_PAGE, (last, page)).fetchall():
        last = rows[-1][0]
        yield [Entry(sha256, body, parse(body)) for _, sha256, body in rows]
