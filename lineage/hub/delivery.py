"""Pass batches to a sink; retry, keep them on disk, and send them when the sink accepts again."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from lineage.hub.configuration import LOG
from lineage.hub.loading import loading_modules
from lineage.hub.report import REJECTED, SENT, SPOOLED, Rejected, TryLater
from lineage.hub.spool import Spool
from lineage.naming import redact_url

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lineage.hub.emitted import Emitted

_JITTER = 0.2
_MAX_REASON_LENGTH = 300


class LineageSink(Protocol):
    """A destination of events. Its methods are called in one thread, which is its own.

    ``largest_batch``, an optional attribute: the number of events that it accepts at once, if that
    is more than the configured batch.
    """

    def init(self, settings: Mapping[str, str]) -> None:
        """Prepare for events. ``settings``: the environment. Any exception means: try later."""

    def accept(self, events: Sequence[Any]) -> None:
        """Deliver ``events``, each a LineageEvent, a RunEvent or a document of OpenLineage.

        Raises Rejected for events that will never be accepted. Any other exception means that all
        ``events`` are passed again.
        """

    def shutdown(self) -> None:
        """Release everything, once no events follow."""


MakeSink = Callable[[], LineageSink]
Settle = Callable[[Sequence["Emitted"], str], None]


@dataclass(frozen=True)
class Retries:
    """Seconds: the first pause, the longest, all for one batch, and between attempts after that."""

    first: float = 0.5
    longest: float = 30.0
    total: float = 300.0
    probe: float = 30.0


class Control(Protocol):
    """The interface of a lane to its deliveries."""

    def settle_in_flight(self, events: Sequence[Emitted], outcome: str) -> None: ...

    def should_spool(self) -> bool:
        """Whether waiting would cost more events than the disk."""

    def is_abandoned(self) -> bool:
        """Whether shutdown() has settled the batch."""

    def pause_delivery(self, seconds: float) -> None: ...


class Delivery:
    """Delivers the batches of one sink. Only ``spool_events`` may be called in any thread.

    While the breaker is open, batches go to the spool, and one is tried in ``Retries.probe``.
    """

    def __init__(
        self, sink_id: str, make: MakeSink, directory: Path, environment: Mapping[str, str],
        retries: Retries,
    ) -> None:  # fmt: skip
        self.spool = Spool(directory, sink_id)
        self._sink_id = sink_id
        self._make = make
        self._environment = environment
        self._retries = retries
        self._sink: LineageSink | None = None
        self._is_broken = False
        self._next_probe = 0.0
        self._has_reported_failure = False
        self._has_reported_loss = False

    def largest_batch(self) -> int:
        """Return the number of events that the sink accepts at once; 0 if it states none."""
        largest = getattr(self._sink, "largest_batch", 0)
        return largest if isinstance(largest, int) else 0

    def deliver_batch(self, batch: Sequence[Emitted], lane: Control) -> None:
        """Deliver ``batch``, or spool it. Returns when each event is settled."""
        with loading_modules():
            rest = self._prepare_batch(batch, lane)
        began, pause = time.monotonic(), self._retries.first
        while rest and not lane.is_abandoned():
            if self._must_wait() and self.spool_events(rest, lane.settle_in_flight):
                return
            try:
                self._accept_events([each.prepare_event() for each in rest])
            except Rejected as rejection:
                rejected = self._find_rejected(rest, rejection)
                if rejected:
                    lane.settle_in_flight([*rejected], REJECTED)
                    rest = [each for each in rest if each not in rejected]
                    continue
                error: Exception = rejection
            except Exception as failure:  # noqa: BLE001 - sinks raise any exception
                error = failure
            else:
                lane.settle_in_flight(rest, SENT)
                self._is_broken = False
                return
            is_overdue = time.monotonic() - began >= self._retries.total
            if self._is_broken or is_overdue or lane.should_spool():
                self._open_breaker(error)
                if self.spool_events(rest, lane.settle_in_flight):
                    return
            least = error.seconds if isinstance(error, TryLater) else 0.0
            lane.pause_delivery(max(least, pause * random.uniform(1 - _JITTER, 1 + _JITTER)))
            pause = min(2 * pause, self._retries.longest)

    def _prepare_batch(self, batch: Sequence[Emitted], lane: Control) -> list[Emitted]:
        """Return the events that can be read; the others are rejected."""
        readable: list[Emitted] = []
        for each in batch:
            try:
                each.prepare_event()
                readable.append(each)
            except Rejected as rejection:
                self._report_rejection(rejection.reason)
                lane.settle_in_flight([each], REJECTED)
        return readable

    def _accept_events(self, events: Sequence[Any]) -> None:
        if self._sink is not None:
            self._sink.accept(events)
            return
        with loading_modules():  # sinks import modules until they have accepted a batch
            sink = self._make()
            sink.init(self._environment)
            self._sink = sink
            sink.accept(events)

    def spool_events(self, events: Sequence[Emitted], settle: Settle) -> bool:
        """Append ``events`` to the spool; settle none and return False if there is no room."""
        lines: dict[Emitted, bytes] = {}
        invalid: list[Emitted] = []
        for each in events:
            try:
                lines[each] = each.encode_line()
            except Rejected as rejection:
                self._report_rejection(rejection.reason)
                invalid.append(each)
        if not self.spool.append_lines(list(lines.values())):
            return False
        for settled, outcome in ((list(lines), SPOOLED), (invalid, REJECTED)):
            if settled:
                settle(settled, outcome)
        return True

    def resend_part(self, count: int) -> tuple[int, int]:
        """Send up to ``count`` events of the spool; return the number of sent and rejected ones."""
        if self.spool.is_empty or self._must_wait():
            return 0, 0
        try:
            lines = self.spool.read_unsent(count)
            rejected = self._resend_lines(lines)
        except Exception as error:  # noqa: BLE001 - sinks raise any exception
            self._open_breaker(error)
            return 0, 0
        self.spool.mark_sent(lines)
        self._is_broken = False
        if self.spool.is_empty:
            self._has_reported_failure = False
            LOG.warning(
                'Sink "%s" takes events again; those from the spool were sent.', self._sink_id
            )
        return len(lines) - rejected, rejected

    def _resend_lines(self, lines: Sequence[bytes]) -> int:
        """Send lines of the spool; return the number of rejected ones."""
        documents = [json.loads(line) for line in lines]
        while documents:
            try:
                self._accept_events(documents)
                break
            except Rejected as rejection:
                rejected = {id(event) for event, _ in rejection.rejected_events}
                rest = [each for each in documents if id(each) not in rejected]
                if len(rest) == len(documents):
                    raise
                for _, reason in rejection.rejected_events:
                    self._report_rejection(reason)
                documents = rest
        return len(lines) - len(documents)

    def seconds_to_resend(self) -> float | None:
        """Return the time until the spool is tried; None if it is empty."""
        if self.spool.is_empty:
            return None
        return max(0.0, self._next_probe - time.monotonic()) if self._is_broken else 0.0

    def _must_wait(self) -> bool:
        return self._is_broken and time.monotonic() < self._next_probe

    def _open_breaker(self, error: Exception) -> None:
        self._is_broken = True
        self._next_probe = time.monotonic() + self._retries.probe
        if not self._has_reported_failure:
            self._has_reported_failure = True
            LOG.warning(
                'Sink "%s" does not accept events: %s. They are stored in %s. Ingest them:'
                " lineage ingest %s",
                self._sink_id,
                _describe_error(error),
                self.spool.directory,
                self.spool.directory,
            )

    def report_loss(self) -> None:
        """Log, once, that neither sink nor spool accept events."""
        if not self._has_reported_loss:
            self._has_reported_loss = True
            LOG.error('Events of sink "%s" are lost: %s.', self._sink_id, self.spool.error)

    def _report_rejection(self, reason: str) -> None:
        LOG.error('Sink "%s" rejected an event: %s.', self._sink_id, reason.rstrip("."))

    def _find_rejected(self, batch: Sequence[Emitted], rejection: Rejected) -> dict[Emitted, None]:
        """Return those of ``batch`` that the sink rejected, and report each."""
        passed = {id(each.prepare_event()): each for each in batch}
        rejected: dict[Emitted, None] = {}
        for event, reason in rejection.rejected_events:
            if emitted := passed.get(id(event)):
                rejected[emitted] = None
                self._report_rejection(reason)
        return rejected

    def close_sink(self) -> None:
        """Shut the sink down, if it was started."""
        sink, self._sink = self._sink, None
        if sink is None:
            return
        try:
            sink.shutdown()
        except Exception as error:  # noqa: BLE001 - sinks raise any exception
            LOG.warning('Sink "%s" failed to shut down: %s.', self._sink_id, _describe_error(error))


def _describe_error(error: Exception) -> str:
    """Return the message of an error on one line, without secrets."""
    text = redact_url(" ".join(str(error).split())) or type(error).__name__
    return text[:_MAX_REASON_LENGTH].rstrip(".")
