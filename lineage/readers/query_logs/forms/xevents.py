"""SQL Server Extended Events, in the forms that people export.

Rows of ``sys.fn_xe_file_target_read_file`` as CSV or JSON, a ring buffer, ``<event>`` elements, the
CSV of Management Studio and the JSON of dbatools. Positions in files do not identify an event: all
events of a buffer have the same offset. ``event_sequence`` orders events of one time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.errors import InvalidEvent
from lineage.openlineage.timestamps import of_milliseconds
from lineage.readers.application_names import split_name
from lineage.readers.files import read_table, table_columns
from lineage.readers.query_logs.forms.form import Form, number_of, optional_text, time_of
from lineage.readers.query_logs.forms.xevents_xml import parse_event, parse_events
from lineage.readers.query_logs.rows import Kind, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import Record, Source
    from lineage.readers.query_logs.forms.form import Reading

_KINDS = {
    "sql_statement_completed": Kind.STATEMENT,
    "sp_statement_completed": Kind.STATEMENT,
    "rpc_completed": Kind.REQUEST,
    "sql_batch_completed": Kind.REQUEST,
    "sql_statement_starting": Kind.STARTING,
    "sp_statement_starting": Kind.STARTING,
    "sql_batch_starting": Kind.STARTING,
    "rpc_starting": Kind.STARTING,
    "error_reported": Kind.RAISED,
    "attention": Kind.RAISED,
    "logout": Kind.END,
}
_MIN_SEVERITY = 11  # smaller ones are messages
_SUCCESSES = ("", "OK", "0", "NULL")
_MILLISECONDS = re.compile(r"/Date\((\d{1,14})(?:[+-]\d{4})?\)/")
_RESET = "sp_reset_connection"
_TIMES = ("timestamp (utc)", "timestamp_utc", "timestamp")


def _matches_source(source: Source) -> bool:
    if source.beginning.startswith(b"<"):
        return b"<event" in source.beginning or b"<RingBufferTarget" in source.beginning
    columns = set(table_columns(source))
    return "event_data" in columns or ("name" in columns and "client_app_name" in columns)


def _read_source(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
    for place, record in _read_events(source, reading):
        try:
            row = _read_record(record, place, reading)
        except InvalidEvent as error:
            reading.on_bad(error)
            continue
        if row is not None:
            yield place, row


def _read_events(source: Source, reading: Reading) -> Iterator[tuple[str, Record]]:
    """Yield the fields of each event, from XML or from columns."""
    if source.beginning.startswith(b"<"):
        try:
            for number, event in enumerate(parse_events(source.read_text(), source.name), start=1):
                yield f"{source.name}: event {number}", event
        except InvalidEvent as error:
            reading.on_bad(error)
        return
    records = read_table(source, reading.on_bad)
    for number, record in records:
        place = f"{source.name}:{number}"
        if "event_data" not in record:
            yield place, record
            continue
        try:
            yield place, parse_event(optional_text(record, "event_data"), place)
        except InvalidEvent as error:
            reading.on_bad(error)


def _read_record(record: Record, place: str, reading: Reading) -> Row | None:
    time = _event_time(record, place)
    if number := number_of(record, "event_sequence", place):
        reading.numbers.add_number(number, time)
    kind = _KINDS.get(optional_text(record, "name"))
    named = split_name(optional_text(record, "client_app_name"), reading.prefix)
    if kind is None:
        return None
    if named is None:
        reading.others[optional_text(record, "client_app_name")] += 1
        return None
    if optional_text(record, "name") == "error_reported":
        severity = number_of(record, "severity", place)
        if severity is not None and severity < _MIN_SEVERITY:
            return None
    text = next(
        (
            each
            for name in ("statement", "batch_text", "sql_text")
            if (each := optional_text(record, name))
        ),
        "",
    )
    if kind == Kind.REQUEST and _is_reset(record, text):
        kind, text = Kind.RESET, ""
    elif kind >= Kind.ERROR:
        text = ""
    elif not text:
        raise InvalidEvent(f"{place}: The event has no text of a statement.")
    job = reading.name_job(optional_text(record, "client_app_name"))
    session = optional_text(record, "session_id")
    connection = optional_text(record, "client_connection_id")
    return Row(
        time=time,
        job=job.name,
        job_namespace=job.namespace,
        run=job.run,
        session=f"{session} {connection}".strip(),
        kind=kind,
        text=text,
        position=number or 0,
        process=optional_text(record, "client_pid"),
        database=optional_text(record, "database_name"),
        user=optional_text(record, "username"),
        host=optional_text(record, "client_hostname"),
        duration=number_of(record, "duration", place) or 0,
        failed=optional_text(record, "result") not in _SUCCESSES,
        row_count=number_of(record, "row_count", place),
    )


def _is_reset(record: Record, text: str) -> bool:
    return optional_text(record, "object_name") == _RESET or _RESET in text[:60]


def _event_time(record: Record, place: str) -> str:
    name = next((name for name in _TIMES if optional_text(record, name)), "timestamp")
    if match := _MILLISECONDS.fullmatch(optional_text(record, name)):
        return time_of({name: of_milliseconds(int(match[1]))}, name, place)
    return time_of(record, name, place)


FORM = Form("xevents", "tsql", _matches_source, _read_source)
