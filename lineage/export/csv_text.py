"""Rows as CSV (RFC 4180)."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# A spreadsheet computes a text that begins so (OWASP, CSV Injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    cell_text: Callable[[object], str],
    line_end: str = "\r\n",
) -> str:
    """Return rows as CSV with a header, which is ``columns`` if there are no rows.

    ``cell_text`` converts values and names of columns.
    """
    names = list(dict.fromkeys(name for row in rows for name in row)) or list(columns)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=line_end)
    writer.writerow(map(cell_text, names))
    writer.writerows([cell_text(row.get(name)) for name in names] for row in rows)
    return out.getvalue()


def guarded_cell(value: object) -> str:
    """Return the cell of a value for spreadsheets: an apostrophe precedes a text like a formula."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"'{value}" if value.startswith(_FORMULA) else value
