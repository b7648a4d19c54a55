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
from lineage.database.reconnecting import ReconnectingConnection
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
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
        self._connection = ReconnectingConnection(config.dsn, connect=connect_migrated)
        weakref.finalize(self, self._connection.close)  # many clients never call close()
        # Clients share a transport between threads, and one thread at a time may write.
        self._lock = threading.Lock()

    def emit(self, event: Event) -> None:
        """Write ``event``. Raises InvalidEvent or DatabaseError if it was not written."""
        text = Serde.to_json(event)
        with self._lock:
            try:
                # An idle connection may have been closed. Retrying is safe, because an event is
                # stored once.
                self._connection.run_retrying(lambda conn: write_events(conn, [text]))
            except BaseException:
                # The state of the connection is unknown; the next event opens a new one.
                self._connection.close()
                raise

    def close(self, timeout: float = -1) -> bool:
        """Wait up to ``timeout`` seconds for an event that is being written, then close.

        A negative timeout waits without limit. Returns whether the transport was closed.
        """
        if not self._lock.acquire(timeout=timeout):
            return False
        try:
            self._connection.close()
        finally:
            self._lock.release()
        return True
