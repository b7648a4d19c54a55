"""What a set of events says together: one merged value for each thing they speak of.

Every merge here is one of least, greatest and union, as are those in the database. So the values,
and with them the graph, depend on no order, no duplicates and no cutting into batches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import Raw

from lineage.openlineage import DatasetEvent, JobEvent, RunEvent, column_lineage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.graph.log import Entry
    from lineage.openlineage import ColumnLineage, Dataset, Facets, Job, Parent
    from lineage.openlineage.events import Name

# The order of states, as lineage.state_rank() has it.
_RANK = {None: 0, "OTHER": 1, "START": 2, "RUNNING": 3, "COMPLETE": 4, "ABORT": 5, "FAIL": 6}
_ENDS = frozenset(("COMPLETE", "ABORT", "FAIL"))

# Facets of a dataset that say what one run did, not what the dataset is.
_OF_THE_RUN = ("version", "lifecycleStateChange")
_NULL = Raw(b"null")
_PLACES = [f" {place:06}" for place in range(100)]


@dataclass(slots=True)
class Seen:
    """First and last time of mention, and of each facet the newest body with its stamp."""

    first: str | None = None
    last: str | None = None
    facets: dict[str, tuple[str, Raw]] = field(default_factory=dict)

    def at(self, time: str) -> None:
        """Note a mention."""
        if self.first is None or time < self.first:
            self.first = time
        if self.last is None or time > self.last:
            self.last = time

    def state(self, stamp: str, facets: Facets) -> None:
        """Note facets; where one was noted before, the greater stamp wins."""
        mine = self.facets
        for name, body in facets.items():
            noted = mine.get(name)
            if (noted is None or noted[0] < stamp) and body != _NULL:
                mine[name] = (stamp, body)


@dataclass(slots=True)
class SeenRun(Seen):
    """A run: beside its mentions how far it is known to have come."""

    state_: str | None = None
    started: str | None = None
    ended: str | None = None

    def became(self, state: str | None, time: str) -> None:
        """Note a state: an end beats all else, a later end an earlier one, then the worse news."""
        ended = time if state in _ENDS else None
        if state == "START" and (self.started is None or time < self.started):
            self.started = time
        if (ended or "", _RANK[state]) > (self.ended or "", _RANK[self.state_]):
            self.state_, self.ended = state, ended


@dataclass(slots=True)
class Batch:
    """Merged values by natural key."""

    datasets: dict[Name, Seen] = field(default_factory=dict)
    aliases: dict[tuple[Name, Name], str] = field(default_factory=dict)  # (alias, owner): claimed
    jobs: dict[Name, Seen] = field(default_factory=dict)
    runs: dict[str, SeenRun] = field(default_factory=dict)
    executions: dict[tuple[str, Name], Seen] = field(default_factory=dict)
    parents: set[tuple[str, str]] = field(default_factory=set)  # (child, parent)
    accesses: dict[tuple[str, Name, Name, bool], Seen] = field(default_factory=dict)
    mappings: dict[tuple[Name, bytes], ColumnLineage] = field(default_factory=dict)
    # By run, job and output the newest stamp and the digest of the mapping.
    mapped: dict[tuple[str, Name, Name], tuple[str, bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Batch:
        """Return what ``entries`` say together."""
        batch = cls()
        for entry in entries:
            batch._add(entry)
        return batch

    def _add(self, entry: Entry) -> None:
        event, stamp = entry.event, entry.stamp
        if isinstance(event, RunEvent):
            self._run_event(event, stamp)
        elif isinstance(event, JobEvent):
            # What a job is meant to read and write is no run: see docs/decisions/static-lineage.md.
            self._job(event.job, event.time, stamp)
            for place, dataset in enumerate((*event.inputs, *event.outputs)):
                self._dataset(dataset, event.time, _placed(stamp, place))
        elif isinstance(event, DatasetEvent):
            self._dataset(event.dataset, event.time, stamp)

    def _run_event(self, event: RunEvent, stamp: str) -> None:
        time, run_id, job = event.time, event.run_id, event.job.key
        self._job(event.job, time, stamp)
        run = self._run(run_id)
        run.at(time)
        run.became(event.type, time)
        run.state(stamp, event.run_facets)
        _seen(self.executions, (run_id, job)).at(time)
        if event.parent:
            self._parent(run_id, event.parent, time)
        for place, dataset in enumerate((*event.inputs, *event.outputs)):
            placed = _placed(stamp, place)
            self._dataset(dataset, time, placed)
            output = place >= len(event.inputs)
            access = _seen(self.accesses, (run_id, job, dataset.key, output))
            access.at(time)
            if dataset.access_facets:
                access.state(placed, dataset.access_facets)
            if of_the_run := _of_the_run(dataset.facets):
                access.state(placed, of_the_run)
            if output and dataset.facets.get("columnLineage", _NULL) != _NULL:
                self._mapping((run_id, job, dataset.key), dataset, time, placed)

    def _mapping(
        self, key: tuple[str, Name, Name], dataset: Dataset, time: str, stamp: str
    ) -> None:
        said = column_lineage(bytes(dataset.facets["columnLineage"]))
        for source in said.sources:
            _seen(self.datasets, source).at(time)
        # One that is not the newest names columns too.
        self.mappings[key[2], said.digest] = said
        if key not in self.mapped or self.mapped[key][0] < stamp:
            self.mapped[key] = (stamp, said.digest)

    def _run(self, run_id: str) -> SeenRun:
        run = self.runs.get(run_id)
        if run is None:
            run = self.runs[run_id] = SeenRun()
        return run

    def _parent(self, child: str, parent: Parent, time: str) -> None:
        """Note that a run has a parent. Of the parent's own times this says nothing."""
        self._run(parent.run_id)
        if parent.run_id != child:
            self.parents.add((child, parent.run_id))
        if parent.job:
            _seen(self.jobs, parent.job).at(time)
            _seen(self.executions, (parent.run_id, parent.job))

    def _job(self, job: Job, time: str, stamp: str) -> None:
        seen = _seen(self.jobs, job.key)
        seen.at(time)
        seen.state(stamp, job.facets)

    def _dataset(self, dataset: Dataset, time: str, stamp: str) -> None:
        seen = _seen(self.datasets, dataset.key)
        seen.at(time)
        seen.state(stamp, dataset.facets)
        for alias in dataset.aliases:
            _seen(self.datasets, alias)
            claim = (alias, dataset.key)
            if self.aliases.get(claim, "") < time:
                self.aliases[claim] = time


def _seen(things: dict[Any, Seen], key: object) -> Seen:
    thing = things.get(key)
    if thing is None:
        thing = things[key] = Seen()
    return thing


def _placed(stamp: str, place: int) -> str:
    """Return a stamp for one of an event's datasets: one stated twice is as it was stated last."""
    return stamp + (_PLACES[place] if place < len(_PLACES) else f" {place:06}")


def _of_the_run(facets: Facets) -> Facets:
    return {name: facets[name] for name in _OF_THE_RUN if name in facets}
