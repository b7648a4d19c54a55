"""Results of the steps of a projection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from lineage.openlineage.events import Name

# First and last time of an execution, by run and job.
Periods: TypeAlias = "Mapping[tuple[int, int], tuple[str, str]]"


@dataclass(frozen=True, slots=True)
class EntityIds:
    """Ids of the datasets and jobs that a batch names.

    ``canonical``: id of the canonical dataset by id of the name. ``existing_…``: names that existed
    before the batch.
    """

    datasets: Mapping[Name, int]
    jobs: Mapping[Name, int]
    canonical: Mapping[int, int]
    existing_datasets: Set[Name]
    existing_jobs: Set[Name]


@dataclass(frozen=True, slots=True)
class RunIds:
    """Ids of the runs that a batch names.

    ``existing``: runs that existed before the batch. ``contributing``: new runs that contribute to
    the summaries.
    """

    ids: Mapping[str, int]
    existing: Set[int]
    contributing: Set[int]


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids of the entities and runs that a batch names."""

    entities: EntityIds
    runs: RunIds

    def after_reassignment(self, moved: Reassignment) -> Ids:
        """Return the ids after a reassignment."""
        if not moved.new:
            return self
        canonical = {**self.entities.canonical, **moved.new}
        return Ids(replace(self.entities, canonical=canonical), self.runs)


@dataclass(frozen=True, slots=True)
class Reassignment:
    """Names of datasets whose canonical dataset changes.

    ``old``, ``new``: id of the canonical dataset by id of the name. ``runs``: runs that use one of
    the names.
    """

    old: Mapping[int, int]
    new: Mapping[int, int]
    runs: Sequence[int]

    @property
    def changed_datasets(self) -> set[int]:
        """The old and the new canonical datasets."""
        return {*self.old.values(), *self.new.values()}


@dataclass(frozen=True, slots=True)
class MergedRuns:
    """Runs of a batch after locking.

    ``contributed``: existing runs that the summaries count before the batch. ``contributing``: runs
    of the batch that they count after it.
    """

    contributed: Set[int]
    contributing: Set[int]


@dataclass(frozen=True, slots=True)
class RunChanges:
    """Changes of the contributions of runs.

    ``reported``: runs of which the batch has events. ``existing``: runs of the batch that existed
    before it. ``contributed``, ``contributing``: runs that the summaries count before and after the
    batch. ``reassigned``: runs that use reassigned names and contributed before; they need not be
    part of the batch.
    """

    reported: Set[int]
    existing: Set[int]
    contributed: Set[int]
    contributing: Set[int]
    reassigned: Set[int]

    @property
    def updated_runs(self) -> set[int]:
        """Runs that contribute before and after."""
        return set(self.contributed & self.contributing - self.reassigned)

    @property
    def removed_runs(self) -> set[int]:
        """Runs whose entire previous contribution may be invalid."""
        return set(self.contributed - self.contributing | self.reassigned)

    @property
    def contributing_after(self) -> set[int]:
        """Existing runs that contribute after the batch, and reassigned runs outside of it."""
        return set(self.contributing & self.existing | (self.reassigned - self.reported))


# A read or write: the run, its job, the canonical dataset, and whether it is an output.
AccessKey: TypeAlias = tuple[int, int, int, bool]


@dataclass(frozen=True, slots=True)
class WrittenAccesses:
    """The accesses of a batch.

    ``runs_to_rewrite``: runs whose edges have to be written from the facts.
    """

    keys: Sequence[AccessKey]
    runs_to_rewrite: Set[int]


class MappingKey(NamedTuple):
    """A column mapping that a run of a job reports."""

    run: int
    job: int
    mapping: int


@dataclass(frozen=True, slots=True)
class WrittenMappings:
    """The column mappings that runs of a batch report.

    ``new_columns``: dataset and name of columns that may be new to the graph.
    """

    reported: Sequence[MappingKey]
    new_columns: Sequence[tuple[int, str]]


class EdgePair(NamedTuple):
    """An edge of a summary or a design, with the pair that it connects."""

    edge: int
    source: int
    target: int


def list_columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """Transpose ``rows``, of which there is at least one, into a list for each column."""
    return [list(column) for column in zip(*rows, strict=True)]
