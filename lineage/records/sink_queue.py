"""A bounded queue and a thread for each sink: no sink delays the job or another sink."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.records.items import Item
    from lineage.records.reports import PipelineReport

BATCH_ITEMS = 1000
# Batches of write-through items that may be pending.
QUEUE_BATCHES = 64

logger = logging.getLogger(__name__)


class SinkResult(Struct, frozen=True, kw_only=True):
    """The items for one sink, by outcome.

    ``failed``: in batches for which the sink raised an error. ``dropped``: because its queue had
    reached its limit. ``pending``: when the capture ended. ``report``: whether it has the report.
    ``error``: the first error.
    """

    name: str
    recorded: int
    failed: int
    dropped: int
    pending: int
    report: bool
    error: str | None

    @property
    def is_complete(self) -> bool:
        """Whether the sink recorded all, and no error occurred."""
        return not (self.failed or self.dropped or self.pending or self.error)


class SinkQueue:
    """Passes batches to a sink in a thread of its own."""

    def __init__(self, name: str, sink: Any) -> None:
        """Start the thread."""
        self.name = name
        self._sink = sink
        self._changed = threading.Condition()
        self._batches: deque[Sequence[Item]] = deque()
        self._last: tuple[Sequence[Item], PipelineReport] | None = None
        self._accepted = self._recorded = self._failed = self._dropped = 0
        self._error: str | None = None
        self._has_report = False
        self._thread = threading.Thread(
            target=self._deliver_batches, name=f"lineage-sink-{name}", daemon=True
        )
        self._thread.start()

    def offer_batch(self, items: Sequence[Item]) -> None:
        """Enqueue items; drop them if the queue has reached its limit. Does not wait."""
        if not hasattr(self._sink, "record_items"):
            return
        with self._changed:
            self._accepted += len(items)
            if len(self._batches) >= QUEUE_BATCHES:
                self._dropped += len(items)
            else:
                self._batches.append(items)
                self._changed.notify()

    def finish_run(self, items: Sequence[Item], report: PipelineReport) -> None:
        """Hand over the last items and the report. Does not wait."""
        with self._changed:
            self._accepted += len(items) if hasattr(self._sink, "record_items") else 0
            self._last = (items, report)
            self._changed.notify()

    def wait_until(self, deadline: float) -> SinkResult:
        """Wait for the sink until a time of ``time.monotonic``, and return its result."""
        seconds = min(max(0.0, deadline - time.monotonic()), threading.TIMEOUT_MAX)
        self._thread.join(seconds)
        with self._changed:
            pending = self._accepted - self._recorded - self._failed - self._dropped
            result = SinkResult(
                name=self.name,
                recorded=self._recorded,
                failed=self._failed,
                dropped=self._dropped,
                pending=pending,
                report=self._has_report,
                error=self._error
                or ("it did not end in time" if self._thread.is_alive() else None),
            )
        if not result.is_complete:
            line = "The sink %s recorded %s of %s items: %s"
            logger.warning(
                line, self.name, result.recorded, self._accepted, result.error or "its queue was at"
                " its limit",
            )  # fmt: skip
        return result

    def _deliver_batches(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._batches or self._last)
                batch = self._batches.popleft() if self._batches else None
            if batch is None:
                break
            self._record_batch(batch)
        assert self._last is not None
        items, report = self._last
        if hasattr(self._sink, "record_items"):
            for start in range(0, len(items), BATCH_ITEMS):
                self._record_batch(items[start : start + BATCH_ITEMS])
        if hasattr(self._sink, "record_report") and self._call_sink("record_report", report):
            self._has_report = True
        if hasattr(self._sink, "close_sink"):
            self._call_sink("close_sink")

    def _record_batch(self, batch: Sequence[Item]) -> None:
        done = self._call_sink("record_items", batch)
        with self._changed:
            if done:
                self._recorded += len(batch)
            else:
                self._failed += len(batch)

    def _call_sink(self, method: str, *args: object) -> bool:
        """Call a method of the sink; return whether it succeeded."""
        try:
            getattr(self._sink, method)(*args)
        except BaseException as error:  # noqa: BLE001 - reported by wait_until
            self._error = self._error or f"{type(error).__name__}: {error}"
            return False
        return True
