"""Steps of column lineage that are unknown, because no event reported their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.records import Dataset, UnreportedColumns, dataset_of, job_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.records import OneWay
    from lineage.query.session import Session


class UnreportedRow(NamedTuple):
    """A step without reported columns; no target if nothing was written from the source."""

    source: int
    source_namespace: str
    source_name: str
    job: int | None
    job_namespace: str | None
    job_name: str | None
    target: int | None
    target_namespace: str | None
    target_name: str | None
    declared: bool


_SQL = StatementFile(__file__)
_SELECT_UNREPORTED = _SQL.statement("select_unreported_steps", UnreportedRow)


def read_unreported(
    session: Session,
    ids: Sequence[int],
    direction: OneWay,
    *,
    readers: bool = False,
    observed: bool = False,
) -> tuple[UnreportedColumns, ...]:
    """Read the steps out of these datasets, or into them if upstream, without reported columns.

    ``readers``: also jobs that read them and wrote nothing from them. ``observed``: ignore steps
    and columns that only a design reports.
    """
    rows = session.fetch(
        _SELECT_UNREPORTED, ids=list(ids), direction=direction, readers=readers, observed=observed
    )
    return tuple(
        UnreportedColumns(
            Dataset(row.source, row.source_namespace, row.source_name),
            job_of(row.job, row.job_namespace, row.job_name),
            dataset_of(row.target, row.target_namespace, row.target_name),
            row.declared,
        )
        for row in rows
    )
