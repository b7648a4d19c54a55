"""Transactions that a procedure or text of PostgreSQL ended before it failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.dialects import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.readers.query_logs.outcomes import Outcome
    from lineage.sql.records import Call, Name, Statement
    from lineage.sql.sessions import Session


def find_doubt(outcome: Outcome, session: Session) -> str:
    """Return why it is not known which rows of a statement were committed; "" if that is certain.

    A successful call whose body is not known is unresolved in any case.
    """
    if not traits_of(outcome.row.row.dialect).has_transaction_of_call:
        return ""
    if outcome.failed and _has_later_commit(outcome):
        return "it is not known which statements of the failed text its COMMIT committed"
    if not outcome.has_parts:
        return ""
    if outcome.failed and not outcome.keeps_parts:
        return ""
    for statement in outcome.row.statements:
        for call in statement.calls:
            if _may_roll_back(call, session, set(), is_doubted=outcome.failed):
                name = ".".join(call.routine)
                return f"it is not known which statements of {name} its ROLLBACK undid"
    return ""


def _has_later_commit(outcome: Outcome) -> bool:
    """Return whether a text that failed may have executed a COMMIT of which no row shows it."""
    if outcome.committed == 0:
        return False
    rest = outcome.row.statements[outcome.committed or 0 : -1]
    return any(each.transaction == "commit" for each in rest)


def _may_roll_back(call: Call, session: Session, seen: set[Name], *, is_doubted: bool) -> bool:
    """Return whether a body may have a ROLLBACK; ``is_doubted``: if it is not known."""
    statements: Iterable[Statement] = call.statements
    if not call.statements:
        routine = session.find_routine(call.routine)
        if routine is None:
            return is_doubted
        statements = routine.statements
    if call.routine in seen and not call.statements:
        return False
    seen.add(call.routine)
    return any(
        _is_rollback(each)
        or (is_doubted and each.kind == "CALL" and not each.calls)
        or any(_may_roll_back(one, session, seen, is_doubted=is_doubted) for one in each.calls)
        for each in statements
    )


def _is_rollback(statement: Statement) -> bool:
    """Return whether a statement is a ROLLBACK, also one in a condition, which has no effect."""
    return statement.transaction == "rollback" or statement.shape.upper().startswith("ROLLBACK")
