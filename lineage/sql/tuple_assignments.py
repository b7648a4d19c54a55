"""BigQuery's assignment of several variables at once: ``SET (a, b) = (1, 2)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.cursor import Cursor

if TYPE_CHECKING:
    from collections.abc import Iterator


def split_tuple(cursor: Cursor) -> list[Cursor]:
    """Return a cursor for the assignment of each variable; the cursor itself if it is not sure.

    The values are those of before, so that none of them may use a variable of the list.
    """
    start = cursor.place
    texts: list[str] = []
    if cursor.take_words("SET"):
        names = list(_take_list(cursor))
        values = list(_take_list(cursor)) if cursor.take_mark("=") else []
        tokens = {t.text.upper() for value in values for t in Cursor(value, cursor.dialect).tokens}
        is_query = values[:1] and Cursor(values[0], cursor.dialect).next_word in ("SELECT", "WITH")
        is_list = len(names) == len(values) > 1 and cursor.is_at_end and not is_query
        if is_list and tokens.isdisjoint(name.upper() for name in names):
            texts = [f"SET {name} = {value}" for name, value in zip(names, values, strict=True)]
    cursor.place = start
    return [Cursor(text, cursor.dialect) for text in texts] or [cursor]


def _take_list(cursor: Cursor) -> Iterator[str]:
    """Advance past a list in parentheses, and yield the texts of its items."""
    if not cursor.take_mark("("):
        return
    start = cursor.place
    while not cursor.is_at_end:
        if cursor.token_text in (",", ")"):
            yield cursor.text[cursor.tokens[start].start : cursor.tokens[cursor.place].start]
            cursor.place += 1
            start = cursor.place
            if cursor.tokens[start - 1].text == ")":
                return
        elif not cursor.skip_parentheses():
            cursor.place += 1
