"""Runs of a batch: their ids, what it says of them, and whether they count for the summaries.

A run that is only named, as the parent of others, is not locked: applications and orchestrators
are named by all that they started, and all writers would wait for each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import define_columns, execute_rows, moments, numbers, texts
from lineage.database.statements import StatementFile
from lineage.projection.entities import find_or_add
from lineage.projection.facets import as_json

if TYPE_CHECKING:
    from collections.abc import Collection

    import psycopg

    from lineage.events.merge import Batch
    from lineage.events.states import SeenRun

    Row = tuple[Any, ...]


class RunIdRow(NamedTuple):
    """A run."""

    run_id: str
    id: int


class RunRow(NamedTuple):
    """A run, whether the summaries count it, and whether they have to from now on."""

    run_id: str
    id: int
    contributed: bool
    contributing: bool


_SQL = StatementFile(__file__)
_SELECT = _SQL.tuples("select_runs", RunIdRow)
_ADD = _SQL.tuples("add_runs", RunRow)
_MERGE = _SQL.tuples("merge_runs", RunRow)
_ID = define_columns(run_ids=texts)
_NEW = define_columns(
    **_ID,
    states=texts,
    first=moments,
    last=moments,
    started=moments,
    ended=moments,
    streamed=numbers,
    facets=texts,
)
_KNOWN = define_columns(ids=numbers, **_NEW)


class RunRows:
    """The rows of a batch's runs: made where they are missing, and merged with what it says."""

    def __init__(self, conn: psycopg.Connection[Any], batch: Batch) -> None:
        """Look ids up, and add what is missing."""
        self._conn = conn
        self._batch = batch
        self.ids: dict[str, int] = {}
        self.known: set[int] = set()  # runs that were there before
        self.counted: set[int] = set()  # of these, those that the summaries count
        self.feeding: set[int] = set()  # runs that they have to count from now on
        find_or_add(batch.runs, self.ids, self._find, self._add)

    @property
    def said(self) -> set[int]:
        """Those of which the batch says anything itself."""
        return {self.ids[run_id] for run_id, run in self._batch.runs.items() if _is_said(run)}

    def merge(self) -> None:
        """Lock those that were there before, in order, and write what the batch says of them."""
        rows = [
            (id, *_row(run_id, run))
            for run_id, run in sorted(self._batch.runs.items(), key=_key)
            if (id := self.ids[run_id]) in self.known and _is_said(run)
        ]
        for _, id, counted, feeding in execute_rows(self._conn, _MERGE, _KNOWN, rows):
            if counted:
                self.counted.add(id)
            if feeding:
                self.feeding.add(id)

    def _find(self, run_ids: Collection[str]) -> None:
        rows = [(run_id,) for run_id in run_ids]
        found = dict(execute_rows(self._conn, _SELECT, _ID, rows))
        self.ids |= found
        self.known.update(found.values())

    def _add(self, run_ids: Collection[str]) -> None:
        rows = [_row(run_id, self._batch.runs[run_id]) for run_id in sorted(run_ids)]
        for run_id, id, _, feeding in execute_rows(self._conn, _ADD, _NEW, rows):
            self.ids[run_id] = id
            if feeding:
                self.feeding.add(id)


def _is_said(run: SeenRun) -> bool:
    return run.first is not None


def _row(run_id: str, run: SeenRun) -> Row:
    times = run.first, run.last, run.started, run.ended
    return run_id, run.state_, *times, run.streamed, as_json(run)


def _key(item: tuple[str, SeenRun]) -> str:
    return item[0]
