"""T-SQL's EXECUTE: procedures, texts, prepared statements and renames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.cursor import string_value
from lineage.sql.names import parse_name
from lineage.sql.placeholders import has_placeholder
from lineage.sql.reasons import COMPOSED
from lineage.sql.records import Call, Handle
from lineage.sql.returned_rows import returns_rows
from lineage.sql.word_lists import read_words

if TYPE_CHECKING:
    from lineage.sql.draft import Command
    from lineage.sql.lexer import Token
    from lineage.sql.records import Name, Statement

# Position of the text of the statement among the arguments, by procedure. The handle is the first.
_TEXT_ARGUMENTS = {
    "sp_executesql": 0,
    "sp_prepexec": 2,
    "sp_prepare": 2,
    "sp_prepexecrpc": 1,
    "sp_cursoropen": 1,
    "sp_cursorprepare": 2,
    "sp_cursorprepexec": 3,
}
_PREPARES = frozenset({"sp_prepexec", "sp_prepare", "sp_cursorprepare", "sp_cursorprepexec"})
_ONLY_PREPARES = frozenset({"sp_prepare", "sp_cursorprepare"})
_EXECUTES = frozenset({"sp_execute", "sp_cursorexecute"})
_RELEASES = frozenset({"sp_unprepare", "sp_cursorunprepare"})


def read_execute(command: Command) -> bool:
    """Read EXEC; the cursor is after the word."""
    cursor, draft = command.cursor, command.draft
    draft.kind = "CALL"
    if cursor.token_text == "(":
        draft.calls.append(Call(("exec",), _read_composed(command)))
        return True
    if cursor.take_words("AS"):  # EXECUTE AS USER = 'u'
        draft.kind = "OTHER"
        return True
    start = cursor.place
    if cursor.next_word.startswith("@") and not (cursor.take_name() and cursor.take_mark("=")):
        cursor.place = start
        draft.add_unresolved("the name of a called procedure is in a variable")
        return True
    if not (name := cursor.take_name()):
        return False
    _read_procedure(command, name, _split_arguments(cursor.tokens[cursor.place :]))
    return True


def _read_composed(command: Command) -> tuple[Statement, ...]:
    """Read the text in ``EXEC ('…' + '…')``."""
    cursor = command.cursor
    start = cursor.place + 1
    cursor.skip_parentheses()
    inside = cursor.tokens[start : cursor.place - 1]
    if cursor.next_word == "AT" or any(
        token.kind != "string" if place % 2 == 0 else token.text != "+"
        for place, token in enumerate(inside)
    ):
        command.draft.add_unresolved(COMPOSED)
        return ()
    text = "".join(string_value(token.text, command.draft.dialect) for token in inside[::2])
    return command.read_literal(text)


def _split_arguments(tokens: list[Token]) -> list[list[Token]]:
    """Return the tokens of each argument, without the name of its parameter."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if token.text == "," and not depth:
            arguments.append([])
        elif token.text != ";":
            arguments[-1].append(token)
    return [
        argument[2:] if len(argument) > 2 and argument[1].text == "=" else argument
        for argument in arguments
    ]


def _read_procedure(command: Command, name: Name, arguments: list[list[Token]]) -> None:
    draft = command.draft
    procedure = name[-1].lower()
    if procedure in _TEXT_ARGUMENTS:
        statements = _read_argument(command, arguments, _TEXT_ARGUMENTS[procedure])
        if procedure in _PREPARES and (key := _handle_key(command, arguments)):
            draft.handle = Handle("prepare", key, statements)
        if procedure not in _ONLY_PREPARES:
            draft.calls.append(Call((procedure,), statements))
    elif procedure in _EXECUTES | _RELEASES:
        action = "execute" if procedure in _EXECUTES else "release"
        if key := _handle_key(command, arguments):
            draft.handle = Handle("execute" if action == "execute" else "release", key)
        else:
            draft.add_unresolved("the handle of a prepared statement is not known")
    elif procedure == "sp_rename":
        _read_rename(command, arguments)
    elif procedure not in read_words("system_procedures.txt"):
        draft.calls.append(Call(name))


def _read_argument(
    command: Command, arguments: list[list[Token]], place: int
) -> tuple[Statement, ...]:
    """Read the statements in an argument that is a text."""
    argument = arguments[place] if place < len(arguments) else []
    if len(argument) == 1 and argument[0].kind == "string":
        return command.read_literal(string_value(argument[0].text, command.draft.dialect))
    command.draft.add_unresolved(COMPOSED)
    return ()


def _handle_key(command: Command, arguments: list[list[Token]]) -> str:
    """Return the number of a prepared statement, or the variable that has it."""
    if not arguments[0]:
        return ""
    command.draft.uses_literal = True
    return arguments[0][0].text


def _read_rename(command: Command, arguments: list[list[Token]]) -> None:
    draft = command.draft
    draft.kind = "RENAME"
    values = [
        string_value(argument[0].text, draft.dialect)
        if len(argument) == 1 and argument[0].kind == "string"
        else None
        for argument in arguments
    ]
    draft.uses_literal = True
    if len(values) < 2 or values[0] is None or values[1] is None:
        draft.add_unresolved("the names in a rename are composed at run time")
        return
    if len(values) > 2 and (values[2] or "").upper() != "OBJECT":
        return  # a column, an index or another object
    old = parse_name(values[0], draft.dialect)
    if not old or has_placeholder((*old, values[1])):
        draft.add_unresolved("the old name in a rename is not a name")
        return
    # The new name is one part; sp_rename stores dots and brackets in it as they are.
    draft.add_rename(old, (values[1].lower(),))


def read_insert_execute(command: Command) -> bool:
    """Read ``INSERT INTO t (…) EXEC …``; return whether it is one."""
    cursor, draft = command.cursor, command.draft
    if not cursor.take_words("INSERT"):
        return False
    cursor.take_words("INTO")
    target = cursor.take_name()
    cursor.skip_parentheses()
    if not target or not (cursor.take_words("EXEC") or cursor.take_words("EXECUTE")):
        return False
    if not read_execute(command):
        return False
    draft.kind = "INSERT"
    sources: dict[Name, None] = {}
    for place, call in enumerate(draft.calls):
        draft.calls[place] = Call(call.routine, call.statements, target)
        for statement in call.statements:
            if returns_rows(statement, draft.dialect):
                sources.update(dict.fromkeys(statement.reads))
    draft.add_flow(target, sources, "append")
    return True
