"""The bounded queue of a sink, in which starts and ends of runs displace other events."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.hub.emitted import Emitted


class EventQueue:
    """First in, first out. It is not locked.

    Protected events and others are in a queue each, with the position of each event: to displace
    the oldest unprotected event takes the same time at any length.
    """

    def __init__(self) -> None:
        self.size = 0
        self.last_position = 0
        self._protected: deque[tuple[int, Emitted]] = deque()
        self._others: deque[tuple[int, Emitted]] = deque()

    def append_event(self, emitted: Emitted, *, protected: bool) -> None:
        """Append an event, regardless of the capacity."""
        self.size += 1
        self.last_position += 1
        queue = self._protected if protected else self._others
        queue.append((self.last_position, emitted))

    def displace_event(self) -> Emitted | None:
        """Remove and return the oldest unprotected event; None if there is none."""
        if not self._others:
            return None
        self.size -= 1
        return self._others.popleft()[1]

    def first_position(self) -> int | None:
        """Return the position of the first event."""
        heads = [queue[0][0] for queue in (self._protected, self._others) if queue]
        return min(heads, default=None)

    def take_batch(self, count: int) -> tuple[int, list[Emitted]]:
        """Remove up to ``count`` events; return the position of the first, and the events."""
        first = self.first_position() or 0
        protected, others = self._protected, self._others
        batch: list[Emitted] = []
        while len(batch) < count and (protected or others):
            is_next = protected and (not others or protected[0][0] < others[0][0])
            batch.append((protected if is_next else others).popleft()[1])
        self.size -= len(batch)
        return first, batch
