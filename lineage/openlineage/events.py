"""Events as frozen records: what is left of the JSON once it has been checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

EventType: TypeAlias = Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]

# Facet name to its body, whole.
Facets: TypeAlias = Mapping[str, Any]

# Namespace and name.
Name: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset as an event states it, with the other names that its symlinks facet gives it."""

    key: Name
    facets: Facets
    access_facets: Facets  # inputFacets or outputFacets: what holds for this run alone
    aliases: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A job as an event states it."""

    key: Name
    facets: Facets


@dataclass(frozen=True, slots=True)
class Parent:
    """The run that started this one; its job where the parent facet names it."""

    run_id: str
    job: Name | None


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something happened to a run. ``time`` is UTC in ISO 8601, to the microsecond, as anywhere."""

    time: str
    type: EventType | None
    run_id: str
    run_facets: Facets
    parent: Parent | None
    job: Job
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]


@dataclass(frozen=True, slots=True)
class JobEvent:
    """A job was described, without a run."""

    time: str
    job: Job
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]


@dataclass(frozen=True, slots=True)
class DatasetEvent:
    """A dataset was described, without a job."""

    time: str
    dataset: Dataset


Event: TypeAlias = RunEvent | JobEvent | DatasetEvent
