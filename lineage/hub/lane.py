"""The queue and the thread of one sink."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from lineage.hub.configuration import LOG
from lineage.hub.delivery import Delivery
from lineage.hub.journal import Journal
from lineage.hub.queue import EventQueue
from lineage.hub.report import DROPPED, REJECTED, SENT, SPOOLED, SinkReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.hub.configuration import Settings
    from lineage.hub.delivery import MakeSink, Retries
    from lineage.hub.emitted import Emitted

# Threads of sinks. Their events are ignored, so that a sink does not receive its own.
SINK_THREADS: set[int] = set()
_SUM_SECONDS = 60.0
_MAX_BATCH_FACTOR = 10
_SPOOL_BATCH = 1000
_STOPPING_SECONDS = 0.5  # the longest pause between attempts while the lane stops


class Lane:
    """Passes events to one sink. Nothing that the sink does affects another lane or the program.

    Each event is settled once: as sent, rejected, dropped or spooled. Until then it is in the queue
    or in ``_in_flight``, the batch of the thread. The counts change under the lock only.
    """

    def __init__(self, sink_id: str, make: MakeSink, settings: Settings, retries: Retries) -> None:
        self.sink_id = sink_id
        self._settings = settings
        self._capacity, self._batch_size = settings.capacity, settings.batch_size
        self._queue = EventQueue()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._delivery = Delivery(sink_id, make, settings.spool, os.environ, retries)
        self._journal = Journal(settings.spool, sink_id) if settings.durable else None
        self._thread: threading.Thread | None = None
        self._in_flight: list[Emitted] = []
        self._first_in_flight = 0
        self._oldest = 0.0
        self._hurries_to = 0  # events up to this position are not held for the linger
        self._stopping = False
        self._has_ended = False
        self._is_emptied = False  # events in flight are settled; the thread may still return
        self._counts = dict.fromkeys((SENT, REJECTED, DROPPED, SPOOLED), 0)
        self._emitted = 0
        self._reported_drops = 0
        self._next_sum = 0.0

    def put_event(self, emitted: Emitted, *, protected: bool) -> None:
        """Append an event. It never waits for the sink."""
        if protected and self._journal is not None:
            self._journal.record_event(emitted)
        with self._lock:
            self._emitted += 1
            queue = self._queue
            waiting = queue.size
            if waiting < self._capacity:
                queue.append_event(emitted, protected=protected)
                if waiting == 0:
                    self._oldest = time.monotonic()
                    self._start_thread()
                    self._changed.notify_all()
                elif waiting + 1 == self._batch_size:
                    self._changed.notify_all()
                return
            displaced = queue.displace_event() if protected and not self._stopping else None
            if displaced is not None:
                queue.append_event(emitted, protected=True)
        lost = displaced or emitted
        # A file is the last place for a protected event that no other event can give way to.
        if lost is not emitted or not protected or not self._spool_one(emitted):
            self._settle_events([lost], DROPPED)
            self._log_drops()

    def _spool_one(self, emitted: Emitted) -> bool:
        return self._delivery.spool_events([emitted], self._settle_events)

    def _settle_events(self, events: Sequence[Emitted], outcome: str) -> None:
        """Count events that are in no batch, and notify their waiters."""
        with self._lock:
            self._counts[outcome] += len(events)
            self._changed.notify_all()
        if self._journal is not None:
            self._journal.settle_events(events)
        for each in events:
            each.settle_sink(self.sink_id, outcome)

    def _log_drops(self, *, at_end: bool = False) -> None:
        """Log the first drop, then sums once a minute, and the rest at the end."""
        now = time.monotonic()
        with self._lock:
            dropped = self._counts[DROPPED]
            since = dropped - self._reported_drops
            if not since or (now < self._next_sum and not at_end):
                return
            is_first = self._reported_drops == 0 and not at_end
            self._reported_drops, self._next_sum = dropped, now + _SUM_SECONDS
        if is_first:
            LOG.warning(
                'Sink "%s" does not keep up: its queue of %d is full. Events are dropped; START,'
                " COMPLETE, FAIL and ABORT are not.",
                self.sink_id,
                self._settings.capacity,
            )
        else:
            period = "since the last message" if at_end else "in the last minute"
            LOG.warning(
                'Sink "%s" has dropped %s events %s, %s in all.',
                self.sink_id,
                f"{since:,}",
                period,
                f"{dropped:,}",
            )

    def _start_thread(self) -> None:
        if self._thread is None and not self._has_ended:
            thread = threading.Thread(
                target=self._run_thread, name=f"lineage-sink-{self.sink_id}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError:
                return  # the interpreter is ending; shutdown() spools the queue
            self._thread = thread

    def _run_thread(self) -> None:
        SINK_THREADS.add(threading.get_ident())
        try:
            while (batch := self._next_batch()) is not None:
                self._delivery.deliver_batch(batch, self)
                self._resend_part()
        except BaseException as error:  # noqa: BLE001 - it ends this lane alone
            LOG.error('Sink "%s" has ended and gets nothing more: %r.', self.sink_id, error)
            with self._lock:
                self._has_ended, self._capacity = True, 0
            self._empty_queue()
        finally:
            self._delivery.close_sink()
            SINK_THREADS.discard(threading.get_ident())

    def _next_batch(self) -> list[Emitted] | None:
        """Wait for a batch, which is empty if the spool is to be sent; None at the end."""
        with self._lock:
            while True:
                if self._queue.size:
                    seconds = self._seconds_to_batch()
                    if seconds <= 0:
                        return self._take_batch()
                    self._changed.wait(seconds)
                elif self._stopping:
                    return None
                else:
                    to_resend = self._delivery.seconds_to_resend()
                    if to_resend is not None and to_resend <= 0:
                        return []
                    self._changed.wait(to_resend)

    def _seconds_to_batch(self) -> float:
        """Return how long the events of the queue wait for others."""
        first = self._queue.first_position() or 0
        is_batch = self._queue.size >= self._batch_size
        if is_batch or self._stopping or first <= self._hurries_to:
            return 0.0
        return self._oldest + self._settings.linger_ms / 1000 - time.monotonic()

    def _take_batch(self) -> list[Emitted]:
        size = self._batch_size
        if self._queue.size > size:
            size = max(size, min(self._delivery.largest_batch(), size * _MAX_BATCH_FACTOR))
        self._first_in_flight, self._in_flight = self._queue.take_batch(size)
        self._oldest = time.monotonic()
        return list(self._in_flight)

    def _resend_part(self) -> None:
        sent, rejected = self._delivery.resend_part(self._batch_size)
        with self._lock:
            self._counts[SPOOLED] -= sent + rejected
            self._counts[SENT] += sent
            self._counts[REJECTED] += rejected

    def settle_in_flight(self, events: Sequence[Emitted], outcome: str) -> None:
        """Count events of the batch; nothing if shutdown() has settled them meanwhile."""
        with self._lock:
            if self._is_emptied:
                return
            if len(events) == len(self._in_flight):
                self._in_flight = []
            else:
                for each in events:
                    self._in_flight.remove(each)
        self._settle_events(events, outcome)

    def should_spool(self) -> bool:
        """Return whether the lane stops, or its queue is three quarters full."""
        with self._lock:
            return self._stopping or self._is_crowded()

    def is_abandoned(self) -> bool:
        """Return whether shutdown() has settled the batch, because its time was over."""
        return self._is_emptied

    def _is_crowded(self) -> bool:
        return self._queue.size * 4 >= self._capacity * 3

    def pause_delivery(self, seconds: float) -> None:
        """Wait before an attempt, unless the lane stops or its queue becomes crowded."""
        with self._lock:
            crowded, stopping = self._is_crowded(), self._stopping
            self._changed.wait_for(
                lambda: (
                    self._is_emptied
                    or (self._stopping and not stopping)
                    or (self._is_crowded() and not crowded)
                ),
                min(seconds, _STOPPING_SECONDS) if stopping else seconds,
            )

    def stop_lingering(self) -> int:
        """Send pending events without lingering; return the position of the last one."""
        with self._lock:
            self._hurries_to = self._queue.last_position
            self._changed.notify_all()
            return self._hurries_to

    def wait_settled(self, position: int, deadline: float) -> bool:
        """Wait until all events up to ``position`` are settled; return whether they are."""

        def is_settled() -> bool:
            in_flight = bool(self._in_flight) and self._first_in_flight <= position
            first = self._queue.first_position()
            return not in_flight and (first is None or first > position)

        with self._lock:
            return self._changed.wait_for(is_settled, max(0.0, deadline - time.monotonic()))

    def begin_stop(self) -> None:
        """Accept no more events, and send those of the queue."""
        with self._lock:
            self._stopping, self._capacity = True, 0
            self._changed.notify_all()

    def finish_stop(self, deadline: float) -> None:
        """Wait for the thread; events not delivered by ``deadline`` go to the spool."""
        try:
            if self._thread is not None and self._thread is not threading.current_thread():
                self._thread.join(max(0.0, deadline - time.monotonic()))
        finally:
            self._empty_queue()
            self._log_drops(at_end=True)
            self._delivery.spool.close_file()

    def _empty_queue(self) -> None:
        with self._lock:
            self._is_emptied = True
            self._changed.notify_all()
            _, waiting = self._queue.take_batch(self._queue.size)
            left, self._in_flight = [*self._in_flight, *waiting], []
        lost: list[Emitted] = []
        for start in range(0, len(left), _SPOOL_BATCH):
            part = left[start : start + _SPOOL_BATCH]
            if not self._delivery.spool_events(part, self._settle_events):
                lost += part
        if lost:
            self._delivery.report_loss()
            self._settle_events(lost, DROPPED)

    def report_counts(self) -> SinkReport:
        """Return the counts of the sink."""
        with self._lock:
            waiting = self._emitted - sum(self._counts.values())
            return SinkReport(self._emitted, **self._counts, waiting=waiting)
