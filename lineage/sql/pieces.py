"""Read one statement: by the grammar of this package, or from the tree that sqlglot builds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineage.sql.blocks import split_block
from lineage.sql.changes import ChangeReader
from lineage.sql.commands import COMMANDS, WITHOUT_ROWS, Command, read_copy, read_without_rows
from lineage.sql.cursor import Cursor
from lineage.sql.definitions import read_tree
from lineage.sql.draft import Draft
from lineage.sql.executions import read_execute, read_insert_execute
from lineage.sql.lexer import TSQL
from lineage.sql.routines import read_do, read_routine
from lineage.sql.transactions import read_transaction
from lineage.sql.tsql import prepare_change, read_prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lineage.sql.commands import ReadText

_NOT_PARSED = "the statement cannot be parsed"
_TOO_DEEP = "the statement is nested too deeply"
# What reads a statement by its first word; the cursor is after it.
_TSQL_READERS: dict[str, Callable[[Command], bool]] = {
    "EXEC": read_execute,
    "EXECUTE": read_execute,
    "INSERT": read_insert_execute,
    "CREATE": read_routine,
    **{word: COMMANDS[word] for word in ("BULK", "DECLARE", "ALTER", "EXPLAIN")},
}
_READERS: dict[str, Callable[[Command], bool]] = {
    **COMMANDS,
    "CREATE": read_routine,
    "DO": read_do,
}
# Words after BEGIN that start a transaction.
_TRANSACTION_WORDS = frozenset(
    {"TRANSACTION", "WORK", "TRAN", "ISOLATION", "READ", "DEFERRABLE", "NOT", "NAME", "DEFERRED"}
    | {"IMMEDIATE", "EXCLUSIVE"}
)
_BLOCK_WORDS = frozenset(
    {"IF", "WHILE", "LOOP", "FOR", "ELSE", "ELSEIF", "REPEAT", "LET", "RETURN"}
)


def _is_without_text(record: logging.LogRecord) -> bool:
    """Return whether a message of sqlglot does not contain the text of a statement."""
    return "unsupported syntax" not in str(record.msg)


logging.getLogger("sqlglot").addFilter(_is_without_text)


def read_piece(piece: str, dialect: str, read_text: ReadText) -> Iterator[Draft]:
    """Yield a draft for each statement in the text between two semicolons."""
    cursor = Cursor(piece, dialect)
    if dialect not in TSQL and _starts_block(cursor):
        for each in split_block(piece, dialect):
            yield from _read_statement(each, dialect, read_text)
    else:
        yield from _read_statement(piece, dialect, read_text)


def _starts_block(cursor: Cursor) -> bool:
    """Return whether a text has words of procedural SQL around its statement."""
    word, following = cursor.next_word, cursor.tokens[1:2]
    if word == "DECLARE":
        return cursor.dialect not in ("postgres", "redshift")
    if word == "BEGIN" and following:
        return following[0].text.upper() not in _TRANSACTION_WORDS
    return word in _BLOCK_WORDS


def _read_statement(piece: str, dialect: str, read_text: ReadText) -> Iterator[Draft]:
    """Yield the draft of one statement; of several if sqlglot finds several."""
    command = Command(Draft(dialect), Cursor(piece, dialect), read_text)
    if command.cursor.is_at_end:
        return
    try:
        if _read_by_grammar(command):
            yield command.draft
            return
        trees = _parse_text(command)
    except SqlglotError:
        if not _read_rest(command):
            command.draft.add_unresolved(_NOT_PARSED)
        yield command.draft
        return
    except RecursionError:
        command.draft.add_unresolved(_TOO_DEEP)
        yield command.draft
        return
    for tree in trees:
        _read_parsed(tree, command)
        yield command.draft
        command.draft = Draft(dialect)


def _read_parsed(tree: exp.Expr, command: Command) -> None:
    """Read a tree into the draft."""
    draft = command.draft
    try:
        if isinstance(tree, exp.Command):
            if not read_without_rows(command):
                draft.add_unresolved(_NOT_PARSED)
        else:
            read_tree(ChangeReader(draft), tree)
    except RecursionError:
        draft.add_unresolved(_TOO_DEEP)


def _read_by_grammar(command: Command) -> bool:
    """Read a statement that only the grammar of this package reads; return whether it did."""
    cursor, draft = command.cursor, command.draft
    word = cursor.next_word
    is_tsql = draft.dialect in TSQL
    if read_transaction(command) or word in WITHOUT_ROWS:
        return True
    if is_tsql and word in ("IF", "WHILE"):
        cursor.place = 1
        draft.kind = "CONDITION"
        command.read_query_text("SELECT 1 WHERE " + cursor.rest_text)
        return True
    if is_tsql and word.startswith("SP_"):  # EXEC may be omitted at the start of a batch
        cursor.place = 0
        return read_execute(command)
    if is_tsql and word == "RETURN":
        return _read_return(command)
    reader = (_TSQL_READERS if is_tsql else _READERS).get(word)
    cursor.place = 0 if word == "INSERT" else 1
    if reader is not None and reader(command):
        return True
    cursor.place = 0
    draft.kind = "OTHER"
    return False


def _read_return(command: Command) -> bool:
    """Read RETURN of an inline function, whose value is a query."""
    cursor = command.cursor
    cursor.place = 1
    cursor.take_mark("(")
    if cursor.next_word in ("SELECT", "WITH"):
        command.draft.kind = "SELECT"
        text = cursor.rest_text.rstrip(" ;\n")
        command.read_query_text(text[:-1] if cursor.tokens[1].text == "(" else text)
    return True


def _read_rest(command: Command) -> bool:
    """Read a statement that sqlglot does not parse; return whether it is known."""
    command.cursor.place = 1
    if command.cursor.tokens[0].text.upper() == "COPY" and read_copy(command):
        return True
    return read_without_rows(command)


def _parse_text(command: Command) -> list[exp.Expr]:
    """Return the trees of a statement; none if it is a change of T-SQL, which is read at once.

    Raises an error of sqlglot.
    """
    draft, cursor = command.draft, command.cursor
    if draft.dialect in TSQL and (prepared := prepare_change(cursor.text, draft.dialect)):
        read_prepared(draft, prepared)
        return [exp.Semicolon()]
    replaces = draft.dialect == "mysql" and cursor.take_words("REPLACE")
    if replaces:
        for option in ("LOW_PRIORITY", "DELAYED", "INTO"):
            cursor.take_words(option)
    text = "INSERT INTO " + cursor.rest_text if replaces else cursor.text
    trees = [tree for tree in sqlglot.parse(text, dialect=draft.dialect) if tree is not None]
    for tree in trees if replaces else ():
        tree.set("alternative", "REPLACE")
    return trees
