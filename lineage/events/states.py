"""Merged states of datasets, jobs and runs: times, newest facets, state of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Raw, Struct, field

if TYPE_CHECKING:
    from lineage.openlineage import Facets

# Rank of states; equal to lineage.run_state_rank().
_RANK = {None: 0, "OTHER": 1, "START": 2, "RUNNING": 3, "COMPLETE": 4, "ABORT": 5, "FAIL": 6}
_ENDS = frozenset(("COMPLETE", "ABORT", "FAIL"))

# Bits of RunState.streamed: the job is a stream; the run is running.
STREAM, RUNNING = 1, 2

_NULL = Raw(b"null")


def run_end_order(state: str | None, time: str) -> str:
    """Return a text whose greatest belongs to the state of the run, by ``RunState.apply_state``."""
    return f"end {time} {_RANK[state]}" if state in _ENDS else str(_RANK[state])


class EntityState(Struct, gc=False):
    """First and last time of mention; facets: (revision, body) of the newest by name."""

    first: str | None = None
    last: str | None = None
    facets: dict[str, tuple[str, Raw]] = field(default_factory=dict)

    def mention_at(self, time: str) -> None:
        """Extend the period by a time."""
        if self.first is None or time < self.first:
            self.first = time
        if self.last is None or time > self.last:
            self.last = time

    def add_facets(self, revision: str, facets: Facets) -> None:
        """Merge facets; the greater revision of a facet wins."""
        mine = self.facets
        for name, body in facets.items():
            existing = mine.get(name)
            if (existing is None or existing[0] < revision) and body != _NULL:
                mine[name] = (revision, body)


class RunState(EntityState, gc=False):
    """The merged state of a run."""

    state_: str | None = None
    started: str | None = None
    ended: str | None = None
    streamed: int = 0

    def apply_state(self, state: str | None, time: str) -> None:
        """Merge a state: ends take precedence, then the later end, then the higher rank."""
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
    """First time, last time and greatest revision of events."""

    first: str
    last: str
    revision: str

    def add_events(self, first: str, last: str, revision: str) -> None:
        """Extend the period by that of other events."""
        if first < self.first:
            self.first = first
        if last > self.last:
            self.last = last
        if revision > self.revision:
            self.revision = revision
