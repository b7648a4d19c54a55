"""The effect of one statement on its session: its inputs and outputs there, by full names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.body_transaction import BodyTransaction
from lineage.sql.branches import BranchedState
from lineage.sql.catalogs import RoutineBody
from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.effects import Effect, group_renames
from lineage.sql.names import is_session_name
from lineage.sql.open_transaction import ending_of_caller
from lineage.sql.qualified_names import ambiguous_schema
from lineage.sql.records import Flow
from lineage.sql.returned_rows import returns_changes, returns_rows
from lineage.sql.session_columns import TracedFlow, join_tables
from lineage.sql.system_tables import is_system_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.sql.open_transaction import Ending
    from lineage.sql.qualified_names import Place
    from lineage.sql.records import Call, Handle, Name, Statement
    from lineage.sql.session_columns import Temporary
    from lineage.sql.sessions import Session

# SQL Server's limit of nested calls.
_MAX_DEPTH = 32
_TEXT_CALLS = frozenset(
    {"exec", "execute immediate", "sp_executesql", "sp_prepexec", "do"}
    | {"sp_cursoropen", "sp_cursorprepexec", "sp_prepexecrpc", "explain analyze"}
)


class AppliedStatement:
    """The effect of one statement while it is computed."""

    def __init__(self, session: Session, statement: Statement) -> None:
        self.session = session
        self.statement = statement
        self.flows: list[Flow] = []
        self.reads: dict[Name, None] = {}
        self.renames: list[tuple[Name, Name]] = []
        self.drops: list[Name] = []
        self.parts: list[Effect] = []  # of the statements that this one executed
        self.unresolved: dict[str, None] = dict.fromkeys(statement.unresolved)
        self.columns_unresolved: dict[str, None] = {}
        self.resets = False
        self.ending: Ending = ""  # of the caller's transaction, by the executed statement
        self.body: BodyTransaction | None = None  # of the last body that it executed
        self.autonomous: list[Effect] = []  # of transactions that the caller does not undo
        self.used_by_functions: dict[Name, None] = {}  # tables from which functions return values
        self.rows: dict[Name, None] = {}  # tables whose rows its calls return

    @property
    def begun_at(self) -> int | None:
        """The number of parts before a transaction that it began and did not end, or None."""
        return self.body.begun_at if self.body is not None else None

    def to_effect(self) -> Effect:
        """Return the effect; a system table counts if its rows are written into a table.

        Writes before a transaction that remains open are committed.
        """
        own = Effect(
            flows=tuple(self.flows),
            renames=tuple(self.renames),
            swaps=self.statement.swaps,
            drops=tuple(self.drops),
            kind=self.statement.kind,
        )
        begun_at = self.begun_at or 0
        parts, before = self.parts[begun_at:], self.parts[:begun_at]
        steps = (*parts, own) if own.has_writes else tuple(parts)
        flows = tuple(flow for step in steps for flow in step.flows)
        written = {source for flow in flows for source in flow.sources}
        dialect = self.session.dialect
        return replace(
            own,
            flows=flows,
            reads=tuple(n for n in self.reads if n in written or not is_system_table(n, dialect)),
            renames=tuple(pair for step in steps for pair in step.renames),
            drops=tuple(name for step in steps for name in step.drops),
            unresolved=tuple(self.unresolved),
            columns_unresolved=tuple(self.columns_unresolved),
            parts=steps if self.parts else (),
            committed=(*self.autonomous, *before),
        )

    def apply_all(self) -> None:
        statement, session = self.statement, self.session
        if statement.kind == "ALTER":  # of which table is not known
            for key, known in session.temporary.items():
                session.temporary[key] = known._replace(columns=None)
        self.reads.update(self._pass_through(statement.reads))
        defined = (each for each in statement.may_call if session.find_routine(each) is not None)
        for name in (*statement.functions, *defined):
            self._apply_function(name)
        rows = {} if statement.handle is None else self._apply_handle(statement.handle)
        for flow in statement.flows:
            self._apply_flow(replace(flow, sources=(*flow.sources, *rows)) if rows else flow)
        for view in statement.declares:
            sources = tuple(self._pass_through(view.sources))
            session.views[session.place.complete_new_name(view.name)] = sources
        for name in statement.drops:
            dropped = session.temporary.pop(session.place.temporary_key(name), None)
            is_temporary = name in statement.temporary or is_session_name(name, session.dialect)
            if dropped is None and not is_temporary:
                self.drops.append(session.place.complete_name(name))
        for renames in group_renames(statement):
            self._apply_renames(renames)
        if statement.routine is not None and statement.kind != "CREATE TRIGGER":
            session.create_routine(statement.routine)
        for call in statement.calls:
            self._apply_call(call)
        if statement.kind == "CALL" and not statement.calls and statement.unresolved:
            self._apply_unknown()
        if "tables" in statement.resets:
            session.temporary.clear()
        if "handles" in statement.resets:
            session.handles.clear()
        session.place = self._change_tables().apply_statement(statement)

    def _change_tables(self) -> Place:
        """Return the place with the tables that the statement created."""
        created = [flow.target for flow in self.flows if flow.mode == "create"]
        created += [new for _, new in self.renames]
        removed = [*self.drops, *(old for old, _ in self.renames)]
        return self.session.place.change_tables(created, removed)

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
            self.unresolved[ambiguous_schema(name[-1])] = None

    def _apply_flow(self, flow: Flow) -> None:
        session = self.session
        key = session.place.temporary_key(flow.target)
        sources = tuple(self._pass_through(flow.sources) | self.used_by_functions)
        is_temporary = flow.target in self.statement.temporary or key in session.temporary
        traced = session.catalog.tracer.trace_flow(
            self.statement, flow, session.place, session.temporary
        )
        if self.used_by_functions:
            traced = TracedFlow(None, "the columns that a function reads are not traced")
        if traced.reason and not is_temporary:
            self.columns_unresolved[traced.reason] = None
        if is_temporary:
            before = session.temporary.get(key)
            if flow.mode == "create":
                before = None
            elif before and (self.statement.empties_tables or flow.mode == "overwrite"):
                before = before.without_rows()
            written = traced.write_temporary(before, sources, flow.mode)
            drops = before.drops_at_commit if before else self.statement.lasts_until == "commit"
            session.temporary[key] = written._replace(drops_at_commit=drops)
            return
        is_new = flow.mode == "create"
        complete = session.place.complete_new_name if is_new else session.place.complete_name
        target = complete(flow.target)
        if target == flow.target or not is_new:
            self._report_ambiguous(flow.target)
        if self.statement.kind == "REFRESH":
            sources = session.views.get(target, sources)
        columns = traced.column_lineage
        self.flows.append(replace(flow, target=target, sources=sources, columns=columns))

    def _apply_function(self, name: Name) -> None:
        """Apply the body of a function; its values may be of all tables that it reads."""
        routine = self.session.find_routine(name)
        if routine is None:
            self.unresolved[
                f"the function {'.'.join(name)} is not known, it may read or write tables"
            ] = None
        else:
            returned = self._apply_body(routine)
            self.reads.update(returned)
            self.used_by_functions.update(returned)

    def _apply_renames(self, renames: dict[Name, Name]) -> None:
        """Give tables their new names at once."""
        place, temporary = self.session.place, self.session.temporary
        moved = {}
        for old, new in renames.items():
            key = place.temporary_key(old)
            if key in temporary:
                moved[place.temporary_key(new)] = temporary.pop(key)
            else:
                self.renames.append(place.complete_renamed(old, new))
        temporary.update(moved)

    def _apply_handle(self, handle: Handle) -> dict[Name, None]:
        """Apply a prepared statement; return the tables whose rows it returns."""
        handles = self.session.handles
        if handle.action == "prepare":
            handles[handle.key] = handle.statements
        elif handle.action == "release":
            if handle.key in ("*", "ALL", "all"):
                handles.clear()
            handles.pop(handle.key, None)
        elif handle.key in handles:
            return self._apply_body(RoutineBody(handles[handle.key]), only_rows=True)
        else:
            self.unresolved[
                f"the statement with the handle {handle.key} was prepared before those known"
            ] = None
        return {}

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
            self._apply_unknown()
        else:
            rows = self._apply_body(routine, only_rows=True)
            if call.target is None:
                self.rows.update(rows)
            elif rows:
                self.reads.update(rows)
                self._apply_flow(Flow(call.target, tuple(rows), "append"))

    def list_returned(self, *, only_rows: bool) -> dict[Name, None]:
        """Return the tables whose rows it returns; not ``only_rows``: those that it reads too."""
        dialect = self.session.dialect
        is_read = returns_rows(self.statement, dialect) or not only_rows
        returned = self.rows | (self.reads if is_read else {})
        if returns_changes(self.statement, dialect):
            returned |= self._pass_through(self.statement.written_tables)
        return returned

    def _apply_unknown(self) -> None:
        """Take a body that is not known for one that commits, so that no ROLLBACK passes it."""
        if traits_of(self.session.dialect).lacks_autocommit:
            self.ending = self.ending or "commit"

    def _add_change(
        self, change: AppliedStatement, parts: list[Effect], transaction: BodyTransaction
    ) -> None:
        """Add the effect of a statement of a body, and undo the effects that it rolls back."""
        effect = change.to_effect()
        base = len(parts)
        parts += effect.committed[len(change.autonomous) :]
        begun_at = len(parts)
        parts += (step for step in effect.steps if step.has_writes)
        if change.body is not None and change.body.ended_at is not None:
            before = len(parts)
            ended_at = base + change.body.ended_at
            transaction.end_by_call(change.body.first_end, base, ended_at)
            begun_at -= before - len(parts)
        if change.begun_at is not None:
            transaction.begin_transaction(begun_at)
        self.autonomous += change.autonomous
        self.reads.update(change.reads)
        self.unresolved.update(change.unresolved)
        self.columns_unresolved.update(change.columns_unresolved)
        if reason := transaction.follow_statement(change.statement):
            self.unresolved[reason] = None

    def _apply_body(self, routine: RoutineBody, *, only_rows: bool = False) -> dict[Name, None]:
        """Apply the statements of a text or a routine; its temporary tables end with it.

        Return the tables that they read; with ``only_rows`` those of the rows that queries return.
        """
        if self.session.depth >= _MAX_DEPTH:
            self.unresolved["procedures call each other too deeply"] = None
            return {}
        session = self.session
        outer, place = set(session.temporary), session.place
        if routine.database is not None:
            session.place = replace(place, database=routine.database)
        session.depth += 1
        rows: dict[Name, None] = {}
        parts = self.autonomous if routine.is_autonomous else self.parts
        caller = session.body
        transaction = BodyTransaction(session.dialect, parts, caller or session.transaction)
        session.body = transaction
        branches: BranchedState[dict[Name, Temporary]] = BranchedState(dict, join_tables)
        for statement in routine.statements:
            session.temporary = branches.enter_branches(statement.branches, session.temporary)
            change = AppliedStatement(session, statement)
            change.apply_all()
            self._add_change(change, parts, transaction)
            if not routine.is_autonomous:
                ending = change.ending or ending_of_caller(statement, session.dialect)
                self.ending = self.ending or ending
            rows.update(change.list_returned(only_rows=only_rows))
        session.temporary = branches.leave_text(session.temporary)
        if not routine.is_autonomous:
            self.body = transaction
        session.depth -= 1
        session.body = caller
        has_path = any(each.lasts_until == "return" for each in routine.statements)
        if session.dialect in TSQL or routine.database is not None or has_path:
            session.place = place
        if session.dialect in TSQL:
            for name in set(session.temporary) - outer:
                if not name[-1].startswith("##"):
                    del session.temporary[name]
        return rows
