"""Datasets and jobs of a batch: resolved at its beginning, merged at its end.

Nearly all batches name the same datasets and jobs. If their rows were locked at the beginning, a
writer would wait for the whole batch of another one. They are locked at the end, so that it waits
only for that part. New rows are inserted at once: only writers that name the same entity wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database.binary_arrays import (
    bigint_array,
    define_columns,
    execute_rows,
    text_array,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.events.states import EntityState
from lineage.projection.facets import as_json
from lineage.projection.rows import EntityIds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Set

    import psycopg

    from lineage.events.merge import Batch
    from lineage.openlineage.events import Name
    from lineage.projection.rows import Ids

    Connection = psycopg.Connection[Any]
    Row = tuple[Any, ...]
    Key = TypeVar("Key", bound=Hashable)


class DatasetIdRow(NamedTuple):
    """A name and its canonical dataset."""

    namespace: str
    name: str
    id: int
    canonical_namespace: str
    canonical_name: str
    canonical: int


class EntityIdRow(NamedTuple):
    """A name."""

    namespace: str
    name: str
    id: int


_SQL = StatementFile(__file__)
_SELECT_DATASETS = _SQL.tuples("select_datasets", DatasetIdRow)
_SELECT_JOBS = _SQL.tuples("select_jobs", EntityIdRow)
_ADD_DATASETS = _SQL.tuples("add_datasets", EntityIdRow)
_ADD_JOBS = _SQL.tuples("add_jobs", EntityIdRow)
_MERGE_DATASETS = _SQL.statement("merge_datasets")
_MERGE_JOBS = _SQL.tuples("merge_jobs", EntityIdRow)
_NAME = define_columns(namespaces=text_array, names=text_array)
_NEW = define_columns(**_NAME, first=timestamptz_array, last=timestamptz_array, facets=text_array)
_EXISTING = define_columns(ids=bigint_array, **_NEW)
_UNREPORTED = EntityState()


def resolve_entities(conn: Connection, batch: Batch) -> EntityIds:
    """Resolve the datasets and jobs that the batch names to ids; insert new ones."""
    datasets: dict[Name, int] = {}
    jobs: dict[Name, int] = {}
    canonical: dict[int, int] = {}
    existing_datasets: set[Name] = set()
    existing_jobs: set[Name] = set()

    def select_datasets(names: Collection[Name]) -> None:
        rows = execute_rows(conn, _SELECT_DATASETS, _NAME, list(names))
        for namespace, name, id, canonical_namespace, canonical_name, canonical_id in rows:
            key, canonical_key = (namespace, name), (canonical_namespace, canonical_name)
            datasets[key], datasets[canonical_key] = id, canonical_id
            canonical[id] = canonical[canonical_id] = canonical_id
            existing_datasets.update((key, canonical_key))

    def add_datasets(names: Collection[Name]) -> None:
        rows = _rows_of(batch.datasets, names)
        for namespace, name, id in execute_rows(conn, _ADD_DATASETS, _NEW, rows):
            datasets[namespace, name] = canonical[id] = id

    def select_jobs(names: Collection[Name]) -> None:
        for namespace, name, id in execute_rows(conn, _SELECT_JOBS, _NAME, list(names)):
            jobs[namespace, name] = id
            existing_jobs.add((namespace, name))

    def add_jobs(names: Collection[Name]) -> None:
        rows = _rows_of(batch.jobs, names)
        for namespace, name, id in execute_rows(conn, _ADD_JOBS, _NEW, rows):
            jobs[namespace, name] = id

    resolve_ids(batch.datasets.keys(), datasets, select_datasets, add_datasets)
    resolve_ids(batch.jobs.keys(), jobs, select_jobs, add_jobs)
    return EntityIds(datasets, jobs, canonical, existing_datasets, existing_jobs)


def merge_entities(conn: Connection, batch: Batch, ids: Ids) -> None:
    """Apply the reports of the batch about existing datasets and jobs, in the order of their names.

    The canonical dataset of a name is locked together with the name, and its vertex is written.
    """
    entities = ids.entities
    rows = [
        (entities.datasets[name], *_row_of(name, batch.datasets.get(name, _UNREPORTED)))
        for name in sorted(entities.existing_datasets)
    ]
    execute_rows(conn, _MERGE_DATASETS, _EXISTING, rows)
    rows = [
        (entities.jobs[name], *_row_of(name, batch.jobs[name]))
        for name in sorted(entities.existing_jobs)
    ]
    execute_rows(conn, _MERGE_JOBS, _EXISTING, rows)


def resolve_ids(
    keys: Set[Key],
    ids: Mapping[Key, int],
    select: Callable[[Collection[Key]], None],
    add: Callable[[Collection[Key]], None],
) -> None:
    """Fill ``ids`` for all ``keys``; ``select`` and ``add`` store the ids that they get in it."""
    select(keys)
    if missing := keys - ids.keys():
        add(missing)
    if missing := keys - ids.keys():
        select(missing)  # inserted by another transaction


def _rows_of(reported: Mapping[Name, EntityState], names: Collection[Name]) -> list[Row]:
    return [_row_of(name, reported[name]) for name in sorted(names)]


def _row_of(name: Name, seen: EntityState) -> Row:
    return *name, seen.first, seen.last, as_json(seen)
