"""Events into the database: log and graph in one transaction for each batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.connection import connect_migrated
from lineage.errors import InvalidEvent
from lineage.events.entry import Entry, read_entry
from lineage.hub import Rejected
from lineage.hub.documents import encode_document
from lineage.hub.report import map_events
from lineage.ingest.writer import write_entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import psycopg


class GraphSink:
    """Writes into the database of LINEAGE_DSN, else into the private server."""

    largest_batch = 1000

    def __init__(self) -> None:
        self._dsn: str | None = None
        self._conn: psycopg.Connection[Any] | None = None

    def init(self, settings: Mapping[str, str]) -> None:
        """Connect. Raises DatabaseError."""
        self._dsn = settings.get("LINEAGE_DSN")
        self._conn = connect_migrated(self._dsn)

    def accept(self, events: Sequence[Any]) -> None:
        """Write ``events``; they are on disk when it returns. Raises Rejected, DatabaseError."""
        entries = map_events(_read_entry, events)
        if self._conn is None or self._conn.closed:
            self._conn = connect_migrated(self._dsn)
        try:
            write_entries(self._conn, entries)
        except BaseException:
            # The state of the connection is unknown; the next batch opens a new one.
            self._conn.close()
            raise

    def shutdown(self) -> None:
        """Close the connection."""
        if self._conn is not None:
            self._conn.close()


def _read_entry(event: Any) -> Entry:
    try:
        return read_entry(encode_document(event))
    except InvalidEvent as error:
        raise Rejected(event, error.message) from error
