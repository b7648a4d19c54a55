"""The start and the end of transactions, and variables that have the number of a handle."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.records import Savepoint, Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.sql.draft import Command

_WORDS = ("TRANSACTION", "TRAN", "WORK")
# Statements without rows that commit the open transaction, by their first word.
_COMMITTING_WORDS = {
    "mysql": frozenset(
        {"LOCK", "UNLOCK", "GRANT", "REVOKE", "ANALYZE", "CHECK", "OPTIMIZE", "REPAIR", "FLUSH"}
        | {"RESET", "INSTALL", "UNINSTALL", "CACHE"}
    ),
    "oracle": frozenset({"GRANT", "REVOKE", "ANALYZE", "COMMENT", "AUDIT", "NOAUDIT", "PURGE"}),
    "snowflake": frozenset({"GRANT", "REVOKE", "COMMENT", "UNDROP"}),
}
_PREPARED: dict[tuple[str, str], Literal["prepare", "commit", "rollback"]] = {
    ("PREPARE", "TRANSACTION"): "prepare",
    ("COMMIT", "PREPARED"): "commit",
    ("ROLLBACK", "PREPARED"): "rollback",
}
_VARIABLE = re.compile(r"(?i)(?:set|declare)\s+(@\w+)(?:\s+(?:as\s+)?int)?\s*=\s*(\d+)\s*$")
_MAYBE_ROLLBACK = "whether the ROLLBACK of a condition was executed is not known"


def read_transaction(command: Command) -> bool:
    """Read BEGIN, COMMIT, ROLLBACK and their synonyms, and savepoints; return whether it is one."""
    cursor, draft = command.cursor, command.draft
    word = cursor.next_word
    if word in ("SAVEPOINT", "SAVE", "RELEASE"):
        return _read_savepoint(command, word)
    if word == "XA":
        return _read_xa(command)
    if _read_prepared_transaction(command):
        return True
    if word in _COMMITTING_WORDS.get(draft.dialect, ()):
        draft.transaction = "commit"
        return True
    if word not in ("BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT"):
        return False
    cursor.place = 1
    is_named = any(cursor.take_words(name) for name in _WORDS)
    if word == "START" and not is_named:
        cursor.place = 0
        return False
    draft.kind = "TRANSACTION"
    if word in ("BEGIN", "START"):
        draft.transaction = "begin"
    elif word in ("COMMIT", "END"):
        is_end = word == "END" and not traits_of(draft.dialect).commits_by_end
        draft.transaction = "" if is_end else "commit"
    elif savepoint := _savepoint_of_rollback(command):
        draft.savepoint = Savepoint("return", savepoint)
    else:
        draft.transaction = "rollback"
    draft.chains = draft.transaction != "begin" and cursor.take_words("AND", "CHAIN")
    return True


def _read_prepared_transaction(command: Command) -> bool:
    """Read PostgreSQL's PREPARE TRANSACTION, COMMIT PREPARED and ROLLBACK PREPARED."""
    cursor, draft = command.cursor, command.draft
    action = next((each for words, each in _PREPARED.items() if cursor.take_words(*words)), None)
    name = cursor.take_string() if action is not None else None
    if action is None or name is None:
        cursor.place = 0
        return False
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]  # a literal is not stored
    draft.kind = "TRANSACTION"
    draft.uses_literal = True
    draft.savepoint = Savepoint(action, digest)
    return True


def _read_xa(command: Command) -> bool:
    """Read MySQL's XA: writes of its transactions count after XA COMMIT."""
    command.cursor.place = 1
    command.draft.kind = "TRANSACTION"
    word = command.cursor.next_word
    if word in ("START", "BEGIN"):
        command.draft.transaction = "begin"
    elif word == "COMMIT":
        command.draft.transaction = "commit"
    elif word == "ROLLBACK":
        command.draft.transaction = "rollback"
    return True


def _read_savepoint(command: Command, word: str) -> bool:
    """Read SAVEPOINT and RELEASE, and T-SQL's SAVE TRANSACTION."""
    cursor, draft = command.cursor, command.draft
    cursor.place = 1
    if word == "SAVE":
        any(cursor.take_words(name) for name in _WORDS)
    if word == "RELEASE":
        cursor.take_words("SAVEPOINT")
    draft.kind = "TRANSACTION"
    if name := _take_savepoint(command):
        draft.savepoint = Savepoint("release" if word == "RELEASE" else "set", name)
    return True


