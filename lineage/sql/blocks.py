"""Statements in the blocks of procedural SQL other than T-SQL: PL/pgSQL, Snowflake, MySQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.assigned_names import assign_pieces, read_into, split_assignments, take_names
from lineage.sql.block_statements import (
    SQL_WORDS,
    WORDS_WITHOUT_ROWS,
    list_queries,
    read_declaration,
    read_simple,
    text_between,
)
from lineage.sql.branches import OpenBlocks, branches_of, leave_arm
from lineage.sql.cursor import Cursor
from lineage.sql.declared_handlers import order_handlers
from lineage.sql.dialects import POSTGRES_FAMILY, traits_of
from lineage.sql.goto_jumps import forget_jumps
from lineage.sql.splitting import Piece, split_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lineage.sql.branches import BlockKind, Places

# Words after BEGIN that start a transaction.
TRANSACTION_WORDS = frozenset(
    {"TRANSACTION", "WORK", "TRAN", "ISOLATION", "READ", "DEFERRABLE", "NOT", "NAME", "DEFERRED"}
    | {"IMMEDIATE", "EXCLUSIVE"}
)
_BLOCK_WORDS = frozenset(
    {"IF", "WHILE", "LOOP", "FOR", "ELSE", "ELSEIF", "REPEAT", "LET", "RETURN", "CASE", "EXCEPTION"}
)
# What the words begin that begin a block.
_KINDS: dict[str, BlockKind] = {
    "BEGIN": "block",
    **dict.fromkeys(("IF", "CASE"), "branch"),
    **dict.fromkeys(("LOOP", "REPEAT", "WHILE"), "loop"),
}
_BEGINNINGS = frozenset(
    {*_KINDS, "FOR", "FOREACH", "ELSE", "ELSIF", "ELSEIF", "WHEN", "EXCEPTION", "ATOMIC"}
)
# Words that start the query of a loop; the rows of a change are those that it returns.
_LOOP_QUERIES = frozenset(
    {"SELECT", "WITH", "EXECUTE", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE"}
)
_JUMPS_IN_LOOPS = frozenset({"EXIT", "CONTINUE", "LEAVE", "ITERATE", "BREAK"})
# Levels of RAISE after which a block goes on.
_MESSAGES = (["DEBUG"], ["LOG"], ["INFO"], ["NOTICE"], ["WARNING"])
_CONDITION_ENDS = ("THEN", "DO", "LOOP")


def starts_block(text: str, dialect: str) -> bool:
    """Return whether a text has words of procedural SQL around its statement."""
    cursor = Cursor(text, dialect)
    word, following = cursor.next_word, cursor.tokens[1:2]
    if word == "DECLARE":
        return dialect not in POSTGRES_FAMILY
    if word == "BEGIN" and following:
        return following[0].text.upper() not in TRANSACTION_WORDS
    return word in _BLOCK_WORDS


def split_block(text: str, dialect: str) -> list[Piece]:
    """Return the statements of a block in order; conditions and expressions as queries.

    A ROLLBACK in a handler is left out, because it is executed after an error only.
    """
    around = OpenBlocks()
    placed: list[tuple[Piece, Places]] = []
    for part in split_statements(text, dialect):
        for piece in _strip_control(Cursor(part, dialect), around):
            is_rollback = piece.text[:8].upper() == "ROLLBACK"
            if not (is_rollback and around.has_any("handler")):
                is_conditional = is_rollback and around.has_any("branch", "loop")
                placed.append(
                    (piece._replace(is_conditional=is_conditional), around.current_places)
                )
    forget_jumps((places for _, places in placed), text, dialect)
    ordered = order_handlers(placed)
    return [piece._replace(branches=branches_of(places)) for piece, places in ordered]


def _strip_control(cursor: Cursor, around: OpenBlocks) -> Iterator[Piece]:
    """Yield the statements of a part between semicolons, without the words around them.

    ``around`` has the blocks that are open, and is changed by those that the part begins or ends.
    """
    while not cursor.is_at_end:
        word = cursor.next_word
        if _take_label(cursor, around) or _take_option(cursor):
            continue
        if _leaves_arm(cursor, around):
            yield Piece("")
        if word == "BEGIN" and _begins_transaction(cursor):
            yield Piece(cursor.rest_text)
            return
        if word == "DECLARE":
            cursor.place += 1
            if not traits_of(cursor.dialect).declares_inside:
                around.begin_declarations()
            if cursor.next_word == "BEGIN":
                continue
            if cursor.next_word not in ("CONTINUE", "EXIT"):
                yield from _declare_names(cursor, around, read_declaration)
                return
            continues = cursor.next_word == "CONTINUE"
            if not cursor.skip_to("BEGIN", *SQL_WORDS):
                return
            if cursor.next_word == "ROLLBACK":
                return
            around.declare_handler(continues=continues)
            if not cursor.take_words("BEGIN"):
                yield from _strip_control(cursor, around)
                around.end_block()
                around.end_handler()
                return
        elif word in _BEGINNINGS:
            yield from _begin_block(cursor, around)
        elif word in ("END", "UNTIL"):
            if released := around.end_block():
                yield Piece("", released=released)
            around.end_handler()
            return
        elif word in SQL_WORDS - {"SET"} or word == "FORALL":
            for text in read_simple(cursor):
                yield read_into(text, cursor.dialect)
            return
        elif word == "LET" or (_is_before_begin(cursor, around) and word != "SET"):
            yield from _declare_names(cursor, around, read_simple)
            return
        else:
            for part in split_assignments(cursor):
                yield from assign_pieces(part, part.place, read_simple(part))
            return


def _is_before_begin(cursor: Cursor, around: OpenBlocks) -> bool:
    """Return whether a declaration is next, without the word."""
    return around.is_declaring and not traits_of(cursor.dialect).declares_inside


def _begin_block(cursor: Cursor, around: OpenBlocks) -> Iterator[Piece]:
    """Advance past the words that begin a block, and yield the queries in them."""
    word = cursor.next_word
    if word in ("ELSE", "ELSIF", "ELSEIF", "WHEN") and around.blocks:
        around.blocks[-1].begin_arm(is_rest=word == "ELSE")
    elif word == "EXCEPTION" and around.blocks:
        around.blocks[-1].begin_handler()
    if word in ("BEGIN", "ELSE", "LOOP", "REPEAT", "ATOMIC"):
        cursor.place += 1
    elif word in ("FOR", "FOREACH"):
        yield from _take_loop(cursor, around)
        return
    else:
        yield from map(Piece, _take_condition(cursor))
    if kind := _KINDS.get(word):
        around.begin_block(kind, arm=-1 if word == "CASE" else 0)


def _declare_names(
    cursor: Cursor, around: OpenBlocks, read: Callable[[Cursor], Iterator[str]]
) -> Iterator[Piece]:
    """Yield the queries of a declaration, and the variables that it assigns."""
    start = cursor.place
    cursor.take_words("LET")
    cursor.take_words("CURSOR")
    names = tuple(take_names(cursor)) if cursor.next_word not in WORDS_WITHOUT_ROWS else ()
    declared = around.declare_names(names)
    cursor.place = start
    pieces = list(assign_pieces(cursor, start, read(cursor)))
    if declared:
        first = pieces[0] if pieces else Piece("")
        pieces[:1] = [first._replace(declared=declared)]
    yield from pieces


def _take_label(cursor: Cursor, around: OpenBlocks) -> bool:
    """Advance past ``<<name>>``, and ``name:`` before a block; return whether there is one."""
    start = cursor.place
    if cursor.take_mark("<"):
        cursor.take_mark("<")
        around.label = cursor.token_text.upper()
        cursor.take_name()
        cursor.take_mark(">")
        return cursor.take_mark(">") or True
    label = cursor.token_text.upper()
    cursor.place += 1
    if cursor.take_mark(":") and cursor.next_word in ("BEGIN", "FOR", "LOOP", "REPEAT", "WHILE"):
        around.label = label
        return True
    cursor.place = start
    return False


def _leaves_arm(cursor: Cursor, around: OpenBlocks) -> bool:
    """Record whether the next statement is a jump in any case, and return it."""
    words = [token.text.upper() for token in cursor.tokens[cursor.place :][:3]]
    is_in_loop = words[0] in _JUMPS_IN_LOOPS
    if is_in_loop and "WHEN" in words:
        return False
    if not (is_in_loop or _ends_text(words, cursor.dialect)):
        return False
    label = "".join(words[1:2]) if is_in_loop else ""
    if words[0] == "LEAVE" and all(block.label != label for block in around.blocks):
        is_in_loop = False  # the label is before the first BEGIN of a routine
    leave_arm(around.blocks, is_in_loop=is_in_loop, label=label)
    return True


def _ends_text(words: Sequence[str], dialect: str) -> bool:
    """Return whether a statement ends the text, or fails."""
    if words[0] == "RETURN":
        return words[1:2] not in (["NEXT"], ["QUERY"])
    if words[0] == "RAISE":
        return dialect not in POSTGRES_FAMILY or words[1:2] not in _MESSAGES
    return words[0] == "RAISE_APPLICATION_ERROR"


def _take_option(cursor: Cursor) -> bool:
    """Advance past an option of PL/pgSQL, except one that makes names of variables columns."""
    words = [token.text.upper() for token in cursor.tokens[cursor.place :][:2]]
    is_option = words[:1] in (["#VARIABLE_CONFLICT"], ["#PRINT_STRICT_PARAMS"])
    if is_option and words[1:] != ["USE_COLUMN"]:
        cursor.place += 2
        return True
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
        yield from list_queries(cursor, start, cursor.place)
    if cursor.next_word in _CONDITION_ENDS:
        cursor.place += 1


def _take_loop(cursor: Cursor, around: OpenBlocks) -> Iterator[Piece]:
    """Yield the query of ``FOR row IN query LOOP``, and advance past it.

    FOREACH assigns nothing if there are no rows.
    """
    is_each = cursor.take_words("FOREACH")
    if is_each:
        around.begin_block("loop")
    else:
        cursor.place += 1
    yield from _assign_row(cursor)
    if not is_each:
        around.begin_block("loop")


def _assign_row(cursor: Cursor) -> Iterator[Piece]:
    """Yield what a loop assigns, and advance past its first line."""
    names = tuple(take_names(cursor))
    if not cursor.skip_to("IN", "AS"):
        return
    cursor.place += 1
    start = cursor.place
    has_do = cursor.dialect not in POSTGRES_FAMILY | {"oracle"}  # else ON CONFLICT DO UPDATE
    cursor.skip_to("LOOP", *(("DO",) if has_do else ()))
    end = cursor.place
    if start < end:
        yield Piece("", assigned=names, values=text_between(cursor, start, end))
    cursor.place = start
    if cursor.next_word in _LOOP_QUERIES:
        yield Piece(text_between(cursor, start, end), assigned=names, adds=True)
    else:
        for text in list_queries(cursor, start, end):
            yield Piece(text, assigned=names, adds=True)
    cursor.place = end + 1
