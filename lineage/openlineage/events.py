"""Events as frozen records: what is left of the JSON once it has been checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Raw, Struct

EventType: TypeAlias = Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]

# Facet name to its body: JSON text, whole.
Facets: TypeAlias = Mapping[str, Raw]

# Namespace and name.
Name: TypeAlias = tuple[str, str]

# A batch has tens of thousands of these, none of them in a ring: the garbage collector need not
# look at them over and over (gc=False).


class Dataset(Struct, frozen=True, gc=False):
    """A dataset as an event states it, with the other names that its symlinks facet gives it."""

    key: Name
    facets: Facets
    access_facets: Facets  # inputFacets or outputFacets: what holds for this run alone
    aliases: tuple[Name, ...]


class Job(Struct, frozen=True, gc=False):
    """A job as an event states it."""

    key: Name
    facets: Facets


class Parent(Struct, frozen=True, gc=False):
    """The run that started this one; its job where the parent facet names it."""

    run_id: str
    job: Name | None


_NOTHING: Facets = {}


class RunEvent(Struct, frozen=True, gc=False):
    """Something happened to a run. ``time`` is UTC in ISO 8601, to the microsecond, as anywhere."""

    time: str
    type: EventType | None
    run_id: str
    run_facets: Facets
    parent: Parent | None
    job: Job
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]

    @property
    def namespace(self) -> str:
        """That of the job."""
        return self.job.key[0]

    def without_parts(self) -> RunEvent:
        """Return what identifies the event, without datasets and facets."""
        job = Job(self.job.key, _NOTHING)
        return RunEvent(self.time, self.type, self.run_id, _NOTHING, self.parent, job, (), ())


class JobEvent(Struct, frozen=True, gc=False):
    """A job was described, without a run."""

    time: str
    job: Job
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]

    @property
    def namespace(self) -> str:
        """That of the job."""
        return self.job.key[0]

    def without_parts(self) -> JobEvent:
        """Return what identifies the event, without datasets and facets."""
        return JobEvent(self.time, Job(self.job.key, _NOTHING), (), ())


class DatasetEvent(Struct, frozen=True, gc=False):
    """A dataset was described, without a job."""

    time: str
    dataset: Dataset

    @property
    def namespace(self) -> str:
        """That of the dataset."""
        return self.dataset.key[0]

    def without_parts(self) -> DatasetEvent:
        """Return what identifies the event, without facets."""
        return DatasetEvent(self.time, Dataset(self.dataset.key, _NOTHING, _NOTHING, ()))


Event: TypeAlias = RunEvent | JobEvent | DatasetEvent
