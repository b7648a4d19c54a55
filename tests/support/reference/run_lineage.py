"""Reference implementation of run lineage, computed from the list of events."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from support.reference.executions import Executions
from support.reference.graph import (
    _canonical,
    _key,
    _newest,
    expected,
    in_order,
    is_of_stream,
    is_stream_that_ran,
    pairs_fed,
    write_mode,
)

REPLACES = {"overwrite", "create", "rename", "truncate", "drop"}
LEAVES_NOTHING = {"alter", "truncate", "drop"}
SAYS_NOTHING = {*REPLACES, "alter", None}  # modes that do not show whether earlier data remain


class Write(NamedTuple):
    """A write of a dataset by a run: first and last event time, mode and version.

    ``by_lifecycle``: the mode is OVERWRITE, and only the lifecycle change reports it.
    """

    run: str
    job: tuple[str, str]
    first: str
    last: str
    mode: str | None
    version: str | None
    by_lifecycle: bool


class Dependency(NamedTuple):
    """A read, and one of its visible writes; None if it has none."""

    distance: int
    reader: str | None
    dataset: tuple[str, str]
    version: str | None
    writer: str | None
    exact: bool | None


class Step(NamedTuple):
    """Reads of one job's writes by another job: the number of runs, and of further possible runs.

    ``reader`` is None at the start of a trace, ``writer`` at a source.
    """

    distance: int
    reader: tuple[str, str] | None
    dataset: tuple[str, str]
    writer: tuple[str, str] | None
    runs: int
    perhaps: int


class Log:
    """The events of a log, with queries over them."""

    def __init__(self, texts: list[str]) -> None:
        self.graph = expected(texts)
        self.said = said = in_order(texts)
        self.canonical = _canonical(said)
        self.executions = Executions(self.graph, said)
        self.accesses: dict[Any, list[Any]] = defaultdict(list)
        for time, event in said:
            for side in ("inputs", "outputs") if "run" in event else ():
                for item in event[side]:
                    who = event["run"]["runId"], _key(event["job"])
                    self.accesses[(*who, side, _key(item))].append((time, item))
        self.streams = {_key(event["job"]) for _, event in said if is_of_stream(event)}
        self.settings = {
            job: _newest(
                event["job"].get("facets", {})
                for _, event in said
                if "job" in event and _key(event["job"]) == job
            ).get("lineage_write_modes", {})
            for job in {_key(event["job"]) for _, event in said if "job" in event}
        }

    def adding(self, dataset: tuple[str, str]) -> set[tuple[str, str]]:
        """Return the jobs whose earlier writes are known to remain."""
        said = {write.job for write in self._writes(dataset) if write.mode not in SAYS_NOTHING}
        return said | self.streams

    def writes(self, dataset: tuple[str, str]) -> list[Write]:
        """Return the writes of a dataset by contributing runs."""
        return [write for write in self._writes(dataset) if self._feeds(write.run)]

    def _writes(self, dataset: tuple[str, str]) -> list[Write]:
        """Return all writes of a dataset.

        An unreported mode is the one set for the job, except for jobs that add. A lifecycle change
        OVERWRITE is one of partitions if that is set.
        """
        stated = [
            each._replace(mode="overwrite_partitions")
            if each.by_lifecycle and self._set_mode(each.job, dataset) == "overwrite_partitions"
            else each
            for each in self._stated(dataset)
        ]
        adding = {each.job for each in stated if each.mode not in SAYS_NOTHING} | self.streams
        return [
            each._replace(mode=self._set_mode(each.job, dataset))
            if each.mode is None and each.job not in adding
            else each
            for each in stated
        ]

    def _set_mode(self, job: tuple[str, str], dataset: tuple[str, str]) -> str | None:
        """Return the write mode set for a job; ``append`` wins if names of the dataset differ."""
        setting = self.settings[job]
        of_names = [
            each["mode"]
            for each in setting.get("datasets", [])
            if self.canonical.get(_key(each)) == dataset
        ]
        mode = min(of_names) if of_names else setting.get("mode")
        return None if mode == "unknown" else mode

    def _stated(self, dataset: tuple[str, str]) -> list[Write]:
        found = []
        for (run, job, side, name), said in self.accesses.items():
            if side == "outputs" and self.canonical[name] == dataset:
                facets = _newest(item["facets"] for _, item in said)
                mode = write_mode([item for _, item in said])
                version = facets.get("version", {}).get("datasetVersion")
                first, last = said[0][0], said[-1][0]
                stated = _newest(item.get("outputFacets", {}) for _, item in said)
                only = mode == "overwrite" and not stated.get("lineage_write", {}).get("mode")
                found.append(Write(run, job, first, last, mode, version, only))
        return found

    def reads(self, run: str, job: tuple[str, str]) -> dict[Any, tuple[str, str]]:
        """Return the first and last event time of each (dataset, version) read by a run.

        The inputs of a view are read with the view.
        """
        return self.with_views(run, self._own_reads(run, job))

    def with_views(self, reader: str | None, reads: dict[Any, Any]) -> dict[Any, Any]:
        """Add the reads of the inputs of views; ``reader`` is None for a read at a time."""
        all_reads, step = dict(reads), reads
        while step:
            done = {dataset for dataset, _ in all_reads}
            following: dict[Any, tuple[str, str]] = {}
            for (view, version), (first, last) in step.items():
                for source in self._view_sources(view, first, last, version, reader) - done:
                    old = following.get((source, None), (first, last))
                    following[source, None] = min(first, old[0]), max(last, old[1])
            all_reads, step = all_reads | following, following
        return all_reads

    def is_definition(self, run: str, job: Any, dataset: Any) -> bool:
        """Return whether a run only defined a dataset as a view, under each of its names."""
        names = [
            said
            for (who, of, side, name), said in self.accesses.items()
            if (who, of, side, self.canonical[name]) == (run, job, "outputs", dataset)
            and write_mode([item for _, item in said]) not in LEAVES_NOTHING
        ]
        return bool(names) and job not in self.streams and all(map(_defines_view, names))

    def _definitions(
        self, view: Any, first: str, last: str, version: str | None, reader: str | None
    ) -> set[Any]:
        """Return the newest writes that a read saw, if they only defined a view."""
        for (run, _, side, name), said in self.accesses.items():
            if (run, side, self.canonical[name]) == (reader, "outputs", view) and (
                write_mode([item for _, item in said]) not in LEAVES_NOTHING
            ):
                return set()
        asked = first, last, version, reader
        written = {who: self.written(*who, view, *asked) for who in self.seen(view, *asked)}
        newest = {who for who, at in written.items() if at == max(written.values())}
        return newest if all(self.is_definition(*who, view) for who in newest) else set()

    def _view_sources(
        self, view: Any, first: str, last: str, version: str | None, reader: str | None
    ) -> set[Any]:
        """Return the inputs of a view at a read; of a renamed one, those when it was renamed."""
        sources: set[Any] = set()
        left = [(who, view, None) for who in self._definitions(view, first, last, version, reader)]
        for (run, job), dataset, renamed_at in left:  # which grows
            told = self._told_by(run, job)
            made = {s for s, target in pairs_fed(told, self.canonical) if target == dataset}
            items = [
                (time, item)
                for time, event in told
                for item in event["outputs"]
                if self.canonical[_key(item)] == dataset
            ]
            period = items[0][0], items[-1][0]
            if renamed_at is not None and period[0] > renamed_at:
                continue
            if write_mode([item for _, item in items]) != "rename":
                sources |= made
                continue
            if renamed_at is not None:
                continue
            more = [
                (who, each, None)
                for each in made
                for who in self._definitions(each, *period, None, run)
            ]
            more += [
                ((run, job), each, period[0]) for each in made if self.is_definition(run, job, each)
            ]
            left += [each for each in more if each not in left]
        return sources

    def _told_by(self, run: str, job: tuple[str, str]) -> list[tuple[str, Any]]:
        return [
            (time, event)
            for time, event in self.said
            if "run" in event and (event["run"]["runId"], _key(event["job"])) == (run, job)
        ]

    def written(
        self, run: str, job: Any, dataset: Any, first: str, last: str, version: Any, reader: Any
    ) -> str:
        """Return the time of the run's last write before the read; a stream continues to write."""
        writes = [
            w for w in self.writes(dataset) if w.run != reader and w.mode not in LEAVES_NOTHING
        ]
        exact = [w for w in writes if version and w.version == version and w.first <= last]
        newest = max((w.last for w in exact), default=None)
        moment = newest or first
        mine = [w for w in writes if (w.run, w.job) == (run, job)]
        if job in self.streams:
            return max(min(w.last, moment) for w in mine if w.first <= moment)
        return max(w.last for w in mine if w.last <= moment or w.last == newest)

    def _own_reads(self, run: str, job: tuple[str, str]) -> dict[Any, tuple[str, str]]:
        found: dict[Any, tuple[str, str]] = {}
        for (by, of, side, name), said in self.accesses.items():
            if (by, of, side) == (run, job, "inputs"):
                facets = _newest(item["facets"] for _, item in said)
                version = facets.get("version", {}).get("datasetVersion")
                for each in facets.get("lineage_versions", {}).get("versions") or [version]:
                    read = self.canonical[name], each
                    first, last = found.get(read, ("9", "0"))
                    found[read] = min(first, said[0][0]), max(last, said[-1][0])
        return found

    def seen(
        self, dataset: Any, first: str, last: str, version: str | None, reader: str | None,
        *, perhaps: bool = False,
    ) -> dict[tuple[str, Any], bool]:  # fmt: skip
        """Return the (run, job) whose writes a read saw; true if matched by version.

        With ``perhaps``, include writes that a newer write of the same job may have replaced.
        """
        writes = [write for write in self.writes(dataset) if write.run != reader]
        of_version = [
            write
            for write in writes
            if version and write.version == version and write.first <= last
            and write.mode not in LEAVES_NOTHING
        ]  # fmt: skip
        newest = max((write.last for write in of_version), default=None)
        # Writes of one version that end at the same time cannot be distinguished: all match.
        exact = [
            write
            for write in writes
            if version and (write.version, write.last) == (version, newest)
        ]
        moment = newest or first
        there = [
            w for w in writes if w in exact or (w.last <= moment and self._over(w.run, moment))
        ]
        since = max((w.last for w in there if w.mode in REPLACES), default="")
        seen: dict[tuple[str, Any], bool] = {}
        adding = self.adding(dataset)
        for write in there:
            if write.last < since or write.mode in LEAVES_NOTHING:
                continue
            if perhaps or write.job in adding or not self._is_hidden(write, there, since):
                who = write.run, write.job
                seen[who] = seen.get(who, False) or write in exact
        for write in writes:
            goes_on = write not in there and write.first <= moment and write.last >= since
            if write.job in self.streams and goes_on and write.mode not in LEAVES_NOTHING:
                seen.setdefault((write.run, write.job), False)
        return seen

    def _is_hidden(self, write: Write, there: list[Write], since: str) -> bool:
        """Return whether the newest execution of the job hides a write, which is no part of it.

        Within the execution, only a later attempt of the same instance hides a write.
        """
        mine = [w for w in there if w.job == write.job and w.last >= since]
        newest = max((w.last for w in mine if w.mode is None), default="")
        if write.last >= newest:
            return False
        members = {
            run
            for last in {w.run for w in mine if w.mode is None and w.last == newest}
            for run in self._execution(last, write.job)
        }
        written = max(w.last for w in mine if w.run == write.run and w.last <= newest)
        inputs = self._inputs(write.run, write.job)
        repeated = any(
            w.run in members - {write.run} and w.mode is None and w.last > written
            and inputs <= self._inputs(w.run, write.job)
            for w in mine
        )  # fmt: skip
        return written < newest and (write.run not in members or repeated)

    def _execution(self, run: str, job: Any) -> set[str]:
        """Return the runs of the execution whose newest write is by this run."""
        start = self.executions.start(run, job) or ""
        siblings = self.executions.siblings(run, job)
        return {run, *(each.run for each in siblings if each.first >= start)}

    def _inputs(self, run: str, job: Any) -> set[Any]:
        return {dataset for dataset, _ in self._own_reads(run, job)}

    def behind_run(self, run: str, *, perhaps: bool = False) -> set[Dependency]:
        """Return the dependencies of a run, back to the sources."""
        return self._behind([(run, job) for job in self._jobs(run)], set(), 1, perhaps)

    def from_run(self, run: str, *, perhaps: bool = False) -> set[Dependency]:
        """Return the dependencies on the writes of a run, transitively, over all reads."""
        works = {(key[2], key[1]) for key in self.graph if key[0] == "EXECUTES"}
        seen = [
            (who, dataset, version, writer, exact)
            for who in works
            for (dataset, version), (first, last) in self.reads(*who).items()
            for writer, exact in self.seen(
                dataset, first, last, version, who[0], perhaps=perhaps
            ).items()
        ]
        level = {who for who in works if who[0] == run}
        dependencies, done, distance = set(), set(level), 1
        while level:
            met = [
                each for each in seen
                if each[3] in level
                and (distance == 1 or not self.is_definition(*each[3], each[1]))
            ]  # fmt: skip
            dependencies |= {Dependency(distance, who[0], *read, writer[0], exact)
                      for who, *read, writer, exact in met}  # fmt: skip
            level = {who for who, *_ in met} - done
            done, distance = done | level, distance + 1
        return dependencies

    def behind(
        self, dataset: tuple[str, str], at: str, *, perhaps: bool = False
    ) -> set[Dependency]:  # fmt: skip
        """Return the dependencies of a hypothetical read of ``dataset`` at a time."""
        reads = self.with_views(None, {(dataset, None): (at, at)})
        dependencies, level = self._dependencies_of(None, reads, 1, perhaps)
        dependencies.discard(Dependency(1, None, dataset, None, None, None))
        return dependencies | self._behind(list(level), set(), 2, perhaps)

    def _dependencies_of(
        self, run: str | None, reads: dict[Any, Any], distance: int, perhaps: bool
    ) -> tuple[set[Dependency], set[Any]]:
        """Return the dependencies of reads, and the writers whose own reads are upstream.

        Inputs of the writer of a view are not upstream of a read of the view.
        """
        dependencies, writers = set(), set()
        for (dataset, version), (first, last) in reads.items():
            seen = self.seen(dataset, first, last, version, run, perhaps=perhaps)
            for (writer, of), exact in seen.items():
                dependencies.add(Dependency(distance, run, dataset, version, writer, exact))
                if not self.is_definition(writer, of, dataset):
                    writers.add((writer, of))
            if not seen:
                dependencies.add(Dependency(distance, run, dataset, version, None, None))
        return dependencies, writers

    def _behind(
        self, level: list[Any], done: set[Any], distance: int, perhaps: bool
    ) -> set[Dependency]:  # fmt: skip
        dependencies, next_level = set(), set()
        done = done | set(level)
        for run, job in level:
            found, writers = self._dependencies_of(run, self.reads(run, job), distance, perhaps)
            dependencies |= found
            next_level |= writers
        left = list(next_level - done)
        return dependencies | (self._behind(left, done, distance + 1, perhaps) if left else set())

    def steps_behind(
        self, starts: list[Any], depth: int | None, *, perhaps: bool = False
    ) -> set[Step]:
        """Return the steps upstream of reads: (run, job, dataset, version, first, last)."""
        sure: dict[Any, set[Any]] = defaultdict(set)
        maybe: dict[Any, set[Any]] = defaultdict(set)
        nearest: dict[Any, int] = {}
        reads, done, distance = starts, {read[:2] for read in starts}, 1
        while reads and (depth is None or distance <= depth):
            met: set[Any] = set()
            for run, job, dataset, version, first, last in reads:
                asked = dataset, first, last, version, run
                seen = self.seen(*asked, perhaps=perhaps)
                for writer, of in list(seen) or [(None, None)]:
                    sure[job, dataset, of].add(writer)
                    nearest.setdefault((job, dataset, of), distance)
                for writer, of in self.seen(*asked, perhaps=True):
                    maybe[job, dataset, of].add(writer)
                met |= {who for who in seen if not self.is_definition(*who, dataset)}
            reads = [
                (run, job, dataset, version, *times)
                for run, job in met - done
                for (dataset, version), times in self.reads(run, job).items()
            ]
            done, distance = done | met, distance + 1
        return {
            Step(nearest[key], *key, len(runs - {None}), len(maybe[key] - runs))
            for key, runs in sure.items()
        }

    def steps_of_run(self, run: str, depth: int | None, *, perhaps: bool = False) -> set[Step]:
        """Return the steps upstream of the reads of a run."""
        starts = [
            (run, job, dataset, version, *times)
            for job in self._jobs(run)
            for (dataset, version), times in self.reads(run, job).items()
        ]
        return self.steps_behind(starts, depth, perhaps=perhaps)

    def steps_at(
        self, dataset: Any, at: str, depth: int | None, *, perhaps: bool = False
    ) -> set[Step]:
        """Return the steps upstream of a hypothetical read at a time."""
        starts = [
            (None, None, *read, *times)
            for read, times in self.with_views(None, {(dataset, None): (at, at)}).items()
        ]
        found = self.steps_behind(starts, depth, perhaps=perhaps)
        return {
            step for step in found if step.writer or step.distance > 1 or step.dataset != dataset
        }

    def steps_from(self, run: str, depth: int | None, *, perhaps: bool = False) -> set[Step]:
        """Return the steps downstream of the writes of a run."""
        sure: dict[Any, set[str]] = defaultdict(set)
        maybe: dict[Any, set[str]] = defaultdict(set)
        nearest: dict[Any, int] = {}
        works = {(key[2], key[1]) for key in self.graph if key[0] == "EXECUTES"}
        level = {who for who in works if who[0] == run}
        done, distance = set(level), 1
        while level and (depth is None or distance <= depth):
            met: set[Any] = set()
            for reader, job in works:
                for (dataset, version), (first, last) in self.reads(reader, job).items():
                    asked = dataset, first, last, version, reader
                    from_rows = {
                        who for who in level
                        if distance == 1 or not self.is_definition(*who, dataset)
                    }  # fmt: skip
                    for who in from_rows & self.seen(*asked, perhaps=perhaps).keys():
                        sure[job, dataset, who[1]].add(reader)
                        met.add((reader, job))
                    for who in from_rows & self.seen(*asked, perhaps=True).keys():
                        maybe[job, dataset, who[1]].add(reader)
                        nearest.setdefault((job, dataset, who[1]), distance)
            level, done, distance = met - done, done | met, distance + 1
        return {
            Step(nearest[key], *key, len(sure[key]), len(runs - sure[key]))
            for key, runs in maybe.items()
        }

    def _jobs(self, run: str) -> list[Any]:
        return [key[1] for key in self.graph if key[0] == "EXECUTES" and key[2] == run]

    def _feeds(self, run: str) -> bool:
        failed = self.graph["Run", run].get("state") in ("FAIL", "ABORT")
        return not failed or is_stream_that_ran(self.said, run)

    def _over(self, run: str, moment: str) -> bool:
        """Return whether a run had ended at a time; a batch run writes at its end."""
        told = self.graph["Run", run]
        if "ended_at" in told:
            return bool(told["ended_at"] <= moment)
        return told.get("state") not in ("START", "RUNNING")


def _defines_view(said: list[tuple[str, Any]]) -> bool:
    """Return whether the last event of a write reports a view, and none of them rows."""
    last, _ = said[-1]
    types = [item["facets"].get("datasetType", {}) for time, item in said if time == last]
    is_view = any(
        each.get("datasetType") == "VIEW" and each.get("subType") != "MATERIALIZED"
        for each in types
    )
    items = [item for _, item in said]
    has_rows = any("outputStatistics" in item.get("outputFacets", {}) for item in items)
    return is_view and not has_rows and write_mode(items) in {None, "create", "overwrite", "rename"}