def _savepoint_of_rollback(command: Command) -> str:
    """Return the savepoint of ``ROLLBACK … TO s``, and of T-SQL's ``ROLLBACK TRAN s``; or ""."""
    cursor = command.cursor
    if cursor.take_words("TO"):
        cursor.take_words("SAVEPOINT")
        return _take_savepoint(command)
    is_named = cursor.take_words("SAVEPOINT") or command.draft.dialect in TSQL
    return _take_savepoint(command) if is_named else ""


def _take_savepoint(command: Command) -> str:
    """Advance past the name of a savepoint and return it; "" if there is none."""
    name = ".".join(command.cursor.take_name())
    return name.lower() if command.draft.dialect == "mysql" else name


def resolve_variables(statements: Sequence[Statement], pieces: Sequence[str]) -> list[Statement]:
    """Return statements of one text of T-SQL with the handles that variables have.

    Profilers write the number of a prepared statement as ``set @p1=13`` before sp_prepexec.
    """
    values = {match[1]: match[2] for match in filter(None, map(_VARIABLE.match, pieces))}
    return [
        replace(each, handle=replace(each.handle, key=values[each.handle.key]))
        if each.handle is not None and each.handle.key in values
        else each
        for each in statements
    ]


def resolve_batch(
    statements: Sequence[Statement], are_conditional: Sequence[bool]
) -> list[Statement]:
    """Return statements of one text of T-SQL, of which some may not have been executed.

    A ROLLBACK without a BEGIN in a text of several statements is doubted too. A BEGIN after one
    that is doubted ends the transaction, because BEGINs are hardly ever nested in a text.
    """
    is_open = is_doubted = False
    savepoints: set[str] = set()
    resolved: list[Statement] = []
    for statement, is_conditional in zip(statements, are_conditional, strict=True):
        savepoint = statement.savepoint
        if savepoint is not None and savepoint.action == "set":
            savepoints.add(savepoint.name)
        is_certain = is_open or (savepoint is not None and savepoint.name in savepoints)
        if _is_rollback(statement) and (is_conditional or not is_certain) and len(statements) > 1:
            is_doubted = is_doubted or (is_open and savepoint is None)
            statement = _doubt_rollback(statement, is_open=is_open)
        if statement.transaction == "begin" and is_open and is_doubted:
            resolved.append(Statement("TRANSACTION", transaction="commit"))
        if statement.transaction:
            is_doubted = False
        is_open = _is_open_after(statement, is_open=is_open)
        resolved.append(statement)
    return resolved


def resolve_rollbacks(
    statements: Sequence[Statement], are_conditional: Sequence[bool], dialect: str
) -> list[Statement]:
    """Return statements of one text, of which some may not have been executed."""
    is_always_open = is_open = traits_of(dialect).lacks_autocommit
    resolved = []
    for statement, is_conditional in zip(statements, are_conditional, strict=True):
        if is_conditional and _is_rollback(statement):
            statement = _doubt_rollback(statement, is_open=is_open)
        is_open = is_always_open or _is_open_after(statement, is_open=is_open)
        resolved.append(statement)
    return resolved


def _is_rollback(statement: Statement) -> bool:
    """Return whether a statement is a ROLLBACK, also to a savepoint."""
    returns = statement.savepoint is not None and statement.savepoint.action == "return"
    return returns or statement.transaction == "rollback"


def _doubt_rollback(statement: Statement, *, is_open: bool) -> Statement:
    """Return a ROLLBACK without its effect; it is reported if a transaction is open."""
    reasons = (_MAYBE_ROLLBACK,) if is_open else ()
    return replace(
        statement,
        kind="OTHER",
        transaction="",
        chains=False,
        savepoint=None,
        unresolved=reasons,
    )


def _is_open_after(statement: Statement, *, is_open: bool) -> bool:
    begins = statement.transaction == "begin" or statement.autocommit == "off"
    return begins or (is_open and not statement.transaction)
