"""Statements in the blocks of procedural SQL other than T-SQL: PL/pgSQL, Snowflake, MySQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.cursor import Cursor
from lineage.sql.splitting import split_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONDITION_ENDS = ("THEN", "DO", "LOOP")
# Words that start a statement of SQL, which is read as such.
_SQL = frozenset(
    {"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE"}
    | {"CALL", "EXECUTE", "COPY", "REPLACE", "USE", "SET", "COMMIT", "ROLLBACK", "VALUES", "FROM"}
    | {"RENAME", "REFRESH", "LOCK", "ANALYZE", "PREPARE", "DEALLOCATE", "EXPORT", "LOAD", "GRANT"}
)
_WITHOUT_ROWS = frozenset(
    {"RAISE", "NULL", "EXIT", "CONTINUE", "LEAVE", "ITERATE", "BREAK", "FETCH", "CLOSE", "SIGNAL"}
    | {"RESIGNAL", "GET", "ASSERT", "UNTIL"}
)


def split_block(text: str, dialect: str) -> Iterator[str]:
    """Yield the statements of a block in order; conditions and expressions as queries."""
    for piece in split_statements(text, dialect):
        yield from _strip_control(Cursor(piece, dialect))


def _strip_control(cursor: Cursor) -> Iterator[str]:
    """Yield the statements of a part between semicolons, without the words around them."""
    while not cursor.is_at_end:
        word = cursor.next_word
        if cursor.token_text == "<" or cursor.token_text == ">":  # the label <<name>>
            cursor.place += 1
            if cursor.token_text == "<":
                cursor.place += 2
        elif word in ("BEGIN", "ELSE", "LOOP", "REPEAT", "ATOMIC", "DECLARE"):
            cursor.place += 1
            if word == "DECLARE" and cursor.next_word in ("CONTINUE", "EXIT"):  # a handler of MySQL
                if not cursor.skip_to("BEGIN", *_SQL):
                    return
            elif word == "DECLARE":
                yield from _read_declaration(cursor)
                return
        elif word in ("IF", "ELSIF", "ELSEIF", "WHILE", "CASE", "WHEN", "EXCEPTION"):
            yield from _take_condition(cursor)
        elif word == "FOR":
            yield from _take_loop(cursor)
        elif word == "END":
            return
        else:
            yield from _read_simple(cursor)
            return


def _take_condition(cursor: Cursor) -> Iterator[str]:
    """Yield the condition of IF, WHILE and WHEN as a query, and advance past it."""
    word = cursor.next_word
    cursor.place += 1
    start = cursor.place
    cursor.skip_to(*_CONDITION_ENDS, *(("WHEN",) if word in ("CASE", "EXCEPTION") else ()))
    if word != "EXCEPTION":
        yield from _query_of(cursor, start, cursor.place)
    if cursor.next_word in _CONDITION_ENDS:
        cursor.place += 1


def _take_loop(cursor: Cursor) -> Iterator[str]:
    """Yield the query of ``FOR row IN query LOOP``, and advance past it."""
    if not cursor.skip_to("IN", "AS"):
        return
    cursor.place += 1
    start = cursor.place
    cursor.skip_to("LOOP", "DO")
    end = cursor.place
    cursor.place = start
    if cursor.next_word in ("SELECT", "WITH", "EXECUTE"):
        yield _text_between(cursor, start, end)
    else:
        yield from _query_of(cursor, start, end)
    cursor.place = end + 1


def _read_declaration(cursor: Cursor) -> Iterator[str]:
    """Yield the query of a declared cursor, or the default of a variable."""
    start = cursor.place
    if cursor.skip_to("CURSOR") and (cursor.skip_to("FOR") or cursor.skip_to("IS")):
        cursor.place += 1
        if cursor.next_word in ("SELECT", "WITH"):
            yield cursor.rest_text
        return
    yield from _query_of(cursor, start, len(cursor.tokens))


def _read_simple(cursor: Cursor) -> Iterator[str]:
    """Yield the SQL of a statement without blocks."""
    word = cursor.next_word
    if word == "PERFORM":
        cursor.place += 1
        yield "SELECT " + cursor.rest_text
    elif word == "RETURN":
        cursor.place += 1
        cursor.take_words("NEXT")
        if cursor.take_words("QUERY") or cursor.next_word in ("SELECT", "WITH", "EXECUTE"):
            yield cursor.rest_text
        elif cursor.take_words("TABLE"):
            yield from _query_of(cursor, cursor.place, len(cursor.tokens))
        else:
            yield from _query_of(cursor, cursor.place, len(cursor.tokens))
    elif word == "OPEN":
        if cursor.skip_to("FOR"):
            cursor.place += 1
            yield cursor.rest_text
    elif word == "SET" and cursor.dialect in ("mysql", "bigquery"):
        yield from _query_of(cursor, cursor.place + 1, len(cursor.tokens))
    elif word in _SQL or not word or cursor.token_text == "(":
        yield cursor.rest_text
    elif word not in _WITHOUT_ROWS:
        yield from _read_assignment(cursor)


def _read_assignment(cursor: Cursor) -> Iterator[str]:
    """Yield the query in ``x := …`` and ``x type DEFAULT …``; others as they are."""
    start = cursor.place
    marks = [token.text for token in cursor.tokens[start : start + 8]]
    is_assignment = ":" in marks or "=" in marks or "DEFAULT" in (mark.upper() for mark in marks)
    after_name = cursor.tokens[start + 1 : start + 2]
    if is_assignment or (after_name and after_name[0].kind == "word" and len(marks) <= 4):
        yield from _query_of(cursor, start, len(cursor.tokens))
    else:
        yield cursor.rest_text


def _query_of(cursor: Cursor, start: int, end: int) -> Iterator[str]:
    """Yield each query in parentheses, or after the start, in a part of the tokens."""
    place = start
    while place < end:
        token = cursor.tokens[place]
        is_query = token.kind == "word" and token.text.upper() in ("SELECT", "WITH")
        if is_query and (place == start or cursor.tokens[place - 1].text in ("(", "=")):
            cursor.place = place - 1
            if place > start and cursor.token_text == "(":
                cursor.skip_parentheses()
                stop = cursor.place - 1
            else:
                stop = end
            yield _text_between(cursor, place, stop)
            place = stop
        place += 1
    cursor.place = end


def _text_between(cursor: Cursor, start: int, end: int) -> str:
    stop = cursor.tokens[end].start if end < len(cursor.tokens) else len(cursor.text)
    return cursor.text[cursor.tokens[start].start : stop].strip()
