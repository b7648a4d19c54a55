"""Write results to stdout: tables for people, and JSON, JSON lines and CSV for programs."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from lineage.control_characters import escape_controls, escape_json
from lineage.export.csv_text import csv_text as rows_to_csv

from . import terminal
from .fitting import fitting_table, shorten_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


# Formats of results that are rows.
ROWS = ("table", "json", "jsonl", "csv")

# Maximum characters of a message in a cell.
CELL = 120


def emit_rows(rows: Iterable[Mapping[str, Any]], form: str, columns: Sequence[str]) -> None:
    """Write rows as ``form``: table, json (one array), jsonl (an object a line) or csv.

    A table has ``columns``, the others all that the rows have; without rows CSV names ``columns``.
    """
    if form == "csv":
        terminal.write_text(csv_text(list(rows), columns, escaped=terminal.is_terminal()))
    elif form == "jsonl":
        terminal.write_text("".join(f"{json_text(row)}\n" for row in rows))
    elif form == "json":
        terminal.write_text(f"{json_text(list(rows), indent=2)}\n")
    else:
        terminal.write_lines(table_lines(rows, columns, terminal.line_width()))


def stream_rows(batches: Iterable[list[dict[str, Any]]], form: str, columns: Sequence[str]) -> int:
    """Write batches of rows as ``emit_rows`` does, each as a table; return the number of rows."""
    count = 0
    for batch in batches:
        if form == "json":
            # the array without its brackets and line ends
            terminal.write_text(f"{',' if count else '['}\n{json_text(batch, indent=2)[2:-2]}")
        elif form == "csv" and count:
            text = csv_text(batch, columns, escaped=terminal.is_terminal())
            terminal.write_text(text[len(csv_text((), columns, escaped=terminal.is_terminal())) :])
        else:
            emit_rows(batch, form, columns)
        count += len(batch)
    if form == "json" and count:
        terminal.write_text("\n]\n")
    elif not count:
        emit_rows([], form, columns)
    return count


def emit_documents(
    records: Iterable[Any], form: str, columns: Sequence[str], *, bodies: bool
) -> None:
    """Write either the bodies of records, as received, or all their other fields."""
    if bodies:
        for record in records:
            body = escape_json(record.body) if terminal.is_terminal() else record.body
            click.echo(body, color=True)
        return
    rows = [dataclasses.asdict(record) for record in records]
    emit_rows([{name: row[name] for name in row if name != "body"} for row in rows], form, columns)


def json_text(value: object, indent: int | None = None) -> str:
    """Return ``value`` as JSON, with records as objects and invisible characters escaped."""
    return escape_json(json.dumps(value, indent=indent, ensure_ascii=False, default=_to_plain))


def _to_plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if names := getattr(type(value), "__struct_fields__", None):  # without importing msgspec
        return {name: getattr(value, name) for name in names}
    return str(value)


def csv_text(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, escaped: bool = False
) -> str:
    """Return rows as CSV (RFC 4180) with a header; lists and maps are JSON, no value is empty.

    Texts are unchanged, even if a spreadsheet would read them as formulas. With ``escaped``, for
    terminals, control characters are escaped, and each row is one line.
    """
    show = escape_controls if escaped else str
    line_end = "\n" if escaped else "\r\n"
    return rows_to_csv(rows, columns, lambda each: show(_plain_cell(each)), line_end)


def _plain_cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)


def table_lines(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], width: int | None = None
) -> list[str]:
    """Return the lines of a table of ``columns``; lists and maps are JSON.

    If columns are removed to fit ``width``, a line below the table names them.
    """
    from tabulate import tabulate

    cells = [[cell_text(row.get(column)) for column in columns] for row in rows]
    headers = [escape_controls(column) for column in columns]
    if width is not None:
        return fitting_table([[_shorten_message(c) for c in row] for row in cells], headers, width)
    return tabulate(cells, headers, "simple", disable_numparse=True).split("\n")


def _shorten_message(text: str) -> str:
    return shorten_text(text, CELL) if " " in text else text


def cell_text(value: object) -> str:
    """Return a value as one line."""
    if value is None:
        return ""
    return escape_controls(value if isinstance(value, str) else json_text(value))


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_duration(start: str | None, end: str | None) -> str:
    """Return a duration such as ``1m 05s``; empty if start or end is not known."""
    if not start or not end:
        return ""
    return format_seconds(
        (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    )


def format_seconds(duration: float) -> str:
    """Return a duration in seconds such as ``1m 05s``."""
    seconds = round(duration)
    minutes, hours = seconds // 60, seconds // 3600
    if hours:
        return f"{hours:,}h {minutes % 60:02}m"
    return f"{minutes}m {seconds % 60:02}s" if minutes else f"{seconds}s"


def format_time(time: str | None) -> str:
    """Return an ISO 8601 time to the second, in UTC as in the other formats."""
    return f"{time[:10]} {time[11:19]}Z" if time else ""
