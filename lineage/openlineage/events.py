"""Events as frozen records, created from validated JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Raw, Struct

from lineage.openlineage.long_names import Name as Name  # noqa: TC001 - others import it from here

if TYPE_CHECKING:
    from lineage.openlineage.asset_facets import AssetFacets

EventType: TypeAlias = Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]

# Facet name to its body, as JSON text.
Facets: TypeAlias = Mapping[str, Raw]

# A batch has tens of thousands of these, none of them in a reference cycle: gc=False keeps the
# garbage collector from scanning them.


class Dataset(Struct, frozen=True, gc=False):
    """A dataset in an event, with the aliases in its symlinks facet."""

    key: Name
    facets: Facets
    access_facets: Facets  # inputFacets or outputFacets, which apply to this run only
    aliases: tuple[Name, ...]
    omitted: tuple[str, ...] = ()  # unreadable parts, by their path in the dataset


class Job(Struct, frozen=True, gc=False):
    """A job in an event."""

    key: Name
    facets: Facets
    omitted: tuple[str, ...] = ()


class Parent(Struct, frozen=True, gc=False):
    """The run that started this one; with its job if the parent facet names it."""

    run_id: str
    job: Name | None


_NOTHING: Facets = {}


class RunEvent(Struct, frozen=True, gc=False):
    """A change of a run's state. ``time`` is UTC in ISO 8601 with microseconds."""

    time: str
    type: EventType | None
    run_id: str
    run_facets: Facets
    parent: Parent | None
    job: Job
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    omitted: tuple[str, ...] = ()

    @property
    def namespace(self) -> str:
        """The namespace of the job."""
        return self.job.key[0]

    def without_parts(self) -> RunEvent:
        """Return the event without datasets and facets."""
        job = Job(self.job.key, _NOTHING)
        return RunEvent(self.time, self.type, self.run_id, _NOTHING, self.parent, job, (), ())

    def all_omitted(self) -> list[str]:
        """Return the unreadable parts of the event, by their path."""
        return _all_omitted(self)


class JobEvent(Struct, frozen=True, gc=False):
    """A description of a job, without a run. ``assets``: of its facets of graph models."""

    time: str
    job: Job
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    omitted: tuple[str, ...] = ()
    assets: AssetFacets | None = None

    @property
    def namespace(self) -> str:
        """The namespace of the job."""
        return self.job.key[0]

    def without_parts(self) -> JobEvent:
        """Return the event without datasets and facets."""
        return JobEvent(self.time, Job(self.job.key, _NOTHING), (), ())

    def all_omitted(self) -> list[str]:
        """Return the unreadable parts of the event, by their path."""
        return _all_omitted(self)


class DatasetEvent(Struct, frozen=True, gc=False):
    """A description of a dataset, without a job. ``assets``: of its facets of graph models."""

    time: str
    dataset: Dataset
    omitted: tuple[str, ...] = ()
    assets: AssetFacets | None = None

    @property
    def namespace(self) -> str:
        """The namespace of the dataset."""
        return self.dataset.key[0]

    def without_parts(self) -> DatasetEvent:
        """Return the event without facets."""
        return DatasetEvent(self.time, Dataset(self.dataset.key, _NOTHING, _NOTHING, ()))

    def all_omitted(self) -> list[str]:
        """Return the unreadable parts of the event, by their path."""
        return [*self.omitted, *(f"dataset.{each}" for each in self.dataset.omitted)]


Event: TypeAlias = RunEvent | JobEvent | DatasetEvent


def _all_omitted(event: RunEvent | JobEvent) -> list[str]:
    every = [*event.omitted, *(f"job.{each}" for each in event.job.omitted)]
    for side, datasets in (("inputs", event.inputs), ("outputs", event.outputs)):
        for dataset in datasets:
            if dataset.omitted:
                place = f"{side}, {dataset.key[1][:100]}"
                every += [f"{place}: {each}" for each in dataset.omitted]
    return every


def datasets_of(event: Event) -> tuple[Dataset, ...]:
    """Return the datasets of an event, including repeated ones."""
    if isinstance(event, DatasetEvent):
        return (event.dataset,)
    return (*event.inputs, *event.outputs)


def count_names(datasets: Iterable[Dataset]) -> int:
    """Count the names of datasets; a name uses far more memory than its text."""
    return sum(1 + len(each.aliases) for each in datasets)
