"""Transactions of a session: what statements write counts once it is committed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.sql.records import Statement
    from lineage.sql.sessions import Effect

# After an error in a transaction, these roll back on COMMIT.
_ABORTING = ("postgres", "redshift")
# A nested BEGIN of these needs a COMMIT of its own.
_NESTING = ("tsql", "fabric")
_NAME = r"""(["\[]?[\w$@#]+["\]]?)\s*;?\s*"""
_SAVEPOINT = re.compile(rf"(?i)\s*(?:savepoint|save\s+tran(?:saction)?)\s+{_NAME}")
_TO_SAVEPOINT = re.compile(
    rf"(?i)\s*rollback\s+(?:(?:work\s+|transaction\s+)?to\s+(?:savepoint\s+)?|tran(?:saction)?\s+){_NAME}"
)
_RELEASE = re.compile(rf"(?i)\s*release\s+(?:savepoint\s+)?{_NAME}")


def controls_savepoint(shape: str) -> bool:
    """Return whether a statement makes, releases or returns to a savepoint."""
    return any(each.fullmatch(shape) for each in (_SAVEPOINT, _TO_SAVEPOINT, _RELEASE))


@dataclass
class Transaction:
    """The effects of the statements of a session that are not committed yet."""

    dialect: str
    depth: int = 0
    is_aborted: bool = False
    pending: list[Effect] = field(default_factory=list)
    savepoints: dict[str, int] = field(default_factory=dict)

    def apply_statement(self, statement: Statement) -> list[Effect]:
        """Follow a statement that controls the transaction; return the effects it commits."""
        if statement.transaction == "begin":
            self.depth = self.depth + 1 if self.dialect in _NESTING else 1
        elif statement.transaction == "rollback":
            self.roll_back()
        elif statement.transaction == "commit":
            return self._end_block()
        elif match := _SAVEPOINT.fullmatch(statement.shape):
            self.savepoints[match[1]] = len(self.pending)
        elif match := _TO_SAVEPOINT.fullmatch(statement.shape):
            self._return_to(match[1])
        return []

    def fail_statement(self) -> None:
        """Record that a statement failed, which may abort the transaction."""
        if self.depth and self.dialect in _ABORTING:
            self.is_aborted = True

    def roll_back(self) -> None:
        """End the transaction and all nested ones without their writes."""
        self.pending.clear()
        self.savepoints.clear()
        self.is_aborted = False
        self.depth = 0

    def _end_block(self) -> list[Effect]:
        if self.depth > 1:
            self.depth -= 1
            return []
        effects = [] if self.is_aborted else list(self.pending)
        self.roll_back()
        return effects

    def _return_to(self, savepoint: str) -> None:
        """Undo what follows a savepoint; without it, all of the transaction."""
        del self.pending[self.savepoints.get(savepoint, 0) :]
        self.is_aborted = False
