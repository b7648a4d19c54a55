"""Snowflake's ACCESS_HISTORY, joined with QUERY_HISTORY: what queries read and wrote.

Snowflake names the tables itself, so no text is parsed. The export has the columns of both views
(docs/how-to/import-query-logs.md): query_id, query_start_time, base_objects_accessed,
objects_modified, object_modified_by_ddl, and of QUERY_HISTORY end_time, execution_status,
session_id, query_tag, query_type, user_name, rows_produced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import InvalidEvent
from lineage.readers.files import read_table, table_columns
from lineage.readers.query_logs.forms.form import (
    Form,
    json_of,
    number_of,
    optional_text,
    read_records,
    required_text,
    time_of,
)
from lineage.readers.query_logs.observed import ObservedFlow, ObservedStatement
from lineage.readers.query_logs.rows import Kind, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import Record, Source
    from lineage.readers.query_logs.forms.form import Reading
    from lineage.readers.query_logs.observed import Parts

_MODES = {
    "INSERT": "append",
    "COPY": "append",
    "MERGE": "merge",
    "UPDATE": "merge",
    "DELETE": "delete",
    "CREATE_TABLE_AS_SELECT": "create",
    "TRUNCATE_TABLE": "truncate",
}
# DDL of these changes the tables in them, which the access history does not name.
_CONTAINERS = {"database", "schema"}
_OPERATIONS = {"CREATE": "create", "DROP": "drop", "ALTER": "alter", "REPLACE": "overwrite"}
_NO_TABLES = {"stage", "function", "external function", "procedure"}
_TABLES = {"table", "view", "materialized view", "external table", "dynamic table", "iceberg table"}


def _matches_source(source: Source) -> bool:
    columns = table_columns(source)
    return {"query_id", "base_objects_accessed", "objects_modified"} <= set(columns)


def _read_source(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
    records = read_table(source, reading.on_bad)
    return read_records(records, source, reading, _read_record)


def _read_record(record: Record, place: str, reading: Reading) -> Row:
    kind = optional_text(record, "query_type")
    reads = tuple(_read_names(json_of(record, "base_objects_accessed", place), place))
    flows = [
        ObservedFlow(*flow, _MODES.get(kind, "append"))
        for flow in _modified_objects(json_of(record, "objects_modified", place), reads, place)
    ]
    changed, unresolved = _changed_by_ddl(json_of(record, "object_modified_by_ddl", place), place)
    flows += changed
    user, tag = optional_text(record, "user_name"), optional_text(record, "query_tag")
    job = reading.name_job(tag or user, user=user, database="", host="")
    ended = "end_time" if optional_text(record, "end_time") else "query_start_time"
    return Row(
        time=time_of(record, ended, place),
        job=job.name,
        job_namespace=job.namespace,
        run=job.run,
        session=optional_text(record, "session_id"),
        kind=Kind.STATEMENT,
        user=user,
        failed=optional_text(record, "execution_status").upper() not in ("", "SUCCESS"),
        row_count=number_of(record, "rows_produced", place),
        observed=ObservedStatement(
            required_text(record, "query_id", place), tuple(flows), reads, unresolved
        ),
    )


def _read_names(objects: Any, place: str) -> Iterator[Parts]:
    for each in _list_of(objects, place):
        name = each.get("objectName")
        if isinstance(name, str) and str(each.get("objectDomain", "Table")).lower() in _TABLES:
            yield split_identifier(name)


def _modified_objects(
    objects: Any, reads: tuple[Parts, ...], place: str
) -> Iterator[tuple[Parts, tuple[Parts, ...]]]:
    """Yield each modified table with its sources: those of its columns, and all others.

    A table that is only joined or filtered by determines the rows. A view is named by the sources
    of columns, and its tables are among ``reads``.
    """
    for each in _list_of(objects, place):
        if (target := _table_name(each)) is None:
            continue
        columns = [column for column in each.get("columns") or [] if isinstance(column, dict)]
        direct = [
            source
            for column in columns
            for source in column.get("directSources") or []
            if isinstance(source, dict)
        ]
        named = [name for source in direct if (name := _table_name(source))]
        others = [name for name in reads if name != target]
        yield target, tuple(dict.fromkeys([*named, *others]))


def _table_name(entry: dict[str, Any]) -> Parts | None:
    """Return the name of an object of the access history; None for a stage or a function."""
    name, domain = entry.get("objectName"), str(entry.get("objectDomain", "Table")).lower()
    return split_identifier(name) if isinstance(name, str) and domain not in _NO_TABLES else None


def _changed_by_ddl(change: Any, place: str) -> tuple[list[ObservedFlow], tuple[str, ...]]:
    """Return the table that a definition changed, and what it changed without naming a table."""
    if not change:
        return [], ()
    if not isinstance(change, dict):
        raise InvalidEvent(f"{place}: object_modified_by_ddl is not an object.")
    name, operation = change.get("objectName"), str(change.get("operationType", "")).upper()
    domain = str(change.get("objectDomain", "")).lower()
    mode = _OPERATIONS.get(operation)
    if domain in _TABLES and isinstance(name, str) and mode is not None:
        return [ObservedFlow(split_identifier(name), (), mode)], ()
    is_harmless = operation in ("CREATE", "ALTER") if domain in _CONTAINERS else domain
    if is_harmless and domain not in _TABLES:
        return [], ()
    kind = domain or "nameless object"
    return [], (f"the tables that {operation or 'a change'} of a {kind} changes are not known",)


def _list_of(objects: Any, place: str) -> list[dict[str, Any]]:
    if objects is None:
        return []
    if not isinstance(objects, list) or not all(isinstance(each, dict) for each in objects):
        raise InvalidEvent(f"{place}: A list of objects is expected in the access history.")
    return objects


def split_identifier(name: str) -> Parts:
    """Split ``DB.SCHEMA."a.b"`` into its parts; quotes are removed."""
    parts, current, quoted = [], "", False
    for character in name:
        if character == '"':
            quoted = not quoted
        elif character == "." and not quoted:
            parts.append(current)
            current = ""
        else:
            current += character
    return (*parts, current)


FORM = Form("snowflake-access", "snowflake", _matches_source, _read_source)
