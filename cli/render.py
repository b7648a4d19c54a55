"""Answers on stdout: trees and tables for people, JSON, JSON lines and CSV for programs."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


# What answers that are rows are written as.
ROWS = ("table", "json", "jsonl", "csv")

# Characters of a cell of a table: the longest names stay whole, messages do not.
CELL = 120


def emit_rows(rows: Iterable[Mapping[str, Any]], form: str, columns: Sequence[str]) -> None:
    """Write rows as ``form``: table, json (one array), jsonl (an object a line) or csv.

    A table has ``columns``, the others all that the rows have; without rows CSV names ``columns``.
    """
    if form == "csv":
        click.echo(csv_text(list(rows), columns), nl=False)
    elif form == "jsonl":
        for row in rows:
            click.echo(json_text(row))
    elif form == "json":
        click.echo(json_text(list(rows), indent=2))
    else:
        click.echo(table(rows, columns))


def emit_kept(found: Iterable[Any], form: str, columns: Sequence[str], *, bodies: bool) -> None:
    """Write records that have a ``body``, the text as it came: these alone, or all but these."""
    if bodies:
        for record in found:
            click.echo(record.body)
        return
    rows = [dataclasses.asdict(record) for record in found]
    emit_rows([{name: row[name] for name in row if name != "body"} for row in rows], form, columns)


def json_text(value: object, indent: int | None = None) -> str:
    """Return ``value`` as JSON: our records as objects, text readable as it is."""
    return json.dumps(value, indent=indent, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if names := getattr(type(value), "__struct_fields__", None):  # msgspec is loaded where it is
        return {name: getattr(value, name) for name in names}
    return str(value)


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return rows as CSV (RFC 4180) with a header; lists and maps are JSON, no value is empty.

    A text is as it is, also one that a spreadsheet would take for a formula.
    """
    names = list(dict.fromkeys(name for row in rows for name in row)) or list(columns)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([_plain_cell(row.get(name)) for name in names] for row in rows)
    return out.getvalue()


def _plain_cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return rows as a table of ``columns``; lists and maps are JSON, long cells are cut."""
    from tabulate import tabulate

    return tabulate(
        [[cell(row.get(column)) for column in columns] for row in rows],
        headers=columns,
        tablefmt="simple",
        disable_numparse=True,
    )


def cell(value: object) -> str:
    """One line of a value; what a line does not hold, the other formats have."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json_text(value)
    line = text.partition("\n")[0][:CELL]
    return line if line == text else f"{line}…"


def count(number: int, thing: str) -> str:
    """Return how many there are, with the thing's plural where it is not one."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def moment(time: str | None) -> str:
    """Return a time of ours to the second, as people read it."""
    return f"{time[:10]} {time[11:19]}" if time else ""
