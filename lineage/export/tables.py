"""Notebook output of results that are not graphs: HTML tables and a one-line form."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from lineage.control_characters import escape_controls
from lineage.query.records import Column, Dataset, Job, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Maximum number of rows, and of characters of a text, in the output of a cell.
_MAX_ROWS = 200
_MAX_CELL_LENGTH = 300


def to_html(result: object) -> str:
    """Render the HTML fragment of a record: its values, and a table for each list."""
    values = _record_fields(result)
    lists = {name: value for name, value in values.items() if _is_list_of_records(value)}
    parts = [f"<div><p><b>{_escape_text(to_line(result)[1:-1])}</b></p>"]
    single = [(name, value) for name, value in values.items() if name not in lists]
    parts += _table_lines(
        ("", ""), [(name, value) for name, value in single if not _is_empty(value)]
    )
    for name, records in lists.items():
        parts.append(f"<p>{_escape_text(name)}</p>")
        parts += _record_lines(records)
    return "\n".join([*parts, "</div>"])


def rows_to_html(records: Sequence[object]) -> str:
    """Render the HTML fragment of a list of records."""
    return "\n".join(
        ["<div>", f"<p><b>{_count_records(records)}</b></p>", *_record_lines(records), "</div>"]
    )


def cypher_to_html(columns: Sequence[str], rows: Sequence[Sequence[Any]], omitted: int) -> str:
    """Render the HTML fragment of a table; ``omitted``: number of rows that were not fetched."""
    more = f", {omitted:,} more" if omitted else ""
    head = f"<div><p><b>{len(rows):,} rows{more}</b></p>"
    return "\n".join([head, *_table_lines(columns, rows), "</div>"])


def cypher_to_line(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return the short form of a table: its columns and its number of rows."""
    return escape_controls(f"<Table: {', '.join(columns)}; {len(rows)} rows>")


def to_line(result: object) -> str:
    """Return the short form of a record: its kind, its root, and the lengths of its lists."""
    names, counts = [], []
    for name, value in _record_fields(result).items():
        if isinstance(value, Dataset | Job | Run | Column):
            names.append(_value_text(value))
        elif _is_list_of_records(value):
            counts.append(f"{len(value)} {name}")
    text = "; ".join(filter(None, [" and ".join(names), ", ".join(counts)]))
    kind = type(result).__name__
    return escape_controls(f"<{kind}: {text}>" if text else f"<{kind}>")


def rows_to_line(records: Sequence[object]) -> str:
    """Return the short form of a list of records: its length, and the names of the first."""
    if not all(hasattr(record, "full_name") for record in records[:3]):
        return f"<{_count_records(records)} of {type(records[0]).__name__}>"
    first = ", ".join(map(_value_text, records[:3])) + (", …" if len(records) > 3 else "")
    return escape_controls(
        f"<{_count_records(records)}: {first}>" if first else f"<{_count_records(records)}>"
    )


def _count_records(records: Sequence[object]) -> str:
    return f"{len(records):,} row{'' if len(records) == 1 else 's'}"


def _record_lines(records: Sequence[object]) -> Iterator[str]:
    rows = [_record_fields(record) for record in records[:_MAX_ROWS]]
    names = list(dict.fromkeys(name for row in rows for name in row))
    used = [name for name in names if any(not _is_empty(row.get(name)) for row in rows)]
    yield from _table_lines(used, [[row.get(name) for name in used] for row in rows], len(records))


def _table_lines(
    names: Sequence[str], rows: Sequence[Sequence[Any]], total: int | None = None
) -> Iterator[str]:
    yield "<table>"
    if any(names):
        titles = (f"<th>{_escape_text(name)}</th>" for name in names)
        yield f"<thead><tr>{''.join(titles)}</tr></thead>"
    yield "<tbody>"
    for row in rows[:_MAX_ROWS]:
        cells = (f"<td>{_escape_text(_short_value(value))}</td>" for value in row)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table>"
    if more := (total or len(rows)) - len(rows[:_MAX_ROWS]):
        yield f"<p>and {more:,} more</p>"


def _record_fields(record: object) -> dict[str, Any]:
    """Return the values of a record by name, without the text of an event."""
    if isinstance(record, Dataset | Job | Column):
        return {"name": record.full_name}
    names = getattr(type(record), "__struct_fields__", None)
    if names is None and dataclasses.is_dataclass(record):
        names = [field.name for field in dataclasses.fields(record)]
    if names is None:
        return {"value": record}
    return {name: getattr(record, name) for name in names if name not in ("id", "body")}


def _is_list_of_records(value: object) -> bool:
    return isinstance(value, tuple) and any(
        dataclasses.is_dataclass(each) or hasattr(type(each), "__struct_fields__") for each in value
    )


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | tuple | Mapping) and not value)


def _short_value(value: object) -> str:
    text = _value_text(value)
    return text if len(text) <= _MAX_CELL_LENGTH else f"{text[: _MAX_CELL_LENGTH - 1]}…"


def _value_text(value: object) -> str:
    """Format a value as one line; datasets, jobs and runs are represented by their names."""
    if value is None:
        return ""
    if isinstance(value, Run):
        return f"{value.run_id} {value.state or ''}".rstrip()
    if full_name := getattr(value, "full_name", None):
        return str(full_name)
    if isinstance(value, tuple):
        return ", ".join(map(_value_text, value))
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=_value_text)
    if dataclasses.is_dataclass(value) or hasattr(type(value), "__struct_fields__"):
        fields = _record_fields(value).items()
        return ", ".join(
            f"{name} {_value_text(each)}" for name, each in fields if not _is_empty(each)
        )
    return str(value)


def _escape_text(text: str) -> str:
    return escape(escape_controls(text))
