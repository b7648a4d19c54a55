"""Transactions of a session: statements that write count once they are committed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.sql.sessions import Effect

# After an error in a transaction, these roll back on COMMIT.
_ABORTING = ("postgres", "redshift")
# A nested BEGIN of these needs a COMMIT of its own.
_NESTING = ("tsql",)


@dataclass
class Transaction:
    """The writing statements of a session that are not committed yet."""

    dialect: str
    depth: int = 0
    is_aborted: bool = False
    pending: list[Effect] = field(default_factory=list)

    def begin_block(self) -> None:
        """Start a transaction, or a nested one."""
        self.depth = self.depth + 1 if self.dialect in _NESTING else 1

    def fail_statement(self) -> None:
        """Record that a statement failed, which may abort the transaction."""
        if self.depth and self.dialect in _ABORTING:
            self.is_aborted = True

    def commit_block(self) -> list[Effect]:
        """End the transaction; return what it did, which is nothing if it was aborted."""
        if self.depth > 1:
            self.depth -= 1
            return []
        effects = [] if self.is_aborted else list(self.pending)
        self.roll_back()
        return effects

    def roll_back(self) -> None:
        """End the transaction and all nested ones without their writes."""
        self.pending.clear()
        self.is_aborted = False
        self.depth = 0
