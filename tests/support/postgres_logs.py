"""Logs of PostgreSQL as tests write them, and the runs that they give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.log_files import read_file
from support.query_logs import fold_rows, later_row

if TYPE_CHECKING:
    from pathlib import Path

    from support.query_logs import FoldedRun


def audit(id: int, part: int, text: str, command: str = "INSERT", kind: str = "SESSION") -> str:
    """Return the line of pgaudit for a statement, with its number and that of its part."""
    quoted = text.replace('"', '""')
    return f'AUDIT: {kind},{id},{part},WRITE,{command},,,"{quoted}",<not logged>'


def error(text: str, **fields: str) -> dict[str, str]:
    """Return the line of an error, whose statement is ``text``."""
    return {"error_severity": "ERROR", "message": "it failed", "statement": text, **fields}


def plan(text: str, **fields: str) -> dict[str, str]:
    """Return the line of auto_explain for a statement."""
    document = json.dumps({"Query Text": text, "Plan": {}})
    return {"message": f"duration: 0.1 ms  plan:\n{document}", **fields}


def nested_plan(text: str, **fields: str) -> dict[str, str]:
    """Return the line of auto_explain for a statement that a function or a trigger ran."""
    return plan(text, context=f'SQL statement "{text}"', **fields)


def write_log(tmp_path: Path, *lines: str | dict[str, str]) -> Path:
    """Write a jsonlog of one session, by the messages or other fields of its lines."""
    path = tmp_path / "postgresql.json"
    records = [
        {
            "timestamp": f"2026-01-31 01:00:{number:02}.123 UTC",
            "user": "etl",
            "dbname": "shop",
            "session_id": "697d5511.7",
            "line_num": number,
            "error_severity": "LOG",
            **({"message": line} if isinstance(line, str) else line),
        }
        for number, line in enumerate(lines, start=1)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read_run(tmp_path: Path, *lines: str | dict[str, str]) -> FoldedRun:
    """Return the run of the lines of a session, which has ended."""
    return read_runs(tmp_path, *lines)["etl"]


def read_runs(tmp_path: Path, *lines: str | dict[str, str]) -> dict[str, FoldedRun]:
    """Return the runs of the lines of a session by job, which is ``etl`` or an application."""
    rows, bad = read_file(write_log(tmp_path, *lines), "postgres-json")
    assert bad == []
    return fold_rows([*rows, later_row()], "postgres")
