"""Datasets and jobs downstream of a dataset or column, counted and sorted by the database.

Owners and counts cover all of them. All other values are read only for the returned ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.columns import dataset_distances

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.database.statements import Statement
    from lineage.query.records import Column, ColumnTrace, Dataset
    from lineage.query.session import Session


class AffectedRow(NamedTuple):
    """The counts if ``place`` is 0, else a returned dataset or job."""

    place: int
    record: list[Any]


_SQL = StatementFile(__file__)
_SELECT_AFFECTED_DATASETS = _SQL.statement("select_affected_datasets", AffectedRow)
_SELECT_AFFECTED_JOBS = _SQL.statement("select_affected_jobs", AffectedRow)


@dataclass(frozen=True, slots=True)
class LimitedRows:
    """Downstream datasets or jobs.

    ``count``: number of all. ``in_use``: number in use. ``owned``: number by owner; key None for
    unowned ones. ``rows``: those within the limit; of datasets, the first is that of the root,
    which is not counted.
    """

    count: int
    in_use: int
    owned: Mapping[str | None, int]
    rows: Sequence[list[Any]]


@dataclass(frozen=True, slots=True)
class ImpactScope:
    """The scope of an impact query. ``traced``: the column trace; None if the root is a dataset."""

    root: Dataset | Column
    depth: int | None
    traced: ColumnTrace | None = None
    observed: bool = False
    min_confidence: float = 0

    def affected_datasets(
        self, session: Session, since: str | None, limit: int | None
    ) -> LimitedRows:
        """Read the dataset of the root and at most ``limit`` datasets downstream of it."""
        distances = self.dataset_distances()
        columns = {"ids": list(distances), "distances": list(distances.values())}
        return self._read_within(
            session, _SELECT_AFFECTED_DATASETS, columns, since=since, limit=limit
        )

    def affected_jobs(self, session: Session, since: str | None, limit: int | None) -> LimitedRows:
        """Read at most ``limit`` jobs that read these datasets."""
        edges = [(each.job, each) for each in self.traced.edges if each.job] if self.traced else []
        columns: dict[str, Sequence[int]] = {
            "jobs": [job.id for job, _ in edges],
            "read": [edge.source.dataset.id for _, edge in edges],
            "steps": [edge.distance for _, edge in edges],
            "designs": [edge.runs == 0 for _, edge in edges],
        }
        return self._read_within(session, _SELECT_AFFECTED_JOBS, columns, since=since, limit=limit)

    def _read_within(
        self,
        session: Session,
        statement: Statement[AffectedRow],
        columns: Mapping[str, Sequence[int]],
        **within: Any,
    ) -> LimitedRows:
        rows = session.fetch(
            statement,
            root=None if self.traced else self.root.id,
            depth=self.depth,
            observed=self.observed,
            min_confidence=self.min_confidence,
            **columns,
            **within,
        )
        [(_, (*counts, owned)), *listed] = rows
        return LimitedRows(counts[0], counts[-1], dict(owned or ()), [row.record for row in listed])

    def dataset_distances(self) -> dict[int, int]:
        """Return the distance of each dataset of the traced columns, by dataset id."""
        return dataset_distances(self.traced) if self.traced else {}

    def affected_columns(self) -> dict[int, tuple[str, ...]]:
        """Return the names of the traced columns, by dataset id."""
        columns: dict[int, list[str]] = {}
        for node in self.traced.nodes if self.traced else ():
            columns.setdefault(node.column.dataset.id, []).append(node.column.name or "*")
        return {id: tuple(sorted(names)) for id, names in columns.items()}
