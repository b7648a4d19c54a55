"""Fit tables and lines to the width of a terminal: texts are wrapped, names are shortened."""

from __future__ import annotations

import itertools
import re
import textwrap
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
_SENTENCE = re.compile(r"\S.* .*[.:]")


class _Column(NamedTuple):
    """A column of a table, and the widths to which it may be reduced, in their order."""

    name: str
    texts: list[str]
    least: tuple[int, ...]

    @property
    def natural_width(self) -> int:
        """The width that shows all texts as they are."""
        return max([len(self.name), *map(len, self.texts)])

    def wrap_cell(self, text: str, width: int) -> list[str]:
        """Return the lines of a cell of that width."""
        return cell_lines(text, width, at_end=self.name in RUN_IDS)


def fitting_table(cells: list[list[str]], columns: Sequence[str], width: int) -> list[str]:
    """Return the lines of a table that fits ``width``.

    Fractions of seconds are removed, then empty columns, then the widest columns are reduced, so
    far as different texts of a column remain different. If that is not enough, columns are removed:
    those with one value in all rows, then the last. A line below names them, with the common value.
    """
    table = [_Column(name, [row[at] for row in cells], ()) for at, name in enumerate(columns)]
    widths = [max(c.natural_width, len(c.name) + HEADER_PADDING) for c in table]
    if _total_width(widths) <= width:
        return _table_lines(table, widths, len(cells))
    table = [_measure_column(c.name, [_TIME.sub(r"\1 \2Z", x) for x in c.texts]) for c in table]
    without = dict[str, str]()
    while len(table) > 1 and (at := _removable_column(table, width)) is not None:
        column = table.pop(at)
        without[column.name] = column.texts[0] if _is_uniform(column) else ""
    widths = _fitting_widths(table, width)
    return _table_lines(table, widths, len(cells)) + _omitted_note(without, width)


def _measure_column(name: str, texts: list[str]) -> _Column:
    """Return a column with its least widths; those up to the width of a time are whole."""
    column = _Column(name, texts, ())
    if column.natural_width <= TIME_WIDTH:
        return column._replace(least=(column.natural_width,) * len(NARROWEST))
    if name in RUN_IDS:
        return column._replace(least=(NARROWEST[0],) * len(NARROWEST))
    least = [max(len(name), each) for each in NARROWEST]
    if not any(" " in text for text in texts):  # a text is wrapped
        least = [_distinct_width(column, each) for each in least]
    return column._replace(least=tuple(least))


def _distinct_width(column: _Column, least: int) -> int:
    """Return the smallest width from ``least`` on at which different texts differ."""
    texts = set(column.texts)
    for width in range(least, column.natural_width):
        if _are_distinct(column, texts, width):
            return width
    return max(least, column.natural_width)


def _are_distinct(column: _Column, texts: set[str], width: int) -> bool:
    """Return whether different texts differ at a width; most widths show two equal ones soon."""
    cells = set()
    for text in texts:
        cell = tuple(column.wrap_cell(text, width))
        if cell in cells:
            return False
        cells.add(cell)
    return True


def _removable_column(table: list[_Column], width: int) -> int | None:
    """Return the index of the column to remove; None if the table fits without that."""
    for at in reversed(range(len(table))):
        if table[at].texts and not any(table[at].texts):
            return at
    if _total_width([column.least[-1] for column in table]) <= width:
        return None
    same = [at for at, column in enumerate(table) if _is_uniform(column)]
    return min(same, key=lambda at: (len(table[at].texts[0]), -at), default=len(table) - 1)


def _is_uniform(column: _Column) -> bool:
    return len(column.texts) > 1 and len(set(column.texts)) == 1


def _fitting_widths(table: list[_Column], width: int) -> list[int]:
    """Reduce the widest columns until a line has ``width`` characters."""
    widths = [column.natural_width for column in table]
    for narrowest in range(len(NARROWEST)):
        while _total_width(widths) > width:
            shrinkable = [at for at, c in enumerate(table) if widths[at] > c.least[narrowest]]
            if not shrinkable:
                break
            widths[max(shrinkable, key=lambda at: widths[at])] -= 1
    return [min(each, width) for each in widths]


def _table_lines(table: list[_Column], widths: list[int], rows: int) -> list[str]:
    """Return the lines of header and rows; a cell may have several lines."""
    lines = [[column.name for column in table], ["-" * width for width in widths]]
    for row in range(rows):
        cells = [c.wrap_cell(c.texts[row], wide) for c, wide in zip(table, widths, strict=True)]
        lines += map(list, itertools.zip_longest(*cells, fillvalue=""))
    return [
        (" " * GAP)
        .join(f"{text:<{wide}}" for text, wide in zip(line, widths, strict=True))
        .rstrip()
        for line in lines
    ]


def cell_lines(text: str, width: int, *, at_end: bool = False) -> list[str]:
    """Return a name shortened to ``width``, or the lines of a text whose words are shortened."""
    if len(text) <= width or " " not in text:
        return [shorten_text(text, width, at_end=at_end)]
    words = (shorten_text(word, width) for word in text.split())
    return textwrap.wrap(" ".join(words), width, break_on_hyphens=False)


def _total_width(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _omitted_note(without: dict[str, str], width: int) -> list[str]:
    """Return the note about removed columns, in lines of ``width``."""
    if not without:
        return []
    names = [
        f"{name} ({shorten_text(value, VALUE_WIDTH)} in all)" if value else name
        for name, value in without.items()
    ]
    return textwrap.wrap(f"Without {', '.join(names)}: --wide shows all.", width)


def shorten_lines(lines: Iterable[str], width: int | None) -> Iterable[str]:
    """Return lines of at most ``width`` characters: the longest names of each are shortened.

    A sentence is wrapped.
    """
    return lines if width is None else _shorten_lines(lines, width)


def _shorten_lines(lines: Iterable[str], width: int) -> Iterator[str]:
    for line in lines:
        if len(line) <= width:
            yield line
        elif _SENTENCE.fullmatch(line):
            yield from cell_lines(line, width)
        else:
            yield _shorten_line(line, width)


def _shorten_line(line: str, width: int) -> str:
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
