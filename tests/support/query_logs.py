"""Imported query logs as plain values: inputs and outputs of each run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.importing import convert_rows
from lineage.readers.query_logs.rows import Kind, Row
from lineage.readers.report import ImportReport

if TYPE_CHECKING:
    from collections.abc import Iterable

SERVER = "sqlserver://sql1"
SERVERS = {
    "tsql": SERVER,
    "postgres": "postgres://db:5432",
    "mysql": "mysql://db:3306",
    "bigquery": "bigquery",
    "snowflake": "snowflake://org-account",
    "databricks": "databricks://workspace",
    "hive": "hive://metastore:9083",
}


class FoldedRun(NamedTuple):
    """A run by its events: ``state`` and numbers of statements are those of the last one."""

    job: str
    state: str
    inputs: frozenset[str]
    outputs: dict[str, frozenset[str]]
    unresolved: frozenset[str]
    statements: int = 0
    failed: int = 0


def make_row(second: float, text: str = "", **fields: object) -> Row:
    """Return a row of session 60 of the job ``load``, at a second of 1 o'clock."""
    minutes, rest = divmod(second, 60)
    time = f"2026-01-31T01:{int(minutes):02}:{rest:09.6f}Z"
    defaults: dict[str, object] = {
        "job": "load", "job_namespace": "python_task", "session": "60", "process": "4711",
        "database": "sales", "position": 0, "kind": Kind.REQUEST, "text": text,
    }  # fmt: skip
    return Row(time=time, **{**defaults, **fields})  # type: ignore[arg-type]


def fold_rows(rows: Iterable[Row], dialect: str = "tsql") -> dict[str, FoldedRun]:
    """Return the runs of rows by job; each job has one run."""
    source = LogSource(SERVERS.get(dialect, "postgres://db:5432"), dialect)
    runs: dict[str, FoldedRun] = {}
    placed = ((f"row {number}", row) for number, row in enumerate(rows))
    report = ImportReport()
    for text in convert_rows(source, placed, report):
        event = json.loads(text)
        job = event["job"]["name"]
        run = runs.get(job, FoldedRun(job, "", frozenset(), {}, frozenset()))
        outputs = {
            each["name"]: frozenset(
                source.get("name", source["type"]) for source in each["facets"]["lineage"]["inputs"]
            )
            for each in event["outputs"]
        }
        counts = event["run"]["facets"].get("lineage_queries", {})
        unresolved = event["run"]["facets"].get("lineage_unresolved", {"items": []})["items"]
        runs[job] = FoldedRun(
            job,
            event["eventType"],
            run.inputs | {each["name"] for each in event["inputs"]},
            {**run.outputs, **outputs},
            run.unresolved | {each["reason"] for each in unresolved},
            counts.get("statements", 0),
            counts.get("failed", 0),
        )
    assert report.runs == len(runs)
    return runs


def later_row() -> Row:
    """Return a row of another process, an hour later: all runs before it have ended."""
    time = "2026-01-31T03:00:00.000000Z"
    return Row(time=time, job="later", session="1", process="1", kind=Kind.REQUEST, text="SELECT 1")
