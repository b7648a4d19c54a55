"""What a session keeps over a pause: its context, temporary tables, an open transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.sql.records import Statement


def is_one_session(unit: str) -> bool:
    """Return whether the rows of a unit are of one session, which goes on after a pause."""
    return unit.startswith("session ")


def set_state(statements: Iterable[Statement]) -> bool:
    """Return whether statements changed how a session reads later ones.

    Prepared statements and #tables made before a pause are unresolved after it. Others have names
    that tables of the schema may have, too.
    """
    return any(map(_sets_state, statements))


def leaves_open(statements: Sequence[Statement]) -> bool | None:
    """Return whether a transaction is open after statements; None if none begins or ends one."""
    for statement in reversed(statements):
        if statement.transaction:
            return statement.transaction == "begin" or statement.chains
    return None


def _sets_state(statement: Statement) -> bool:
    if statement.autocommit or statement.attaches or statement.detaches:
        return True
    if statement.lasts_until != "commit" and (
        statement.use or statement.may_use or statement.search_path is not None
    ):
        return True
    if any(name[-1][:1] not in ("#", "@") for name in statement.temporary):
        return True
    return any(set_state(call.statements) for call in statement.calls)
