"""The sessions in which the texts of SQL of a run are read, one after the other.

A text leaves temporary tables, the search path and prepared statements to later ones.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lineage.hub.change_lock import ChangeLock
from lineage.hub.loading import loading_modules
from lineage.hub.sql_tables import read_tables

if TYPE_CHECKING:
    from lineage.hub.events import RelationalIo
    from lineage.hub.sql_tables import Sessions, SqlTables

_MAX_RUNS = 200  # with sessions of events; an older run is read as if it began again
_MAX_EVENTS = 10_000  # that are converted for several sinks, or again

_lock_events = ChangeLock()
_sessions: dict[str, Sessions] = {}  # by run, the oldest first
_tables: dict[tuple[str | None, ...], SqlTables] = {}


class ClientSessions:
    """The sessions of a run in this process: each thread and task has its own connections."""

    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[object, Sessions] = WeakKeyDictionary()

    @loading_modules()  # the reader imports modules when a text needs them
    def read_tables(self, payload: RelationalIo) -> SqlTables:
        """Read the next text of the current thread or task."""
        return read_tables(payload, self._sessions.setdefault(_current_client(), {}))


def _current_client() -> object:
    """Return the task or thread that runs."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None:
        try:
            if (task := asyncio.current_task()) is not None:
                return task
        except RuntimeError:  # no loop runs in this thread
            pass
    return threading.current_thread()


@loading_modules()
@_lock_events
def read_event_tables(event_id: str, run_id: str, payload: RelationalIo) -> SqlTables:
    """Read the text of an event after those of its run. An event is read once for all sinks."""
    key = (event_id, run_id, payload.namespace, payload.catalog, payload.schema, payload.sql)
    tables = _tables.get(key)
    if tables is None:
        sessions = _sessions[run_id] = _sessions.pop(run_id, {})
        tables = _tables[key] = read_tables(payload, sessions)
        if len(_sessions) > _MAX_RUNS:
            del _sessions[next(iter(_sessions))]
        if len(_tables) > _MAX_EVENTS:
            del _tables[next(iter(_tables))]
    return tables
