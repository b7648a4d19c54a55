"""Files of query logs as tests write them, and the rows that they give."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from lineage.readers.files import open_sources
from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.forms.known import find_form

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.errors import InvalidEvent
    from lineage.readers.query_logs.observed import ObservedFlow
    from lineage.readers.query_logs.rows import Row


def read_file(
    path: Path, form: str, passed_over: Counter[str] | None = None
) -> tuple[list[Row], list[str]]:
    """Return the rows and the errors of a file, whose form must be recognized as ``form``.

    Rows that are passed over are added to ``passed_over``.
    """
    bad: list[InvalidEvent] = []
    reading = Reading(bad.append, passed_over=Counter() if passed_over is None else passed_over)
    [source] = open_sources([str(path)], bad.append)
    found = find_form(source, None)
    assert found is not None
    assert found.name == form
    rows = [row for _, row in found.read(source, reading)]
    return rows, [str(error) for error in bad]


def read_records(tmp_path: Path, form: str, *records: dict[str, Any]) -> list[Row]:
    """Return the rows of a file with ``records``, which must be without errors."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    rows, bad = read_file(path, form)
    assert bad == []
    return rows


def flows_of(row: Row) -> list[ObservedFlow]:
    """Return the tables that a row wrote, as its database reports them."""
    assert row.observed is not None
    return list(row.observed.flows)
