"""The transaction of a body that a statement executes: the effects that a ROLLBACK in it undoes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.open_transaction import (
    WITHOUT_TRANSACTION,
    commits_transaction,
    unknown_savepoint,
)
from lineage.sql.savepoints import Savepoints

if TYPE_CHECKING:
    from lineage.sql.effects import Effect
    from lineage.sql.open_transaction import Ending, OpenTransaction
    from lineage.sql.records import Savepoint, Statement


class BodyTransaction:
    """The writes of the statements of a body; a ROLLBACK removes the end of ``parts``.

    ``begun_at`` is the number of effects before a transaction that the body began and did not end,
    and ``ended_at`` that before the last end of one; None if there is none. ``first_end`` is the
    end of the transaction of the caller.
    """

    def __init__(
        self, dialect: str, parts: list[Effect], caller: OpenTransaction | BodyTransaction
    ) -> None:
        self._dialect = dialect
        self._parts = parts
        self._begins_later = caller.is_implicit and dialect in TSQL
        is_implicit = caller.is_implicit and dialect not in TSQL
        self.is_implicit: bool = is_implicit or traits_of(dialect).has_transaction_of_call
        self.depth: int = max(caller.depth, int(self.is_implicit))
        self._before = self.depth
        self._start = len(parts)
        self._savepoints: Savepoints[int] = Savepoints(dialect)
        self.begun_at: int | None = None
        self.ended_at: int | None = None
        self.first_end: Ending = ""

    def follow_statement(self, statement: Statement) -> str:
        """Apply the end of a transaction; return why the undone effects are not known, or ""."""
        action = statement.transaction
        if statement.savepoint is not None:
            return self._follow_savepoint(statement.savepoint)
        if action == "rollback":
            self._roll_back()
        elif action == "commit" or commits_transaction(statement, self._dialect):
            self._end_transaction(self.depth - 1 if self._dialect in TSQL else 0)
        elif self._begins_later and not self.depth and statement.kind not in WITHOUT_TRANSACTION:
            self.begin_transaction(self._start)
        is_off = statement.autocommit == "off"
        if statement.autocommit and self._dialect in TSQL:
            self._begins_later = is_off
        elif statement.autocommit:
            self.is_implicit = is_off
            self._end_transaction(0)
        if action == "begin" or statement.chains or (is_off and self._dialect not in TSQL):
            self.begin_transaction(len(self._parts))
        elif not self.depth:
            self._start = len(self._parts)
        return ""

    def end_by_call(self, ending: Ending, base: int, ended_at: int) -> None:
        """Apply the ends of transactions in a call, whose effects begin at ``base``."""
        undone = base - self._start if ending == "rollback" and self.depth else 0
        del self._parts[base - undone : base]
        self._end_transaction(0, ending)
        self._start = self.ended_at = ended_at - undone

    def _roll_back(self) -> None:
        del self._parts[self._start if self.depth else len(self._parts) :]
        self._end_transaction(0, "rollback")

    def begin_transaction(self, start: int) -> None:
        """Begin a transaction after a number of effects; only those of T-SQL are nested."""
        if not self.depth or self._dialect not in TSQL:
            self._start = start
        self.depth = self.depth + 1 if self._dialect in TSQL else 1
        if self.depth > self._before or self._dialect == "mysql":
            self.begun_at = self._start if self.begun_at is None else self.begun_at

    def _end_transaction(self, depth: int, ending: Ending = "commit") -> None:
        if not depth:
            self.first_end = self.first_end or ending
            self.ended_at = len(self._parts)
        self.depth = max(depth, int(self.is_implicit))
        if self.depth <= self._before:
            self.begun_at = None
        if not depth:
            self._start = len(self._parts)
            self._savepoints.forget_all()

    def _follow_savepoint(self, savepoint: Savepoint) -> str:
        if savepoint.action == "set":
            self._savepoints.set_savepoint(savepoint.name, len(self._parts))
        elif savepoint.action == "release":
            self._savepoints.release_savepoint(savepoint.name)
        else:
            count = self._savepoints.return_to(savepoint.name)
            if count is None and self.depth and self._dialect in TSQL:
                self._roll_back()  # the name of the transaction
                return ""
            if count is None:
                return unknown_savepoint(savepoint.name)
            del self._parts[count:]
        return ""
