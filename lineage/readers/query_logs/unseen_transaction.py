"""A transaction that a driver began, which logs of SQL Server do not show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.sql.records import Savepoint, Statement


@dataclass
class UnseenTransaction:
    """The statements since the last commit, and how many of them lie before each savepoint.

    Of each statement, the set that has the numbers of its row's undone statements, and its number.
    ``is_open``: whether the log shows the BEGIN; then the session undoes rolled-back effects.
    """

    since: list[tuple[set[int], int]] = field(default_factory=list)
    savepoints: dict[str, int] = field(default_factory=dict)
    is_open: bool = False

    def follow_statement(self, undone: set[int], number: int, statement: Statement) -> None:
        """Add a statement, which may undo those before it."""
        if statement.savepoint is not None:
            self._follow_savepoint(statement.savepoint)
        elif statement.transaction:
            if statement.transaction == "rollback":
                self._undo_since(0)
            self._end_transaction()
            self.is_open = statement.transaction == "begin"
        else:
            self.since.append((undone, number))

    def _follow_savepoint(self, savepoint: Savepoint) -> None:
        """Undo the rows after a savepoint; one that the log does not show precedes its rows."""
        if savepoint.action == "set":
            self.savepoints[savepoint.name] = len(self.since)
        elif savepoint.action == "return" and savepoint.name in self.savepoints:
            self._undo_since(self.savepoints[savepoint.name])
        elif savepoint.action == "return":
            self._undo_since(0)
            self._end_transaction()

    def _undo_since(self, count: int) -> None:
        if not self.is_open:
            for undone, number in self.since[count:]:
                undone.add(number)
        del self.since[count:]

    def _end_transaction(self) -> None:
        self.since.clear()
        self.savepoints.clear()
        self.is_open = False
