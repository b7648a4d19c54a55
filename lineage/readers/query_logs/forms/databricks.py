"""Rows of Databricks' system.access.table_lineage: pairs of tables of successful statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.readers.query_logs.forms.form import optional_text, table_form, time_of
from lineage.readers.query_logs.observed import ObservedFlow, ObservedStatement
from lineage.readers.query_logs.rows import Kind, Row

if TYPE_CHECKING:
    from lineage.readers.files import Record
    from lineage.readers.query_logs.forms.form import Reading

_COLUMNS = {"source_table_full_name", "target_table_full_name", "event_time"}


def _read_record(record: Record, place: str, reading: Reading) -> Row | None:
    origin = _read_text(record, "source_table_full_name")
    target = _read_text(record, "target_table_full_name")
    paths = [
        path
        for table, path in ((origin, "source_path"), (target, "target_path"))
        if not table and _read_text(record, path)
    ]
    if not origin and not target:
        if paths:
            reading.passed_over["paths"] += 1
        return None
    unresolved = ("the files of a path are not a table",) if paths else ()
    reads = (tuple(origin.split(".")),) if origin else ()
    # The table does not tell whether the statement replaced the rows before it.
    flows = (ObservedFlow(tuple(target.split(".")), reads, ""),) if target else ()
    user = _read_text(record, "created_by")
    entity = "/".join(filter(None, (_read_text(record, n) for n in ("entity_type", "entity_id"))))
    job = reading.name_job(entity or user, user=user, database="", host="")
    run_of_entity = _read_text(record, "entity_run_id")
    return Row(
        time=time_of(record, "event_time", place),
        job=job.name,
        job_namespace=job.namespace,
        run=job.run,
        session=run_of_entity,
        kind=Kind.STATEMENT,
        process=f"run {run_of_entity}" if run_of_entity else "",
        user=user,
        observed=ObservedStatement(_read_text(record, "event_id"), flows, reads, unresolved),
    )


def _read_text(record: Record, name: str) -> str:
    """Return a value as text; "" if it is missing, or null as the CSV of Databricks has it."""
    text = optional_text(record, name)
    return "" if text == "null" else text


FORM = table_form("databricks", "databricks", _COLUMNS, _read_record)
