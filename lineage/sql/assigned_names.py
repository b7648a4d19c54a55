"""The names of variables, records and cursors that a statement of a block assigns."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from lineage.sql.cursor import Cursor
from lineage.sql.row_presence import may_keep_values
from lineage.sql.splitting import Piece
from lineage.sql.tuple_assignments import split_tuple
from lineage.sql.value_parts import has_own_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.sql.lexer import Token

_VERBS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "EXECUTE"})
_FILES = frozenset({"OUTFILE", "DUMPFILE"})
_BEFORE_NAME = frozenset(
    {"SET", "LET", "DECLARE", "OPEN", "CURSOR", "GET", "CURRENT", "STACKED", "DIAGNOSTICS"}
)
# Words that begin statements of a block without an assignment.
_OTHERS = frozenset(
    {"RETURN", "PERFORM", "RAISE", "SIGNAL", "RESIGNAL", "ASSERT", "CALL", "PIPE", "NULL", "EXIT"}
    | {"CLOSE", "TYPE", "SUBTYPE", "PRAGMA", "RAISE_APPLICATION_ERROR"}
)
_BEFORE_ASSIGNED = frozenset({"SET", "SELECT", ",", "DISTINCT", "TOP", ")"})
# Words before and after a list of assignments.
_BEFORE_PARTS = frozenset({"SELECT", "SET", "DECLARE", "DISTINCT"})
_AFTER_PARTS = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OPTION", "UNION", "INTO"}
)


def read_into(text: str, dialect: str) -> Piece:
    """Return a statement of a block without ``INTO variables``, and the variables."""
    plain, names = _cut_into(text, dialect)
    if not names:
        return Piece(plain)
    cursor = Cursor(plain, dialect)
    adds = may_keep_values(cursor.tokens, dialect)
    return Piece(plain, assigned=names, adds=adds, parts=_list_values(cursor, len(names)))


def split_variables(text: str, dialect: str) -> list[Piece]:
    """Return the assignments of variables of a session that sqlglot does not parse as one."""
    upper = text.upper()
    if upper.startswith("SELECT") and "INTO" in upper:
        return [read_into(text, dialect)]
    if upper.startswith("SET") and "SELECT" in upper:
        return [Piece(each.text) for each in split_assignments(Cursor(text, dialect))]
    return [Piece(text)]


def _list_values(cursor: Cursor, count: int) -> tuple[str, ...]:
    """Return the values of a query without tables of its own; () if they are not so many."""
    tokens = cursor.tokens
    if count == 1 or cursor.next_word != "SELECT" or has_own_tables(cursor.text, cursor.dialect):
        return ()
    parts = list(_cut_parts(tokens))
    if len(parts) != count or any(start >= end for start, end in parts):
        return ()
    return tuple(_text_of(cursor, start, end) for start, end in parts)


def _text_of(cursor: Cursor, start: int, end: int) -> str:
    last = cursor.tokens[end - 1]
    return cursor.text[cursor.tokens[start].start : last.start + len(last.text)]


def _cut_into(text: str, dialect: str) -> tuple[str, tuple[str, ...]]:
    """Return a statement of a block without ``INTO variables``, and the variables."""
    if "into" not in text.lower():
        return text, ()
    cursor = Cursor(text, dialect)
    words = [token.text.upper() for token in cursor.tokens[:2]]
    if words[:1] == ["INSERT"] and words[1:] in (["ALL"], ["FIRST"]):
        return text, ()
    verb = ""
    while not cursor.is_at_end:
        word = cursor.next_word
        if word in _VERBS:
            verb = verb or word
        elif word == "RETURNING":
            verb = word
        elif word == "INTO" and verb in ("SELECT", "RETURNING", "EXECUTE"):
            return _cut_list(cursor)
        if not cursor.skip_parentheses():
            cursor.place += 1
    return text, ()


def _cut_list(cursor: Cursor) -> tuple[str, tuple[str, ...]]:
    """Cut the list of variables at the place of INTO, and ``BULK COLLECT`` before it."""
    start = cursor.place
    if [token.text.upper() for token in cursor.tokens[start - 2 : start]] == ["BULK", "COLLECT"]:
        start -= 2
    cursor.place += 1
    if cursor.next_word in _FILES:
        return cursor.text, ()
    cursor.take_words("STRICT")
    names = tuple(take_names(cursor))
    begin = cursor.tokens[start].start
    return cursor.text[:begin] + cursor.rest_text, names


def take_names(cursor: Cursor) -> Iterator[str]:
    """Advance past variables with commas between them, and yield their first names."""
    while True:
        cursor.take_mark(":")
        if name := cursor.take_name():
            yield name[0].lower()
        cursor.skip_parentheses()
        if cursor.take_mark("["):
            while not cursor.is_at_end and not cursor.take_mark("]"):
                cursor.place += 1
        if not cursor.take_mark(","):
            return


def assign_pieces(cursor: Cursor, start: int, texts: Iterable[str]) -> Iterator[Piece]:
    """Yield the queries of a statement of a block, and the variables that it assigns.

    It begins at the place, and is FETCH, OPEN, the declaration of a cursor or a variable, or an
    assignment.
    """
    queries = list(texts)
    cursor.place = start
    names: tuple[str, ...] = ()
    is_part = False
    if cursor.next_word not in _OTHERS and (cursor.next_word != "OPEN" or queries):
        names, values, is_part = _read_assignment(cursor)
        if names:
            yield Piece("", assigned=names, values=values, adds=is_part)
    for query in queries:
        text, into = _cut_into(query, cursor.dialect)
        yield Piece(text, assigned=(*names, *into), adds=bool(names))


def _read_assignment(cursor: Cursor) -> tuple[tuple[str, ...], str, bool]:
    """Return the names that are assigned, the text of the values, and whether it is a part."""
    if cursor.take_words("FETCH"):
        begin = cursor.place
        if not cursor.skip_to("INTO"):
            return (), "", False
        values = cursor.text[cursor.tokens[begin].start : cursor.tokens[cursor.place].start]
        cursor.place += 1
        return tuple(take_names(cursor)), values, False
    if not _has_assignment(cursor.tokens[cursor.place :]):
        return (), "", False
    while cursor.next_word in _BEFORE_NAME:
        cursor.place += 1
    cursor.take_mark("(")
    begin = cursor.place
    names = tuple(take_names(cursor))
    return names, cursor.rest_text or ";", cursor.place > begin + 2 * len(names) - 1


def _has_assignment(tokens: Sequence[Token]) -> bool:
    """Return whether tokens have a sign of an assignment outside of the arguments of a call."""
    depth = 0
    for place, token in enumerate(tokens[:16]):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text == "=":
            if not depth and "".join(each.text for each in tokens[place + 1 : place + 2]) != ">":
                return True
        elif token.text.upper() in ("DEFAULT", "CURSOR", "OPEN"):
            return True
    return False


def find_assignment(piece: Piece, dialect: str) -> Piece:
    """Return a statement of T-SQL or MySQL with the variables ``@x`` that it assigns."""
    words = piece.text.split(None, 1)
    word = words[0].upper() if words else ""
    if piece.assigned or ("@" not in piece.text and word not in ("FETCH", "DECLARE")):
        return piece
    if word not in ("DECLARE", "FETCH", "SELECT", "SET", "WITH", "UPDATE"):
        return piece
    cursor = Cursor(piece.text, dialect)
    names: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    values = ""
    adds = False
    if word == "FETCH" or "CURSOR" in (token.text.upper() for token in cursor.tokens[:6]):
        names, values, _ = _read_assignment(cursor)
    elif word in ("SELECT", "SET", "WITH", "UPDATE"):
        tokens = cursor.tokens
        places = [
            place
            for place, token in enumerate(tokens)
            if token.text[0] == "@" and _is_assigned_there(tokens, place)
        ]
        names, parts = _pair_values(cursor, places)
        parts = () if word == "UPDATE" else parts
        adds = _has_operator(tokens, places) or may_keep_values(tokens, dialect)
    elif word == "DECLARE":
        names, parts = _pair_values(cursor, list(_declared_names(cursor.tokens)))
    return piece._replace(assigned=names, values=values, parts=parts, adds=adds)


def _pair_values(cursor: Cursor, places: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names at the places, and the text of the value of each; () if one is not known."""
    names = tuple(cursor.tokens[place].text.lower() for place in places)
    parts = list(_cut_parts(cursor.tokens))
    ends = [end for place in places for start, end in parts if start <= place < end]
    if len(parts) == 1 or len(ends) < len(places):
        return names, ()
    return names, tuple(map(partial(_value_of, cursor), places, ends))


