"""Catalogs of servers: columns, views and routines, as sessions and the graph need them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lineage.errors import InvalidEvent, UsageError
from lineage.readers.files import find_source_files, open_sources, read_table, table_columns
from lineage.readers.query_logs import storage
from lineage.readers.query_logs.forms.form import optional_text, required_text
from lineage.readers.query_logs.run_events import encode_event, input_dataset, log_facet
from lineage.readers.query_logs.texts import TextReader, decode_statements
from lineage.readers.scripts import change_time
from lineage.readers.server_names import ServerNames
from lineage.sql.catalogs import Catalog
from lineage.sql.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    from lineage.readers.facets import Facets
    from lineage.readers.files import OnBad, Record
    from lineage.readers.log_source import LogSource
    from lineage.readers.report import ImportReport
    from lineage.sql.records import Name, Statement

ENDINGS = (".csv", ".json", ".jsonl", ".ndjson")

_COLUMNS = {"table_name", "column_name"}
_VIEWS = {"table_name", "view_definition"}
_ROUTINES = {"routine_name", "routine_definition"}
_MODULES = {"object_name", "definition"}


@dataclass
class CatalogFiles:
    """What files of a catalog report. ``time``: the last change of the newest file."""

    columns: dict[Name, list[tuple[int, str, str]]] = field(default_factory=dict)
    views: dict[Name, tuple[str, str]] = field(default_factory=dict)  # place and query
    routines: dict[Name, tuple[str, str]] = field(default_factory=dict)
    time: str = ""

    @classmethod
    def read_files(cls, sources: tuple[str, ...], on_bad: OnBad) -> CatalogFiles:
        """Read files by the names of their columns. Raises UsageError for an unknown form."""
        catalog = cls()
        for source in open_sources(find_source_files(sources, ENDINGS), on_bad):
            names = set(table_columns(source))
            add = next((add for known, add in _FORMS.items() if names >= set(known)), None)
            if add is None:
                raise UsageError(
                    f"{source.name} is no part of a catalog.",
                    "It needs the columns of information_schema.columns, .views or .routines, or"
                    " object_name and definition of sys.sql_modules.",
                )
            catalog.time = max(catalog.time, change_time(source.name))
            records = read_table(source, on_bad)
            for number, record in records:
                try:
                    add(catalog, record, f"{source.name}:{number}")
                except InvalidEvent as error:
                    on_bad(error)
        return catalog

    def make_events(self, source: LogSource, report: ImportReport) -> Iterator[bytes]:
        """Yield a DatasetEvent for each table and view. The sources of a view are declared."""
        server = ServerNames(source.namespace)
        texts = TextReader(source.dialect)
        for parts in sorted(self.columns.keys() | self.views.keys()):
            name = server.name_dataset(parts)
            facets: Facets = {}
            if columns := sorted(self.columns.get(parts, [])):
                fields = [{"name": column, "type": type} for _, column, type in columns]
                facets |= log_facet("schema", fields=fields)
            if parts in self.views:
                facets |= log_facet("datasetType", datasetType="VIEW")
                reads = _read_view(self.views[parts], parts, source, texts, report)
                inputs = [
                    {**input_dataset(server.name_dataset(each)), "type": "DATASET"}
                    for each in reads
                ]
                facets |= log_facet("lineage", inputs=inputs)
            dataset = {**input_dataset(name), "facets": facets}
            yield encode_event({"eventTime": self.time, "dataset": dataset}, "DatasetEvent")

    def stored_objects(self, source: LogSource) -> list[storage.ObjectRow]:
        """Return what sessions need: columns of tables, and statements of routines."""
        texts = TextReader(source.dialect)
        tables = [
            storage.ObjectRow(
                "table", json.dumps(parts), json.dumps([c for _, c, _ in sorted(columns)])
            )
            for parts, columns in sorted(self.columns.items())
        ]
        routines = [
            storage.ObjectRow("routine", json.dumps(parts), texts.read_text(text).body)
            for parts, (_, text) in sorted(self.routines.items())
        ]
        return [*tables, *routines]


def _read_view(
    view: tuple[str, str], parts: Name, source: LogSource, texts: TextReader, report: ImportReport
) -> list[Name]:
    """Return the tables that the query of a view reads."""
    place, text = view
    session = Session(source.dialect, parts[0] if len(parts) > 2 else None, parts[-2])
    reads: dict[Name, None] = {}
    for statement in texts.read_text(text).statements:
        effect = session.apply_statement(statement)
        reads.update(dict.fromkeys(effect.reads))
        report.statements += 1
        if effect.unresolved:
            report.add_unresolved(place, statement.shape, effect.unresolved)
    return [name for name in reads if name != parts]


def _add_column(catalog: CatalogFiles, record: Record, place: str) -> None:
    ordinal = optional_text(record, "ordinal_position")
    column = required_text(record, "column_name", place)
    known = catalog.columns.setdefault(_table_name(record, place), [])
    known.append(
        (int(ordinal) if ordinal.isdigit() else 0, column, optional_text(record, "data_type"))
    )


def _add_view(catalog: CatalogFiles, record: Record, place: str) -> None:
    text = required_text(record, "view_definition", place)
    catalog.views[_table_name(record, place)] = place, text


def _add_routine(catalog: CatalogFiles, record: Record, place: str) -> None:
    names = ("routine_catalog", "routine_schema", "routine_name")
    definition = place, required_text(record, "routine_definition", place)
    catalog.routines[_name_parts(record, names, place)] = definition


def _add_module(catalog: CatalogFiles, record: Record, place: str) -> None:
    name = _name_parts(record, ("database_name", "schema_name", "object_name"), place)
    definition = place, required_text(record, "definition", place)
    is_view = optional_text(record, "type_desc").upper() == "VIEW"
    (catalog.views if is_view else catalog.routines)[name] = definition


def _table_name(record: Record, place: str) -> Name:
    return _name_parts(record, ("table_catalog", "table_schema", "table_name"), place)


def _name_parts(record: Record, names: tuple[str, ...], place: str) -> Name:
    """Return the parts of a name that a record has; the last one is required."""
    parts = [part for name in names[:-1] if (part := optional_text(record, name))]
    return (*parts, required_text(record, names[-1], place))


_FORMS = {
    tuple(_COLUMNS): _add_column,
    tuple(_VIEWS): _add_view,
    tuple(_ROUTINES): _add_routine,
    tuple(_MODULES): _add_module,
}


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
