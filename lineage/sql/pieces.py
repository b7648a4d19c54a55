"""Read one statement: by the grammar of this package, or from the tree that sqlglot builds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineage.sql.changes import ChangeReader
from lineage.sql.commands import COMMANDS, WITHOUT_ROWS, read_copy, read_without_rows
from lineage.sql.cursor import Cursor
from lineage.sql.definitions import read_tree
from lineage.sql.dialects import TSQL
from lineage.sql.draft import Command, Draft
from lineage.sql.executions import read_execute, read_insert_execute
from lineage.sql.identifiers import replace_identifiers
from lineage.sql.new_tables import read_new_table
from lineage.sql.placeholders import quote_placeholders, replace_binds
from lineage.sql.routines import read_do, read_routine
from lineage.sql.settings import (
    read_create_schema,
    read_set_config,
    read_tsql_option,
    report_unknown_use,
)
from lineage.sql.simplification import simplify_text
from lineage.sql.transactions import read_transaction
from lineage.sql.trees import parse_statements, parse_tree
from lineage.sql.tsql import prepare_change, read_prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lineage.sql.draft import ReadText

_NOT_PARSED = "the statement cannot be parsed"
_TOO_DEEP = "the statement is nested too deeply"


def read_tsql_alter(command: Command) -> bool:
    """Read ALTER of a routine, which replaces its body, and of a table."""
    return read_routine(command) or COMMANDS["ALTER"](_at_second_token(command))


def read_create(command: Command) -> bool:
    """Read CREATE of a routine, and the name of a schema that becomes the current one."""
    return read_routine(command) or read_create_schema(command)


def _at_second_token(command: Command) -> Command:
    command.cursor.place = 1
    return command


# Readers of statements by their first word; the cursor is after it.
_TSQL_READERS: dict[str, Callable[[Command], bool]] = {
    "EXEC": read_execute,
    "EXECUTE": read_execute,
    "INSERT": read_insert_execute,
    "CREATE": read_routine,
    "ALTER": read_tsql_alter,
    **{word: COMMANDS[word] for word in ("BULK", "DECLARE", "EXPLAIN", "RENAME")},
}
_READERS: dict[str, Callable[[Command], bool]] = {
    **COMMANDS,
    "CREATE": read_create,
    "DO": read_do,
}


def _is_without_text(record: logging.LogRecord) -> bool:
    """Return whether a message of sqlglot does not contain the text of a statement."""
    message = str(record.msg)
    return "unsupported syntax" not in message and "JSON path" not in message


logging.getLogger("sqlglot").addFilter(_is_without_text)


def read_piece(piece: str, dialect: str, read_text: ReadText) -> Iterator[Draft]:
    """Yield the draft of one statement; of several if sqlglot finds several."""
    bound = replace_binds(piece, dialect)
    named = quote_placeholders(replace_identifiers(bound, dialect), dialect)
    drafts = list(_read_drafts(named, dialect, read_text))
    # The statements of a routine have been simplified one by one.
    if any(_NOT_PARSED in draft.unresolved and not draft.routine for draft in drafts):
        simple = simplify_text(named, dialect)
        if simple != named:
            simplified = list(_read_drafts(simple, dialect, read_text))
            if not any(_NOT_PARSED in draft.unresolved for draft in simplified):
                drafts = simplified
    for draft in drafts:
        draft.uses_literal = draft.uses_literal or named != piece
        yield draft


def _read_drafts(text: str, dialect: str, read_text: ReadText) -> Iterator[Draft]:
    command = Command(Draft(dialect), Cursor(text, dialect), read_text)
    if command.cursor.is_at_end:
        return
    try:
        if _read_by_grammar(command):
            yield command.draft
            return
        trees = _parse_text(command)
    except SqlglotError:
        if not _read_rest(command):
            _report_not_parsed(command)
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
            if not (read_new_table(command) or read_without_rows(command)):
                _report_not_parsed(command)
        else:
            read_tree(ChangeReader(draft), tree)
            if draft.kind == "SELECT" and "set_config" in command.cursor.text.lower():
                read_set_config(command)
            if draft.temporary and _drops_on_commit(command.cursor):
                draft.lasts_until = "commit"
    except RecursionError:
        draft.add_unresolved(_TOO_DEEP)


def _report_not_parsed(command: Command) -> None:
    command.cursor.place = 0
    if command.cursor.take_words("USE"):
        report_unknown_use(command.draft)
    else:
        command.draft.add_unresolved(_NOT_PARSED)


def _drops_on_commit(cursor: Cursor) -> bool:
    """Return whether a temporary table lasts until the end of the transaction."""
    words = [token.text.upper() for token in cursor.tokens if token.kind == "word"]
    return any(words[place : place + 3] == ["ON", "COMMIT", "DROP"] for place in range(len(words)))


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
    if is_tsql and _is_tsql_option(cursor):
        read_tsql_option(command)
        return True
    if word.startswith("@") and draft.dialect == "oracle":
        draft.add_unresolved("the file that @ names is not read")
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
    if is_tsql and (prepared := prepare_change(cursor.text, draft.dialect)):
        read_prepared(draft, prepared)
        return True
    return False


def _is_tsql_option(cursor: Cursor) -> bool:
    """Return whether a statement of T-SQL sets an option: ``SET IDENTITY_INSERT t ON``."""
    words = [token.text.upper() for token in cursor.tokens]
    if words[:2] == ["UPDATE", "STATISTICS"] or words[0] == "DEALLOCATE":
        return True
    is_variable = len(words) > 1 and words[1].startswith("@")
    return words[0] == "SET" and not is_variable and "SELECT" not in words


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
    return read_new_table(command) or read_without_rows(command)


def _parse_text(command: Command) -> list[exp.Expr]:
    """Return the trees of a statement. Raises an error of sqlglot."""
    draft, cursor = command.draft, command.cursor
    if cursor.take_words("ALTER", "VIEW") and cursor.take_name():
        cursor.skip_parentheses()
        if cursor.take_words("AS"):
            return _parse_alter_view(command)
    cursor.place = 0
    replaces = draft.dialect == "mysql" and cursor.take_words("REPLACE")
    if replaces:
        for option in ("LOW_PRIORITY", "DELAYED", "INTO"):
            cursor.take_words(option)
    text = "INSERT INTO " + cursor.rest_text if replaces else cursor.text
    trees = parse_statements(text, draft.dialect)
    for tree in trees if replaces else ():
        tree.set("alternative", "REPLACE")
    return trees


def _parse_alter_view(command: Command) -> list[exp.Expr]:
    """Return the tree of ALTER VIEW … AS, which replaces the view."""
    text = command.cursor.text
    start = command.cursor.tokens[1].start
    return [parse_tree("CREATE OR REPLACE " + text[start:], command.draft.dialect)]
