"""The generic form: JSON or CSV (docs/reference/query-log-rows.md), which all others map to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.errors import InvalidEvent
from lineage.readers.query_logs.forms.form import (
    number_of,
    optional_text,
    required_text,
    table_form,
    time_of,
)
from lineage.readers.query_logs.rows import Kind, Row

if TYPE_CHECKING:
    from lineage.readers.files import Record
    from lineage.readers.query_logs.forms.form import Reading

_REQUIRED = {"text", "time", "job"}
_EVENTS = {
    "statement": Kind.STATEMENT,
    "request": Kind.REQUEST,
    "started": Kind.STARTED,
    "starting": Kind.STARTING,
    "plan": Kind.PLAN,
    "error": Kind.ERROR,
    "raised": Kind.RAISED,
    "reset": Kind.RESET,
    "end": Kind.END,
}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False, "": False}


def _read_record(record: Record, place: str, reading: Reading) -> Row:
    kind = _EVENTS.get(optional_text(record, "event") or "statement")
    if kind is None:
        raise InvalidEvent(f"{place}: event is not one of {', '.join(_EVENTS)}.")
    failed = _BOOLEANS.get(optional_text(record, "failed").lower())
    if failed is None:
        raise InvalidEvent(f"{place}: failed is neither true nor false.")
    needs_text = kind < Kind.ERROR
    user, host, database = (optional_text(record, name) for name in ("user", "host", "database"))
    application = required_text(record, "job", place)
    job = reading.name_job(application, user=user, database=database, host=host)
    duration = number_of({"us": _duration_of(record, place)}, "us", place) or 0
    return Row(
        time=time_of(record, "time", place),
        job=job.name,
        job_namespace=optional_text(record, "job_namespace") or job.namespace,
        run=optional_text(record, "run") or job.run,
        session=optional_text(record, "session"),
        kind=kind,
        text=required_text(record, "text", place) if needs_text else optional_text(record, "text"),
        position=number_of(record, "position", place) or 0,
        process=optional_text(record, "process"),
        database=database,
        schema=optional_text(record, "schema"),
        user=user,
        host=host,
        duration=duration,
        failed=failed,
        row_count=number_of(record, "rows", place),
    )


def _duration_of(record: Record, place: str) -> float | None:
    text = optional_text(record, "duration_ms").strip()
    if not text:
        return None
    try:
        return float(text) * 1000
    except ValueError:
        raise InvalidEvent(f"{place}: duration_ms is not a number.") from None


FORM = table_form("generic", "", _REQUIRED, _read_record)
