"""What a set of events says together: one merged value for each thing they speak of.

Every merge here is one of least, greatest and union, as are those in the database. So the values,
and with them the graph, depend on no order, no duplicates and no cutting into batches. And so
events that say the same of job and datasets, word for word, are merged before they are taken apart:
of all that is said twice the first time, the last time and the greatest stamp count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Raw, Struct, field, json

from lineage.events import explicit_sources
from lineage.events.designs import add_design, design_of_dataset, design_of_job
from lineage.events.states import STREAM, Period, Seen, SeenRun
from lineage.openlineage import DatasetEvent, JobEvent, RunEvent, column_lineage, job_dependencies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.events.designs import Design, DesignStatement, Holder
    from lineage.events.entry import Entry
    from lineage.openlineage import ColumnLineage, Dataset, Facets, Job, Parent
    from lineage.openlineage.events import Name

    Side: TypeAlias = tuple[Dataset, ...]

# Where there is more a batch ends: a large one takes less for each event, and has to fit memory.
BATCH_SIZE = 10_000
BATCH_BYTES = 48 << 20

# Facets of a dataset that say what one run did, not what the dataset is.
_OF_THE_RUN = (
    "version", "lifecycleStateChange", "dataQualityAssertions", "dataQualityMetrics",
)  # fmt: skip
_NULL = Raw(b"null")
_PLACES = [f" {place:06}" for place in range(100)]


class Shape(Struct, gc=False):
    """What run events say of their job and its datasets, and when it was said by any run."""

    job: Job
    datasets: tuple[Dataset, ...]
    # Of each dataset, and whether it was written, what was said of the access and of its columns.
    accesses: list[tuple[tuple[Name, bool], Facets, ColumnLineage | None]]
    said: Period
    is_stream: bool
    # The datasets that lineage facets name; none where there are no such facets.
    named: tuple[Name, ...] = ()

    @classmethod
    def of(cls, event: RunEvent, stamp: str) -> Shape:
        """Return what an event says."""
        sides = ((event.inputs, False), (event.outputs, True))
        accesses = [
            ((dataset.key, output), _of_the_access(dataset), _columns(dataset) if output else None)
            for datasets, output in sides
            for dataset in datasets
        ]
        said = Period(event.time, event.time, stamp)
        datasets = (*event.inputs, *event.outputs)
        shape = cls(event.job, datasets, accesses, said, _is_stream(event.job))
        if (stated := explicit_sources.of_run(event)) is not None:
            shape.accesses, shape.named = explicit_sources.accesses(accesses, stated)
        return shape


class Work(Struct, gc=False):
    """A run as work of a job. Without times it is known only from a run that names it as parent."""

    first: str | None = None
    last: str | None = None
    # By dataset, and whether it was written.
    accesses: dict[tuple[Name, bool], Seen] = field(default_factory=dict)
    said: list[tuple[Shape, Period]] = field(default_factory=list)


class Batch(Struct):
    """Merged values by natural key."""

    datasets: dict[Name, Seen] = field(default_factory=dict)
    aliases: dict[tuple[Name, Name], str] = field(default_factory=dict)  # (alias, owner): claimed
    jobs: dict[Name, Seen] = field(default_factory=dict)
    runs: dict[str, SeenRun] = field(default_factory=dict)
    executions: dict[tuple[str, Name], Work] = field(default_factory=dict)  # by run and job
    parents: set[tuple[str, str]] = field(default_factory=set)  # (child, parent)
    mappings: dict[tuple[Name, bytes], ColumnLineage] = field(default_factory=dict)
    # By run the datasets that its lineage facets name: such a run is not inputs times outputs.
    explicit: dict[str, set[Name]] = field(default_factory=dict)
    # What is stated without a run, by whose design it is.
    designs: dict[Holder, Design] = field(default_factory=dict)
    # By upstream and downstream job, when that was stated.
    dependencies: dict[tuple[Name, Name], Seen] = field(default_factory=dict)
    # By run, job and output the newest stamp and the digest of the mapping.
    mapped: dict[tuple[str, Name, Name], tuple[str, bytes]] = field(default_factory=dict)
    _shapes: dict[tuple[int, ...], Shape] = field(default_factory=dict)
    # The same by fewer ids, where inputs and outputs were looked up whole.
    _sides: dict[tuple[int, int, int], tuple[Shape, Side, Side]] = field(default_factory=dict)
    _said: dict[tuple[str, int], Period] = field(default_factory=dict)  # by run and id of the shape

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Batch:
        """Return what ``entries`` say together."""
        batch = cls()
        for entry in entries:
            batch._add(entry)
        for (run_id, job), work in batch.executions.items():
            batch._settle_work(run_id, job, work)
        for shape in batch._shapes.values():
            batch._settle_shape(shape)
        return batch

    def _add(self, entry: Entry) -> None:
        event, stamp = entry.event, entry.stamp
        if isinstance(event, RunEvent):
            self._run_event(event, stamp)
        elif isinstance(event, JobEvent):
            said = Period(event.time, event.time, stamp)
            self._job(event.job, said)
            self._datasets((*event.inputs, *event.outputs), said)
            self._design(design_of_job(event), said)
        elif isinstance(event, DatasetEvent):
            said = Period(event.time, event.time, stamp)
            self._dataset(event.dataset, said, stamp)
            self._design(design_of_dataset(event), said)

    def _design(self, stated: DesignStatement | None, said: Period) -> None:
        """Note what was stated without a run: see docs/decisions/static-lineage.md."""
        if stated is None:
            return
        add_design(self.designs, stated, said.first, said.stamp)
        for name in stated.names:
            self._seen_dataset(name, said)
        for target, columns in stated.columns.items():
            self.mappings[target, columns.digest] = columns

    def _run_event(self, event: RunEvent, stamp: str) -> None:
        time, run_id = event.time, event.run_id
        run = self._run(run_id)
        run.at(time)
        run.became(event.type, time)
        if event.run_facets:
            run.state(stamp, event.run_facets)
            if "jobDependencies" in event.run_facets:
                self._depend(event)
        if event.parent:
            self._parent(run_id, event.parent, time)
        shape = self._shape(event, stamp)
        said = self._said.get((run_id, id(shape)))
        if said is None:
            said = self._said[run_id, id(shape)] = Period(time, time, stamp)
            self._work(run_id, event.job.key).said.append((shape, said))
        else:
            said.add(time, time, stamp)

    def _depend(self, event: RunEvent) -> None:
        """Note on which jobs one depends, and which depend on it."""
        body = event.run_facets["jobDependencies"]
        for pair in job_dependencies(bytes(body), event.job.key):
            _seen(self.dependencies, pair).at(event.time)
            for name in pair:
                _seen(self.jobs, name).at(event.time)

    def _shape(self, event: RunEvent, stamp: str) -> Shape:
        """Return what is the same for all events that were read from the same words."""
        job, inputs, outputs = event.job, event.inputs, event.outputs
        # What has an id here is kept, so that no id is given again meanwhile.
        found = self._sides.get((id(job), id(inputs), id(outputs)))
        if found is not None:
            return found[0]
        key = (id(job), *map(id, inputs), 0, *map(id, outputs))
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = Shape.of(event, stamp)
        self._sides[id(job), id(inputs), id(outputs)] = shape, inputs, outputs
        return shape

    def _settle_work(self, run_id: str, job: Name, work: Work) -> None:
        """Merge what was said of one run as work of one job."""
        accesses = work.accesses
        for shape, said in work.said:
            first, last, stamp = said.first, said.last, said.stamp
            shape.said.add(first, last, stamp)
            if shape.is_stream:
                self._run(run_id).streamed |= STREAM
            if shape.named:
                self.explicit.setdefault(run_id, set()).update(shape.named)
            if work.first is None or first < work.first:
                work.first = first
            if work.last is None or last > work.last:
                work.last = last
            for place, (key, facets, columns) in enumerate(shape.accesses):
                access = accesses.get(key)
                if access is None:
                    access = accesses[key] = Seen(first, last)
                else:
                    access.at(first)
                    access.at(last)
                if facets:
                    access.state(_placed(stamp, place), facets)
                if columns:
                    self._mapped((run_id, job, key[0]), columns, _placed(stamp, place))

    def _mapped(self, key: tuple[str, Name, Name], columns: ColumnLineage, stamp: str) -> None:
        noted = self.mapped.get(key)
        if noted is None or noted[0] < stamp:
            self.mapped[key] = (stamp, columns.digest)

    def _settle_shape(self, shape: Shape) -> None:
        """Merge what was said of a job and its datasets, by whichever run."""
        said = shape.said
        self._job(shape.job, said)
        self._datasets(shape.datasets, said)
        for name in shape.named:
            self._seen_dataset(name, said)
        for (dataset, _), _, columns in shape.accesses:
            if columns:
                # One that is not the newest of its run names columns too.
                self.mappings[dataset, columns.digest] = columns
                for source in columns.sources:
                    self._seen_dataset(source, said)

    def _run(self, run_id: str) -> SeenRun:
        run = self.runs.get(run_id)
        if run is None:
            run = self.runs[run_id] = SeenRun()
        return run

    def _work(self, run_id: str, job: Name) -> Work:
        work = self.executions.get((run_id, job))
        if work is None:
            work = self.executions[run_id, job] = Work()
        return work

    def _parent(self, child: str, parent: Parent, time: str) -> None:
        """Note that a run has a parent. Of the parent's own times this says nothing."""
        self._run(parent.run_id)
        if parent.run_id != child:
            self.parents.add((child, parent.run_id))
        if parent.job:
            _seen(self.jobs, parent.job).at(time)
            self._work(parent.run_id, parent.job)

    def _job(self, job: Job, said: Period) -> None:
        seen = _seen(self.jobs, job.key)
        seen.at(said.first)
        seen.at(said.last)
        seen.state(said.stamp, job.facets)

    def _datasets(self, datasets: Iterable[Dataset], said: Period) -> None:
        for place, dataset in enumerate(datasets):
            self._dataset(dataset, said, _placed(said.stamp, place))

    def _dataset(self, dataset: Dataset, said: Period, stamp: str) -> None:
        self._seen_dataset(dataset.key, said).state(stamp, dataset.facets)
        for alias in dataset.aliases:
            _seen(self.datasets, alias)
            claim = (alias, dataset.key)
            if self.aliases.get(claim, "") < said.last:
                self.aliases[claim] = said.last

    def _seen_dataset(self, name: Name, said: Period) -> Seen:
        seen = _seen(self.datasets, name)
        seen.at(said.first)
        seen.at(said.last)
        return seen


def _seen(things: dict[Any, Seen], key: object) -> Seen:
    thing = things.get(key)
    if thing is None:
        thing = things[key] = Seen()
    return thing


def _placed(stamp: str, place: int) -> str:
    """Return a stamp for one of an event's datasets: one stated twice is as it was stated last."""
    return stamp + (_PLACES[place] if place < len(_PLACES) else f" {place:06}")


def _of_the_access(dataset: Dataset) -> Facets:
    said = {name: dataset.facets[name] for name in _OF_THE_RUN if name in dataset.facets}
    said.update(
        (name, body)
        for name, body in dataset.access_facets.items()
        if body != _NULL and name != explicit_sources.FACET  # which is one of the dataset
    )
    return said


def _is_stream(job: Job) -> bool:
    stated = job.facets.get("jobType")
    if stated is None or b"STREAMING" not in bytes(stated):
        return False
    facet = json.decode(stated)
    return isinstance(facet, dict) and facet.get("processingType") == "STREAMING"


def _columns(dataset: Dataset) -> ColumnLineage | None:
    stated = dataset.facets.get("columnLineage", _NULL)
    return None if stated == _NULL else column_lineage(bytes(stated))
