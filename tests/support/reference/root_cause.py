"""Reference implementation of root cause analysis, computed from the list of events."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from support.reference.executions import Executions
from support.reference.graph import _key, in_order, write_mode
from support.reference.run_lineage import REPLACES

if TYPE_CHECKING:
    from support.reference.run_lineage import Log


class Causes:
    """The runs upstream of a run, and their faults."""

    def __init__(self, log: Log, texts: list[str], root: str) -> None:
        self.log = log
        self.said: dict[Any, list[str]] = {}  # (run, job): times of its events
        self.events = in_order(texts)
        self.executions = Executions(log.graph, self.events)
        for time, event in self.events:
            if "run" in event:
                who = event["run"]["runId"], _key(event["job"])
                self.said.setdefault(who, []).append(time)
        started = {root}
        while more := {k[1] for k in log.graph if k[0] == "PARENT" and k[2] in started} - started:
            started |= more
        level = [(run, job) for run in started for job in log._jobs(run)]
        self.behind: dict[Any, int] = dict.fromkeys(level, 0)  # (run, job): least distance
        self.reads: dict[Any, int] = {}  # (reader, job, dataset, version): least distance
        distance, done = 0, set(level)
        while level:
            distance += 1
            following = []
            for run, job in level:
                for (dataset, version), times in log.reads(run, job).items():
                    self.reads.setdefault((run, job, dataset, version), distance)
                    for who in log.seen(dataset, *times, version, run):
                        self.behind.setdefault(who, distance)
                        if not log.is_definition(*who, dataset):
                            following.append(who)
            level = [who for who in dict.fromkeys(following) if who not in done]
            done |= set(level)

    def stale(self) -> dict[Any, int]:
        """Return the least distance of each stale input: (run, job, dataset, fault)."""
        found: dict[Any, int] = {}
        for (reader, of, dataset, version), distance in self.reads.items():
            read_at, until = self.log.reads(reader, of)[dataset, version]
            seen = self.log.seen(dataset, read_at, until, version, reader, perhaps=True)
            jobs = {
                job for (_, job, side, name) in self.log.accesses
                if side == "outputs" and self.log.canonical[name] == dataset
            }  # fmt: skip
            for job in jobs:
                for run in self._last(dataset, job, read_at, reader):
                    if run in {who for who, _ in seen}:
                        continue
                    fault, over = self._fault(run, read_at)
                    if fault in ("running", "unended") and job in self.log.streams:
                        continue
                    replaced = any(
                        self._replaces(who, of_job, dataset)
                        and self.log.written(who, of_job, dataset, read_at, until, version, reader)
                        > over
                        for who, of_job in seen
                    )
                    if fault and not replaced:
                        key = run, job, dataset, fault
                        found[key] = min(distance, found.get(key, distance))
        return found

    def ended_badly(self) -> dict[Any, int]:
        """Return the distance of each (kind, run, job) that failed, was aborted or is unended."""
        found = {}
        own = [run for (run, _), distance in self.behind.items() if not distance]
        over = max((self.log.graph["Run", run].get("ended_at", "9") for run in own), default="9")
        for (run, job), distance in self.behind.items():
            told = self.log.graph["Run", run]
            state = told.get("state")
            if distance and state in ("FAIL", "ABORT") and told["ended_at"] > over:
                continue
            kind = {"FAIL": "failed", "ABORT": "aborted"}.get(str(state))
            if state in ("START", "RUNNING") and job not in self.log.streams:
                kind = "not ended"
            if kind:
                found[kind, run, job] = distance
        return found

    def _last(self, dataset: Any, job: Any, until: str, reader: str) -> list[str]:
        """Return the last run of ``job`` started by ``until`` with this output or none.

        Also the other runs of its execution, except those that a later one attempted again.
        """
        wanted = []
        for (run, of), times in self.said.items():
            outputs = {
                self.log.canonical[name]
                for (who, work, side, name) in self.log.accesses
                if (who, work, side) == (run, job, "outputs")
            }
            is_wanted = dataset in outputs or not outputs
            if of == job and run != reader and times[0] <= until and is_wanted:
                wanted.append((times[0], times[-1], run))
        if not wanted:
            return []
        last = max(wanted)[2]
        start = self.executions.start(last, job) or ""
        siblings = {each.run for each in self.executions.siblings(last, job)}
        execution = [each for each in wanted if each[0] >= start and each[2] in siblings]
        return [last] + [
            each[2]
            for each in execution
            if each[2] != last
            and not any(
                n > each and self._read(each[2], job) <= self._read(n[2], job) for n in execution
            )
        ]

    def _read(self, run: str, job: Any) -> set[Any]:
        return {dataset for dataset, _ in self.log.reads(run, job)}

    def _fault(self, run: str, read_at: str) -> tuple[str | None, str]:
        told = self.log.graph["Run", run]
        ended = told.get("ended_at")
        if ended is None:
            unended = told.get("state") in ("START", "RUNNING")
            return ("unended" if unended else None), told["event_time"]
        if ended > read_at:
            return "running", ended
        return {"FAIL": "failed", "ABORT": "aborted"}.get(told["state"]), ended

    def _items(self, run: str, job: Any, dataset: Any) -> list[tuple[str, Any]]:
        return [
            (time, item)
            for time, event in self.events
            if "run" in event and (event["run"]["runId"], _key(event["job"])) == (run, job)
            for item in event["outputs"]
            if self.log.canonical[_key(item)] == dataset
        ]

    def _replaces(self, run: str, job: Any, dataset: Any) -> bool:
        return write_mode([item for _, item in self._items(run, job, dataset)]) in REPLACES


def beyond(found: float, before: list[float], least: float) -> bool:
    """Return whether a value is far above earlier values, given newest first.

    ``least`` is the least difference that counts.
    """
    before = before[:20]
    if len(before) < 5:
        return False
    usual = median(before)
    return found > usual + max(4 * median(abs(b - usual) for b in before), usual / 2, least)


def below(found: float, before: list[float]) -> bool:
    """Return whether a value is far below earlier values, given newest first."""
    before = before[:20]
    if len(before) < 5:
        return False
    usual = median(before)
    return found < usual - max(4 * median(abs(b - usual) for b in before), usual / 2)
