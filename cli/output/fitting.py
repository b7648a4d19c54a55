"""Fit tables and lines to the width of a terminal by shortening names in the middle."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Minimum width of columns: the first if the table then fits, else the second. Ids of runs keep the
# first, because ids of one minute begin with the same 8 characters.
NARROWEST = (14, 8)
# Shortened at the end, because the beginning of a run id can be used as its name.
RUN_IDS = ("run_id", "run")
# Columns up to the width of a time are not shortened.
TIME_WIDTH = 20
GAP = 2  # between two columns
HEADER_PADDING = 2  # tabulate.MIN_PADDING, if the table then fits
# Width of a value in the note below a table, because all rows have it.
VALUE_WIDTH = 24

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{6}Z")
_RUN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_WORD = re.compile(r"\S+")


def fitting_table(cells: list[list[str]], columns: Sequence[str], width: int) -> list[str]:
    """Return the lines of a table that fits ``width``.

    Fractions of seconds are removed, then the widest columns are shortened. If minimum widths do
    not fit, columns are removed: empty ones, then those with one value in all rows, then the last.
    A line below names them, with the common value.
    """
    columns, without = list(columns), dict[str, str]()
    if _total_width(_natural_widths(cells, columns, HEADER_PADDING)) > width:
        cells = [[_TIME.sub(r"\1 \2Z", text) for text in row] for row in cells]
    while len(columns) > 1 and _total_width(_least_widths(cells, columns, NARROWEST[-1])) > width:
        at, value = _least_missed_column(cells, len(columns))
        without[columns.pop(at)] = value
        cells = [row[:at] + row[at + 1 :] for row in cells]
    widths = _fitting_widths(cells, columns, width)
    rows = [
        [
            shorten_text(text, widths[at], at_end=columns[at] in RUN_IDS)
            for at, text in enumerate(row)
        ]
        for row in cells
    ]
    return [
        (" " * GAP).join(f"{text:<{wide}}" for text, wide in zip(row, widths, strict=True)).rstrip()
        for row in (columns, ["-" * wide for wide in widths], *rows)
    ] + _omitted_note(without, width)


def _total_width(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _natural_widths(cells: list[list[str]], columns: Sequence[str], padding: int) -> list[int]:
    return [
        max([len(column) + padding, *(len(row[at]) for row in cells)])
        for at, column in enumerate(columns)
    ]


def _least_widths(cells: list[list[str]], columns: Sequence[str], narrowest: int) -> list[int]:
    """Return the minimum width of each column; columns up to the width of a time are whole."""
    least = []
    for column, natural in zip(columns, _natural_widths(cells, columns, 0), strict=True):
        shortest = NARROWEST[0] if column in RUN_IDS else narrowest
        least.append(max(len(column), shortest) if natural > TIME_WIDTH else natural)
    return least


def _fitting_widths(cells: list[list[str]], columns: Sequence[str], width: int) -> list[int]:
    """Reduce the widest columns until a line has ``width`` characters."""
    widths = _natural_widths(cells, columns, HEADER_PADDING)
    if _total_width(widths) <= width:
        return widths
    widths = _natural_widths(cells, columns, 0)
    for narrowest in NARROWEST:
        least = _least_widths(cells, columns, narrowest)
        while _total_width(widths) > width:
            shrinkable = [at for at in range(len(widths)) if widths[at] > least[at]]
            if not shrinkable:
                break
            widths[max(shrinkable, key=lambda at: widths[at])] -= 1
    return widths


def _least_missed_column(cells: list[list[str]], columns: int) -> tuple[int, str]:
    """Return the index of the least informative column, and its common value."""
    values = [{row[at] for row in cells} for at in range(columns)]
    for at in reversed(range(columns)):
        if values[at] <= {""}:
            return at, ""
    same = {at: next(iter(each)) for at, each in enumerate(values) if len(each) == 1}
    if len(cells) > 1 and same:
        at = min(same, key=lambda at: (len(same[at]), -at))
        return at, same[at]
    return columns - 1, ""


def _omitted_note(without: dict[str, str], width: int) -> list[str]:
    """Return the note about removed columns, in lines of ``width``."""
    if not without:
        return []
    import textwrap

    names = [
        f"{name} ({shorten_text(value, VALUE_WIDTH)} in all)" if value else name
        for name, value in without.items()
    ]
    return textwrap.wrap(f"Without {', '.join(names)}: --wide shows all.", width)


def shorten_lines(lines: Iterable[str], width: int | None) -> Iterable[str]:
    """Return lines of at most ``width`` characters: the longest names of each are shortened."""
    return lines if width is None else (_shorten_line(line, width) for line in lines)


def _shorten_line(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    line = _RUN_ID.sub(lambda match: f"{match[0][:13]}…", line)
    words = [(word.start(), word.end()) for word in _WORD.finditer(line)]
    lengths = [end - start for start, end in words]
    for _ in range(len(line) - width):
        at = max(range(len(words)), key=lambda at: lengths[at])
        if lengths[at] <= NARROWEST[0]:
            break
        lengths[at] -= 1
    parts, end = [], 0
    for (start, stop), length in zip(words, lengths, strict=True):
        parts += [line[end:start], shorten_text(line[start:stop], length)]
        end = stop
    fitted = "".join([*parts, line[end:]])
    return shorten_text(fitted, width, at_end=True)


def shorten_text(text: str, width: int, *, at_end: bool = False) -> str:
    """Return ``text`` shortened to ``width`` characters, with more of its end than its start."""
    if len(text) <= width:
        return text
    first = width - 1 if at_end else (width - 1) // 3
    return f"{text[:first]}…{text[len(text) - (width - 1 - first) :]}"
