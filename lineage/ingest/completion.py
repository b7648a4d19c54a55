"""Complete the work on a source that may never end: at intervals, and when it is idle."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
_END: Any = object()

IDLE_SECONDS = 1.0
INTERVAL_SECONDS = 5.0
# Pause after a completion, as a multiple of its duration: at most a tenth of the time is lost.
_PAUSES = 9


class Completion:
    """Calls ``complete`` while a caller processes the items of a source.

    It is called before an item if ``interval`` seconds, and nine times as long as the last such
    call took, have passed since that. It is called in a separate thread if no item has arrived for
    ``idle`` seconds, once until the next item arrives. It is never called while the caller
    processes an item. An exception in the thread is raised at the next item. ``clock``: returns the
    time in seconds.
    """

    def __init__(
        self,
        complete: Callable[[], None],
        *,
        idle: float = IDLE_SECONDS,
        interval: float = INTERVAL_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._complete = complete
        self._idle, self._interval, self._clock = idle, interval, clock
        # Held by the caller's thread except while it waits for an item.
        self._lock = threading.Lock()
        self._pending_since: float | None = None
        self._error: Exception | None = None
        self._ended = threading.Event()

    def watch_items(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items and call ``complete``; the thread ends with the iteration."""
        # A daemon, because an iteration that an error ended is closed only with its traceback.
        thread = threading.Thread(
            target=self._complete_when_idle, name="lineage-completion", daemon=True
        )
        iterator, due = iter(items), self._clock() + self._interval
        self._lock.acquire()
        thread.start()
        try:
            while (item := self._wait_for_item(iterator)) is not _END:
                if (began := self._clock()) >= due:
                    self._complete()
                    ended = self._clock()
                    due = ended + max(self._interval, _PAUSES * (ended - began))
                yield item
        finally:
            self._lock.release()
            self._ended.set()
            thread.join()

    def _wait_for_item(self, iterator: Iterator[T]) -> T:
        """Return the next item or ``_END``; meanwhile the thread may call ``complete``."""
        self._pending_since = self._clock()
        self._lock.release()
        try:
            item = next(iterator, _END)
        finally:
            self._lock.acquire()
            self._pending_since = None
        if self._error:
            raise self._error
        return item

    def _complete_when_idle(self) -> None:
        completed: float | None = None  # the beginning of the idle time
        while not (self._error or self._ended.wait(self._idle / 2)):
            since = self._pending_since
            if since is None or since == completed or self._clock() - since < self._idle:
                continue
            if not self._lock.acquire(blocking=False):
                continue
            try:
                if self._pending_since == since:
                    completed = since
                    self._complete()
            except Exception as error:  # noqa: BLE001, raised by the caller's thread
                self._error = error
            finally:
                self._lock.release()
