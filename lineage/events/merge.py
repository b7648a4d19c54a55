"""Merge of events: one value for each dataset, job, run and execution that they report.

Every merge, here and in the database, is a minimum, a maximum or a union. Therefore the values and
the graph do not depend on the order, duplication or batching of events. For the same reason, events
whose job and datasets are equal texts are merged before they are decomposed: only the first time,
the last time and the greatest revision of equal reports matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Raw, Struct, field

from lineage.events import explicit_sources, partition_writes
from lineage.events.access_facets import earlier_reads, facets_of_access
from lineage.events.assets import Assets, other_facets
from lineage.events.designs import add_design, design_of_dataset, design_of_job
from lineage.events.job_types import is_stream
from lineage.events.repeated_entries import unite_entries
from lineage.events.states import STREAM, EntityState, Period, RunState
from lineage.openlineage import DatasetEvent, JobEvent, RunEvent, column_lineage, job_dependencies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.events.designs import Design, DesignStatement, Holder
    from lineage.events.entry import Entry
    from lineage.openlineage import ColumnLineage, Dataset, Facets, Job, Parent
    from lineage.openlineage.events import Name

    Side: TypeAlias = tuple[Dataset, ...]

# Maximum size of a batch: large batches cost less per event, but have to fit into memory.
BATCH_SIZE = 10_000
BATCH_BYTES = 48 << 20

_NULL = Raw(b"null")
_PLACES = [f" {place:06}" for place in range(100)]


class EventTemplate(Struct, gc=False):
    """Equal reports of run events about job and datasets, and their period over all runs."""

    job: Job
    datasets: tuple[Dataset, ...]
    # Facets of the access and column lineage, by dataset and is_output.
    accesses: list[tuple[tuple[Name, bool], Facets, ColumnLineage | None]]
    period: Period
    is_stream: bool
    # The outputs whose sources lineage facets, or only column lineage, name, and their sources.
    # None without such names. Not None if an output is changed without rows, so that not every
    # input of the run feeds it.
    named: tuple[Name, ...] | None = None
    # Upstream and downstream jobs in lineage facets.
    dependencies: tuple[tuple[Name, Name], ...] = ()
    # The inputs whose rows were read before the run, and when.
    earlier_reads: tuple[tuple[Name, str], ...] = ()

    @classmethod
    def from_event(cls, event: RunEvent, revision: str) -> EventTemplate:
        """Build the template of an event."""
        sides = ((event.inputs, False), (event.outputs, True))
        accesses = [
            (
                (dataset.key, output),
                facets_of_access(dataset, output=output),
                _column_lineage(dataset) if output else None,
            )
            for datasets, output in sides
            for dataset in datasets
        ]
        accesses = unite_entries(partition_writes.with_modes(event.job, accesses))
        period = Period(event.time, event.time, revision)
        datasets = (*event.inputs, *event.outputs)
        shape = cls(event.job, datasets, accesses, period, is_stream(event.job))
        shape.earlier_reads = tuple(earlier_reads(event.inputs))
        if (reported := explicit_sources.of_run(event)) is not None:
            shape.accesses, shape.named = explicit_sources.accesses_of_run(accesses, reported)
            shape.dependencies = reported.dependencies
        elif any(
            output and explicit_sources.may_write_no_rows(facets)
            for (_, output), facets, _ in accesses
        ):
            shape.named = ()
        shape.accesses, named = explicit_sources.add_column_sources(shape.accesses)
        if named:
            shape.named = tuple(sorted(named.union(shape.named or ())))
        return shape


class ExecutionState(Struct, gc=False):
    """An execution: a run of a job. It has no times if it is only named as a parent."""

    first: str | None = None
    last: str | None = None
    # By dataset and is_output.
    accesses: dict[tuple[Name, bool], EntityState] = field(default_factory=dict)
    templates: list[tuple[EventTemplate, Period]] = field(default_factory=list)


class Batch(Struct):
    """Merged values by natural key.

    ``entries``: the merged entries, so that a part of them can be merged again.
    """

    entries: list[Entry] = field(default_factory=list)
    datasets: dict[Name, EntityState] = field(default_factory=dict)
    aliases: dict[tuple[Name, Name], str] = field(default_factory=dict)  # (alias, owner): claimed
    jobs: dict[Name, EntityState] = field(default_factory=dict)
    runs: dict[str, RunState] = field(default_factory=dict)
    executions: dict[tuple[str, Name], ExecutionState] = field(
        default_factory=dict
    )  # by run and job
    parents: set[tuple[str, str]] = field(default_factory=set)  # (child, parent)
    mappings: dict[tuple[Name, bytes], ColumnLineage] = field(default_factory=dict)
    # ``named`` of the templates of each run that has some. Its outputs are not fed by exactly its
    # inputs. Runs that change an output without rows are here too.
    explicit: dict[str, set[Name]] = field(default_factory=dict)
    # Designs (reported without a run) by holder.
    designs: dict[Holder, Design] = field(default_factory=dict)
    # Nodes and edges of graph models.
    assets: Assets = field(default_factory=Assets)
    # Times of reported dependencies, by upstream and downstream job.
    dependencies: dict[tuple[Name, Name], EntityState] = field(default_factory=dict)
    # Newest revision and digest of the column mapping, by run, job and output.
    mapped: dict[tuple[str, Name, Name], tuple[str, bytes]] = field(default_factory=dict)
    _templates: dict[tuple[int, ...], EventTemplate] = field(default_factory=dict)
    # Templates by the ids of whole lists of inputs and outputs, which are interned.
    _sides: dict[tuple[int, int, int], tuple[EventTemplate, Side, Side]] = field(
        default_factory=dict
    )
    _periods: dict[tuple[str, int], Period] = field(
        default_factory=dict
    )  # by run and id of the template

    @classmethod
    def merge_entries(cls, entries: Iterable[Entry]) -> Batch:
        """Merge ``entries`` into a new batch."""
        batch = cls()
        for entry in entries:
            batch.entries.append(entry)
            batch._add_entry(entry)
        for (run_id, job), work in batch.executions.items():
            batch._merge_execution(run_id, job, work)
        for shape in batch._templates.values():
            batch._merge_template(shape)
        return batch

    def _add_entry(self, entry: Entry) -> None:
        event, revision = entry.event, entry.revision
        if isinstance(event, RunEvent):
            self._run_event(event, revision)
        elif isinstance(event, JobEvent):
            period = Period(event.time, event.time, revision)
            self._add_job(event.job, period)
            self._add_datasets((*event.inputs, *event.outputs), period)
            self._add_design(design_of_job(event), period)
            if event.assets:
                self.assets.add_facets(event.assets, (True, event.job.key), revision)
        elif isinstance(event, DatasetEvent):
            period = Period(event.time, event.time, revision)
            self._add_dataset(event.dataset, period, revision)
            self._add_design(design_of_dataset(event), period)
            if event.assets:
                self.assets.add_facets(event.assets, (False, event.dataset.key), revision)

    def _add_design(self, statement: DesignStatement | None, period: Period) -> None:
        """Add a design, reported without a run; see docs/decisions/declared-lineage.md."""
        if statement is None:
            return
        add_design(self.designs, statement, period.first, period.revision)
        self._add_dependencies(statement.dependencies, period)
        for name in statement.dataset_names:
            self._seen_dataset(name, period)
        for target, columns in statement.columns.items():
            self.mappings[target, columns.digest] = columns

    def _run_event(self, event: RunEvent, revision: str) -> None:
        time, run_id = event.time, event.run_id
        run = self._run_state(run_id)
        run.mention_at(time)
        run.apply_state(event.type, time)
        if event.run_facets:
            run.add_facets(revision, event.run_facets)
            if "jobDependencies" in event.run_facets:
                body = bytes(event.run_facets["jobDependencies"])
                pairs = job_dependencies(body, event.job.key)
                self._add_dependencies(pairs, Period(time, time, revision))
        if event.parent:
            self._add_parent(run_id, event.parent, time)
        shape = self._event_template(event, revision)
        period = self._periods.get((run_id, id(shape)))
        if period is None:
            period = self._periods[run_id, id(shape)] = Period(time, time, revision)
            self._execution_state(run_id, event.job.key).templates.append((shape, period))
        else:
            period.add_events(time, time, revision)

    def _add_dependencies(self, pairs: Iterable[tuple[Name, Name]], period: Period) -> None:
        """Add dependencies between jobs that events report."""
        for pair in pairs:
            states = (
                _entity_state(self.dependencies, pair),
                *(_entity_state(self.jobs, name) for name in pair),
            )
            for state in states:
                state.mention_at(period.first)
                state.mention_at(period.last)

    def _event_template(self, event: RunEvent, revision: str) -> EventTemplate:
        """Return the template of an event, shared by all events with equal job and datasets."""
        job, inputs, outputs = event.job, event.inputs, event.outputs
        # The objects are referenced by the cache, so that their ids cannot be reused.
        cached = self._sides.get((id(job), id(inputs), id(outputs)))
        if cached is not None:
            return cached[0]
        key = (id(job), *map(id, inputs), 0, *map(id, outputs))
        shape = self._templates.get(key)
        if shape is None:
            shape = self._templates[key] = EventTemplate.from_event(event, revision)
        self._sides[id(job), id(inputs), id(outputs)] = shape, inputs, outputs
        return shape

    def _merge_execution(self, run_id: str, job: Name, work: ExecutionState) -> None:
        """Apply the templates of one execution."""
        accesses = work.accesses
        for shape, period in work.templates:
            first, last, revision = period.first, period.last, period.revision
            shape.period.add_events(first, last, revision)
            if shape.is_stream:
                self._run_state(run_id).streamed |= STREAM
            if shape.named is not None:
                self.explicit.setdefault(run_id, set()).update(shape.named)
            if work.first is None or first < work.first:
                work.first = first
            if work.last is None or last > work.last:
                work.last = last
            for place, (key, facets, columns) in enumerate(shape.accesses):
                access = accesses.get(key)
                if access is None:
                    access = accesses[key] = EntityState(first, last)
                else:
                    access.mention_at(first)
                    access.mention_at(last)
                if facets:
                    explicit_sources.add_facets(access, _with_ordinal(revision, place), facets)
                if columns:
                    self._add_mappings(
                        (run_id, job, key[0]), columns, _with_ordinal(revision, place)
                    )
            for name, time in shape.earlier_reads:
                if access := accesses.get((name, False)):
                    access.mention_at(min(time, first))

    def _add_mappings(
        self, key: tuple[str, Name, Name], columns: ColumnLineage, revision: str
    ) -> None:
        existing = self.mapped.get(key)
        if existing is None or existing[0] < revision:
            self.mapped[key] = (revision, columns.digest)

    def _merge_template(self, shape: EventTemplate) -> None:
        """Apply the reports of a template about job and datasets, which are equal for all runs."""
        period = shape.period
        self._add_job(shape.job, period)
        self._add_datasets(shape.datasets, period)
        for name in shape.named or ():
            self._seen_dataset(name, period)
        self._add_dependencies(shape.dependencies, period)
        for (dataset, _), _, columns in shape.accesses:
            if columns:
                # Mappings that are not the newest of their run also name columns.
                self.mappings[dataset, columns.digest] = columns
                for source in columns.sources:
                    self._seen_dataset(source, period)

    def _run_state(self, run_id: str) -> RunState:
        run = self.runs.get(run_id)
        if run is None:
            run = self.runs[run_id] = RunState()
        return run

    def _execution_state(self, run_id: str, job: Name) -> ExecutionState:
        work = self.executions.get((run_id, job))
        if work is None:
            work = self.executions[run_id, job] = ExecutionState()
        return work

    def _add_parent(self, child: str, parent: Parent, time: str) -> None:
        """Add the parent of a run. The event has no times of the parent itself."""
        self._run_state(parent.run_id)
        if parent.run_id != child:
            self.parents.add((child, parent.run_id))
        if parent.job:
            _entity_state(self.jobs, parent.job).mention_at(time)
            self._execution_state(parent.run_id, parent.job)

    def _add_job(self, job: Job, period: Period) -> None:
        seen = _entity_state(self.jobs, job.key)
        seen.mention_at(period.first)
        seen.mention_at(period.last)
        seen.add_facets(period.revision, other_facets(job.facets))

    def _add_datasets(self, datasets: Iterable[Dataset], period: Period) -> None:
        for place, dataset in enumerate(datasets):
            self._add_dataset(dataset, period, _with_ordinal(period.revision, place))

    def _add_dataset(self, dataset: Dataset, period: Period, revision: str) -> None:
        self._seen_dataset(dataset.key, period).add_facets(revision, other_facets(dataset.facets))
        for alias in dataset.aliases:
            _entity_state(self.datasets, alias)
            claim = (alias, dataset.key)
            if self.aliases.get(claim, "") < period.last:
                self.aliases[claim] = period.last

    def _seen_dataset(self, name: Name, period: Period) -> EntityState:
        seen = _entity_state(self.datasets, name)
        seen.mention_at(period.first)
        seen.mention_at(period.last)
        return seen


def _entity_state(states: dict[Any, EntityState], key: object) -> EntityState:
    state = states.get(key)
    if state is None:
        state = states[key] = EntityState()
    return state


def _with_ordinal(revision: str, place: int) -> str:
    """Return the revision of a dataset in an event, so that the last of duplicates wins."""
    return revision + (_PLACES[place] if place < len(_PLACES) else f" {place:06}")


def _column_lineage(dataset: Dataset) -> ColumnLineage | None:
    facet = dataset.facets.get("columnLineage", _NULL)
    return None if facet == _NULL else column_lineage(bytes(facet))
