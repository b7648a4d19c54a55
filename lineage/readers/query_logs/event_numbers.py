"""The numbers of events in files: gaps show events that the files do not have."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Gap(NamedTuple):
    """Missing numbers, and the times of the events before and after them."""

    first: int
    last: int
    after: str
    before: str

    def __str__(self) -> str:
        count = self.last - self.first + 1
        numbers = f"event {self.first}" if count == 1 else f"events {self.first} to {self.last}"
        return f"no {numbers} between {self.after} and {self.before}"


@dataclass(slots=True)
class _Span:
    """Consecutive numbers, and the times of the first and the last of them."""

    first: int
    last: int
    begin: str
    end: str


@dataclass
class EventNumbers:
    """The numbers of events as spans, in any order and with repetitions."""

    _spans: list[_Span] = field(default_factory=list)  # by their first number, without overlap

    def add_number(self, number: int, time: str) -> None:
        """Add the number of an event and its time, normalized."""
        place = bisect_right(self._spans, number, key=lambda span: span.first)
        before = self._spans[place - 1] if place else None
        if before is not None and number <= before.last:
            return
        after = self._spans[place] if place < len(self._spans) else None
        if before is not None and number == before.last + 1:
            before.last, before.end = number, time
            if after is not None and after.first == number + 1:
                before.last, before.end = after.last, after.end
                del self._spans[place]
        elif after is not None and number == after.first - 1:
            after.first, after.begin = number, time
        else:
            self._spans.insert(place, _Span(number, number, time, time))

    def find_gaps(self) -> Iterator[Gap]:
        """Yield the gaps. Numbers begin again when the server starts: this is no gap."""
        for before, after in pairwise(self._spans):
            if before.end <= after.begin:
                yield Gap(before.last + 1, after.first - 1, before.end, after.begin)
