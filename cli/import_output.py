"""Write an import into the graph, or its events to stdout."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .import_options import write_report
from .output import terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    import click
    import psycopg

    from lineage.errors import InvalidEvent
    from lineage.events.name_map import NameMap
    from lineage.naming import DatasetName
    from lineage.readers.dbt.designs import StoredDesign
    from lineage.readers.dbt.files import Artifacts
    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.rows import Row
    from lineage.readers.query_logs.sources import Files
    from lineage.readers.query_logs.storage import ObjectRow
    from lineage.readers.report import ImportReport
    from lineage.sql.catalogs import Catalog


class ImportRun:
    """One call of an import: where its events go, the file of names, and its report."""

    def __init__(
        self,
        context: click.Context,
        dsn: str | None,
        *,
        as_events: bool,
        names: NameMap | None = None,
    ) -> None:
        from lineage.readers.report import ImportReport

        self.report: ImportReport = ImportReport()
        self._context = context
        self._dsn = dsn
        self._as_events = as_events
        self._names = names
        self._mentioned: set[DatasetName] = set()  # in printed events, if there is a file of names

    def report_bad_row(self, error: InvalidEvent) -> None:
        """Report a row that cannot be read; the import continues."""
        self.report.bad_rows += 1
        terminal.write_error(error)

    def report_files(self, files: Files) -> None:
        """Name the files that were not read or have no rows."""
        for name in files.omitted:
            terminal.write_line(f"{name}: left out because it is not a query log", err=True)
        for name, form in files.without_rows:
            terminal.write_line(f"{name} contains no row of the form {form}.", err=True)

    def load_catalog(self, namespace: str) -> Catalog | None:
        """Return the catalog that was imported for a server; None if there is none."""
        if self._as_events:  # which needs no database
            return None
        from lineage.readers.catalogs import load_catalog

        with self._open_graph() as conn:
            return load_catalog(conn, namespace)

    def load_designs(
        self, artifacts: Artifacts, namespace: str, job_namespace: str
    ) -> Sequence[StoredDesign]:
        """Return the designs of earlier imports of a project of dbt."""
        if self._as_events:  # which needs no database
            return ()
        from lineage.readers.dbt.designs import load_designs

        with self._open_graph() as conn:
            return load_designs(conn, artifacts, namespace, job_namespace)

    def write_rows(self, source: LogSource, rows: Iterable[tuple[str, Row]]) -> None:
        """Write the events of rows of a query log."""
        from lineage.readers.query_logs.importing import convert_rows, import_rows

        if self._as_events:
            self._print_events(convert_rows(source, rows, self.report))
            return
        with self._open_graph() as conn:
            import_rows(conn, source, rows, self.report)

    def write_events(self, make_events: Callable[[], Iterable[bytes]]) -> None:
        """Write events that do not depend on earlier imports."""
        if self._as_events:
            self.report.events += self._print_events(make_events())
            return
        from lineage.ingest.writer import write_events

        with self._open_graph() as conn:
            written = write_events(conn, make_events())
        self.report.events += written.count
        self.report.duplicates += written.duplicate_count

    def write_objects(self, server: str, time: str, objects: Sequence[ObjectRow]) -> None:
        """Store the objects of a catalog, and read the statements of query logs again with them."""
        from lineage.readers.query_logs.importing import import_objects

        with self._open_graph() as conn:
            import_objects(conn, server, time, objects, self.report)

    def apply_names(self) -> None:
        """Apply the file of names, after all events: to the graph, or to the printed events."""
        if self._names is None:
            return
        if self._as_events:
            renaming = self._names.symlink_events(self._mentioned)
            self.report.events += self._print_events(json.dumps(each).encode() for each in renaming)
            return
        from lineage.ingest.renaming import apply_name_map

        with self._open_graph() as conn:
            self.report.renamed = apply_name_map(conn, self._names)

    def write_totals(self, *, list_unresolved: bool) -> None:
        """Apply the file of names, and write the closing line.

        The exit code is 1 if some rows or statements could not be read.
        """
        self.apply_names()
        if not write_report(self.report, list_unresolved=list_unresolved):
            self._context.exit(1)

    def _open_graph(self) -> psycopg.Connection[Any]:
        from lineage.database.connection import connect_migrated

        return connect_migrated(self._dsn)

    def _print_events(self, events: Iterable[bytes]) -> int:
        """Print events as JSON lines; return their number."""
        from lineage.events.name_map import names_of_event

        count = 0
        for event in events:
            if self._names:
                self._mentioned.update(names_of_event(json.loads(event)))
            terminal.write_line(event.decode())
            count += 1
        return count
