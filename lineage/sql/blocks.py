"""Statements in the blocks of procedural SQL other than T-SQL: PL/pgSQL, Snowflake, MySQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from lineage.sql.assigned_names import assign_pieces, cut_into, split_assignments, take_names
from lineage.sql.cursor import Cursor
from lineage.sql.splitting import Piece, split_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

# Words after BEGIN that start a transaction.
TRANSACTION_WORDS = frozenset(
    {"TRANSACTION", "WORK", "TRAN", "ISOLATION", "READ", "DEFERRABLE", "NOT", "NAME", "DEFERRED"}
    | {"IMMEDIATE", "EXCLUSIVE"}
)
_BLOCK_WORDS = frozenset(
    {"IF", "WHILE", "LOOP", "FOR", "ELSE", "ELSEIF", "REPEAT", "LET", "RETURN", "CASE", "EXCEPTION"}
)
# Words that begin statements that may be executed not at all, or several times.
_BRANCHES = frozenset({"IF", "CASE"})
_LOOPS = frozenset({"LOOP", "REPEAT", "WHILE", "FOR", "FOREACH"})
_CONDITION_ENDS = ("THEN", "DO", "LOOP")
# Words that start a statement of SQL, which is read as such.
_SQL = frozenset(
    {"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE"}
    | {"CALL", "EXECUTE", "COPY", "REPLACE", "USE", "SET", "COMMIT", "ROLLBACK", "VALUES", "FROM"}
    | {"RENAME", "REFRESH", "LOCK", "ANALYZE", "PREPARE", "DEALLOCATE", "EXPORT", "LOAD", "GRANT"}
    | {"SAVEPOINT", "XA"}
)
# Words that start a statement of SQL if another word follows.
_SQL_PAIRS = {"START": "TRANSACTION", "RELEASE": "SAVEPOINT"}
_WITHOUT_ROWS = frozenset(
    {"RAISE", "NULL", "EXIT", "CONTINUE", "LEAVE", "ITERATE", "BREAK", "FETCH", "CLOSE", "SIGNAL"}
    | {"RESIGNAL", "GET", "ASSERT", "UNTIL"}
    | {"TYPE", "SUBTYPE", "PRAGMA", "PIPE", "GOTO", "RAISE_APPLICATION_ERROR"}
)
# Packages of Oracle that neither read tables nor write them.
_PACKAGES_WITHOUT_ROWS = frozenset(
    {"DBMS_APPLICATION_INFO", "DBMS_LOCK", "DBMS_OUTPUT", "DBMS_SESSION", "DBMS_STATS"}
    | {"DBMS_UTILITY", "UTL_FILE"}
)

_Around: TypeAlias = Literal["block", "branch", "loop", "handler"]


def starts_block(text: str, dialect: str) -> bool:
    """Return whether a text has words of procedural SQL around its statement."""
    cursor = Cursor(text, dialect)
    word, following = cursor.next_word, cursor.tokens[1:2]
    if word == "DECLARE":
        return dialect not in ("postgres", "redshift")
    if word == "BEGIN" and following:
        return following[0].text.upper() not in TRANSACTION_WORDS
    return word in _BLOCK_WORDS


def split_block(text: str, dialect: str) -> Iterator[Piece]:
    """Yield the statements of a block in order; conditions and expressions as queries.

    A ROLLBACK in a handler is left out, because it is executed after an error only.
    """
    around: list[_Around] = []
    for part in split_statements(text, dialect):
        for piece in _strip_control(Cursor(part, dialect), around):
            is_rollback = piece.text[:8].upper() == "ROLLBACK"
            if not (is_rollback and "handler" in around):
                is_conditional = is_rollback and not {"branch", "loop"}.isdisjoint(around)
                adds = not {"branch", "handler"}.isdisjoint(around)
                yield piece._replace(
                    is_conditional=is_conditional, adds=adds if piece.adds is None else piece.adds
                )


def _strip_control(cursor: Cursor, around: list[_Around]) -> Iterator[Piece]:
    """Yield the statements of a part between semicolons, without the words around them.

    ``around`` has the blocks that are open, and is changed by those that the part begins or ends.
    """
    while not cursor.is_at_end:
        word = cursor.next_word
        if _take_label(cursor):
            continue
        if word == "BEGIN" and _begins_transaction(cursor):
            yield Piece(cursor.rest_text)
            return
        if word == "DECLARE":
            cursor.place += 1
            if cursor.next_word not in ("CONTINUE", "EXIT"):
                yield from assign_pieces(cursor, cursor.place, _read_declaration(cursor))
                return
            if not cursor.skip_to("BEGIN", *_SQL):
                return
            if cursor.next_word == "ROLLBACK":
                return
            if cursor.take_words("BEGIN"):
                around.append("handler")
        elif word in ("BEGIN", "ELSE", "LOOP", "REPEAT", "ATOMIC"):
            cursor.place += 1
            _follow_block(word, around)
        elif word in ("IF", "ELSIF", "ELSEIF", "WHILE", "CASE", "WHEN", "EXCEPTION"):
            yield from map(Piece, _take_condition(cursor))
            _follow_block(word, around)
        elif word in ("FOR", "FOREACH"):
            yield from _take_loop(cursor)
            _follow_block(word, around)
        elif word in ("END", "UNTIL"):
            del around[-1:]
            return
        elif word in _SQL - {"SET"} or word == "FORALL":
            for text in _read_simple(cursor):
                plain, names = cut_into(text, cursor.dialect)
                yield Piece(plain, assigned=names)
            return
        else:
            for part in split_assignments(cursor):
                yield from assign_pieces(part, part.place, _read_simple(part))
            return


def _follow_block(word: str, around: list[_Around]) -> None:
    """Add the block that a word begins. EXCEPTION makes a handler of the rest of its block."""
    if word == "BEGIN":
        around.append("block")
    elif word in _BRANCHES:
        around.append("branch")
    elif word in _LOOPS:
        around.append("loop")
    elif word == "EXCEPTION":
        around[-1:] = ["handler"]


def _take_label(cursor: Cursor) -> bool:
    """Advance past ``<<name>>``, and ``name:`` before a block; return whether there is one."""
    start = cursor.place
    if cursor.take_mark("<"):
        cursor.take_mark("<")
        cursor.take_name()
        cursor.take_mark(">")
        return cursor.take_mark(">") or True
    cursor.place += 1
    if cursor.take_mark(":") and cursor.next_word in ("BEGIN", "FOR", "LOOP", "REPEAT", "WHILE"):
        return True
    cursor.place = start
    return False


def _begins_transaction(cursor: Cursor) -> bool:
    """Return whether a word after BEGIN starts a transaction."""
    following = cursor.tokens[cursor.place + 1 :][:1]
    return bool(following) and following[0].text.upper() in TRANSACTION_WORDS


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


def _take_loop(cursor: Cursor) -> Iterator[Piece]:
    """Yield the query of ``FOR row IN query LOOP``, and advance past it."""
    cursor.place += 1
    names = tuple(take_names(cursor))
    if not cursor.skip_to("IN", "AS"):
        return
    cursor.place += 1
    start = cursor.place
    cursor.skip_to("LOOP", "DO")
    end = cursor.place
    if start < end:
        yield Piece("", assigned=names, values=_text_between(cursor, start, end), adds=False)
    cursor.place = start
    if cursor.next_word in ("SELECT", "WITH", "EXECUTE"):
        yield Piece(_text_between(cursor, start, end), assigned=names, adds=True)
    else:
        for text in _query_of(cursor, start, end):
            yield Piece(text, assigned=names, adds=True)
    cursor.place = end + 1


def _read_declaration(cursor: Cursor) -> Iterator[str]:
    """Yield the query of a declared cursor, or the default of a variable."""
    start = cursor.place
    if cursor.skip_to("CURSOR"):
        if cursor.skip_to("FOR", "IS"):
            cursor.place += 1
            yield cursor.rest_text
        return
    cursor.place = start
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
        else:
            cursor.take_words("TABLE")
            yield from _query_of(cursor, cursor.place, len(cursor.tokens))
    elif word == "OPEN":
        if cursor.skip_to("FOR"):
            cursor.place += 1
            yield cursor.rest_text
    elif word == "SET" and cursor.dialect in ("mysql", "bigquery") and not _sets_system(cursor):
        yield from _query_of(cursor, cursor.place + 1, len(cursor.tokens))
    elif word == "FORALL":
        cursor.skip_to(*_SQL)
        yield cursor.rest_text
    elif word in _SQL or not word or cursor.token_text == "(" or _is_pair(cursor):
        yield cursor.rest_text
    elif "CURSOR" in (token.text.upper() for token in cursor.tokens[cursor.place :][:2]):
        yield from _read_declaration(cursor)
    elif cursor.dialect == "oracle" and _is_call(cursor):
        if word not in _WITHOUT_ROWS | _PACKAGES_WITHOUT_ROWS:
            yield "CALL " + cursor.rest_text
    elif word not in _WITHOUT_ROWS:
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
    is_assignment = ":" in marks or "=" in marks or "DEFAULT" in (mark.upper() for mark in marks)
    after_name = cursor.tokens[start + 1 : start + 2]
    is_short = bool(after_name) and after_name[0].kind == "word" and len(marks) <= 4
    if is_assignment or is_short or _is_declaration(cursor):
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
