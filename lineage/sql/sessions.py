"""Follow the statements of a session: temporary tables, USE, handles, transactions, routines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.applied_statements import AppliedStatement
from lineage.sql.branches import BranchedState
from lineage.sql.catalogs import Catalog
from lineage.sql.effects import Effect
from lineage.sql.names import fold_stored
from lineage.sql.open_transaction import OpenTransaction, State, commits_transaction
from lineage.sql.qualified_names import Place
from lineage.sql.records import Statement
from lineage.sql.session_columns import join_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.sql.body_transaction import BodyTransaction
    from lineage.sql.catalogs import RoutineBody
    from lineage.sql.records import Name, Routine
    from lineage.sql.session_columns import Temporary


class Session:
    """The state of a connection; its statements are applied in the order of their execution.

    ``database`` and ``schema`` are those of its start; ``schema`` may be a search path, separated
    by commas. Without a catalog, calls of procedures are unresolved.
    """

    def __init__(
        self,
        dialect: str,
        database: str | None = None,
        schema: str | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        parts = schema.split(",") if schema else []
        self.dialect = dialect
        self.catalog = catalog or Catalog()
        folded = None if database is None else fold_stored(database, dialect)
        schemas = tuple(fold_stored(part.strip(), dialect) for part in parts)
        self._start = Place(
            dialect,
            folded,
            schemas,
            self.catalog.columns,
            schemas,
            schemas_of_tables=self.catalog.schemas_of_tables,
            known_schemas=self.catalog.known_schemas,
        )
        self.place = self._start
        self.temporary: dict[Name, Temporary] = {}
        self.views: dict[Name, tuple[Name, ...]] = {}
        self.handles: dict[str, tuple[Statement, ...]] = {}
        self._routines: dict[Name, tuple[Statement, ...]] = {}
        self.depth = 0
        self.body: BodyTransaction | None = None  # of the body that is executed
        self.transaction = OpenTransaction(dialect, State({}, self._start))
        self._branches: BranchedState[dict[Name, Temporary]] = BranchedState(dict, join_tables)

    def end_text(self) -> None:
        """Leave the branches in which the last statement of a text was."""
        self.temporary = self._branches.leave_text(self.temporary)

    def end_implicit_transaction(self) -> None:
        """End the transaction of statements outside of BEGIN, and what lasts until its end."""
        if not self.transaction.depth:
            self.temporary, self.place = State(self.temporary, self.place).end_transaction()

    def open_local_path(self) -> None:
        """Leave schemas open if the transaction has a search path, because it may have ended."""
        self.place = self.place.open_local_path()

    def start_batch(self) -> None:
        """Forget the table variables of T-SQL, which exist in one batch only."""
        for name in [name for name in self.temporary if name[-1].startswith("@")]:
            del self.temporary[name]

    def apply_statement(self, statement: Statement, *, database: str | None = None) -> Effect:
        """Return the effect of the next statement; ``database`` is that in which it ran."""
        if database is not None:
            database = fold_stored(database, self.dialect)
            if database != self.place.database:
                self.place = replace(self.place, database=database)
        before = Effect() if self.transaction.is_doubtful else None
        if before is not None:
            state = State(self.temporary, self.place)
            before, state = self.transaction.resume_after_error(statement, before, state)
            self.temporary, self.place = state
        self.temporary = self._branches.enter_branches(statement.branches, self.temporary)
        place = self.place
        is_alone = not self.temporary and not place.created
        effect = self.catalog.find_effect(statement, place) if is_alone else None
        if effect is None:
            change = AppliedStatement(self, statement)
            change.apply_all()
            effect = change.to_effect()
            if is_alone and not self.place.created:
                self.catalog.remember_effect(statement, place, effect)
            if change.resets and self.transaction.depth:
                statement = replace(statement, transaction="rollback")
            elif change.begun_at is not None:
                statement = replace(statement, transaction="begin")
            elif change.ending:
                statement = replace(statement, transaction=change.ending)
        if before is not None:
            reasons = (*before.unresolved, *effect.unresolved)
            committed = (*before.committed, *effect.committed)
            effect = replace(effect, unresolved=reasons, committed=committed)
        state = State(self.temporary, self.place)
        ended, state = self.transaction.follow_statement(statement, effect, state)
        self.temporary, self.place = state
        return ended

    def fail_statements(self, statements: Iterable[Statement]) -> Effect:
        """Record that a text failed; return the effect that it had committed before."""
        statements = tuple(statements)
        if self.transaction.is_ended_by_failure(statements):
            return self.apply_statement(Statement("TRANSACTION", transaction="rollback"))
        self.transaction.fail_statement()
        if any(commits_transaction(each, self.dialect, failed=True) for each in statements):
            return self.apply_statement(Statement("TRANSACTION", transaction="commit"))
        return Effect()

    @property
    def pending_effects(self) -> tuple[Effect, ...]:
        """The writes that do not count unless the open transaction is committed."""
        return self.transaction.pending_effects

    def take_pending_effects(self) -> tuple[Effect, ...]:
        """Return the writes of the open transaction, which no ROLLBACK undoes any more."""
        return self.transaction.take_pending_effects()

    def leaves_open(self, name: Name) -> bool:
        """Return whether a name in an effect lacks a part that the session had at its start."""
        return self._start.complete_name(name) != name

    def find_temporary(self, name: Name) -> Temporary | None:
        """Return a temporary table of the session; None if there is none of that name."""
        if not self.temporary:
            return None
        return self.temporary.get(self.place.temporary_key(name))

    def find_routine(self, name: Name) -> RoutineBody | None:
        """Return a procedure or function; None if neither session nor catalog has it."""
        return self.catalog.find_routine(name, self.place, self._routines)

    def create_routine(self, routine: Routine) -> None:
        """Add a routine that a statement creates."""
        name = self.place.complete_name(routine.name)
        body = self.catalog.choose_body(name, routine, self._routines.get(name), self.dialect)
        self._routines[name] = body

    @property
    def created_routines(self) -> Mapping[Name, tuple[Statement, ...]]:
        """The bodies of routines that the session created, by full names."""
        return self._routines

    def reset_connection(self) -> None:
        """Return to the state of the start, as sp_reset_connection of a pool does."""
        self.place = self._start
        self.temporary.clear()
        self.handles.clear()
