"""What is merged of a dataset, a job or a run: mentions, newest facets, how far a run has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Raw, Struct, field

if TYPE_CHECKING:
    from lineage.openlineage import Facets

# The order of states, as lineage.run_state_rank() has it.
_RANK = {None: 0, "OTHER": 1, "START": 2, "RUNNING": 3, "COMPLETE": 4, "ABORT": 5, "FAIL": 6}
_ENDS = frozenset(("COMPLETE", "ABORT", "FAIL"))

# Bits of what events say of a run: that its job is a stream, that it is running.
STREAM, RUNNING = 1, 2

_NULL = Raw(b"null")


class EntityState(Struct, gc=False):
    """First and last time of mention, and of each facet the newest body with its stamp."""

    first: str | None = None
    last: str | None = None
    facets: dict[str, tuple[str, Raw]] = field(default_factory=dict)

    def mention_at(self, time: str) -> None:
        """Note a mention."""
        if self.first is None or time < self.first:
            self.first = time
        if self.last is None or time > self.last:
            self.last = time

    def add_facets(self, revision: str, facets: Facets) -> None:
        """Note facets; where one was noted before, the greater stamp wins."""
        mine = self.facets
        for name, body in facets.items():
            existing = mine.get(name)
            if (existing is None or existing[0] < revision) and body != _NULL:
                mine[name] = (revision, body)


class RunState(EntityState, gc=False):
    """A run: beside its mentions how far it is known to have come."""

    state_: str | None = None
    started: str | None = None
    ended: str | None = None
    streamed: int = 0

    def apply_state(self, state: str | None, time: str) -> None:
        """Note a state: an end beats all else, a later end an earlier one, then the worse news."""
        if state in _ENDS:
            if self.ended is None or (time, _RANK[state]) > (self.ended, _RANK[self.state_]):
                self.state_, self.ended = state, time
            return
        if state == "START" and (self.started is None or time < self.started):
            self.started = time
        elif state == "RUNNING":
            self.streamed |= RUNNING
        if self.ended is None and _RANK[state] > _RANK[self.state_]:
            self.state_ = state


class Period(Struct, gc=False):
    """First and last time, and the greatest stamp, of events."""

    first: str
    last: str
    revision: str

    def add_events(self, first: str, last: str, revision: str) -> None:
        """Note other events."""
        if first < self.first:
            self.first = first
        if last > self.last:
            self.last = last
        if revision > self.revision:
            self.revision = revision
