"""A transport for ``openlineage-python`` that writes to the graph without a server.

transport:
  type: lineage.transport.AgeTransport
  dsn: postgresql://user@host/lineage
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

import attr
from openlineage.client.serde import Serde
from openlineage.client.transport.transport import Config, Transport

from lineage.database.connection import connect_migrated
from lineage.errors import DatabaseUnavailable
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    import psycopg
    from openlineage.client.client import Event
    from typing_extensions import Self


@attr.define
class AgeConfig(Config):
    """``dsn`` of the database; without it LINEAGE_DSN or the private server."""

    dsn: str | None = attr.field(default=None, repr=False)

    @classmethod
    def from_dict(cls, params: dict[str, Any]) -> Self:
        """Return the configuration from parameters of a YAML file or the environment."""
        return cls(dsn=params.get("dsn"))


class AgeTransport(Transport):
    """Writes each event when it is emitted: ``emit`` returns after the commit."""

    kind = "age"
    config_class = AgeConfig

    def __init__(self, config: AgeConfig) -> None:
        self._dsn = config.dsn
        self._conn: psycopg.Connection[Any] | None = None
        # Clients share a transport between threads, and one thread at a time may write.
        self._lock = threading.Lock()

    def emit(self, event: Event) -> None:
        """Write ``event``. Raises InvalidEvent or DatabaseError if it was not written."""
        text = Serde.to_json(event)
        with self._lock:
            reused = self._conn is not None
            try:
                self._write_event(text)
            except DatabaseUnavailable:
                # An idle connection may have been closed. Retrying is safe, because an event is
                # stored once.
                if not reused:
                    raise
                self._write_event(text)

    def close(self, timeout: float = -1) -> bool:
        """Wait up to ``timeout`` seconds for an event that is being written, then close.

        A negative timeout waits without limit. Returns whether the transport was closed.
        """
        if not self._lock.acquire(timeout=timeout):
            return False
        try:
            self._close_connection()
        finally:
            self._lock.release()
        return True

    def _write_event(self, text: str) -> None:
        try:
            write_events(self._open_connection(), [text])
        except BaseException:
            # The state of the connection is unknown; the next event opens a new one.
            self._close_connection()
            raise

    def _open_connection(self) -> psycopg.Connection[Any]:
        if self._conn is None or self._conn.closed:
            self._conn = connect_migrated(self._dsn)
            # Many clients never call close().
            self._closing = weakref.finalize(self, self._conn.close)
        return self._conn

    def _close_connection(self) -> None:
        if self._conn is not None:
            self._closing()
            self._conn = None
