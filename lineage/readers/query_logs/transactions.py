"""Transactions of a session: what statements write counts once it is committed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.sql.effects import Effect
    from lineage.sql.records import Savepoint, Statement

# After an error in a transaction, these roll back on COMMIT.
_ABORTING = ("postgres", "redshift")
# A nested BEGIN of these needs a COMMIT of its own.
_NESTING = ("tsql", "fabric")


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
        elif statement.savepoint is not None:
            self._follow_savepoint(statement.savepoint)
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

    def _follow_savepoint(self, savepoint: Savepoint) -> None:
        """Undo what follows a savepoint; without it, all of the transaction."""
        if savepoint.action == "set":
            self.savepoints[savepoint.name] = len(self.pending)
        elif savepoint.action == "return" and savepoint.name in self.savepoints:
            del self.pending[self.savepoints[savepoint.name] :]
            self.is_aborted = False
        elif savepoint.action == "return" and self.dialect in _NESTING:
            self.roll_back()  # it is the name of the transaction
        elif savepoint.action == "return":
            self.pending.clear()
            self.is_aborted = False
