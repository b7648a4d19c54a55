"""The open transaction of a session: what its statements wrote counts once it is committed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from lineage.sql.lexer import TSQL

if TYPE_CHECKING:
    from lineage.sql.effects import Effect
    from lineage.sql.records import Flow, Name, Savepoint, Statement
    from lineage.sql.session_columns import Temporary

Tables: TypeAlias = "dict[Name, Temporary]"

# Definitions that commit the open transaction.
_COMMITTING_DIALECTS = frozenset({"mysql", "snowflake", "oracle"})
_DEFINITIONS = ("CREATE", "DROP", "ALTER", "RENAME", "TRUNCATE")


@dataclass
class OpenTransaction:
    """The number of nested transactions, and what they wrote.

    ``_before`` are the temporary tables at the start, ``_savepoints`` those at each savepoint with
    the number of writes before it.
    """

    dialect: str
    depth: int = 0
    _pending: list[Flow] = field(default_factory=list)
    _before: Tables = field(default_factory=dict)
    _savepoints: dict[str, tuple[int, Tables]] = field(default_factory=dict)

    @property
    def pending_flows(self) -> tuple[Flow, ...]:
        """The writes that are not committed yet."""
        return tuple(self._pending)

    def follow_statement(
        self, statement: Statement, effect: Effect, tables: Tables
    ) -> tuple[Effect, Tables]:
        """Return the effect of a statement, and the temporary tables after it."""
        action = statement.transaction
        if _commits_before(statement, self.dialect):
            action = "commit"
        if action == "begin":
            self.depth = self.depth + 1 if self.dialect in TSQL else 1
            self._before = dict(tables) if self.depth == 1 else self._before
        elif action and self.depth:
            return self._end_block(effect, tables, is_commit=action == "commit")
        elif statement.savepoint is not None:
            return self._follow_savepoint(statement.savepoint, effect, tables)
        elif self.depth:
            self._pending += effect.flows
            return replace(effect, is_pending=True), tables
        return effect, tables

    def _end_block(
        self, effect: Effect, tables: Tables, *, is_commit: bool
    ) -> tuple[Effect, Tables]:
        """End the innermost transaction; a ROLLBACK ends all."""
        self.depth = self.depth - 1 if is_commit else 0
        if self.depth:
            return effect, tables
        pending = tuple(self._pending)
        self._pending.clear()
        self._savepoints.clear()
        if is_commit:
            return replace(effect, ended="commit", committed=pending), tables
        return replace(effect, ended="rollback", rolled_back=pending), _restore_tables(
            self._before, tables
        )

    def _follow_savepoint(
        self, savepoint: Savepoint, effect: Effect, tables: Tables
    ) -> tuple[Effect, Tables]:
        if savepoint.action == "set":
            self._savepoints[savepoint.name] = len(self._pending), dict(tables)
        if savepoint.action != "return":
            return effect, tables
        if savepoint.name not in self._savepoints and self.depth and self.dialect in TSQL:
            return self._end_block(effect, tables, is_commit=False)  # the name of the transaction
        count, before = self._savepoints.get(savepoint.name, (0, tables))
        undone = tuple(self._pending[count:])
        del self._pending[count:]
        if not self.depth or savepoint.name not in self._savepoints:
            reason = f"what a ROLLBACK to the savepoint {savepoint.name} undoes is not known"
            effect = replace(effect, unresolved=(*effect.unresolved, reason))
        return replace(effect, rolled_back=undone), _restore_tables(before, tables)


def _commits_before(statement: Statement, dialect: str) -> bool:
    """Return whether a definition commits the transaction before it."""
    is_definition = statement.kind.startswith(_DEFINITIONS) and not statement.temporary
    return is_definition and dialect in _COMMITTING_DIALECTS


def _restore_tables(before: Tables, tables: Tables) -> Tables:
    """Return the temporary tables of an earlier time; table variables keep their rows."""
    variables = {name: each for name, each in tables.items() if name[-1].startswith("@")}
    return {**before, **variables}
