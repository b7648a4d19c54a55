"""Reports of ``flush`` and ``shutdown``, and the errors that a sink raises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typing_extensions import Self

T = TypeVar("T")

SENT, REJECTED, DROPPED, SPOOLED = "sent", "rejected", "dropped", "spooled"


class Rejected(Exception):
    """Raised by a sink for events that it will never accept; the other events are sent again.

    ``event``: the object that the sink was passed. ``others``: further events, each with its
    reason.
    """

    def __init__(self, event: Any, reason: str, others: Sequence[tuple[Any, str]] = ()) -> None:
        super().__init__(reason)
        self.event = event
        self.reason = reason
        self.others = tuple(others)

    @classmethod
    def for_all(cls, rejections: Sequence[tuple[Any, str]]) -> Self:
        """Return the error for one or more events, each with its reason."""
        (event, reason), *others = rejections
        return cls(event, reason, others)

    @property
    def rejected_events(self) -> tuple[tuple[Any, str], ...]:
        """All rejected events, each with its reason."""
        return ((self.event, self.reason), *self.others)


def map_events(function: Callable[[Any], T], events: Iterable[Any]) -> list[T]:
    """Return the result of ``function`` for each event. Raises Rejected for all that it rejects."""
    results: list[T] = []
    rejections: list[tuple[Any, str]] = []
    for event in events:
        try:
            results.append(function(event))
        except Rejected as rejection:
            rejections += rejection.rejected_events
    if rejections:
        raise Rejected.for_all(rejections)
    return results


class TryLater(Exception):
    """Raised by a sink whose destination asks for a pause of ``seconds``."""

    def __init__(self, reason: str, seconds: float) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class SinkReport:
    """The number of events for a sink, by outcome.

    ``emitted`` is the sum of the others. ``waiting``: in the queue or being sent. ``spooled``: kept
    on disk and not sent since.
    """

    emitted: int = 0
    sent: int = 0
    rejected: int = 0
    dropped: int = 0
    spooled: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """The counts of each sink, by its id.

    ``is_done``: whether no event that was emitted before the call is waiting.
    """

    sinks: Mapping[str, SinkReport] = field(default_factory=dict)
    is_done: bool = True
