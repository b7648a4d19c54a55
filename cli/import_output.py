"""Write the rows of an import into the graph, or their events to stdout."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .import_options import write_report
from .output import terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click

    from lineage.errors import InvalidEvent
    from lineage.readers.catalogs import CatalogFiles
    from lineage.readers.query_logs.importing import LogSource
    from lineage.readers.query_logs.rows import Row
    from lineage.readers.report import ImportReport


class ImportRun:
    """One call of an import: where its events go, and its report."""

    def __init__(self, context: click.Context, dsn: str | None, *, as_events: bool) -> None:
        from lineage.readers.report import ImportReport

        self.report: ImportReport = ImportReport()
        self._context = context
        self._dsn = dsn
        self._as_events = as_events

    def report_bad_row(self, error: InvalidEvent) -> None:
        """Report a row that cannot be read; the import continues."""
        self.report.bad_rows += 1
        terminal.write_error(error)

    def write_rows(self, source: LogSource, rows: Iterable[tuple[str, Row]]) -> None:
        """Write the events of rows of a query log."""
        from lineage.readers.query_logs.importing import convert_rows, import_rows

        if self._as_events:
            for event in convert_rows(source, rows, self.report):
                sys.stdout.write(event.decode() + "\n")
            return
        from lineage.database.connection import connect

        with connect(self._dsn, autocommit=True) as conn:
            import_rows(conn, source, rows, self.report)

    def write_events(self, make_events: Callable[[], Iterable[bytes]]) -> None:
        """Write events that do not depend on earlier imports."""
        if self._as_events:
            for event in make_events():
                self.report.events += 1
                sys.stdout.write(event.decode() + "\n")
            return
        from lineage.database.connection import connect
        from lineage.ingest.writer import write_events

        with connect(self._dsn, autocommit=True) as conn:
            written = write_events(conn, make_events())
        self.report.events += written.count
        self.report.duplicates += written.duplicate_count

    def write_catalog(self, source: LogSource, catalog: CatalogFiles) -> None:
        """Store the objects of a catalog, and read the statements of query logs again with them."""
        from lineage.database.connection import connect
        from lineage.readers.query_logs.importing import import_objects

        with connect(self._dsn, autocommit=True) as conn:
            import_objects(conn, source, catalog, self.report)

    def write_totals(self, *, list_unresolved: bool) -> None:
        """Write the closing line; exit with 1 if some rows or statements could not be read."""
        if not write_report(self.report, list_unresolved=list_unresolved):
            self._context.exit(1)
