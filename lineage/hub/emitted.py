"""An emitted event, in the queues of the sinks and in the hands of the caller."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

from lineage.hub.events import (
    ABORT,
    COMPLETE,
    FAIL,
    START,
    Kind,
    LineageEvent,
    Phase,
    RunEvent,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Generator, Sequence

    from lineage.hub.lane import Lane

# Events without which the state of a run is wrong: they are never dropped from a queue.
PROTECTED = (START, COMPLETE, FAIL, ABORT)
_PROTECTED_TEXT = re.compile(r'"eventType"\s*:\s*"(?:START|COMPLETE|FAIL|ABORT)"')


class Emitted:
    """An event. Awaited, it returns its outcome in each sink, as ``wait`` does.

    The outcomes are ``sent``, ``rejected``, ``dropped`` and ``spooled``, by the id of the sink.
    """

    __slots__ = ("_lanes", "_prepared", "_waiters", "event", "outcomes")

    def __init__(self, event: Any, lanes: Sequence[Lane]) -> None:
        self.event = event
        self.outcomes: dict[str, str] = {}
        self._lanes = lanes
        self._prepared: Any = None
        self._waiters: list[Callable[[], None]] | None = None

    def prepare_event(self) -> Any:
        """Return the event as sinks receive it. Raises Rejected."""
        if self._prepared is None:
            from lineage.hub.documents import prepare_event  # in the thread of a sink

            self._prepared = prepare_event(self.event)
        return self._prepared

    def encode_line(self) -> bytes:
        """Return the line of a spool. Raises Rejected."""
        from lineage.hub.documents import encode_document

        return encode_document(self.prepare_event()) + b"\n"

    def settle_sink(self, sink_id: str, outcome: str) -> None:
        """Record the outcome of the event in a sink; called once for each sink."""
        self.outcomes[sink_id] = outcome
        if self._waiters is not None and self._is_settled():
            for notify in list(self._waiters):
                notify()

    def _is_settled(self) -> bool:
        return len(self.outcomes) == len(self._lanes)

    def _on_settled(self, notify: Callable[[], None]) -> None:
        # First the waiter, then the check; ``settle_sink`` does the reverse. One of them notifies.
        if self._waiters is None:
            self._waiters = []
        self._waiters.append(notify)
        if self._is_settled():
            notify()
        for lane in self._lanes:
            lane.stop_lingering()

    def wait(self, timeout: float | None = None) -> dict[str, str]:
        """Wait until each sink has the event, up to ``timeout`` seconds; return the outcomes.

        A sink that is missing in the result still has it in its queue.
        """
        settled = threading.Event()
        self._on_settled(settled.set)
        settled.wait(timeout)
        return dict(self.outcomes)

    def __await__(self) -> Generator[Any, None, dict[str, str]]:
        import asyncio  # slow to import, and loaded already where there is something to await

        loop = asyncio.get_running_loop()
        settled: asyncio.Future[None] = loop.create_future()

        def resolve_future() -> None:
            if not settled.done():
                settled.set_result(None)

        def notify_loop() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(resolve_future)

        self._on_settled(notify_loop)
        yield from settled
        return dict(self.outcomes)


def is_protected(event: Any) -> bool:
    """Return whether ``event`` starts or ends a run. Raises TypeError if it is not an event."""
    kind = type(event)
    if kind is dict:
        return event.get("eventType") in PROTECTED
    if kind is RunEvent:
        return event.type in PROTECTED
    if kind is LineageEvent:
        phase = getattr(event.payload, "phase", None)
        return event.kind is Kind.RUN_LIFECYCLE and phase is not Phase.FINISHING
    if kind is str:
        return _PROTECTED_TEXT.search(event) is not None
    if kind is bytes:
        return _PROTECTED_TEXT.search(event.decode(errors="replace")) is not None
    if kind.__module__.startswith("openlineage.client."):
        state = getattr(event, "eventType", None)
        return getattr(state, "value", state) in PROTECTED
    raise TypeError(
        "The event is neither a LineageEvent, a RunEvent nor JSON of OpenLineage, but"
        f" {kind.__name__}."
    )
