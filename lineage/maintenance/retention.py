"""Retention: drop old months of log, plan documents, imported rows, items and saved traces.

The graph keeps all that events showed. Records of saved traces go with the traces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.database.statements import StatementFile
from lineage.errors import UsageError
from lineage.maintenance.months import project_pending, start_of_month
from lineage.projection.rebuild import RETAINED_FROM

if TYPE_CHECKING:
    import psycopg

# Lock timeout in seconds. Other sessions may queue behind the lock request until then.
LOCK_SECONDS = 10.0

# In the lock order of lineage.prune(). No event may arrive between the check and the drop.
_LOCK = "LOCK TABLE lineage.plan_document, lineage.event IN ACCESS EXCLUSIVE MODE"
# The owners of these runs are then determined from the facts.
_FORGET_OWNERS = "DELETE FROM lineage.run_owner WHERE claimed_at < %s::timestamptz"
_PRUNE = (
    "SELECT lineage.iso8601(retained_from), events, documents FROM lineage.prune(%s::timestamptz)"
)


_SQL = StatementFile(__file__)
_SELECT_LAGGING_TARGETS = _SQL.statement("select_lagging_targets", str)
_DELETE_IMPORTED = _SQL.statement("delete_imported")
_DELETE_ITEMS = _SQL.statement("delete_items")
_DELETE_NODES = _SQL.statement("delete_nodes")
_DELETE_TRACES = _SQL.statement("delete_traces")
# A trace that is being saved adds edges to records that would be deleted. In the order in which
# it locks them.
_LOCK_RECORDS = 'LOCK TABLE provenance."Record", provenance."WITNESS" IN SHARE ROW EXCLUSIVE MODE'


@dataclass(frozen=True, slots=True)
class Pruned:
    """Numbers of dropped events and documents. ``retained_from``: start of the retained log."""

    retained_from: str
    events: int
    documents: int


def prune_months(conn: psycopg.Connection[Any], before: str) -> Pruned:
    """Drop events, documents, imported rows, items and saved traces of months before ``before``.

    Pending documents and events are converted and projected first. Raises UsageError if ``before``
    is not a time, or if some events are still to be forwarded; QueryError if ``before`` lies in the
    future, or if the role is not the owner; DatabaseError, for example if a rebuild is running.
    """
    require_owner(conn, "drop a part of the log")
    before = start_of_month(conn, before)
    project_pending(conn)
    with translate_errors(), conn.transaction():
        limit_waiting(conn)
        conn.execute(_LOCK)
        need_forwarded(conn, before)
        [(earlier_start,)] = conn.execute(RETAINED_FROM).fetchall()
        [(retained_from, events, documents)] = conn.execute(_PRUNE, (before,)).fetchall()
        conn.execute(_FORGET_OWNERS, (retained_from,))
        # A run whose items still arrive has a newer node.
        # Rows of a run that goes on in a retained month stay, because its events depend on them.
        _DELETE_IMPORTED.execute(conn, before=retained_from)
        _DELETE_ITEMS.execute(conn, before=retained_from)
        _DELETE_NODES.execute(conn, before=retained_from)
        conn.execute(_LOCK_RECORDS)
        _DELETE_TRACES.execute(conn, before=retained_from)
    return Pruned(max(retained_from, earlier_start or ""), events, documents)


def limit_waiting(conn: psycopg.Connection[Any]) -> None:
    """Limit the time that the transaction waits for locks."""
    conn.execute("SELECT set_config('lock_timeout', %s, true)", (f"{LOCK_SECONDS}s",))


def need_forwarded(conn: psycopg.Connection[Any], before: str) -> None:
    """Raise UsageError if a target has not received all events before a time."""
    lagging = _SELECT_LAGGING_TARGETS.fetch(conn, before=before)
    if lagging:
        raise UsageError(
            f"Events from before {before} are still to be forwarded to {', '.join(lagging)}.",
            f"Forward them first, or remove the target: lineage forward remove {lagging[0]}",
        )
