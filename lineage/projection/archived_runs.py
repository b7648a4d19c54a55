"""Archived runs: the summaries count them, their facts are gone, and events do not change them.

See docs/decisions/archived-runs.md.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import bigint_array, text_array
from lineage.database.statements import StatementFile
from lineage.events.merge import Batch
from lineage.openlineage import RunEvent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    import psycopg

    Connection = psycopg.Connection[Any]


class ArchivedRow(NamedTuple):
    """An archived run; ``in_graph``: whether its facts are not moved yet."""

    run_id: str
    in_graph: bool


_SQL = StatementFile(__file__)
_SELECT_ARCHIVED = _SQL.statement("select_archived", ArchivedRow)
_ADD_LATE = _SQL.statement("add_late")
_CLOSE_RUNS = _SQL.statement("close_runs")
_REOPEN_NEEDED = _SQL.statement("reopen_needed")
_DELETE_LATE = _SQL.statement("delete_late")
_SELECT_CLOSED = _SQL.statement("select_closed", int)
_ADD_FEEDS = _SQL.statement("add_feeds")
_ADD_DERIVES = _SQL.statement("add_derives")
_MERGE_FEEDS = _SQL.statement("merge_feeds")
_MERGE_DERIVES = _SQL.statement("merge_derives")
_SELECT_PARENTS = _SQL.statement("select_unreported_parents", int)
_MARK_MOVED = _SQL.statement("mark_moved")
_DELETE_EDGES = _SQL.statement("delete_edges")
_DELETE_FACTS = _SQL.statement("delete_facts")

# Runs that are moved by one statement.
RUNS_AT_ONCE = 10_000
# Runs of a job that later ones are compared with: 20 intervals between beginnings, durations and
# numbers of rows.
PREVIOUS_RUNS = 21


def omit_archived(conn: Connection, batch: Batch) -> Batch:
    """Return the batch without archived runs, and store how many events are of them.

    These are their own events and those that name them as the parent. An empty run would be
    inserted for the parent, and it would be another one after a rebuild.
    """
    reported = {run_id for run_id, run in batch.runs.items() if run.first is not None}
    parents = {parent for _, parent in batch.parents}
    rows = _SELECT_ARCHIVED.fetch(conn, run_ids=text_array(sorted(reported | parents)))
    archived = {row.run_id for row in rows} & reported
    moved = {row.run_id for row in rows if not row.in_graph} & parents
    if not archived and not moved:
        return batch
    others, late = [], defaultdict(list)
    for entry in batch.entries:
        event = entry.event
        if isinstance(event, RunEvent) and event.run_id in archived:
            late[event.run_id].append(event.time)
            continue
        if isinstance(event, RunEvent) and event.parent and event.parent.run_id in moved:
            late[event.parent.run_id].append(event.time)
        others.append(entry)
    _add_late(conn, late)
    rest = Batch.merge_entries(others) if archived else batch
    _remove_parents(rest, moved)
    return rest


def _remove_parents(batch: Batch, runs: Set[str]) -> None:
    """Remove runs that the batch has only as parents."""
    batch.parents = {pair for pair in batch.parents if pair[1] not in runs}
    for run_id in runs & batch.runs.keys():
        del batch.runs[run_id]
    for key in [key for key in batch.executions if key[0] in runs]:
        del batch.executions[key]


def _add_late(conn: Connection, late: Mapping[str, Sequence[str]]) -> None:
    runs = sorted(late)
    _ADD_LATE.execute(
        conn,
        run_ids=runs,
        events=[len(late[run]) for run in runs],
        last=[max(late[run]) for run in runs],
    )


def close_runs(conn: Connection, before: str) -> None:
    """Mark the ended runs from before a time as archived, those that remain in the graph too.

    The caller holds the exclusive lock of projections.
    """
    _CLOSE_RUNS.execute(conn, before=before, previous=PREVIOUS_RUNS)


def move_runs(conn: Connection, runs: Sequence[int]) -> None:
    """Delete closed runs from facts and graph; the summaries go on counting them.

    The caller holds the exclusive lock, has added all deferred contributions, and calls
    ``merge_groups`` at the end.
    """
    ids = bigint_array(runs)
    _ADD_FEEDS.execute(conn, runs=ids)
    _ADD_DERIVES.execute(conn, runs=ids)
    parents = _SELECT_PARENTS.fetch(conn, runs=ids)
    _MARK_MOVED.execute(conn, runs=ids)
    deleted = bigint_array([*runs, *parents])
    _DELETE_EDGES.execute(conn, runs=deleted)
    _DELETE_FACTS.execute(conn, runs=deleted)


def merge_groups(conn: Connection) -> None:
    """Combine equal groups of archived runs: one for each content of the runs of a job."""
    _MERGE_FEEDS.execute(conn)
    _MERGE_DERIVES.execute(conn)


def move_again(conn: Connection, before: str) -> None:
    """After a rebuild, move the runs that were moved before it; runs with late events remain."""
    _REOPEN_NEEDED.execute(conn, before=before, previous=PREVIOUS_RUNS)
    _DELETE_LATE.execute(conn)
    while runs := _SELECT_CLOSED.fetch(conn, limit=RUNS_AT_ONCE):
        move_runs(conn, runs)
    merge_groups(conn)
