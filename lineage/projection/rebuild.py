"""Rebuild facts and graph from the log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.database.statements import StatementFile
from lineage.database.writer_lock import lock_exclusively
from lineage.errors import UsageError
from lineage.eventlog import log
from lineage.eventlog.archived import read_archived_pages
from lineage.events.entry import stored_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.projection.archived_runs import move_again
from lineage.projection.deferred import add_all
from lineage.projection.project import project_batch

if TYPE_CHECKING:
    import psycopg

# Events claimed by another process are skipped, because waiting for that process would deadlock. It
# projects them again after the rebuild, which changes nothing.
_NOTHING_WAITS = """
DELETE FROM lineage.projection_queue WHERE event IN (
    SELECT event FROM lineage.projection_queue FOR UPDATE SKIP LOCKED)
"""

RETAINED_FROM = "SELECT lineage.iso8601(max(retained_from)) FROM lineage.retention"
_DROPPED_BEFORE = f"{RETAINED_FROM} WHERE NOT is_archived AND events > 0"
_ARCHIVED_BEFORE = "SELECT lineage.iso8601(lineage.runs_archived_before())"
# An archiving session that has written a file would otherwise drop the month after the files, and
# before the log, were read.
_KEEP_LOG = "LOCK TABLE lineage.event IN ACCESS SHARE MODE"
_SQL = StatementFile(__file__)
CLEAR = _SQL.statement("clear")

OnProjected: TypeAlias = Callable[[int], None]


def _to_nobody(count: int) -> None: ...


def rebuild_graph(
    conn: psycopg.Connection[Any], page: int = BATCH_SIZE, on_projected: OnProjected = _to_nobody
) -> int:
    """Rebuild facts and graph from the log, after deleting them; return the number of events.

    Runs in one transaction under the exclusive lock; an error rolls everything back.
    ``on_projected`` is called with the number of events so far. Archived events are read from
    their files. Runs that are archived leave the graph again, except those with late events. Raises
    UsageError if a part of the log was dropped without being archived, because the graph would lose
    facts; LakeError if a file is missing or damaged; QueryError if the role is not the owner.
    """
    require_owner(conn, "rebuild the graph")
    with translate_errors(), conn.transaction():
        _need_events(conn)
        return project_log(conn, page, on_projected)


def need_whole_log(conn: psycopg.Connection[Any]) -> None:
    """Raise UsageError if a part of the log was dropped or archived."""
    _need_events(conn)
    [(retained_from,)] = conn.execute(RETAINED_FROM).fetchall()
    if retained_from is not None:
        raise UsageError(
            f"The log begins at {retained_from[:10]}: earlier months were archived or pruned, and"
            " their events cannot be replaced.",
            "To replace events, restore a backup that contains the whole log.",
        )


def _need_events(conn: psycopg.Connection[Any]) -> None:
    """Raise UsageError if events were dropped that are in no file of a lake."""
    [(dropped_before,)] = conn.execute(_DROPPED_BEFORE).fetchall()
    if dropped_before is not None:
        raise UsageError(
            f"The log begins at {dropped_before[:10]}: earlier events were dropped, and their"
            " lineage is only in the graph.",
            "To rebuild the graph, restore a backup that contains the whole log.",
        )


def project_log(conn: psycopg.Connection[Any], page: int, on_projected: OnProjected) -> int:
    """Rebuild facts and graph in the caller's transaction; return the number of events."""
    lock_exclusively(conn)
    conn.execute(_KEEP_LOG)
    CLEAR.execute(conn)
    # Events queued from now on are projected again after the rebuild, which changes nothing.
    conn.execute(_NOTHING_WAITS)
    project = partial(project_batch, exclusive=True, deferred=True, is_rebuild=True)
    count, merged = 0, Batch()
    with ThreadPoolExecutor(1, "lineage-rebuild") as beside:
        archived_pages = read_archived_pages(conn, page, BATCH_BYTES)
        for rows in chain(archived_pages, log.read_pages(conn, page, BATCH_BYTES)):
            # The next page is read while PostgreSQL projects this one.
            projected = beside.submit(project, conn, merged)
            merged = Batch.merge_entries(stored_entry(sha256, body) for sha256, body in rows)
            projected.result()
            on_projected(count)
            count += len(rows)
    project(conn, merged)
    add_all(conn)
    [(archived_before,)] = conn.execute(_ARCHIVED_BEFORE).fetchall()
    if archived_before is not None:
        move_again(conn, archived_before)
    on_projected(count)
    return count


def graph_fingerprint(conn: psycopg.Connection[Any]) -> str:
    """Return a text that is equal for equal graphs, independent of the ids in them."""
    with translate_errors():
        return str(conn.execute("SELECT lineage.graph_fingerprint()").fetchall()[0][0])
