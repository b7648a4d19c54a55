"""The SQL in one statement of a block: in assignments, declarations, RETURN and OPEN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.dialects import POSTGRES_FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.sql.cursor import Cursor

# Words that start a statement of SQL, which is read as such.
SQL_WORDS = frozenset(
    {"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE"}
    | {"CALL", "EXECUTE", "COPY", "REPLACE", "USE", "SET", "COMMIT", "ROLLBACK", "VALUES", "FROM"}
    | {"RENAME", "REFRESH", "LOCK", "ANALYZE", "PREPARE", "DEALLOCATE", "EXPORT", "LOAD", "GRANT"}
    | {"SAVEPOINT", "XA"}
)
# Words that start a statement of SQL if another word follows.
_SQL_PAIRS = {"START": "TRANSACTION", "RELEASE": "SAVEPOINT"}
WORDS_WITHOUT_ROWS = frozenset(
    {"RAISE", "NULL", "EXIT", "CONTINUE", "LEAVE", "ITERATE", "BREAK", "FETCH", "CLOSE", "SIGNAL"}
    | {"RESIGNAL", "GET", "ASSERT", "UNTIL"}
    | {"TYPE", "SUBTYPE", "PRAGMA", "PIPE", "GOTO", "RAISE_APPLICATION_ERROR"}
)
# Packages of Oracle that neither read tables nor write them.
_PACKAGES_WITHOUT_ROWS = frozenset(
    {"DBMS_APPLICATION_INFO", "DBMS_LOCK", "DBMS_OUTPUT", "DBMS_SESSION", "DBMS_STATS"}
    | {"DBMS_UTILITY", "UTL_FILE"}
)


def read_declaration(cursor: Cursor) -> Iterator[str]:
    """Yield the query of a declared cursor, or the default of a variable."""
    start = cursor.place
    if cursor.skip_to("CURSOR"):
        if cursor.skip_to("FOR", "IS"):
            cursor.place += 1
            if len(cursor.tokens) > cursor.place + 1:  # else the name of a result
                yield cursor.rest_text
        return
    yield from _list_value_queries(cursor, start)


def read_simple(cursor: Cursor) -> Iterator[str]:
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
        else:
            cursor.take_words("TABLE")
            yield from list_queries(cursor, cursor.place, len(cursor.tokens))
    elif word == "OPEN":
        if cursor.skip_to("FOR"):
            cursor.place += 1
            is_query = cursor.next_word in {*SQL_WORDS, "TABLE"} or cursor.token_text == "("
            yield cursor.rest_text if is_query else "EXECUTE IMMEDIATE " + cursor.rest_text
    elif word == "SET" and cursor.dialect in ("mysql", "bigquery") and not _sets_system(cursor):
        yield from list_queries(cursor, cursor.place + 1, len(cursor.tokens))
    elif word == "FORALL":
        cursor.skip_to(*SQL_WORDS)
        yield cursor.rest_text
    elif word in SQL_WORDS or not word or cursor.token_text == "(" or _is_pair(cursor):
        yield cursor.rest_text
    elif "CURSOR" in (token.text.upper() for token in cursor.tokens[cursor.place :][:4]):
        yield from read_declaration(cursor)
    elif cursor.dialect == "oracle" and _is_call(cursor):
        if word not in WORDS_WITHOUT_ROWS | _PACKAGES_WITHOUT_ROWS:
            yield "CALL " + cursor.rest_text
    elif word not in WORDS_WITHOUT_ROWS:
        yield from _read_assignment(cursor)


def _is_pair(cursor: Cursor) -> bool:
    following = cursor.tokens[cursor.place + 1 :][:1]
    return bool(following) and following[0].text.upper() == _SQL_PAIRS.get(cursor.next_word)


def _is_call(cursor: Cursor) -> bool:
    """Return whether a statement of PL/SQL is the name of a procedure with its arguments."""
    start = cursor.place
    is_call = bool(cursor.take_name())
    cursor.skip_parentheses()
    is_call = is_call and cursor.is_at_end
    cursor.place = start
    return is_call


def _is_declaration(cursor: Cursor) -> bool:
    """Return whether a statement is a variable with its type: ``amount numeric(10, 2)``."""
    start = cursor.place
    is_named = bool(cursor.take_name() and cursor.take_name())
    cursor.skip_parentheses()
    is_declaration = is_named and (cursor.is_at_end or cursor.token_text in ("[", "%"))
    cursor.place = start
    return is_declaration


def _sets_system(cursor: Cursor) -> bool:
    """Return whether SET is of a variable of the system, instead of one of the block."""
    words = [token.text.upper() for token in cursor.tokens[cursor.place + 1 :][:2]]
    return "AUTOCOMMIT" in words or words[:1] == ["SESSION"] or words[0][:2] == "@@"


def _read_assignment(cursor: Cursor) -> Iterator[str]:
    """Yield the query in ``x := …`` and ``x type DEFAULT …``; others as they are."""
    start = cursor.place
    marks = [token.text for token in cursor.tokens[start : start + 8]]
    if [mark.upper() for mark in marks[1:3]] == ["ALIAS", "FOR"]:  # of a parameter
        return
    is_assignment = ":" in marks or "=" in marks or "DEFAULT" in (mark.upper() for mark in marks)
    after_name = cursor.tokens[start + 1 : start + 2]
    is_short = bool(after_name) and after_name[0].kind == "word" and len(marks) <= 4
    if is_assignment or is_short or _is_declaration(cursor):
        yield from _list_value_queries(cursor, start)
    else:
        yield cursor.rest_text


def _list_value_queries(cursor: Cursor, start: int) -> Iterator[str]:
    """Yield the queries in the value of an assignment that begins at a place."""
    cursor.place = start
    while not cursor.is_at_end and cursor.token_text != "=" and cursor.next_word != "DEFAULT":
        if not cursor.skip_parentheses():
            cursor.place += 1
    yield from list_queries(cursor, start, len(cursor.tokens), cursor.place + 1)


def list_queries(cursor: Cursor, start: int, end: int, value: int | None = None) -> Iterator[str]:
    """Yield each query in parentheses, or after the start, in a part of the tokens.

    PL/pgSQL evaluates an expression as a query, so that it may have tables: ``count(*) FROM t``.
    ``value`` is where the expression begins.
    """
    place = start
    if _has_tables(cursor, start if value is None else value, end):
        place = start if value is None else value
        yield "SELECT " + text_between(cursor, place, end)
        place = end
    while place < end:
        token = cursor.tokens[place]
        is_query = token.kind == "word" and token.text.upper() in ("SELECT", "WITH", "EXECUTE")
        if is_query and (place == start or cursor.tokens[place - 1].text in ("(", "=")):
            cursor.place = place - 1
            if place > start and cursor.token_text == "(":
                cursor.skip_parentheses()
                stop = cursor.place - 1
            else:
                stop = end
            yield text_between(cursor, place, stop)
            place = stop
        place += 1
    cursor.place = end


def _has_tables(cursor: Cursor, start: int, end: int) -> bool:
    """Return whether an expression of PL/pgSQL has FROM outside of parentheses."""
    if cursor.dialect not in POSTGRES_FAMILY:
        return False
    cursor.place = start
    if cursor.next_word in ("SELECT", "WITH"):
        return False
    while cursor.skip_to("FROM") and cursor.place < end:
        if cursor.tokens[cursor.place - 1].text.upper() != "DISTINCT":
            return True
        cursor.place += 1
    return False


def text_between(cursor: Cursor, start: int, end: int) -> str:
    stop = cursor.tokens[end].start if end < len(cursor.tokens) else len(cursor.text)
    return cursor.text[cursor.tokens[start].start : stop].strip()
