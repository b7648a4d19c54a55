"""Reference implementation of job lineage, computed from the list of events."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from support.reference.declared import design_accesses
from support.reference.executions import Executions
from support.reference.graph import _canonical, _key, expected, in_order

Name = tuple[str, str]


class Step(NamedTuple):
    """A dataset written by ``source`` and read by ``target``; None is the end at a root dataset."""

    source: Name | None
    dataset: Name
    target: Name | None


class Run(NamedTuple):
    """A run of a job that did not fail: its reads and writes, and the time of its last event."""

    job: Name
    reads: frozenset[Name]
    writes: frozenset[Name]
    last: str


class Jobs:
    """The runs of a log, with queries over them."""

    def __init__(self, texts: list[str]) -> None:
        self.graph = graph = expected(texts)
        said = in_order(texts)
        self.executions = Executions(graph, said)
        canonical = _canonical(said)
        self.designed = design_accesses(said, canonical)
        events: dict[Any, list[Any]] = defaultdict(list)
        for time, event in said:
            if "run" in event:
                events[event["run"]["runId"], _key(event["job"])].append((time, event))
        self.runs = []
        for (run, job), mine in events.items():
            state = graph["Run", run].get("state")
            reads, writes = (
                frozenset(canonical[_key(d)] for _, e in mine for d in e[side])
                for side in ("inputs", "outputs")
            )
            if state not in ("FAIL", "ABORT"):
                self.runs.append(Run(job, reads, writes, max(t for t, _ in mine)))

    def unpaired_accesses(self) -> set[tuple[Name, Name, bool]]:
        """Return (dataset, job, output) of designs of jobs that only read or only write."""
        sides: dict[Name, set[bool]] = defaultdict(set)
        for _, job, output in self.designed:
            sides[job].add(output)
        return {each for each in self.designed if len(sides[each[1]]) == 1}

    def wrote(self, job: Name | None, dataset: Name) -> str | None:
        """Return the last event time of the runs of ``job`` that wrote ``dataset``."""
        mine = [run.last for run in self.runs if run.job == job and dataset in run.writes]
        return max(mine, default=None)

    def read(self, job: Name | None, dataset: Name) -> str | None:
        """Return the last event time of the runs of ``job`` that read ``dataset``."""
        mine = [run.last for run in self.runs if run.job == job and dataset in run.reads]
        return max(mine, default=None)

    def stale(self, step: Step) -> bool:
        """Return whether ``target`` has rewritten without the dataset all that it made of it."""
        job, last = step.target, self.read(step.target, step.dataset)
        made = {
            key[2] for key in self.graph if key[:2] == ("FEEDS", step.dataset) and key[3] == job
        }
        written = [self.executions.last_write(each, job) for each in made if job]
        return bool(made) and all(last and time and time > last for time in written)

    def trace(
        self, root: Name, is_job: bool, upstream: bool, depth: int | None
    ) -> tuple[dict[Name, int], dict[Step, int]]:
        """Return the distance of each job, and the least distance of each step."""
        jobs = {run.job for run in self.runs}
        distances: dict[Any, int] = {("job" if is_job else "dataset", root): 0}
        steps: dict[Step, int] = {}
        level: list[Any] = list(distances)
        while level and (depth is None or distances[level[0]] < depth):
            distance = distances[level[0]] + 1
            met = []
            for kind, near in level:
                for dataset in self._behind(kind, near, upstream, first=distance == 1):
                    for far in sorted(jobs):
                        if (self.wrote if upstream else self.read)(far, dataset):
                            job = near if kind == "job" else None
                            ends = (far, job) if upstream else (job, far)
                            steps.setdefault(Step(ends[0], dataset, ends[1]), distance)
                            if ("job", far) not in distances:
                                distances["job", far] = distance
                                met.append(("job", far))
            level = met
        return {name: at for (kind, name), at in distances.items() if at}, steps

    def _behind(self, kind: str, near: Name, upstream: bool, first: bool) -> set[Name]:
        """Return the datasets of the next step from ``near``.

        Upstream, jobs other than the root count the reads of runs that wrote; downstream, the
        writes of runs that read.
        """
        if kind == "dataset":
            return {near}
        mine = [run for run in self.runs if run.job == near]
        if upstream:
            return {d for run in mine if first or run.writes for d in run.reads}
        return {d for run in mine if first or run.reads for d in run.writes}