def _cut_parts(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each part of the list after SELECT, SET or DECLARE."""
    depth = start = 0
    for place, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        word = token.text.upper()
        if depth or (token.kind != "word" and token.text != ","):
            continue
        if word in _BEFORE_PARTS:
            start = place + 1
        elif start and (word == "," or word in _AFTER_PARTS):
            yield start, place
            start = place + 1
            if word != ",":
                return
    yield start, len(tokens)


def _value_of(cursor: Cursor, place: int, end: int) -> str:
    """Return the text after the first ``=`` of a part; "" if it has no value."""
    tokens = cursor.tokens
    begin = next((at + 1 for at in range(place, end) if tokens[at].text == "="), end)
    return _text_of(cursor, begin, end) if begin < end else ""


def split_assignments(cursor: Cursor) -> list[Cursor]:
    """Return a cursor for each assignment of MySQL's ``SET x = 1, y = 2``; else the cursor.

    So are those of BigQuery's ``SET (x, y) = (1, 2)``.
    """
    if cursor.dialect == "bigquery":
        return split_tuple(cursor)
    if cursor.next_word != "SET" or cursor.dialect != "mysql":
        return [cursor]
    tokens = cursor.tokens[cursor.place :]
    parts = list(_cut_parts(tokens))
    if not all("=" in [each.text for each in tokens[start : start + 5]] for start, _ in parts):
        return [cursor]
    texts = [
        cursor.text[tokens[a].start : tokens[b - 1].start] + tokens[b - 1].text for a, b in parts
    ]
    return [Cursor("SET " + text, cursor.dialect) for text in texts]


def _is_assigned_there(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a variable is what SET or SELECT assigns, also in ``@x += 1``."""
    before = tokens[place - 1].text.upper() if place else ""
    if place > 2 and tokens[place - 2].text.upper() == "TOP":
        before = "TOP"
    after = "".join(token.text for token in tokens[place + 1 : place + 3])
    is_assigned = after[:1] == "=" or after == ":=" or _is_operator(after)
    return before == "INTO" or (is_assigned and before in _BEFORE_ASSIGNED)


def _is_operator(text: str) -> bool:
    return len(text) == 2 and text[0] in "+-*/%&|^" and text[1] == "="


def _has_operator(tokens: Sequence[Token], places: Sequence[int]) -> bool:
    """Return whether a variable at one of the places has a part of its value of before."""
    texts = [token.text for token in tokens]
    return any(_is_operator("".join(texts[place + 1 : place + 3])) for place in places)


def _declared_names(tokens: Sequence[Token]) -> Iterator[int]:
    depth = 0
    for place, (before, token) in enumerate(pairwise(tokens), start=1):
        depth += (before.text == "(") - (before.text == ")")
        is_first = before.text == "," or before.text.upper() == "DECLARE"
        if not depth and is_first and token.text[0] == "@":
            yield place
