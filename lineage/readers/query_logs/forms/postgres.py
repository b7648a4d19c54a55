"""PostgreSQL's logs jsonlog and csvlog, with the plans of auto_explain and lines of pgaudit.

Only executed statements count: PostgreSQL also logs the parse and bind steps of a prepared
statement. A failed statement has no duration; it is the ``statement`` of an ERROR.
Messages: src/backend/tcop/postgres.c; columns: "Error Reporting and Logging" in the manual.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING

from lineage.errors import InvalidEvent
from lineage.readers.files import is_csv, json_columns, read_csv, read_json
from lineage.readers.query_logs.forms.expressions import complete_expression
from lineage.readers.query_logs.forms.form import (
    Form,
    number_of,
    optional_text,
    read_records,
    required_text,
)
from lineage.readers.query_logs.forms.pgaudit import PREFIX, AuditLines, is_key_check
from lineage.readers.query_logs.rows import Kind, Row, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import Record, Source
    from lineage.readers.query_logs.forms.form import Reading

# The columns of csvlog; the last ones are newer than PostgreSQL 12.
COLUMNS = (
    "timestamp", "user", "dbname", "pid", "connection_from", "session_id", "line_num", "ps",
    "session_start", "vxid", "txid", "error_severity", "state_code", "message", "detail", "hint",
    "internal_query", "internal_position", "context", "statement", "cursor_position", "location",
    "application_name", "backend_type", "leader_pid", "query_id",
)  # fmt: skip
_FAILURES = ("ERROR", "FATAL", "PANIC")
_OTHERS = ("LOG", "WARNING", "NOTICE", "INFO", "DEBUG", *(f"DEBUG{n}" for n in range(1, 6)))
# A duration or a statement in another language, such as "Dauer: 0.123 ms  Anweisung: SELECT 1".
_TRANSLATED = re.compile(
    r"(?!duration|statement|execute)[^\d:]{1,40}: ?"
    r"(?:\d+\.\d{3}\s|(?:SELECT|INSERT|UPDATE|DELETE|MERGE|CREATE|WITH|BEGIN|COMMIT)\b)",
    re.IGNORECASE,
)
_CSV_LINE = re.compile(rb'"?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [\w+:/-]+"?,')
_PLAIN_LINE = re.compile(rb"[^\n]{0,200}(?:LOG|ERROR|FATAL|WARNING|STATEMENT|DETAIL|HINT):  ")
_DURATION = re.compile(r"duration: (\d+(?:\.\d+)?) ms(?:  |\Z)")
_STATEMENT = re.compile(r"(?:statement|execute (?!fetch from )[^:]*): ", re.DOTALL)
_PLAN = re.compile(r"plan:\s*")
_QUERY_TEXT = re.compile(r"Query Text: ")
# Abbreviations of time zones are ambiguous, except those of UTC; log_timezone sets them.
_ZONE = re.compile(r"(.* )([A-Z]{1,5}|[+-]\d\d(?::?\d\d)?)")


def _matches_json(source: Source) -> bool:
    return not is_csv(source) and {"error_severity", "timestamp"} <= set(json_columns(source))


def _matches_csv(source: Source) -> bool:
    return bool(_CSV_LINE.match(source.beginning))


def is_plain_text(source: Source) -> bool:
    """Return whether a file has what log_destination = stderr writes, with any log_line_prefix."""
    return bool(_PLAIN_LINE.match(source.beginning))


def _read_json(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
    read_record = partial(_read_record, audit=AuditLines(reading.passed_over))
    return read_records(read_json(source, reading.on_bad), source, reading, read_record)


def _read_csv(source: Source, reading: Reading) -> Iterator[tuple[str, Row]]:
    read_record = partial(_read_record, audit=AuditLines(reading.passed_over))
    return read_records(read_csv(source, reading.on_bad, COLUMNS), source, reading, read_record)


def _read_record(record: Record, place: str, reading: Reading, *, audit: AuditLines) -> Row | None:
    severity = required_text(record, "error_severity", place)
    message = optional_text(record, "message")
    if not optional_text(record, "dbname"):  # a process of the server, not of a client
        return None
    session = required_text(record, "session_id", place)
    audited = None
    if severity in _OTHERS and message.startswith(PREFIX):
        audited = audit.read_line(message, session, place)
    elif severity in _FAILURES:
        audit.end_statement(session)
    reported = _read_message(severity, message, record, place)
    if audited:
        reported = Kind.AUDITED, audited.text, 0
    if reported is None:
        return None
    kind, text, duration = reported
    has_context = kind == Kind.PLAN and bool(optional_text(record, "context"))
    is_nested = audited.is_nested if audited else has_context
    user, database = optional_text(record, "user"), optional_text(record, "dbname")
    host = optional_text(record, "remote_host")
    if not host:
        host = optional_text(record, "connection_from").rpartition(":")[0]
    application = optional_text(record, "application_name")
    job = reading.name_job(application, user=user, database=database, host=host)
    return Row(
        time=_parse_log_time(required_text(record, "timestamp", place), place),
        job=job.name,
        job_namespace=job.namespace,
        run=job.run,
        session=session,
        kind=kind,
        text=complete_expression(text) if is_nested else text,
        position=number_of(record, "line_num", place) or 0,
        database=database,
        user=user,
        host=host,
        duration=duration,
        failed=kind == Kind.ERROR,
        is_nested=is_nested,
        transaction=_read_transaction(optional_text(record, "vxid")),
    )


def _read_transaction(text: str) -> str:
    """Return the virtual id of a transaction; "" if none was open, as in 3/0."""
    return "" if text.endswith("/0") else text


def _read_message(
    severity: str, message: str, record: Record, place: str
) -> tuple[Kind, str, int] | None:
    """Return kind, statement and duration in microseconds; None for all other messages.

    Raises InvalidEvent for a message that is not in English.
    """
    is_known = severity in _FAILURES or severity in _OTHERS
    if not is_known or (severity == "LOG" and _TRANSLATED.match(message)):
        raise InvalidEvent(
            f"{place}: The messages of the log are translated.",
            "Set lc_messages = 'C' on the server.",
        )
    if severity in _FAILURES:
        text = optional_text(record, "statement")
        # Without a statement, FATAL ends a session that waits for one.
        return (Kind.ERROR if text or severity == "ERROR" else Kind.END), text, 0
    if severity != "LOG":
        return None
    if message.startswith("disconnection: "):
        return Kind.END, "", 0
    duration, kind = 0, Kind.STARTED
    if match := _DURATION.match(message):
        message, kind = message[match.end() :], Kind.STATEMENT
        duration = round(float(match[1]) * 1000)
    if match := _PLAN.match(message):
        text = _read_plan(message[match.end() :], place)
        return (Kind.PLAN, text, duration) if text and not is_key_check(text) else None
    if match := _STATEMENT.match(message):
        return kind, message[match.end() :], duration
    return None


def _read_plan(plan: str, place: str) -> str:
    """Return the query of a plan of auto_explain. Raises InvalidEvent if it is not JSON."""
    if _QUERY_TEXT.match(plan):
        raise InvalidEvent(
            f"{place}: The plan of auto_explain is a text.",
            "Set auto_explain.log_format = json.",
        )
    try:
        document = json.loads(plan)
    except ValueError:
        raise InvalidEvent(f"{place}: The plan of auto_explain is not JSON.") from None
    text = document.get("Query Text") if isinstance(document, dict) else None
    return text if isinstance(text, str) else ""


def _parse_log_time(text: str, place: str) -> str:
    match = _ZONE.fullmatch(text)
    zone = match[2] if match else ""
    try:
        if match and zone[0] in "+-":
            hours = zone if len(zone) > 3 else f"{zone}:00"
            return parse_time(f"{match[1].strip()}{hours}")
        return parse_time(text)
    except ValueError:
        raise InvalidEvent(
            f"{place}: The time zone {zone or 'of the time'} is ambiguous or unknown.",
            "Set log_timezone = 'UTC' on the server.",
        ) from None


JSON_FORM = Form("postgres-json", "postgres", _matches_json, _read_json)
CSV_FORM = Form("postgres-csv", "postgres", _matches_csv, _read_csv)
