"""The graph made again from the log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.database.statements import StatementFile
from lineage.errors import UsageError
from lineage.eventlog import log
from lineage.events.entry import stored_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.projection.locks import lock_exclusively
from lineage.projection.project import project_batch

if TYPE_CHECKING:
    import psycopg

# What somebody has taken he draws when this is done, and nothing changes. Who waited for him would
# do so in a ring.
_NOTHING_WAITS = """
DELETE FROM lineage.projection_queue WHERE event IN (
    SELECT event FROM lineage.projection_queue FOR UPDATE SKIP LOCKED)
"""

_RETAINED_FROM = "SELECT lineage.iso8601(max(retained_from)) FROM lineage.retention"
_SQL = StatementFile(__file__)
CLEAR = _SQL.statement("clear")

OnProjected: TypeAlias = Callable[[int], None]


def _to_nobody(count: int) -> None: ...


def rebuild_graph(
    conn: psycopg.Connection[Any], page: int = BATCH_SIZE, on_projected: OnProjected = _to_nobody
) -> int:
    """Drop facts and graph and make them again from the log; return the number of events.

    One transaction: it waits for writers to end, keeps others out, and on an error leaves all as it
    was. ``on_projected`` is called with the number of events so far. Raises UsageError where the
    log is not whole: the graph would say less than before; QueryError if the role is not the owner.
    """
    require_owner(conn, "rebuild the graph")
    with translate_errors(), conn.transaction():
        need_whole_log(conn)
        return project_log(conn, page, on_projected)


def need_whole_log(conn: psycopg.Connection[Any]) -> None:
    """Raise UsageError where a part of the log was dropped."""
    [(retained_from,)] = conn.execute(_RETAINED_FROM).fetchall()
    if retained_from is not None:
        raise UsageError(
            f"The log begins at {retained_from[:10]}: what came before was dropped, and the graph"
            " alone knows of it.",
            "To make the graph again, restore a backup that has the whole log.",
        )


def project_log(conn: psycopg.Connection[Any], page: int, on_projected: OnProjected) -> int:
    """Do what ``rebuild_graph`` does in the caller's transaction; return the number of events."""
    lock_exclusively(conn)
    CLEAR.execute(conn)
    # What is added from now on is drawn once more afterwards, which changes nothing.
    conn.execute(_NOTHING_WAITS)
    count, merged = 0, Batch()
    with ThreadPoolExecutor(1, "lineage-rebuild") as beside:
        for rows in log.read_pages(conn, page, BATCH_BYTES):
            # While PostgreSQL draws a page the next one is read.
            projected = beside.submit(project_batch, conn, merged, exclusive=True)
            merged = Batch.merge_entries(stored_entry(sha256, body) for sha256, body in rows)
            projected.result()
            on_projected(count)
            count += len(rows)
    project_batch(conn, merged, exclusive=True)
    on_projected(count)
    return count


def graph_fingerprint(conn: psycopg.Connection[Any]) -> str:
    """Return a text that is equal for equal graphs, whatever ids vertices and edges have."""
    with translate_errors():
        return str(conn.execute("SELECT lineage.graph_fingerprint()").fetchall()[0][0])
