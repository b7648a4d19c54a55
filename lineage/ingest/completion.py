"""Complete what was read of a source that may never end: regularly, and when it is silent."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
_END: Any = object()

SILENT_SECONDS = 1.0
REGULAR_SECONDS = 5.0


class Completion:
    """Calls ``complete`` while the items of a source are worked on.

    It is called before the next item if the last call is ``regular`` seconds ago, and in a separate
    thread if no item has come for ``silent`` seconds, once until the next item comes. It is never
    called while the caller works on an item. An error of the thread is raised with the next item.
    """

    def __init__(
        self,
        complete: Callable[[], None],
        *,
        silent: float = SILENT_SECONDS,
        regular: float = REGULAR_SECONDS,
    ) -> None:
        self._complete = complete
        self._silent, self._regular = silent, regular
        # Held by the caller's thread except while it waits for an item.
        self._lock = threading.Lock()
        self._waiting_since: float | None = None
        self._error: Exception | None = None
        self._ended = threading.Event()

    def watch_items(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items, and complete them; the thread ends with the iteration."""
        # A daemon, because an iteration that an error ended is closed only with its traceback.
        thread = threading.Thread(
            target=self._complete_when_silent, name="lineage-completion", daemon=True
        )
        iterator, completed = iter(items), time.monotonic()
        self._lock.acquire()
        thread.start()
        try:
            while (item := self._wait_for_item(iterator)) is not _END:
                if time.monotonic() - completed >= self._regular:
                    self._complete()
                    completed = time.monotonic()
                yield item
        finally:
            self._lock.release()
            self._ended.set()
            thread.join()

    def _wait_for_item(self, iterator: Iterator[T]) -> T:
        """Return the next item or ``_END``; meanwhile the thread may complete."""
        self._waiting_since = time.monotonic()
        self._lock.release()
        try:
            item = next(iterator, _END)
        finally:
            self._lock.acquire()
            self._waiting_since = None
        if self._error:
            raise self._error
        return item

    def _complete_when_silent(self) -> None:
        completed: float | None = None  # the beginning of the silence
        while not (self._error or self._ended.wait(self._silent / 2)):
            since = self._waiting_since
            if since is None or since == completed or time.monotonic() - since < self._silent:
                continue
            if not self._lock.acquire(blocking=False):
                continue
            try:
                if self._waiting_since == since:
                    completed = since
                    self._complete()
            except Exception as error:  # noqa: BLE001, raised by the caller's thread
                self._error = error
            finally:
                self._lock.release()
