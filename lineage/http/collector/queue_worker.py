"""A thread that processes a queue of the database beside the requests."""

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

# The interval of polling, for entries that another process queued or left behind when it ended.
POLL_SECONDS = 1.0
_AFTER_ERROR_SECONDS = 5.0
# Each batch has a fixed cost. After a small batch the worker therefore waits for more entries, the
# longer the larger the batch was, while entries arrive. A single event is projected soon,
# and none of many waits much longer than a second.
_GATHER_SECONDS = 0.2
_GATHER_SECONDS_EACH = 0.002
_MAX_GATHER_SECONDS = 1.0
_QUIET_SECONDS = 0.05


class QueueWorker:
    """Processes a queue until it is empty, and again when it is woken."""

    def __init__(
        self,
        dsn: str | None,
        task: str,
        work: Callable[[psycopg.Connection[Any]], int],
        done: Callable[[], None] = lambda: None,
        *,
        poll_seconds: float = POLL_SECONDS,
        enough: int = 0,
    ) -> None:
        """``work`` processes a batch and returns its size; ``done`` is called after each batch.

        ``task`` names the thread and the work in messages. After a batch smaller than ``enough``,
        the worker waits for more entries.
        """
        self._task = task
        self._poll_seconds = poll_seconds
        self._enough = enough
        self._connection = ReconnectingConnection(dsn)
        self._work = work
        self._done = done
        self._logged = ""  # the last error, which is logged once until the work succeeds
        self._woken = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work_queue, name=f"lineage-{task}")
        self._thread.start()

    def wake(self) -> None:
        """Report that the queue has entries."""
        self._woken.set()

    def close(self) -> None:
        """End after the current batch. The next process continues with the pending entries."""
        self._closing.set()
        self._woken.set()
        self._thread.join()
        self._connection.close()

    def _work_queue(self) -> None:
        while not self._closing.is_set():
            self._woken.clear()
            pause = self._process_batch()
            if pause and not self._closing.is_set():
                self._woken.wait(pause)

    def _process_batch(self) -> float:
        """Process a batch, and return the seconds to wait before the next one."""
        try:
            count = self._connection.run_retrying(self._work)
            self._logged = ""
            if not count:
                return self._poll_seconds
        except Exception as error:
            if str(error) != self._logged:
                known = isinstance(error, LineageError)
                LOG.error("The %s failed: %s", self._task, error, exc_info=not known)
                self._logged = str(error)
            return _AFTER_ERROR_SECONDS
        self._done()
        if count < self._enough:
            self._wait_for_more(
                min(_GATHER_SECONDS + count * _GATHER_SECONDS_EACH, _MAX_GATHER_SECONDS)
            )
        return 0

    def _wait_for_more(self, seconds: float) -> None:
        """Wait until no more entries arrive, at most ``seconds``."""
        end = time.monotonic() + seconds
        self._closing.wait(_GATHER_SECONDS)
        while self._woken.is_set() and time.monotonic() < end and not self._closing.is_set():
            self._woken.clear()
            self._closing.wait(_QUIET_SECONDS)
