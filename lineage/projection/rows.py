"""Results of the steps of a projection."""

from __future__ import annotations

from dataclasses import dataclass
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
