"""The observer ``sqlite``: files that ``sqlite3`` connects to. Statements are not seen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from lineage.hub.locations import absolute_path, readable_text
from lineage.observe.audit import listen_for
from lineage.observe.path_state import path_text

if TYPE_CHECKING:
    from lineage.hub.active_run import ActiveRun
    from lineage.hub.run_content import RunContent

_MAX_DATABASES = 1000


class DatabaseCollector:
    """The databases of one run, with the number of connections."""

    def __init__(self) -> None:
        self.databases: dict[str, int] = {}
        self.failures = 0

    def connect_database(self, event: tuple[Any]) -> None:
        """Take a ``sqlite3.connect`` event."""
        path = database_path(event[0])
        if path and (path in self.databases or len(self.databases) < _MAX_DATABASES):
            self.databases[path] = self.databases.get(path, 0) + 1

    def report_to(self, content: RunContent) -> None:
        """Add the files that are there as items: whether they were read or written is not known."""
        for path, count in self.databases.items():
            if os.path.isfile(path):
                item = {"kind": "RELATIONAL_IO", "namespace": "sqlite"}
                content.add_item({**item, "database": readable_text(path), "count": count})
        content.add_count("failures", self.failures)


def database_path(database: Any) -> str | None:
    """Return the file of a database; None for one in memory, or a path of an unknown class."""
    name = path_text(database)
    if name is None:
        return None
    if name.startswith("file:"):
        parts = urlsplit(name)
        if "mode=memory" in parts.query:
            return None
        name = unquote(parts.path)
    return None if name in ("", ":memory:") else absolute_path(name)


def observe_databases(run: ActiveRun) -> DatabaseCollector:
    """Return the collector of the databases of a run."""
    databases = DatabaseCollector()
    listen_for(run, {"sqlite3.connect": databases.connect_database})
    return databases
