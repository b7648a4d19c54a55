"""What is within reach of a dataset or of a column, counted and put in order where it is kept.

Of all of it only owners and numbers are asked for; the rest of what is told alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.records import Column, ColumnTrace, Dataset
    from lineage.query.session import Session


class AffectedRow(NamedTuple):
    """At place 0 the counts, then what is told."""

    place: int
    record: list[Any]


_SQL = StatementFile(__file__)
_DATASETS_FROM_DATASET = _SQL.statement("select_datasets_from_dataset", AffectedRow)
_DATASETS_FROM_COLUMN = _SQL.statement("select_datasets_from_column", AffectedRow)
_JOBS_FROM_DATASET = _SQL.statement("select_jobs_from_dataset", AffectedRow)
_JOBS_FROM_COLUMN = _SQL.statement("select_jobs_from_column", AffectedRow)


@dataclass(frozen=True, slots=True)
class LimitedRows:
    """Things within reach: ``count`` in all, ``in_use`` of them, and how many each owner has.

    With no owner it is what nobody is said to own. ``rows`` are of those to tell; of datasets the
    first is that of the root, which is not counted.
    """

    count: int
    in_use: int
    owned: Mapping[str | None, int]
    rows: Sequence[list[Any]]


@dataclass(frozen=True, slots=True)
class ImpactScope:
    """What is within reach of ``root``; of a column it is ``traced``, of a dataset not yet."""

    root: Dataset | Column
    depth: int | None
    traced: ColumnTrace | None = None
    observed: bool = False

    def affected_datasets(
        self, session: Session, since: str | None, limit: int | None
    ) -> LimitedRows:
        """Return the datasets, so many of them told beside that of the root."""
        statement = _DATASETS_FROM_COLUMN if self.traced else _DATASETS_FROM_DATASET
        return _read_within(
            session.fetch(statement, **self._parameters(), since=since, limit=limit)
        )

    def affected_jobs(self, session: Session, since: str | None, limit: int | None) -> LimitedRows:
        """Return the jobs that read these, so many of them told."""
        statement = _JOBS_FROM_COLUMN if self.traced else _JOBS_FROM_DATASET
        return _read_within(
            session.fetch(statement, **self._parameters(), since=since, limit=limit)
        )

    def _parameters(self) -> dict[str, Any]:
        if self.traced is None:
            return {"root": self.root.id, "depth": self.depth, "observed": self.observed}
        distances = self.dataset_distances()
        edges = [(edge.job, edge) for edge in self.traced.edges if edge.job]
        return {
            "ids": list(distances),
            "distances": list(distances.values()),
            "jobs": [job.id for job, _ in edges],
            "read": [edge.source.dataset.id for _, edge in edges],
            "steps": [edge.distance for _, edge in edges],
        }

    def dataset_distances(self) -> dict[int, int]:
        """Return the datasets of the columns that were traced, by their ids."""
        distances: dict[int, int] = {}
        for node in self.traced.nodes if self.traced else ():
            distances.setdefault(node.column.dataset.id, node.distance)  # the nearest comes first
        return distances

    def affected_columns(self) -> dict[int, tuple[str, ...]]:
        """Return the columns that were traced, by the ids of their datasets."""
        columns: dict[int, list[str]] = {}
        for node in self.traced.nodes if self.traced else ():
            columns.setdefault(node.column.dataset.id, []).append(node.column.name or "*")
        return {id: tuple(sorted(names)) for id, names in columns.items()}


def _read_within(rows: list[AffectedRow]) -> LimitedRows:
    [(_, (*counts, owned)), *listed] = rows
    return LimitedRows(counts[0], counts[-1], dict(owned or ()), [row.record for row in listed])
