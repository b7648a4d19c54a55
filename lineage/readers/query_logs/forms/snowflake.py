"""Snowflake's ACCESS_HISTORY, joined with QUERY_HISTORY: inputs and outputs of queries.

Snowflake names the tables itself, so no text is parsed. The export has the columns of both views
(docs/how-to/import-query-logs.md): query_id, query_start_time, base_objects_accessed,
objects_modified, object_modified_by_ddl, and of QUERY_HISTORY end_time, execution_status,
session_id, query_tag, query_type, user_name, rows_produced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.errors import InvalidEvent
from lineage.readers.query_logs.forms.form import (
    json_of,
    number_of,
    optional_text,
    required_text,
    table_form,
    time_of,
)
from lineage.readers.query_logs.observed import ObservedFlow, ObservedStatement
from lineage.readers.query_logs.rows import Kind, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import Record
    from lineage.readers.query_logs.forms.form import Reading
    from lineage.readers.query_logs.observed import Parts

_COLUMNS = {"query_id", "base_objects_accessed", "objects_modified"}
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
_NO_TABLES = {"stage", "function", "external function", "procedure", "sequence"}
_TABLES = {"table", "view", "materialized view", "external table", "dynamic table"}
_TABLES |= {"iceberg table", "event table", "hybrid table"}


def _read_record(record: Record, place: str, reading: Reading) -> Row:
    kind = optional_text(record, "query_type")
    accessed = _list_of(json_of(record, "base_objects_accessed", place), place)
    modified = _list_of(json_of(record, "objects_modified", place), place)
    reads = tuple(name for each in accessed if (name := _table_name(each)))
    flows = tuple(
        ObservedFlow(*flow, _MODES.get(kind, "append"), from_files=kind == "COPY")
        for flow in _modified_tables(modified, reads)
    )
    change = json_of(record, "object_modified_by_ddl", place) or {}
    if not isinstance(change, dict):
        raise InvalidEvent(f"{place}: object_modified_by_ddl is not an object.")
    defined, renames, unresolved = _read_definition(change)
    sources = (source for each in modified for source in _sources_of_columns(each))
    unresolved = (*_find_unknown_objects([*accessed, *modified, *sources]), *unresolved)
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
            required_text(record, "query_id", place),
            (*flows, *defined),
            reads,
            unresolved,
            renames=renames,
            swaps=len(renames) > 1,
        ),
    )


def _modified_tables(
    objects: list[dict[str, Any]], reads: tuple[Parts, ...]
) -> Iterator[tuple[Parts, tuple[Parts, ...]]]:
    """Yield each modified table with its sources: those of its columns, and all others.

    A table that is only joined or filtered by determines the rows. A view is named by the sources
    of columns, and its tables are among ``reads``.
    """
    for each in objects:
        if (target := _table_name(each)) is None:
            continue
        named = [name for source in _sources_of_columns(each) if (name := _table_name(source))]
        others = [name for name in reads if name != target]
        yield target, tuple(dict.fromkeys([*named, *others]))


def _sources_of_columns(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for column in entry.get("columns") or []:
        if isinstance(column, dict):
            sources = column.get("directSources") or []
            yield from (source for source in sources if isinstance(source, dict))


def _table_name(entry: dict[str, Any]) -> Parts | None:
    """Return the name of an object of the access history; None if it is not a table."""
    name = entry.get("objectName")
    return (
        split_identifier(name) if isinstance(name, str) and _domain_of(entry) in _TABLES else None
    )


def _domain_of(entry: dict[str, Any]) -> str:
    return str(entry.get("objectDomain", "Table")).lower()


def _find_unknown_objects(entries: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a reason for each object of which it is not known that it has no table."""
    reasons = (
        f"the tables of the {domain} {entry.get('objectName', 'without a name')} are not known"
        for entry in entries
        if (domain := _domain_of(entry)) not in _TABLES | _NO_TABLES
    )
    yield from dict.fromkeys(reasons)


_Renames: TypeAlias = "tuple[tuple[Parts, Parts], ...]"


def _read_definition(
    change: dict[str, Any],
) -> tuple[tuple[ObservedFlow, ...], _Renames, tuple[str, ...]]:
    """Return the table that DDL changed, its new name, and why another table is not known."""
    if not change:
        return (), (), ()
    name, operation = change.get("objectName"), str(change.get("operationType", "")).upper()
    domain = str(change.get("objectDomain", "")).lower()
    mode = _OPERATIONS.get(operation)
    renames = _read_renames(change) if operation == "ALTER" else ()
    if domain in _TABLES and isinstance(name, str) and mode is not None:
        flow = ObservedFlow(split_identifier(name), (), mode)
        return ((), renames, ()) if renames else ((flow,), (), ())
    if domain in _CONTAINERS:
        is_harmless = operation in ("CREATE", "ALTER") and not renames
    else:
        is_harmless = bool(domain) and domain not in _TABLES
    if is_harmless:
        return (), (), ()
    kind = domain or "nameless object"
    return (), (), (f"the tables that {operation or 'a change'} of a {kind} changes are not known",)


def _read_renames(change: dict[str, Any]) -> _Renames:
    """Return the old and the new name of a renamed object; both ways if two are swapped."""
    name, properties = change.get("objectName"), change.get("properties")
    if not isinstance(name, str) or not isinstance(properties, dict):
        return ()
    old = split_identifier(name)
    for key in ("swapTargetName", "objectName"):
        value = properties.get(key)
        other = value.get("value") if isinstance(value, dict) else None
        if isinstance(other, str) and (new := split_identifier(other)) != old:
            return ((new, old), (old, new)) if key == "swapTargetName" else ((old, new),)
    return ()


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


FORM = table_form("snowflake-access", "snowflake", _COLUMNS, _read_record)
