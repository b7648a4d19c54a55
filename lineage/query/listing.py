"""Lists of datasets and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.naming import DatasetName
from lineage.query.arguments import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.session import Session


class ListedDatasetRow(NamedTuple):
    """A dataset; the columns are the fields of ``ListedDataset``."""

    namespace: str
    name: str
    tags: list[str] | None
    last_seen: str | None


class ListedJobRow(NamedTuple):
    """A job; the columns are the fields of ``ListedJob``."""

    namespace: str
    name: str
    tags: list[str] | None
    last_seen: str | None
    type: str | None


_SQL = StatementFile(__file__)
_LIST_DATASETS = _SQL.statement("list_datasets", ListedDatasetRow)
_LIST_JOBS = _SQL.statement("list_jobs", ListedJobRow)


class ListedDataset(Struct, frozen=True):
    """A dataset of a list."""

    namespace: str
    name: str
    tags: tuple[str, ...]
    last_seen: str | None

    @property
    def full_name(self) -> str:
        """Namespace and name as one string."""
        return DatasetName(self.namespace, self.name).full_name


class ListedJob(Struct, frozen=True):
    """A job of a list; ``type`` is its jobType."""

    namespace: str
    name: str
    tags: tuple[str, ...]
    last_seen: str | None
    type: str | None

    @property
    def full_name(self) -> str:
        """Namespace and name as one string."""
        return f"{self.namespace}/{self.name}"


def list_datasets(
    session: Session,
    text: str = "",
    limit: int = 100,
    *,
    namespaces: Sequence[str] = (),
    tags: Sequence[str] = (),
    offset: int = 0,
) -> tuple[ListedDataset, ...]:
    """List datasets whose full name contains ``text``, ignoring case, sorted by name."""
    rows = session.fetch(
        _LIST_DATASETS,
        text=text,
        limit=limit,
        offset=offset,
        namespaces=list(texts_of(namespaces)),
        tags=list(texts_of(tags)),
    )
    return tuple(
        ListedDataset(row.namespace, row.name, tuple(row.tags or ()), row.last_seen) for row in rows
    )


def list_jobs(
    session: Session,
    text: str = "",
    limit: int = 100,
    *,
    namespaces: Sequence[str] = (),
    tags: Sequence[str] = (),
    types: Sequence[str] = (),
    offset: int = 0,
) -> tuple[ListedJob, ...]:
    """List jobs whose full name contains ``text``, ignoring case, sorted by name."""
    rows = session.fetch(
        _LIST_JOBS,
        text=text,
        limit=limit,
        offset=offset,
        namespaces=list(texts_of(namespaces)),
        tags=list(texts_of(tags)),
        types=[each.lower() for each in texts_of(types)],
    )
    return tuple(
        ListedJob(row.namespace, row.name, tuple(row.tags or ()), row.last_seen, row.type)
        for row in rows
    )
