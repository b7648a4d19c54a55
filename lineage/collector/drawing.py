"""Drawing what waits in the log, in a thread beside the requests."""

from __future__ import annotations

import logging
import threading

from lineage.collector.connection import Connection
from lineage.errors import LineageError
from lineage.graph import backlog

LOG = logging.getLogger(__name__)

# Another process may have queued something, or died while it drew.
_LOOK_SECONDS = 1.0
_AFTER_ERROR_SECONDS = 5.0


class Drawing:
    """Draws until nothing waits, and again when it is woken."""

    def __init__(self, dsn: str | None) -> None:
        self._connection = Connection(dsn)
        self._woken = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="lineage-drawing")
        self._thread.start()

    def wake(self) -> None:
        """Something waits."""
        self._woken.set()

    def close(self) -> None:
        """End after the batch at hand. What waits then is drawn by the next process."""
        self._is_closing = True
        self._woken.set()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while not self._is_closing:
            self._woken.clear()
            pause = self._draw()
            if pause and not self._is_closing:
                self._woken.wait(pause)

    def _draw(self) -> float:
        """Draw a batch; return how many seconds to wait for more."""
        try:
            return 0 if self._connection.do(backlog.draw) else _LOOK_SECONDS
        except Exception as error:
            known = isinstance(error, LineageError)
            LOG.error("The graph is not brought up to date: %s", error, exc_info=not known)
            return _AFTER_ERROR_SECONDS
