"""Work on a queue in the database, in a thread beside the requests."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from lineage.database.reconnecting import ReconnectingConnection
from lineage.errors import LineageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

LOG = logging.getLogger(__name__)

# Another process may have queued something, or died over its work.
LOOK_SECONDS = 1.0
_AFTER_ERROR_SECONDS = 5.0
# Parts have a price of their own, so after a small one more is waited for, the longer the more came
# meanwhile, as long as it comes. A lone event is soon there, and of many none waits much longer
# than a second.
_GATHER_SECONDS = 0.2
_GATHER_SECONDS_EACH = 0.002
_MOST_GATHER_SECONDS = 1.0
_QUIET_SECONDS = 0.05


class QueueWorker:
    """Works until nothing waits, and again when it is woken."""

    def __init__(
        self,
        dsn: str | None,
        work: Callable[[psycopg.Connection[Any]], int],
        done: Callable[[], None] = lambda: None,
        *,
        look_seconds: float = LOOK_SECONDS,
        enough: int = 0,
    ) -> None:
        """``work`` does a part and returns how much that was; ``done`` is called after each.

        After a part that was not ``enough`` more is waited for.
        """
        self._look_seconds = look_seconds
        self._enough = enough
        self._connection = ReconnectingConnection(dsn)
        self._work = work
        self._done = done
        self._woken = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lineage-background")
        self._thread.start()

    def wake(self) -> None:
        """Something waits."""
        self._woken.set()

    def close(self) -> None:
        """End after the part at hand. What waits then is for the next process."""
        self._closing.set()
        self._woken.set()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._woken.clear()
            pause = self._do_a_part()
            if pause and not self._closing.is_set():
                self._woken.wait(pause)

    def _do_a_part(self) -> float:
        """Return how many seconds to wait for more."""
        try:
            count = self._connection.run_retrying(self._work)
            if not count:
                return self._look_seconds
        except Exception as error:
            known = isinstance(error, LineageError)
            LOG.error("The graph is not brought up to date: %s", error, exc_info=not known)
            return _AFTER_ERROR_SECONDS
        self._done()
        if count < self._enough:
            self._wait_for_more(
                min(_GATHER_SECONDS + count * _GATHER_SECONDS_EACH, _MOST_GATHER_SECONDS)
            )
        return 0

    def _wait_for_more(self, seconds: float) -> None:
        """Wait for more, so long or until none comes."""
        end = time.monotonic() + seconds
        self._closing.wait(_GATHER_SECONDS)
        while self._woken.is_set() and time.monotonic() < end and not self._closing.is_set():
            self._woken.clear()
            self._closing.wait(_QUIET_SECONDS)
