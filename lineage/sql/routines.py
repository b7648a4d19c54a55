"""CREATE PROCEDURE, FUNCTION and TRIGGER: the statements of their bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.blocks import split_block
from lineage.sql.branches import place_statements
from lineage.sql.catalogs import AUTONOMOUS
from lineage.sql.dialects import POSTGRES_FAMILY, TSQL
from lineage.sql.draft import Draft
from lineage.sql.dropped_names import mark_dropped_names
from lineage.sql.lexer import tokenize_text
from lineage.sql.plsql import is_autonomous, split_body
from lineage.sql.reasons import COMPOSED
from lineage.sql.records import Call, Routine
from lineage.sql.settings import read_search_path
from lineage.sql.transactions import resolve_rollbacks
from lineage.sql.variables import trace_variables

if TYPE_CHECKING:
    from lineage.sql.draft import Command
    from lineage.sql.records import Name, Statement

_KINDS = ("PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "MACRO", "TASK", "PIPE")
_MODIFIERS = frozenset(
    {"OR", "REPLACE", "ALTER", "TEMP", "TEMPORARY", "AGGREGATE", "SECURE", "EDITIONABLE"}
    | {"NONEDITIONABLE"}
)
_STATEMENT_WORDS = frozenset(
    {"SELECT", "WITH", "FROM", "VALUES", "INSERT", "UPDATE", "DELETE", "MERGE", "COPY", "CALL"}
    | {"BEGIN", "DECLARE", "EXECUTE", "TRUNCATE", "RETURN"}
)
_BLANK = ("space", "comment")
_SQL_LANGUAGES = frozenset({"SQL", "PLPGSQL"})
_TRANSITION_TABLES = frozenset({("inserted",), ("deleted",)})


def read_routine(command: Command) -> bool:
    """Read the definition of a routine; return whether it is one. The cursor is after CREATE."""
    cursor, draft = command.cursor, command.draft
    while cursor.next_word in _MODIFIERS:
        cursor.place += 1
    if cursor.take_words("PACKAGE"):
        return _read_package(command)
    if cursor.take_words("DEFINER"):  # of MySQL: = user@host
        while not cursor.is_at_end and cursor.next_word not in (*_KINDS, "AGGREGATE", "EVENT"):
            cursor.place += 1
        cursor.take_words("AGGREGATE")
    cursor.take_words("TABLE", "FUNCTION")
    if cursor.tokens[cursor.place - 1].text.upper() == "FUNCTION":
        cursor.place -= 1
    kind = cursor.next_word
    if kind not in _KINDS and (kind, draft.dialect) != ("EVENT", "mysql"):
        return False
    cursor.place += 1
    cursor.take_words("IF", "NOT", "EXISTS")
    if not (name := cursor.take_name()):
        return False
    draft.kind = " ".join(("CREATE", "PROCEDURE" if kind == "PROC" else kind))
    table = cursor.take_name() if kind == "TRIGGER" and cursor.take_words("ON") else ()
    statements = _read_tsql_body(command) if draft.dialect in TSQL else _read_body(command)
    if statements is None:
        return True
    for reason in {reason for statement in statements for reason in statement.unresolved}:
        draft.add_unresolved(reason)
    if kind == "TRIGGER" and draft.dialect in TSQL:
        statements = tuple(_with_table(each, table) for each in statements)
    draft.routine = Routine(name, (*_read_path(command), *statements))
    return True


def _read_package(command: Command) -> bool:
    """Read a package of Oracle without its subprograms, which are statements of their own."""
    command.draft.kind = "CREATE PACKAGE"
    words = {token.text.upper() for token in command.cursor.tokens}
    if command.cursor.take_words("BODY") and not words.isdisjoint({"BEGIN", "CURSOR"}):
        command.draft.add_unresolved("the cursors and the first block of a package are not read")
    return True


def _read_path(command: Command) -> tuple[Statement, ...]:
    """Return a statement that sets the search path of a routine of PostgreSQL until it returns."""
    cursor, draft = command.cursor, command.draft
    if draft.dialect not in POSTGRES_FAMILY:
        return ()
    cursor.place = 0
    while cursor.skip_to("SET"):
        cursor.place += 1
        if not cursor.take_words("SEARCH_PATH"):
            continue
        path = replace(command, draft=Draft(draft.dialect))
        if not read_search_path(path):  # FROM CURRENT
            draft.add_unresolved("the search path of the routine is that of its creation")
            return ()
        draft.uses_literal = draft.uses_literal or path.draft.uses_literal
        return (replace(path.draft.to_statement(""), lasts_until="return"),)
    return ()


def read_do(command: Command) -> bool:
    """Read PostgreSQL's DO, whose body is a literal."""
    cursor, draft = command.cursor, command.draft
    if (language := _language_of(command)) not in _SQL_LANGUAGES:
        draft.add_unresolved(f"a block in the language {language.lower()} is not read")
        return True
    if cursor.take_words("LANGUAGE"):
        cursor.place += 1
    if (text := cursor.take_string()) is None:
        return False
    draft.uses_literal = True
    draft.kind = "CALL"
    draft.calls.append(Call(("do",), _read_statements(command, text)))
    return True


