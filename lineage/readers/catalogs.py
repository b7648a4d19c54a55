"""Catalogs of servers: columns, views and routines, as sessions and the graph need them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineage.readers.column_facets import column_facets
from lineage.readers.facets import build_facet
from lineage.readers.query_logs import storage
from lineage.readers.query_logs.run_events import encode_event, input_dataset
from lineage.readers.query_logs.texts import TextReader, decode_statements, encode_statements
from lineage.readers.server_names import ServerNames
from lineage.sql.catalogs import Catalog, undetermined_body
from lineage.sql.dialects import traits_of
from lineage.sql.records import Flow
from lineage.sql.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    from lineage.readers.catalog_files import CatalogFiles, Definition
    from lineage.readers.facets import Facets
    from lineage.readers.log_source import LogSource
    from lineage.readers.report import ImportReport
    from lineage.sql.records import Name, Statement


def catalog_events(
    files: CatalogFiles,
    objects: list[storage.ObjectRow],
    source: LogSource,
    report: ImportReport,
) -> Iterator[bytes]:
    """Yield a DatasetEvent for each table and view. The sources of a view are declared.

    ``objects``: those of ``stored_objects``. ``source.catalog``: the catalog that was imported
    before, if there is one.
    """
    server = ServerNames(source.namespace)
    views = _ViewReader(objects, source, report)
    for name in sorted(files.columns.keys() | files.views.keys()):
        facets: Facets = {}
        if columns := sorted(files.columns.get(name, [])):
            fields = [{"name": column, "type": type} for _, column, type in columns]
            facets |= build_facet("schema", "dataset", fields=fields)
        if name in files.views:
            flow = views.read_view(name, files.views[name])
            facets |= build_facet("datasetType", "dataset", datasetType="VIEW")
            facets |= _view_facets(flow, server)
        dataset = {**input_dataset(server.name_dataset(name)), "facets": facets}
        yield encode_event("DatasetEvent", files.time, dataset=dataset)


def _view_facets(flow: Flow, server: ServerNames) -> Facets:
    inputs = [
        {**input_dataset(server.name_dataset(each)), "type": "DATASET"} for each in flow.sources
    ]
    columns = column_facets(server.name_columns(flow.columns))
    return build_facet("lineage", "dataset", inputs=inputs) | columns


class _ViewReader:
    """Reads the queries of views by the columns of the catalog."""

    def __init__(
        self, objects: list[storage.ObjectRow], source: LogSource, report: ImportReport
    ) -> None:
        self._source = source
        self._report = report
        self._texts = TextReader(source.dialect)
        known = source.catalog or Catalog()
        new = decode_objects(objects) or Catalog()
        self._catalog = Catalog(
            {**known.columns, **new.columns}, {**known.routines, **new.routines}
        )

    def read_view(self, name: Name, definition: Definition) -> Flow:
        """Return the tables and columns that a view reads."""
        dialect, report = self._source.dialect, self._report
        statements = self._texts.read_text(definition.text or "").statements
        if not any(each.kind.startswith("CREATE") for each in statements):
            database = name[0] if len(name) > 2 else None
            view = exp.table_(name[-1], name[-2], database, quoted=True).sql(dialect)
            text = " ".join(("CREATE VIEW", view, "AS", definition.text or ""))
            statements = self._texts.read_text(text).statements
        has_database = traits_of(dialect).has_two_levels or len(name) >= 3
        database = name[0] if has_database else None
        session = Session(dialect, database, name[-2], self._catalog)
        sources: dict[Name, None] = {}
        columns = None
        for statement in statements:
            effect = session.apply_statement(statement)
            report.statements += 1
            sources.update(dict.fromkeys(effect.reads))
            for flow in effect.flows:
                columns = flow.columns if flow.target == name else columns
            if effect.unresolved:
                report.add_unresolved(definition.place, statement.shape, effect.unresolved)
        return Flow(
            name, tuple(each for each in sources if each != name), "create", columns=columns
        )


def stored_objects(files: CatalogFiles, source: LogSource) -> list[storage.ObjectRow]:
    """Return the catalog for sessions: columns of tables, and statements of routines."""
    texts = TextReader(source.dialect)
    rows = [
        storage.ObjectRow(
            "table", json.dumps(parts), json.dumps([c for _, c, _ in sorted(columns)])
        )
        for parts, columns in sorted(files.columns.items())
    ]
    for name, definitions in sorted(files.routines.items()):
        if any(each.text is not None for each in definitions):
            body = _routine_body(name, definitions, texts)
            rows.append(storage.ObjectRow("routine", json.dumps(name), body))
    return rows


def _routine_body(name: Name, definitions: list[Definition], texts: TextReader) -> str:
    """Return the statements of a routine; with different ones for its signatures, why not."""
    bodies = {
        None if each.text is None else texts.read_text(each.text).body for each in definitions
    }
    [body, *others] = bodies
    if body is not None and not others:
        return body
    return encode_statements(undetermined_body(name, len(definitions))).body


def _body_of(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return the statements that a routine runs: of its definition or of its body alone."""
    defined = [each.routine for each in statements if each.routine]
    return defined[0].statements if defined else statements


def load_catalog(conn: psycopg.Connection[Any], server: str) -> Catalog | None:
    """Return the catalog of a server; None if none was imported."""
    return decode_objects(storage.select_objects(conn, server))


def decode_objects(objects: list[storage.ObjectRow]) -> Catalog | None:
    """Return stored objects as a catalog of sessions."""
    if not objects:
        return None
    tables: dict[Name, tuple[str, ...]] = {}
    routines: dict[Name, tuple[Statement, ...]] = {}
    for each in objects:
        name = tuple(json.loads(each.name))
        if each.kind == "table":
            tables[name] = tuple(json.loads(each.body))
        else:
            routines[name] = _body_of(decode_statements(each.body))
    return Catalog(tables, routines)
