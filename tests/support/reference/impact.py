"""Reference implementation of impact analysis, computed from the list of events."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from support.reference.declared import design_accesses, steps_with_columns
from support.reference.executions import Executions
from support.reference.graph import (
    NO_ROWS,
    _canonical,
    _key,
    _newest,
    expected,
    in_order,
    pairs_fed,
    write_mode,
)
from support.reference.lineage_facet import derivations

TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


class Used(NamedTuple):
    """Usage and owners of a dataset."""

    owners: list[str]
    tags: list[str]
    last_written: str | None
    last_read: str | None
    writes: int
    reads: int


class Log:
    """The events of a log, with queries over them."""

    def __init__(self, texts: list[str], days: int) -> None:
        self.graph = expected(texts)
        self.said = in_order(texts)
        self.canonical = _canonical(self.said)
        newest = datetime.strptime(self.said[-1][0], TIME)
        self.since = (newest - timedelta(days=days)).strftime(TIME)
        self.runs = [(time, event) for time, event in self.said if "run" in event]
        self.checks = {
            _key(event["job"]) for _, event in self.said
            if "job" in event and _job_type(event) == "TEST"
        }  # fmt: skip
        self.feeds = {key[1:] for key in self.graph if key[0] == "FEEDS"}
        self.derives = {key[1:4] for key in self.graph if key[0] == "DERIVES"}
        self.walked = self.feeds | {
            key[1:] for key in self.graph if key[0] == "DECLARED" and len(key) == len("dstj")
        }
        self.designed = design_accesses(self.said, self.canonical)
        self.columns = self.derives | {
            key[1:4] for key in self.graph if key[0] == "DECLARED" and len(key) > len("dstj")
        }

    def downstream(self, root: Any, depth: int | None) -> dict[Any, int]:
        """Return each dataset downstream of ``root`` with its distance."""
        found = {root: 0}
        for step in range(1, (depth or len(self.walked)) + 1):
            for source, target, _ in self.walked:
                if found.get(source) == step - 1:
                    found.setdefault(target, step)
        return found

    def derived(self, root: Any, depth: int | None) -> tuple[dict[Any, int], set[Any]]:
        """Return the columns and datasets derived from ``root``, and the edges to them.

        Columns have their distance; an edge is (distance, source, target, job).
        """
        found, steps = {root: 0}, set()
        # An edge may also start at a column of an affected dataset, and at a column that contains
        # an affected column or is contained in it.
        begins = {root: 0} | dict.fromkeys(self._around(root), 0)
        for number in range(1, (depth or len(self.graph)) + 1):
            for source, target, job in self.columns:
                if begins.get(source) == number - 1:
                    found.setdefault(target, number)
                    steps.add((number, source, target, job))
            for node, at in found.items():
                if at == number:
                    begins.setdefault(node, number)
                    for other in self._around(node):
                        begins.setdefault(other, number)
        return found, steps

    def _around(self, node: Any) -> list[Any]:
        """Return the columns of a dataset, or those that contain a column or are part of it."""
        columns = [key[1] for key in self.graph if key[0] == "Field" and key[1][:2] == node[:2]]
        if len(node) == 2:
            return columns
        return [
            each for each in columns
            if f"{each[2]}.".startswith(f"{node[2]}.") or f"{node[2]}.".startswith(f"{each[2]}.")
        ]  # fmt: skip

    def unsaid(self, datasets: set[Any]) -> set[Any]:
        """Return the edges from ``datasets`` of which nothing reports columns of the target.

        (source, job, None) is a job that reads a dataset, in a run or by its design, and produces
        nothing from it.
        """
        says = self._said_steps()
        makes = {(source, job) for source, _, job in self.feeds}
        planned = {(source, job) for source, _, job in self.walked}
        designed = {(of, job) for of, job, output in self.designed if not output} - planned
        return {(s, job, t) for s, t, job in self.walked - says if s in datasets} | {
            (s, job, None)
            for s in datasets
            for job in self.readers(s) | {job for of, job in designed if of == s}
            if (s, job) not in makes
        }

    def _said_steps(self) -> set[Any]:
        """Return the edges between datasets whose columns a run that makes them reports."""
        said = {(source[:2], target[:2], job) for source, target, job in self.derives}
        for run, job in {(e["run"]["runId"], _key(e["job"])) for _, e in self.runs}:
            mine = [
                (t, e) for t, e in self.runs if (e["run"]["runId"], _key(e["job"])) == (run, job)
            ]
            state = self.graph["Run", run]
            if state.get("state") in ("FAIL", "ABORT") and not state.get("contributing"):
                continue
            newest = {
                _key(d): d["facets"]["columnLineage"]
                for _, e in mine for d in e["outputs"] if "columnLineage" in d["facets"]
            }  # fmt: skip
            mapped = {self.canonical[key] for key, facet in newest.items() if derivations(facet)}
            said |= {(s, t, job) for s, t in pairs_fed(mine, self.canonical) if t in mapped}
        designed = steps_with_columns(self.said, self.canonical)
        return said | {
            (s, t, job) for s, t, job in self.walked
            if (s, t, job) in designed or (s, t, None) in designed
        }  # fmt: skip

    def used(self, dataset: Any) -> Used:
        """Return the usage of a dataset."""
        facets = _newest(d.get("facets", {}) for _, d in self._mentions(dataset))
        written = [
            (time, run) for time, run, _ in self.row_writes(dataset)
            if self.graph["Run", run].get("state") not in ("FAIL", "ABORT")
        ]  # fmt: skip
        read = [
            (time, run) for time, run, job in self._accesses(dataset, "inputs")
            if job not in self.checks
        ]  # fmt: skip
        return Used(
            _owners(facets),
            sorted(tag["key"] for tag in facets.get("tags", {}).get("tags", [])),
            max((time for time, _ in written), default=None),
            max((time for time, _ in read), default=None),
            len({run for time, run in written if time >= self.since}),
            len({run for time, run in read if time >= self.since}),
        )

    def readers(self, dataset: Any) -> set[Any]:
        """Return the jobs that read the dataset, also in failed runs."""
        return {job for _, _, job in self._accesses(dataset, "inputs")}

    def designed_readers(self, dataset: Any) -> set[Any]:
        """Return the jobs that read the dataset by their designs, and whose runs do not show it."""
        pairs = self.walked - self.feeds
        paired = {job for source, _, job in pairs if source == dataset and job}
        alone = {job for of, job, output in self.designed if of == dataset and not output}
        return paired | (alone - self.readers(dataset))

    def job(self, job: Any) -> tuple[list[str], int]:
        """Return the owners of a job, and the number of its runs in the window."""
        facets = _newest(
            event["job"].get("facets", {})
            for _, event in self.said
            if "job" in event and _key(event["job"]) == job
        )
        runs = defaultdict(list)
        for time, event in self.runs:
            if _key(event["job"]) == job:
                runs[event["run"]["runId"]].append(time)
        return _owners(facets), sum(max(times) >= self.since for times in runs.values())

    def executions(self, job: Any) -> dict[str, list[tuple[str, Any]]]:
        """Return the events of each run of a job, with their times."""
        runs: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        for time, event in self.runs:
            if _key(event["job"]) == job:
                runs[event["run"]["runId"]].append((time, event))
        return runs

    def last_success(self, job: Any) -> str | None:
        """Return the end of the last run that completed and wrote, or read if none wrote.

        If it has a parent, this is the beginning of the runs of the job under the parent.
        """
        completed = [
            (max(time for time, _ in events), run, events)
            for run, events in self.executions(job).items()
            if self.graph["Run", run].get("state") == "COMPLETE"
        ]
        wrote = [each for each in completed if any(e["outputs"] for _, e in each[2])]
        read = [each for each in completed if any(e["inputs"] for _, e in each[2])]
        last = max((each[:2] for each in wrote or read), default=None)
        executions = Executions(self.graph, self.said)
        return last and min(last[0], executions.start(last[1], job) or last[0])

    def last_read(self, job: Any, dataset: Any) -> tuple[str | None, bool]:
        """Return the time of the last read of a dataset by a job, and whether it is stale."""
        reading = {run for _, run, of in self._accesses(dataset, "inputs") if of == job}
        if not reading:
            return None, False  # only its design says so
        ends = [max(time for time, _ in self.executions(job)[run]) for run in reading]
        times = [time for time, _, of in self._accesses(dataset, "inputs") if of == job]
        executions = Executions(self.graph, self.said)
        made = {target for source, target, of in self.feeds if (source, of) == (dataset, job)}
        written = [executions.last_write(target, job) for target in made]
        since = min(each or "" for each in written) if made else self.last_success(job)
        return max(times), since is not None and max(ends) < since

    def reads(self, job: Any, datasets: set[Any]) -> int:
        """Return the number of runs of a job in the window that read one of these datasets."""
        return len({
            run
            for dataset in datasets
            for time, run, of in self._accesses(dataset, "inputs")
            if of == job and time >= self.since
        })  # fmt: skip

    def fresh(self, root: Any, distance: dict[Any, int], depth: int | None) -> set[Any]:
        """Return the datasets that a path without stale edges leads to."""
        passed = {
            (source, target)
            for source, target, job in self.walked
            if source in distance and distance[source] != depth
            and not self._is_stale(source, target, job)
        }  # fmt: skip
        fresh = {root}
        for _ in distance:
            fresh |= {target for source, target in passed if source in fresh}
        return fresh

    def last_fed(self, dataset: Any, distance: dict[Any, int], depth: int | None) -> str | None:
        """Return the time of the last run that made a dataset from one of those at a distance."""
        times = [
            self.graph["FEEDS", source, target, job]["last_seen"]
            for source, target, job in self.feeds
            if target == dataset != source and source in distance and distance[source] != depth
        ]
        return max(times, default=None)

    def _is_stale(self, source: Any, target: Any, job: Any) -> bool:
        edge = self.graph.get(("FEEDS", source, target, job))
        success = Executions(self.graph, self.said).last_write(target, job)
        return bool(edge and success and edge["last_seen"] < success)

    def row_writes(self, dataset: Any) -> list[tuple[str, str, Any]]:
        """Return the time, run and job of each report of a write of rows, in any state.

        A write with reported inputs wrote rows, also if the run removed them afterwards.
        """
        said: dict[Any, list[Any]] = defaultdict(list)
        for time, event in self.runs:
            for d in event["outputs"]:
                if self.canonical[_key(d)] == dataset:
                    said[event["run"]["runId"], _key(event["job"]), _key(d)].append((time, d))
        return [
            (time, run, job)
            for (run, job, _), items in said.items()
            if any(d.get("fed by") for _, d in items)
            or write_mode([d for _, d in items]) not in NO_ROWS
            for time, _ in items
        ]

    def _mentions(self, dataset: Any) -> list[Any]:
        found = []
        for time, event in self.said:
            stated = (
                [event["dataset"]] if "dataset" in event else event["inputs"] + event["outputs"]
            )
            found += [(time, d) for d in stated if self.canonical[_key(d)] == dataset]
        return found

    def _accesses(self, dataset: Any, side: str) -> list[tuple[str, str, Any]]:
        return [
            (time, event["run"]["runId"], _key(event["job"]))
            for time, event in self.runs
            for d in event[side]
            if self.canonical[_key(d)] == dataset
        ]


def _owners(facets: dict[str, Any]) -> list[str]:
    return sorted({each["name"] for each in facets.get("ownership", {}).get("owners", [])})


def _job_type(event: dict[str, Any]) -> str | None:
    return event["job"].get("facets", {}).get("jobType", {}).get("jobType")
