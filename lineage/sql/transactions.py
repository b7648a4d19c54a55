"""The start and the end of transactions, and variables that have the number of a handle."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.lexer import TSQL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.sql.commands import Command
    from lineage.sql.records import Statement

_WORDS = ("TRANSACTION", "TRAN", "WORK")
_VARIABLE = re.compile(r"(?i)(?:set|declare)\s+(@\w+)(?:\s+(?:as\s+)?int)?\s*=\s*(\d+)\s*$")
_CONDITIONAL = re.compile(r"(?i)\s*(?:if|while)\b")
_MAYBE_ROLLBACK = "whether the ROLLBACK of a condition was executed is not known"


def read_transaction(command: Command) -> bool:
    """Read BEGIN, START, COMMIT, END, ROLLBACK and ABORT; return whether it is one of them."""
    cursor, draft = command.cursor, command.draft
    word = cursor.next_word
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
        is_end = word == "END" and draft.dialect not in ("postgres", "redshift", "duckdb")
        draft.transaction = "" if is_end else "commit"
    elif cursor.next_word in ("TO", "SAVEPOINT") or (
        draft.dialect in TSQL and not cursor.is_at_end
    ):
        if cursor.token_text != ";":
            draft.add_unresolved("a ROLLBACK to a savepoint is not followed")
    elif cursor.next_word != "PREPARED":
        draft.transaction = "rollback"
    return True


def resolve_variables(statements: Sequence[Statement], pieces: Sequence[str]) -> list[Statement]:
    """Return statements of one text of T-SQL with what the statements before them determine.

    Profilers write the number of a prepared statement as ``set @p1=13`` before sp_prepexec. A
    ROLLBACK after IF, WHILE or in CATCH may not have been executed: it has no effect here, and is
    reported if a transaction is open.
    """
    matches = filter(None, map(_VARIABLE.match, pieces))
    values = {match[1]: match[2] for match in matches}
    is_conditional = any(_CONDITIONAL.match(piece) for piece in pieces)
    is_open = False
    resolved = []
    for statement in statements:
        handle = statement.handle
        if handle is not None and handle.key in values:
            statement = replace(statement, handle=replace(handle, key=values[handle.key]))
        if statement.transaction == "rollback" and (is_conditional or not is_open):
            reasons = (_MAYBE_ROLLBACK,) if is_open else ()
            alone = len(statements) == 1
            if not alone:
                statement = replace(statement, transaction="", unresolved=reasons)
        is_open = statement.transaction == "begin" or (is_open and not statement.transaction)
        resolved.append(statement)
    return resolved
