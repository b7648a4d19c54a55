"""Runs of a batch: ids, merged state, and contribution to the summaries.

A run that is only named as the parent of others is not locked: all runs of an application or
orchestrator name it, so that all writers would wait for each other.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import (
    bigint_array,
    define_columns,
    execute_rows,
    text_array,
    timestamptz_array,
)
from lineage.database.statements import StatementFile
from lineage.projection.entities import resolve_ids
from lineage.projection.facets import as_json
from lineage.projection.rows import MergedRuns, RunChanges, RunIds

if TYPE_CHECKING:
    from collections.abc import Collection

    import psycopg

    from lineage.events.merge import Batch
    from lineage.events.states import RunState
    from lineage.projection.rows import Ids, Reassignment

    Connection = psycopg.Connection[Any]


_SELECT_CONTRIBUTING = "SELECT id FROM lineage.run WHERE id = ANY (%s::bigint[]) AND contributing"
_SET_CONTRIBUTING = """
UPDATE lineage.run SET contributing = lineage.is_contributing(state, facets, streamed)
WHERE id = ANY (%s::bigint[])
"""


class RunIdRow(NamedTuple):
    """A run."""

    run_id: str
    id: int


class RunRow(NamedTuple):
    """A run, and whether it contributes to the summaries before and after the batch."""

    run_id: str
    id: int
    contributed: bool
    contributing: bool


_SQL = StatementFile(__file__)
_SELECT = _SQL.tuples("select_runs", RunIdRow)
_ADD = _SQL.tuples("add_runs", RunRow)
_MERGE = _SQL.tuples("merge_runs", RunRow)
_ID = define_columns(run_ids=text_array)
_NEW = define_columns(
    **_ID,
    states=text_array,
    first=timestamptz_array,
    last=timestamptz_array,
    started=timestamptz_array,
    ended=timestamptz_array,
    streamed=bigint_array,
    facets=text_array,
)
_EXISTING = define_columns(ids=bigint_array, **_NEW)


def resolve_runs(conn: Connection, batch: Batch) -> RunIds:
    """Resolve the runs of the batch to ids; insert new ones."""
    ids: dict[str, int] = {}
    existing: set[int] = set()
    contributing: set[int] = set()

    def select_runs(run_ids: Collection[str]) -> None:
        rows = dict(execute_rows(conn, _SELECT, _ID, [(run_id,) for run_id in run_ids]))
        ids.update(rows)
        existing.update(rows.values())

    def add_runs(run_ids: Collection[str]) -> None:
        rows = [_row_of(run_id, batch.runs[run_id]) for run_id in sorted(run_ids)]
        for run_id, id, _, contributes in execute_rows(conn, _ADD, _NEW, rows):
            ids[run_id] = id
            if contributes:
                contributing.add(id)

    resolve_ids(batch.runs.keys(), ids, select_runs, add_runs)
    return RunIds(ids, existing, contributing)


def merge_runs(conn: Connection, batch: Batch, ids: Ids) -> MergedRuns:
    """Lock existing runs in the order of their run ids, and merge the reports of the batch."""
    rows = [
        (id, *_row_of(run_id, run))
        for run_id, run in sorted(batch.runs.items(), key=itemgetter(0))
        if (id := ids.runs.ids[run_id]) in ids.runs.existing and _is_reported(run)
    ]
    contributed, contributing = set(), set(ids.runs.contributing)
    for _, id, did_contribute, contributes in execute_rows(conn, _MERGE, _EXISTING, rows):
        if did_contribute:
            contributed.add(id)
        if contributes:
            contributing.add(id)
    return MergedRuns(contributed, contributing)


def compare_runs(
    conn: Connection, batch: Batch, ids: Ids, merged: MergedRuns, moved: Reassignment
) -> RunChanges:
    """Determine the change of contribution of the runs of the batch and of reassigned runs."""
    reported = {ids.runs.ids[run_id] for run_id, run in batch.runs.items() if _is_reported(run)}
    reassigned = set()
    if moved.runs:
        reassigned = {id for (id,) in conn.execute(_SELECT_CONTRIBUTING, (moved.runs,))}
    return RunChanges(
        reported, ids.runs.existing, merged.contributed, merged.contributing, reassigned
    )


def update_contributing(conn: Connection, changes: RunChanges) -> None:
    """Update the column ``contributing`` of existing runs that begin or cease to contribute."""
    if runs := changes.existing & (changes.contributed ^ changes.contributing):
        conn.execute(_SET_CONTRIBUTING, (sorted(runs),))


def _is_reported(run: RunState) -> bool:
    return run.first is not None


def _row_of(run_id: str, run: RunState) -> tuple[Any, ...]:
    times = run.first, run.last, run.started, run.ended
    return run_id, run.state_, *times, run.streamed, as_json(run)