def _read_tsql_body(command: Command) -> tuple[Statement, ...] | None:
    """Read the body after AS; ``WITH EXECUTE AS OWNER`` is an option before it."""
    cursor = command.cursor
    while cursor.skip_to("AS", "EXTERNAL"):
        before = cursor.tokens[cursor.place - 1].text.upper()
        cursor.place += 1
        if before in ("EXECUTE", "EXEC") or before.startswith("@"):
            continue
        if cursor.take_words("EXTERNAL"):
            break
        return command.read_text(cursor.rest_text, command.draft.dialect)
    command.draft.add_unresolved("the body of the routine is not SQL")
    return None


def _read_body(command: Command) -> tuple[Statement, ...] | None:
    """Read a body in a literal, or one that is part of the statement."""
    cursor = command.cursor
    start = cursor.place
    language = _language_of(command)
    if language not in _SQL_LANGUAGES:
        command.draft.add_unresolved(f"a routine in the language {language.lower()} is not read")
        return None
    cursor.place = start
    if command.draft.dialect == "oracle":
        return _read_plsql_body(command)
    if command.draft.kind == "CREATE EVENT":
        is_known = cursor.skip_to("DO") and cursor.take_words("DO")
        return _read_statements(command, cursor.rest_text) if is_known else ()
    while cursor.skip_to("AS", "BEGIN", "RETURN", "EXECUTE"):
        if cursor.next_word == "EXECUTE":
            if command.draft.kind == "CREATE TRIGGER":  # of PostgreSQL, which names a function
                return ()
            cursor.place += 1  # EXECUTE AS CALLER
            continue
        if cursor.take_words("AS"):
            cursor.take_words("TABLE")
            if (text := cursor.take_string()) is not None:
                command.draft.uses_literal = True
                return _read_statements(command, _complete_expression(command, text))
            if cursor.next_word in ("CALLER", "OWNER"):
                continue
        if cursor.next_word not in _STATEMENT_WORDS and cursor.token_text != "(":
            return _read_statements(command, "SELECT " + cursor.rest_text)
        return _read_statements(command, cursor.rest_text)
    return _read_trigger_body(command, start)


def _complete_expression(command: Command, text: str) -> str:
    """Return the body of a function in a literal; an expression as a query, of Snowflake."""
    if command.draft.dialect != "snowflake" or command.draft.kind != "CREATE FUNCTION":
        return text
    first = next((t for t in tokenize_text(text, "snowflake") if t.kind not in _BLANK), None)
    is_statement = first is None or first.text == "(" or first.text.upper() in _STATEMENT_WORDS
    return text if is_statement else "SELECT " + text


def _read_plsql_body(command: Command) -> tuple[Statement, ...] | None:
    """Read the declarations and the block of a routine of Oracle."""
    cursor = command.cursor
    is_trigger = command.draft.kind == "CREATE TRIGGER"
    if cursor.skip_to(*(("DECLARE", "BEGIN", "CALL") if is_trigger else ("IS", "AS"))):
        cursor.place += not is_trigger
        statements = _read_statements(command, cursor.rest_text)
        return (AUTONOMOUS, *statements) if is_autonomous(cursor.rest_text) else statements
    command.draft.add_unresolved("the body of the routine is not known")
    return None


def _read_trigger_body(command: Command, start: int) -> tuple[Statement, ...] | None:
    """Read the one statement of a trigger of MySQL: ``… FOR EACH ROW INSERT …``."""
    cursor = command.cursor
    cursor.place = start
    if cursor.skip_to("ROW") and cursor.take_words("ROW"):
        return _read_statements(command, cursor.rest_text)
    command.draft.add_unresolved("the body of the routine is not known")
    return None


def _with_table(statement: Statement, table: Name) -> Statement:
    """Return a statement of a trigger that reads its table instead of inserted and deleted."""

    def replace_names(names: tuple[Name, ...]) -> tuple[Name, ...]:
        return tuple(dict.fromkeys(table if n in _TRANSITION_TABLES else n for n in names))

    flows = tuple(replace(flow, sources=replace_names(flow.sources)) for flow in statement.flows)
    return replace(statement, reads=replace_names(statement.reads), flows=flows)


def _language_of(command: Command) -> str:
    """Return the language that the routine names; SQL is the default."""
    cursor = command.cursor
    for place, token in enumerate(cursor.tokens[:-1]):
        if token.kind == "word" and token.text.upper() == "LANGUAGE":
            return cursor.tokens[place + 1].text.strip("'\"").upper()
    return "SQL"


def _read_statements(command: Command, text: str) -> tuple[Statement, ...]:
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = "SELECT " + text
    dialect = command.draft.dialect
    pieces = list(split_body(text) if dialect == "oracle" else split_block(text, dialect))
    known = [
        tuple(map(_without_variables, command.read_text(piece.text, dialect) if piece.text else ()))
        for piece in pieces
    ]
    statements: list[Statement] = []
    are_conditional: list[bool] = []
    for piece, traced in zip(pieces, trace_variables(pieces, known, dialect), strict=True):
        statements += place_statements(traced, piece.branches)
        are_conditional += [piece.is_conditional] * len(traced)
    statements = list(resolve_rollbacks(statements, are_conditional, dialect))
    return tuple(mark_dropped_names(statements, dialect))


def _without_variables(statement: Statement) -> Statement:
    """Return a statement of a body without the output of SELECT INTO, which is a variable there."""
    if statement.handle is not None and statement.handle.action == "execute":
        return replace(statement, handle=None, unresolved=(COMPOSED,))
    if statement.kind != "SELECT INTO":
        return statement
    return replace(statement, kind="SELECT", flows=(), temporary=())
