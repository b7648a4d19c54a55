"""``lineage import catalog``: columns, views and routines of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import import_options
from .import_output import ImportRun

if TYPE_CHECKING:
    from lineage.events.name_map import NameMap


@click.command()
@import_options.sources
@import_options.namespace
@import_options.dialect_option("views and routines")
@import_options.common_options
@click.pass_context
def import_catalog(
    context: click.Context,
    sources: tuple[str, ...],
    namespace: str,
    dialect: str | None,
    as_events: bool,
    text: str,
    list_unresolved: bool,
    names: NameMap | None,
    dsn: str | None,
) -> None:
    """Import a catalog: columns of tables, queries of views, bodies of routines.

    The files are exports of information_schema.columns, .views and .routines, or of
    sys.sql_modules with database_name, schema_name, object_name, type_desc and definition, as CSV,
    JSON or values between tabs. The statements of imported query logs are then read again with
    them.

    \b
    Example:
      lineage import catalog columns.csv views.csv --namespace postgres://db:5432
    """
    from dataclasses import replace

    from lineage.readers.catalog_files import CatalogFiles
    from lineage.readers.catalogs import catalog_events, stored_objects
    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.sources import choose_dialect
    from lineage.readers.query_logs.stored_rows import DETAILS
    from lineage.readers.server_names import check_namespace

    namespace = check_namespace(namespace)
    source = LogSource(namespace, choose_dialect(dialect, None, namespace), "", DETAILS[text])
    run = ImportRun(context, dsn, as_events=as_events, names=names)
    catalog = CatalogFiles.read_files(sources, source.dialect, run.report_bad_row)
    source = replace(source, catalog=run.load_catalog(namespace))
    objects = stored_objects(catalog, source)
    run.write_events(lambda: catalog_events(catalog, objects, source, run.report))
    if not as_events:
        run.write_objects(namespace, catalog.time, objects)
    run.write_totals(list_unresolved=list_unresolved)
