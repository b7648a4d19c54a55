"""The columns of a dataset, with the numbers of columns one edge away from each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.query.names import resolve_dataset

if TYPE_CHECKING:
    from lineage.query.records import Dataset
    from lineage.query.session import Session


class DatasetColumnRow(NamedTuple):
    """A column, and how many columns match."""

    total: int
    name: str
    type: str | None
    nested: bool
    description: str | None
    tags: list[str] | None
    upstream: int
    upstream_direct: int
    downstream: int
    downstream_direct: int


_SQL = StatementFile(__file__)
_SELECT_COLUMNS = _SQL.statement("select_dataset_columns", DatasetColumnRow)


class DatasetColumn(Struct, frozen=True, gc=False):
    """A column of a dataset.

    ``name``: path of a nested field. ``type``: as the newest schema declares it; None if only a
    column mapping names the column. ``description``: of the newest schema; None for a nested field.
    ``upstream``, ``downstream``: numbers of columns one edge away. ``…_direct``: of these, the
    number with a DIRECT edge.
    """

    name: str
    type: str | None
    nested: bool
    description: str | None
    tags: tuple[str, ...]
    upstream: int
    upstream_direct: int
    downstream: int
    downstream_direct: int


@dataclass(frozen=True, slots=True)
class DatasetColumns:
    """Columns of a dataset by name. ``omitted``: number of columns after the last of them."""

    dataset: Dataset
    columns: tuple[DatasetColumn, ...]
    omitted: int


def list_dataset_columns(
    session: Session,
    name: str,
    text: str = "",
    *,
    observed: bool = False,
    limit: int | None = None,
    offset: int = 0,
) -> DatasetColumns:
    """List the columns of a dataset whose name contains ``text``, ignoring case.

    ``observed``: do not count edges that only a design reports.
    """
    dataset = resolve_dataset(session, name)
    rows = session.fetch(
        _SELECT_COLUMNS, dataset=dataset.id, text=text, observed=observed, limit=limit,
        offset=offset,
    )  # fmt: skip
    columns = tuple(
        DatasetColumn(
            row.name, row.type, row.nested, row.description, tuple(row.tags or ()), row.upstream,
            row.upstream_direct, row.downstream, row.downstream_direct,
        )
        for row in rows
    )  # fmt: skip
    omitted = rows[0].total - offset - len(rows) if rows else 0
    return DatasetColumns(dataset, columns, omitted)
