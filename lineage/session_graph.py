"""A graph that first ingests the lineage of this process's Spark sessions, as in notebooks."""

from __future__ import annotations

import inspect
import time
import warnings
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from lineage.database.connection import connect_migrated
from lineage.database.errors import translate_errors
from lineage.database.reconnecting import ReconnectingConnection
from lineage.errors import LineageError
from lineage.query.display import Rows
from lineage.query.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import psycopg

    from lineage.errors import InvalidEvent
    from lineage.spark.launcher.own_spools import SpoolReader

# Maximum seconds that a query waits for earlier plan documents to be ingested.
INGEST_SECONDS = 10
_MAY_WRITE = """
SELECT has_table_privilege('lineage.event', 'INSERT')
       AND current_setting('transaction_read_only') = 'off'
"""


class SessionSpools:
    """Ingests the spools of this process's Spark sessions into one database."""

    def __init__(self, dsn: str | None) -> None:
        limit = f"SET statement_timeout = '{INGEST_SECONDS}s'"
        self._connection = ReconnectingConnection(dsn, limit, connect=connect_migrated)
        self._readers: dict[Path, SpoolReader] = {}
        self._is_enabled = True

    def ingest_new_events(self) -> None:
        """Write new events into the graph. On failure, warn, so that the query still runs.

        Events that exceed the time limit are written before the next query. The log stores each
        event once, so another process may ingest the same files at the same time.
        """
        from lineage.spark.launcher.own_spools import flush_listener

        if not self._is_enabled or not (files := flush_listener()):
            return
        directory = files[-1].parent
        try:
            if not self._connection.run_retrying(_may_write):
                self._is_enabled = False
                self.close()
                self._warn_about("This role may not write.", directory)
            elif not self._connection.run_retrying(partial(self._write_files, files)):
                self._warn_about(f"Writing it takes more than {INGEST_SECONDS} s.", directory)
        except (LineageError, OSError) as error:
            self.close()
            self._warn_about(str(error), directory)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _write_files(self, files: list[Path], conn: psycopg.Connection[Any]) -> bool:
        """Write the new events of all applications; return False if the time limit was hit."""
        try:
            return self._write_new_documents(files, conn)
        except (LineageError, OSError):
            self._readers.clear()  # events that were read may not have been written
            raise

    def _write_new_documents(self, files: list[Path], conn: psycopg.Connection[Any]) -> bool:
        from openlineage.client.serde import Serde

        from lineage.ingest.writer import EventWriter
        from lineage.spark.launcher.own_spools import SpoolReader

        until = time.monotonic() + INGEST_SECONDS
        with EventWriter(conn) as emitter:
            for each in files:
                reader = self._readers.setdefault(each, SpoolReader(each))
                for events in reader.read_new_documents(_warn_of_line):
                    for event in events:
                        emitter.emit(Serde.to_json(event).encode())
                    if time.monotonic() > until:
                        return False
        return True

    def _warn_about(self, reason: str, directory: Path) -> None:
        warnings.warn(
            f"The result may lack lineage of this process's Spark sessions. {reason}"
            f" To write all of it into the graph: lineage ingest {directory}",
            stacklevel=4,
        )


def _may_write(conn: psycopg.Connection[Any]) -> bool:
    with translate_errors():
        [(may_write,)] = conn.execute(_MAY_WRITE).fetchall()
    return bool(may_write)


def _warn_of_line(error: InvalidEvent) -> None:
    warnings.warn(str(error), stacklevel=2)


class SessionGraph(Graph):
    """A graph whose results include earlier lineage of this process's Spark sessions."""

    _spools: SessionSpools | None = None  # None for a connection of the caller

    def __init__(self, dsn: str | None = None) -> None:
        """Connect as ``Graph`` does."""
        super().__init__(dsn)
        self._spools = SessionSpools(dsn)

    def close(self) -> None:
        """Close the connections."""
        super().close()
        if self._spools:
            self._spools.close()


def _ingest_first(query: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a query to ingest first, and to return lists that notebooks show as tables."""

    @wraps(query)
    def run(self: SessionGraph, *arguments: Any, **options: Any) -> Any:
        if self._spools:
            self._spools.ingest_new_events()
        result = query(self, *arguments, **options)
        return Rows(result) if type(result) is tuple else result

    return run


for _name, _query in inspect.getmembers(Graph, inspect.isfunction):
    if not _name.startswith("_") and _name != "close":
        setattr(SessionGraph, _name, _ingest_first(_query))
