"""Rows of BigQuery's INFORMATION_SCHEMA.JOBS: inputs and outputs of jobs, named by BigQuery.

No text is parsed. A job of a script is a part of its parent job, which is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import InvalidEvent
from lineage.readers.query_logs.forms.form import (
    json_of,
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

_COLUMNS = {"job_id", "referenced_tables", "destination_table"}
_MODES = {
    "INSERT": "append",
    "MERGE": "merge",
    "UPDATE": "merge",
    "DELETE": "delete",
    "TRUNCATE_TABLE": "truncate",
    "CREATE_TABLE": "create",
    "CREATE_TABLE_AS_SELECT": "create",
    "CREATE_EXTERNAL_TABLE": "create",
    "CREATE_SNAPSHOT_TABLE": "create",
    "CREATE_VIEW": "create",
    "CREATE_MATERIALIZED_VIEW": "create",
    "LOAD_DATA": "append",
    "DROP_TABLE": "drop",
    "DROP_EXTERNAL_TABLE": "drop",
    "DROP_SNAPSHOT_TABLE": "drop",
    "DROP_VIEW": "drop",
    "DROP_MATERIALIZED_VIEW": "drop",
    "ALTER_TABLE": "alter",
    "ALTER_VIEW": "alter",
    "ALTER_MATERIALIZED_VIEW": "alter",
    "CREATE_ROW_ACCESS_POLICY": "alter",
    "DROP_ROW_ACCESS_POLICY": "alter",
    "CREATE_SEARCH_INDEX": "alter",
    "DROP_SEARCH_INDEX": "alter",
}
_TRANSACTIONS = {
    "BEGIN_TRANSACTION": "begin",
    "COMMIT_TRANSACTION": "commit",
    "ROLLBACK_TRANSACTION": "rollback",
}
_EXPORTS = ("EXPORT_DATA", "EXPORT_MODEL")  # their results are files
# How a job with a destination treats the rows before it, if the export has it.
_DISPOSITIONS = {"WRITE_TRUNCATE": "overwrite", "WRITE_APPEND": "append", "WRITE_EMPTY": "create"}


def _read_record(record: Record, place: str, reading: Reading) -> Row | None:
    kind = optional_text(record, "statement_type")
    if kind == "SCRIPT":  # its statements have rows of their own
        return None
    if not _has_ended(record):  # a later export shows whether it failed
        reading.passed_over["jobs that have not ended"] += 1
        return None
    reads = tuple(_table_names(json_of(record, "referenced_tables", place) or [], place))
    copied = _read_copied_tables(record, place)
    # Only queries reference tables.
    job_type = optional_text(record, "job_type").upper()
    is_unknown = not copied and job_type == "COPY"
    from_files = job_type == "LOAD" or kind == "LOAD_DATA"
    unresolved = ("the table that a copy job read is not known",) if is_unknown else ()
    reads += copied
    target = json_of(record, "destination_table", place)
    mode = _MODES.get(kind) or _DISPOSITIONS.get(_read_disposition(record, place), "")
    flows = tuple(
        ObservedFlow(
            name,
            tuple(each for each in reads if each != name),
            mode,
            from_files,
            is_view=kind == "CREATE_VIEW",
        )
        for name in _table_names([target] if target else [], place)
        if kind not in _EXPORTS and not _is_anonymous(name, kind)
    )
    user, labels = optional_text(record, "user_email"), _read_labels(record, place)
    job = reading.name_job(labels.get("job", "") or user, user=user, database="", host="")
    session = json_of(record, "session_info", place)
    session_id = session.get("session_id", "") if isinstance(session, dict) else ""
    job_id = required_text(record, "job_id", place)
    ended = "end_time" if optional_text(record, "end_time") else "creation_time"
    return Row(
        time=time_of(record, ended, place),
        job=job.name,
        job_namespace=job.namespace,
        run=job.run or labels.get("run", ""),
        session=str(session_id or optional_text(record, "parent_job_id")),
        kind=Kind.STATEMENT,
        user=user,
        failed=bool(json_of(record, "error_result", place)),
        observed=ObservedStatement(
            job_id, flows, reads, unresolved, transaction=_TRANSACTIONS.get(kind, "")
        ),
    )


def _has_ended(record: Record) -> bool:
    """Return whether a job has ended, as far as the export has the columns that show it."""
    state = optional_text(record, "state").upper()
    return state in ("", "DONE") and bool(
        "end_time" not in record or optional_text(record, "end_time")
    )


def _read_copied_tables(record: Record, place: str) -> tuple[Parts, ...]:
    """Return the tables that a copy job read, if the export has its configuration."""
    configuration = json_of(record, "configuration", place)
    copy = configuration.get("copy") if isinstance(configuration, dict) else None
    if not isinstance(copy, dict):
        return ()
    tables = copy.get("sourceTables") or [copy.get("sourceTable")]
    keys = {"projectId": "project_id", "datasetId": "dataset_id", "tableId": "table_id"}
    named = [
        {keys.get(key, key): value for key, value in table.items()}
        for table in tables
        if isinstance(table, dict)
    ]
    return tuple(_table_names(named, place))


def _read_disposition(record: Record, place: str) -> str:
    """Return the write disposition: a column of its own, or in the configuration of the job."""
    if disposition := optional_text(record, "write_disposition"):
        return disposition
    configuration = json_of(record, "configuration", place)
    for part in configuration.values() if isinstance(configuration, dict) else ():
        if isinstance(part, dict) and "writeDisposition" in part:
            return str(part["writeDisposition"])
    return ""


def _table_names(tables: Any, place: str) -> Iterator[Parts]:
    for table in tables if isinstance(tables, list) else [tables]:
        parts = (
            [table.get(name) for name in ("project_id", "dataset_id", "table_id")]
            if isinstance(table, dict)
            else []
        )
        if not all(isinstance(part, str) and part for part in parts) or not parts:
            raise InvalidEvent(f"{place}: A table has no project_id, dataset_id and table_id.")
        # A partition or a snapshot is a part of its table.
        table_id = str(parts[2]).partition("$")[0].partition("@")[0]
        yield str(parts[0]), str(parts[1]), table_id


def _is_anonymous(name: Parts, kind: str) -> bool:
    """Return whether a table is the result of a query that nobody stored.

    Drivers store results of SELECT in hidden datasets, such as ``_bqodbc_temp_tables``.
    """
    return name[1].startswith("_") and (kind == "SELECT" or name[2].startswith("anon"))


def _read_labels(record: Record, place: str) -> dict[str, str]:
    labels = json_of(record, "labels", place)
    if isinstance(labels, dict):
        return {str(key): str(value) for key, value in labels.items()}
    return {
        str(each["key"]): str(each["value"])
        for each in (labels if isinstance(labels, list) else [])
        if isinstance(each, dict) and {"key", "value"} <= each.keys()
    }


FORM = table_form("bigquery", "bigquery", _COLUMNS, _read_record)
