"""Reference implementation of executions: the runs of a job that share a parent run."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from support.reference.graph import NO_ROWS, _canonical, _key, write_mode

if TYPE_CHECKING:
    from support.reference.graph import Graph

Name = tuple[str, str]


class Run(NamedTuple):
    """A run as a run of a job: first and last event time, and the times of its writes."""

    run: str
    first: str
    last: str
    writes: dict[Name, str]


class Executions:
    """The runs of a graph and its events, which are in order of time."""

    def __init__(self, graph: Graph, said: list[tuple[str, Any]]) -> None:
        self.graph = graph
        self.parents: dict[str, set[str]] = defaultdict(set)
        for _, child, parent in (key for key in graph if key[0] == "PARENT"):
            self.parents[child].add(parent)
        self.runs: dict[Name, list[Run]] = defaultdict(list)
        canonical = _canonical(said)
        events: dict[Any, list[Any]] = defaultdict(list)
        for time, event in (each for each in said if "run" in each[1]):
            events[event["run"]["runId"], _key(event["job"])].append((time, event))
        for (run, job), mine in events.items():
            outputs = [(time, d) for time, event in mine for d in event["outputs"]]
            writes: dict[Name, str] = {}
            for name in {_key(d) for _, d in outputs}:
                items = [(time, d) for time, d in outputs if _key(d) == name]
                if write_mode([d for _, d in items]) not in NO_ROWS:
                    last = max(time for time, _ in items)
                    writes[canonical[name]] = max(last, writes.get(canonical[name], ""))
            self.runs[job].append(Run(run, mine[0][0], mine[-1][0], writes))

    def siblings(self, run: str, job: Name) -> list[Run]:
        """Return the runs of a job that share a parent with a run."""
        return [each for each in self.runs[job] if self.parents[each.run] & self.parents[run]]

    def start(self, run: str, job: Name) -> str | None:
        """Return the first event of the execution of a run; None for a run without a parent.

        Each of its runs begins within 15 minutes after the one before it ended.
        """
        if not self.parents[run]:
            return None
        [start] = [each.first for each in self.runs[job] if each.run == run]
        before = [each for each in self.siblings(run, job) if each.first <= start]
        for each in sorted(before, key=lambda b: (b.first, b.last), reverse=True):
            if datetime.fromisoformat(each.last) + timedelta(minutes=15) < datetime.fromisoformat(
                start
            ):
                break
            start = each.first
        return start

    def last_write(self, dataset: Name, job: Name) -> str | None:
        """Return the time from which on runs show all that the job writes to the dataset."""
        good = [
            each
            for each in self.runs[job]
            if dataset in each.writes and self.graph["Run", each.run].get("state") == "COMPLETE"
        ]
        newest = max((each.writes[dataset] for each in good), default=None)
        return max(
            (
                min(each.last, self.start(each.run, job) or each.last)
                for each in good
                if each.writes[dataset] == newest
            ),
            default=None,
        )
