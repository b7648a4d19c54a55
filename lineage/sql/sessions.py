"""Follow the statements of a session: temporary tables, USE, handles, transactions, routines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.catalogs import Catalog, RoutineBody
from lineage.sql.effects import Effect
from lineage.sql.lexer import TSQL
from lineage.sql.names import fold_stored, is_session_name
from lineage.sql.open_transaction import OpenTransaction
from lineage.sql.qualified_names import Place
from lineage.sql.records import Call, Flow
from lineage.sql.session_columns import Temporary, TracedFlow
from lineage.sql.system_tables import is_system_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.sql.records import Handle, Name, Routine, Statement

# SQL Server's limit of nested calls.
_MAX_DEPTH = 32
_TEXT_CALLS = frozenset(
    {"exec", "execute immediate", "sp_executesql", "sp_prepexec", "do"}
    | {"sp_cursoropen", "sp_cursorprepexec", "sp_prepexecrpc", "explain analyze"}
)


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
        self._start = Place(dialect, folded, schemas, self.catalog.columns)
        self.place = self._start
        self._temporary: dict[Name, Temporary] = {}
        self._views: dict[Name, tuple[Name, ...]] = {}
        self._handles: dict[str, tuple[Statement, ...]] = {}
        self._routines: dict[Name, tuple[Statement, ...]] = {}
        self._depth = 0
        self._transaction = OpenTransaction(dialect)

    def start_batch(self) -> None:
        """Forget the table variables of T-SQL, which exist in one batch only."""
        for name in [name for name in self._temporary if name[-1].startswith("@")]:
            del self._temporary[name]

    def apply_statement(self, statement: Statement, *, database: str | None = None) -> Effect:
        """Return the effect of the next statement; ``database`` is that in which it ran."""
        if database is not None:
            database = fold_stored(database, self.dialect)
            if database != self.place.database:
                self.place = replace(self.place, database=database)
        place = self.place
        effect = None if self._temporary else self.catalog.find_effect(statement, place)
        if effect is None:
            is_alone = not self._temporary
            change = _Change(self, statement)
            change.apply_all()
            effect = change.to_effect()
            if is_alone:
                self.catalog.remember_effect(statement, place, effect)
            if change.resets and self._transaction.depth:
                statement = replace(statement, transaction="rollback")
        ended, self._temporary = self._transaction.follow_statement(
            statement, effect, self._temporary
        )
        return ended

    @property
    def pending_flows(self) -> tuple[Flow, ...]:
        """The writes of the transaction that is still open."""
        return self._transaction.pending_flows

    def find_temporary(self, name: Name) -> Temporary | None:
        """Return a temporary table of the session; None if there is none of that name."""
        if not self._temporary:
            return None
        return self._temporary.get(self.place.temporary_key(name))

    def find_routine(self, name: Name) -> RoutineBody | None:
        """Return a procedure or function; None if neither session nor catalog has it."""
        return self.catalog.find_routine(name, self.place, self._routines)

    def create_routine(self, routine: Routine) -> None:
        """Add a routine that a statement creates."""
        name = self.place.complete_name(routine.name)
        body = self.catalog.choose_body(name, routine, self._routines.get(name), self.dialect)
        self._routines[name] = body

    def reset_connection(self) -> None:
        """Return to the state of the start, as sp_reset_connection of a pool does."""
        self.place = self._start
        self._temporary.clear()
        self._handles.clear()


class _Change:
    """The effect of one statement while it is computed."""

    def __init__(self, session: Session, statement: Statement) -> None:
        self.session = session
        self.statement = statement
        self.flows: list[Flow] = []
        self.reads: dict[Name, None] = {}
        self.renames: list[tuple[Name, Name]] = []
        self.drops: list[Name] = []
        self.unresolved: dict[str, None] = dict.fromkeys(statement.unresolved)
        self.columns_unresolved: dict[str, None] = {}
        self.resets = False
        self.used_by_functions: dict[Name, None] = {}  # tables from which functions return values

    def to_effect(self) -> Effect:
        """Return the effect; a system table counts if its rows are written into a table."""
        written = {source for flow in self.flows for source in flow.sources}
        dialect = self.session.dialect
        return Effect(
            tuple(self.flows),
            tuple(n for n in self.reads if n in written or not is_system_table(n, dialect)),
            tuple(self.renames),
            tuple(self.drops),
            tuple(self.unresolved),
            tuple(self.columns_unresolved),
        )

    def apply_all(self) -> None:
        statement, session = self.statement, self.session
        if statement.kind == "ALTER":  # of which table is not known
            for key, known in session._temporary.items():
                session._temporary[key] = known._replace(columns=None)
        self.reads.update(self._pass_through(statement.reads))
        for name in statement.functions:
            self._apply_function(name)
        for flow in statement.flows:
            self._apply_flow(flow)
        for view in statement.declares:
            sources = tuple(self._pass_through(view.sources))
            session._views[session.place.complete_name(view.name)] = sources
        for name in statement.drops:
            if session._temporary.pop(session.place.temporary_key(name), None) is None:
                self.drops.append(session.place.complete_name(name))
        for old, new in statement.renames:
            self._apply_rename(old, new)
        if statement.handle is not None:
            self._apply_handle(statement.handle)
        if statement.routine is not None and statement.kind != "CREATE TRIGGER":
            session.create_routine(statement.routine)
        for call in statement.calls:
            self._apply_call(call)
        session.place = session.place.apply_use(statement)

    def _pass_through(self, names: Iterable[Name]) -> dict[Name, None]:
        """Return full names, with the sources of temporary tables in their place."""
        session = self.session
        sources: dict[Name, None] = {}
        for name in names:
            known = session.find_temporary(name)
            if known is not None:
                sources.update(dict.fromkeys(known.sources))
            elif is_session_name(name, session.dialect):
                self.unresolved[
                    f"the temporary table {name[-1]} was not created by a statement that is known"
                ] = None
            else:
                self._report_ambiguous(name)
                sources[session.place.complete_name(name)] = None
        return sources

    def _report_ambiguous(self, name: Name) -> None:
        if self.session.place.is_ambiguous(name):
            self.unresolved[f"the schema of {name[-1]} depends on the search path"] = None

    def _apply_flow(self, flow: Flow) -> None:
        session = self.session
        key = session.place.temporary_key(flow.target)
        sources = tuple(self._pass_through(flow.sources) | self.used_by_functions)
        is_temporary = flow.target in self.statement.temporary or key in session._temporary
        traced = session.catalog.tracer.trace_flow(
            self.statement, flow, session.place, session._temporary
        )
        if self.used_by_functions:
            traced = TracedFlow(None, "the columns that a function reads are not traced")
        if traced.reason and not is_temporary:
            self.columns_unresolved[traced.reason] = None
        if is_temporary:
            if self.statement.kind == "TRUNCATE" or flow.mode in ("create", "overwrite"):
                session._temporary.pop(key, None)
            before = session._temporary.get(key)
            session._temporary[key] = traced.write_temporary(before, sources, flow.mode)
            return
        target = session.place.complete_name(flow.target)
        self._report_ambiguous(flow.target)
        if self.statement.kind == "REFRESH":
            sources = session._views.get(target, sources)
        columns = traced.column_lineage
        self.flows.append(Flow(target, sources, flow.mode, flow.from_files, columns))

    def _apply_function(self, name: Name) -> None:
        """Apply the body of a function; its values may be of all tables that it reads."""
        routine = self.session.find_routine(name)
        if routine is None:
            self.unresolved[
                f"the function {'.'.join(name)} is not known, it may read or write tables"
            ] = None
        else:
            self.used_by_functions.update(self._apply_body(routine))

    def _apply_rename(self, old: Name, new: Name) -> None:
        place, temporary = self.session.place, self.session._temporary
        key = place.temporary_key(old)
        if key in temporary:
            temporary[place.temporary_key(new)] = temporary.pop(key)
        else:
            self.renames.append((place.complete_name(old), place.complete_name(new)))

    def _apply_handle(self, handle: Handle) -> None:
        handles = self.session._handles
        if handle.action == "prepare":
            handles[handle.key] = handle.statements
        elif handle.action == "release":
            if handle.key in ("*", "ALL", "all"):
                handles.clear()
            handles.pop(handle.key, None)
        elif handle.key in handles:
            self._apply_body(RoutineBody(handles[handle.key]))
        else:
            self.unresolved[
                f"the statement with the handle {handle.key} was prepared before those known"
            ] = None

    def _apply_call(self, call: Call) -> None:
        session = self.session
        procedure = call.routine[-1].lower()
        if procedure == "sp_reset_connection":
            self.resets = True
            session.reset_connection()
            return
        if procedure in _TEXT_CALLS or call.statements:
            routine: RoutineBody | None = RoutineBody(call.statements)
        else:
            routine = session.find_routine(call.routine)
        if routine is None:
            name = ".".join(call.routine)
            self.unresolved[f"the body of the procedure {name} is not known"] = None
        else:
            rows = self._apply_body(routine, only_rows=True)
            if call.target is not None and rows:
                self._apply_flow(Flow(call.target, tuple(rows), "append"))

    def _apply_body(self, routine: RoutineBody, *, only_rows: bool = False) -> dict[Name, None]:
        """Apply the statements of a text or a routine; its temporary tables end with it.

        Return the tables that they read; with ``only_rows`` those of the rows that queries return.
        """
        if self.session._depth >= _MAX_DEPTH:
            self.unresolved["procedures call each other too deeply"] = None
            return {}
        session = self.session
        outer, place = set(session._temporary), session.place
        if routine.database is not None:
            session.place = replace(place, database=routine.database)
        session._depth += 1
        rows: dict[Name, None] = {}
        for statement in routine.statements:
            change = _Change(session, statement)
            change.apply_all()
            self.flows += change.flows
            self.reads.update(change.reads)
            self.renames += change.renames
            self.drops += change.drops
            self.unresolved.update(change.unresolved)
            self.columns_unresolved.update(change.columns_unresolved)
            if statement.kind == "SELECT" or not only_rows:
                rows.update(change.reads)
        session._depth -= 1
        if session.dialect in TSQL or routine.database is not None:
            session.place = place
        if session.dialect in TSQL:
            for name in set(session._temporary) - outer:
                if not name[-1].startswith("##"):
                    del session._temporary[name]
        return rows
