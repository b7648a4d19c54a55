"""Results of the steps of a projection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from lineage.openlineage.events import Name

# First and last time of a run as work of a job, by both.
Periods: TypeAlias = "Mapping[tuple[int, int], tuple[str, str]]"


@dataclass(frozen=True, slots=True)
class EntityIds:
    """Ids of the datasets and jobs that a batch names.

    ``canonical`` has the dataset that the id of a name stands for. The ``existing`` ones were there
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

    The ``existing`` ones were there before the batch; ``contributing`` are those of the others that
    the summaries have to count.
    """

    ids: Mapping[str, int]
    existing: Set[int]
    contributing: Set[int]


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids of all that a batch names."""

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
    """Names of datasets that get another canonical dataset.

    The ``old`` and the ``new`` one by name, and the ``runs`` that name them.
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
    """Runs of a batch, now that they are locked.

    ``contributed`` are the existing ones that the summaries count, ``contributing`` those of all
    that they have to count from now on.
    """

    contributed: Set[int]
    contributing: Set[int]


@dataclass(frozen=True, slots=True)
class RunChanges:
    """How the contribution of runs changes.

    ``reported`` are the runs that the batch has events of, ``existing`` those of all its runs that
    were there before. ``after_reassignment`` runs name datasets that are reassigned, and
    contributed before; they may be none of the batch.
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
        """Runs of which all that is counted may be wrong from now on."""
        return set(self.contributed - self.contributing | self.reassigned)

    @property
    def contributing_after(self) -> set[int]:
        """Runs that contribute from now on, and existed before."""
        return set(self.contributing & self.existing | (self.reassigned - self.reported))


class AccessKey(NamedTuple):
    """A run, as work of a job, read or wrote a canonical dataset."""

    run: int
    job: int
    dataset: int
    is_output: bool


@dataclass(frozen=True, slots=True)
class WrittenAccesses:
    """The accesses of a batch, each a tuple of ``AccessKey``.

    The edges of ``runs_to_rewrite`` have to be written from the facts.
    """

    keys: Sequence[tuple[int, int, int, bool]]
    runs_to_rewrite: Set[int]


class MappingKey(NamedTuple):
    """A run, as work of a job, reports a column mapping."""

    run: int
    job: int
    mapping: int


@dataclass(frozen=True, slots=True)
class WrittenMappings:
    """The column mappings that runs of a batch report.

    ``new_columns`` may be new to the graph: each a dataset and a name.
    """

    reported: Sequence[MappingKey]
    new_columns: Sequence[tuple[int, str]]


class EdgePair(NamedTuple):
    """An edge of a summary or a design, with the pair that it connects."""

    edge: int
    source: int
    target: int


def list_columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """Return a list for each column of ``rows``, of which there is one at least."""
    return [list(column) for column in zip(*rows, strict=True)]
