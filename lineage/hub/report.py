"""Reports of ``flush`` and ``shutdown``, and the errors that a sink raises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SENT, REJECTED, DROPPED, SPOOLED = "sent", "rejected", "dropped", "spooled"


class Rejected(Exception):
    """Raised by a sink for an event that it will never accept; the other events are sent again.

    ``event``: the object that the sink was passed.
    """

    def __init__(self, event: Any, reason: str) -> None:
        super().__init__(reason)
        self.event = event
        self.reason = reason


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
