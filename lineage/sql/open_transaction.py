"""The open transaction of a session: writes of its statements count once it is committed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.records import DECLARE_TABLE
from lineage.sql.savepoints import Savepoints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.sql.effects import Effect
    from lineage.sql.qualified_names import Place
    from lineage.sql.records import Name, Savepoint, Statement
    from lineage.sql.session_columns import Temporary

Ending: TypeAlias = Literal["", "commit", "rollback"]
# Kinds of statements that begin no implicit transaction of T-SQL, such as SET and COMMIT.
WITHOUT_TRANSACTION = frozenset({"OTHER", "TRANSACTION", DECLARE_TABLE})
_UNKNOWN_RETURN = "what was rolled back to a savepoint after an error is not known"
_UNKNOWN_PREPARED = "what another session wrote in a prepared transaction is not known"


class State(NamedTuple):
    """State of a session that transactions change besides rows: temporary tables, and its place."""

    tables: dict[Name, Temporary]
    place: Place

    def end_transaction(self) -> State:
        """Return the state without parts that last until the end of the transaction."""
        tables = {name: each for name, each in self.tables.items() if not each.drops_at_commit}
        return State(tables, self.place.end_transaction())

    def restore_state(self, before: State) -> State:
        """Return the state of an earlier time; table variables keep their rows."""
        place = self.place
        if place.dialect == "mysql":  # which does not undo CREATE TEMPORARY TABLE
            tables = {name: before.tables.get(name, each) for name, each in self.tables.items()}
            return State(tables, place)
        variables = {name: each for name, each in self.tables.items() if name[-1].startswith("@")}
        tables = {**before.tables, **variables}
        if traits_of(place.dialect).rolls_back_paths:
            schemas, lasting = before.place.schemas, before.place.lasting_schemas
            created = before.place.created
            place = replace(place, schemas=schemas, lasting_schemas=lasting, created=created)
        return State(tables, place)

    def copy_tables(self) -> State:
        """Return a state that later statements do not change."""
        return State(dict(self.tables), self.place)


def commits_transaction(statement: Statement, dialect: str, *, failed: bool = False) -> bool:
    """Return whether a statement that is no COMMIT commits the pending effects before it."""
    if failed and not traits_of(dialect).commits_before_definitions:
        return False
    if dialect == "mysql" and statement.transaction == "begin":
        return True
    if dialect == "mysql" and statement.temporary:
        return False
    return statement.kind.startswith(traits_of(dialect).committing_kinds)


def ending_of_caller(statement: Statement, dialect: str) -> Ending:
    """Return how a statement of a routine ends the transaction of its caller; "" if it does not."""
    commits_before = traits_of(dialect).commits_before_definitions
    if statement.transaction == "rollback" and (commits_before or dialect in TSQL):
        return "rollback"
    is_commit = statement.transaction == "commit" or commits_transaction(statement, dialect)
    return "commit" if is_commit and commits_before else ""


@dataclass
class OpenTransaction:
    """The number of nested transactions, and their writes.

    ``_before`` is the state at the start. ``_savepoints`` has that at each savepoint, with the
    number of effects before it. ``is_implicit``: whether the end of a transaction begins the next
    one. ``_resumed``: the number of effects before a statement that succeeded after an error, if
    only its success shows that the session returned to a savepoint.
    """

    dialect: str
    _before: State
    depth: int = 0
    _is_aborted: bool = False
    _resumed: int | None = None
    _pending: list[Effect] = field(default_factory=list)
    _prepared: dict[str, list[Effect]] = field(default_factory=dict)  # by PREPARE TRANSACTION

    def __post_init__(self) -> None:
        self.is_implicit = traits_of(self.dialect).lacks_autocommit
        self.depth = int(self.is_implicit)
        self._savepoints: Savepoints[tuple[int, State]] = Savepoints(self.dialect)

    @property
    def pending_effects(self) -> tuple[Effect, ...]:
        """The effects that do not count unless they are committed."""
        every = (*self._prepared.values(), self._pending)
        return tuple(effect for effects in every for effect in effects if effect.is_pending)

    def take_pending_effects(self) -> tuple[Effect, ...]:
        """Return the pending effects, and forget all effects."""
        pending = self.pending_effects
        self._pending.clear()
        self._prepared.clear()
        return pending

    def follow_statement(
        self, statement: Statement, effect: Effect, state: State
    ) -> tuple[Effect, State]:
        """Return the effect of a statement, and the state after it."""
        if self._begins_implicitly(statement):
            self._begin_block(state)
        if self.depth:
            effect, state = self._follow_in_transaction(statement, effect, state)
        elif statement.savepoint is not None:
            effect, state = self._follow_savepoint(statement.savepoint, effect, state)
        if statement.transaction in ("commit", "rollback") and not self.depth:
            state = state.end_transaction()
        if statement.transaction == "begin" or statement.chains:
            self._begin_block(state)
            if effect.has_writes and not effect.is_pending:  # of a body that began it
                effect = self._add_pending(effect)
        if statement.autocommit:
            self.is_implicit = statement.autocommit == "off"
        if self.is_implicit and not self.depth and self.dialect not in TSQL:
            self._begin_block(state)
        return effect, state

    def _begins_implicitly(self, statement: Statement) -> bool:
        """Return whether a statement of T-SQL begins a transaction, as SET, COMMIT do not."""
        is_implicit = self.is_implicit and not self.depth and self.dialect in TSQL
        begins = statement.kind not in WITHOUT_TRANSACTION or statement.transaction == "begin"
        return is_implicit and begins

    def fail_statement(self) -> None:
        """Record that a statement failed, which may abort the transaction."""
        self._is_aborted = bool(self.depth) and traits_of(self.dialect).aborts_transactions

    @property
    def is_doubtful(self) -> bool:
        """Whether the log may lack a ROLLBACK, which the next statement shows."""
        return self._is_aborted or self._resumed is not None

    def is_ended_by_failure(self, statements: Sequence[Statement]) -> bool:
        """Return whether a text that failed is a COMMIT, which then rolls back."""
        is_commit = [each.transaction for each in statements] == ["commit"]
        return is_commit and bool(self.depth) and traits_of(self.dialect).aborts_transactions

    def resume_after_error(
        self, statement: Statement, effect: Effect, state: State
    ) -> tuple[Effect, State]:
        """Return what the success of a statement shows, and the state in which it runs.

        After an error, statements fail until a ROLLBACK. Logs may lack it, as those of pgaudit do:
        then the session returned to a savepoint or, if there is none, ended the transaction. A
        BEGIN shows the end of the transaction, too.
        """
        begins = statement.transaction == "begin"
        if begins and self._resumed is not None:
            del self._pending[: self._resumed]
            return self._end_block(effect, state, is_commit=True)  # it had none of its own
        savepoint = statement.savepoint
        is_return = savepoint is not None and savepoint.action == "return"
        is_end = statement.transaction in ("commit", "rollback")
        if not self._is_aborted or is_return or is_end:
            return effect, state
        is_release = savepoint is not None and savepoint.action == "release"
        marks = self._savepoints.return_to_any(savepoint.name if savepoint and is_release else "")
        if not marks or begins or "handles" in statement.resets:
            return self._end_block(effect, state, is_commit=False)
        counts = {count for count, _ in marks}
        count, before = marks[0]
        del self._pending[count:]
        self._is_aborted = False
        self._resumed = None if savepoint else count
        if len(counts) > 1:
            effect = replace(effect, unresolved=(_UNKNOWN_RETURN,))
        return effect, state.restore_state(before)

    def _follow_in_transaction(
        self, statement: Statement, effect: Effect, state: State
    ) -> tuple[Effect, State]:
        action = statement.transaction
        if commits_transaction(statement, self.dialect) or self._switches_autocommit(statement):
            self.depth = 1
            return self._end_block(effect, state, is_commit=True)
        if action in ("commit", "rollback"):
            return self._end_block(effect, state, is_commit=action == "commit")
        if statement.savepoint is not None:
            return self._follow_savepoint(statement.savepoint, effect, state)
        return (self._add_pending(effect) if effect.has_writes else effect), state

    def _add_pending(self, effect: Effect) -> Effect:
        effect = replace(effect, is_pending=not traits_of(self.dialect).lacks_autocommit)
        self._pending.append(effect)
        return effect

    def _switches_autocommit(self, statement: Statement) -> bool:
        """Return whether a statement changes autocommit in a way that commits."""
        is_off = statement.autocommit == "off"
        changes = bool(statement.autocommit) and is_off != self.is_implicit
        if self.dialect in TSQL:
            return False
        return changes and (not is_off or self.dialect == "snowflake")

    def _begin_block(self, state: State) -> None:
        """Begin a transaction; only those of T-SQL are nested."""
        if not self.depth:
            self._before = state.copy_tables()
        self.depth = self.depth + 1 if self.dialect in TSQL else 1

    def _end_block(self, effect: Effect, state: State, *, is_commit: bool) -> tuple[Effect, State]:
        """End the innermost transaction; a ROLLBACK ends all."""
        self.depth = self.depth - 1 if is_commit else 0
        if self.depth:
            return effect, state
        pending = tuple(self._pending)
        is_commit = is_commit and not self._is_aborted
        self._pending.clear()
        self._savepoints.forget_all()
        self._is_aborted, self._resumed = False, None
        if not is_commit:
            effect = replace(effect, ended="rollback", rolled_back=pending)
            return effect, state.restore_state(self._before)
        committed = tuple(each for each in pending if each.is_pending)
        return replace(effect, ended="commit", committed=(*committed, *effect.committed)), state

    def _follow_prepared(
        self, prepared: Savepoint, effect: Effect, state: State
    ) -> tuple[Effect, State]:
        """Keep the open transaction apart from the session, or end a prepared one."""
        if prepared.action == "prepare":
            if self._is_aborted:
                return self._end_block(effect, state, is_commit=False)
            if self.depth:
                self._prepared[prepared.name] = list(self._pending)
                self._pending.clear()
                self._savepoints.forget_all()
                self.depth, self._resumed = 0, None
            return effect, state.end_transaction()
        known = self._prepared.pop(prepared.name, None)
        if known is None:
            return replace(effect, unresolved=(*effect.unresolved, _UNKNOWN_PREPARED)), state
        if prepared.action == "rollback":
            return replace(effect, rolled_back=tuple(known)), state
        return replace(effect, committed=tuple(each for each in known if each.is_pending)), state

    def _follow_savepoint(
        self, savepoint: Savepoint, effect: Effect, state: State
    ) -> tuple[Effect, State]:
        if savepoint.action in ("prepare", "commit", "rollback"):
            return self._follow_prepared(savepoint, effect, state)
        if savepoint.action == "set":
            mark = len(self._pending), state.copy_tables()
            self._savepoints.set_savepoint(savepoint.name, mark)
        if savepoint.action == "release":
            self._savepoints.release_savepoint(savepoint.name)
        if savepoint.action != "return":
            return effect, state
        known = self._savepoints.return_to(savepoint.name) if self.depth else None
        if known is None and self.depth and self.dialect in TSQL:
            return self._end_block(effect, state, is_commit=False)  # the name of the transaction
        count, before = known or (0, state)
        undone = tuple(self._pending[count:])
        del self._pending[count:]
        self._is_aborted, self._resumed = False, None
        if known is None:
            reasons = (*effect.unresolved, unknown_savepoint(savepoint.name))
            effect = replace(effect, unresolved=reasons)
        return replace(effect, rolled_back=undone), state.restore_state(before)


def unknown_savepoint(name: str) -> str:
    """Return why the effect of a ROLLBACK to a savepoint is not known."""
    return f"what a ROLLBACK to the savepoint {name} undoes is not known"
