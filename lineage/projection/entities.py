"""Datasets and jobs of a batch: their ids at its beginning, what it says of them at its end.

Nearly all batches name the same ones. Were their rows locked at the beginning, a writer would wait
for all that another one does; so they wait for the end of it alone. What was not there before is
written at once: a writer that knows its name waits, and none else can need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database.binary_arrays import define_columns, execute_rows, moments, numbers, texts
from lineage.database.statements import StatementFile
from lineage.events.states import Seen
from lineage.projection.facets import as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping

    import psycopg

    from lineage.events.merge import Batch
    from lineage.openlineage.events import Name

    Row = tuple[Any, ...]
    Key = TypeVar("Key", bound=Hashable)


class DatasetIdRow(NamedTuple):
    """A name, and the name that it stands for."""

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
_NAME = define_columns(namespaces=texts, names=texts)
_NEW = define_columns(**_NAME, first=moments, last=moments, facets=texts)
_KNOWN = define_columns(ids=numbers, **_NEW)
_UNSAID = Seen()


class Names:
    """The ids of what a batch names, and of the datasets that its names stand for."""

    def __init__(self, conn: psycopg.Connection[Any], batch: Batch) -> None:
        """Look them up, and add what is missing."""
        self._conn = conn
        self._batch = batch
        self.datasets: dict[Name, int] = {}
        self.jobs: dict[Name, int] = {}
        self.vertex_of: dict[int, int] = {}  # by the id of each name of the batch
        self._known_datasets: set[Name] = set()
        self._known_jobs: set[Name] = set()
        find_or_add(batch.datasets, self.datasets, self._find_datasets, self._add_datasets)
        find_or_add(batch.jobs, self.jobs, self._find_jobs, self._add_jobs)

    @property
    def vertices(self) -> set[int]:
        """The canonical ids of the datasets."""
        return set(self.vertex_of.values())

    def merge(self) -> None:
        """Write what the batch says of those that were there before, in the order of their names.

        What a name stands for is locked, and drawn anew, with it.
        """
        said = self._batch.datasets
        rows = [
            (self.datasets[name], *_row(name, said.get(name, _UNSAID)))
            for name in sorted(self._known_datasets)
        ]
        execute_rows(self._conn, _MERGE_DATASETS, _KNOWN, rows)
        rows = [
            (self.jobs[name], *_row(name, self._batch.jobs[name]))
            for name in sorted(self._known_jobs)
        ]
        execute_rows(self._conn, _MERGE_JOBS, _KNOWN, rows)

    def _find_datasets(self, names: Collection[Name]) -> None:
        rows = execute_rows(self._conn, _SELECT_DATASETS, _NAME, list(names))
        for namespace, own_name, id, vertex_namespace, its_name, vertex in rows:
            name, vertex_name = (namespace, own_name), (vertex_namespace, its_name)
            self.datasets[name], self.datasets[vertex_name] = id, vertex
            self.vertex_of[id] = self.vertex_of[vertex] = vertex
            self._known_datasets |= {name, vertex_name}

    def _add_datasets(self, names: Collection[Name]) -> None:
        rows = _rows(self._batch.datasets, names)
        for namespace, name, id in execute_rows(self._conn, _ADD_DATASETS, _NEW, rows):
            self.datasets[namespace, name] = self.vertex_of[id] = id

    def _find_jobs(self, names: Collection[Name]) -> None:
        for namespace, name, id in execute_rows(self._conn, _SELECT_JOBS, _NAME, list(names)):
            self.jobs[namespace, name] = id
            self._known_jobs.add((namespace, name))

    def _add_jobs(self, names: Collection[Name]) -> None:
        rows = _rows(self._batch.jobs, names)
        for namespace, name, id in execute_rows(self._conn, _ADD_JOBS, _NEW, rows):
            self.jobs[namespace, name] = id


def find_or_add(
    said: Mapping[Key, object],
    ids: Mapping[Key, int],
    find: Callable[[Collection[Key]], None],
    add: Callable[[Collection[Key]], None],
) -> None:
    """Let ``ids`` have all that is said: ``find`` and ``add`` note in it what they met."""
    find(said.keys())
    if missing := said.keys() - ids:
        add(missing)
    if missing := said.keys() - ids:
        find(missing)  # another writer was quicker


def _rows(said: Mapping[Name, Seen], names: Collection[Name]) -> list[Row]:
    return [_row(name, said[name]) for name in sorted(names)]


def _row(name: Name, seen: Seen) -> Row:
    return *name, seen.first, seen.last, as_json(seen)
