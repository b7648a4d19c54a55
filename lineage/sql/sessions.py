"""Follow the statements of a session: temporary tables, USE, handles, transactions, routines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from lineage.sql.lexer import TSQL
from lineage.sql.names import is_session_name
from lineage.sql.qualified_names import Place
from lineage.sql.records import Call, Flow
from lineage.sql.session_columns import ColumnTracer, Temporary, merge_columns, rename_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.columns.compaction import ColumnLineage
    from lineage.sql.records import Handle, Name, Statement

# SQL Server's limit of nested calls.
_MAX_DEPTH = 32
# Definitions that commit the open transaction.
_COMMITTING_DIALECTS = frozenset({"mysql", "snowflake", "oracle"})
_DEFINITIONS = ("CREATE", "DROP", "ALTER", "RENAME", "TRUNCATE")
_TEXT_CALLS = frozenset(
    {"exec", "execute immediate", "sp_executesql", "sp_prepexec", "do"}
    | {"sp_cursoropen", "sp_cursorprepexec", "sp_prepexecrpc", "explain analyze"}
)


@dataclass(frozen=True)
class Catalog:
    """What is known of a server: columns of tables, and bodies of routines, by full names."""

    columns: Mapping[Name, Sequence[str]] = field(default_factory=dict)
    routines: Mapping[Name, tuple[Statement, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Effect:
    """What a statement did in its session, with full names and without temporary tables.

    ``columns_unresolved`` are reasons why columns of outputs have no sources, although the tables
    have. ``flows`` of a statement in a transaction are pending: they are repeated in ``committed``
    or ``rolled_back`` of the statement that ends the transaction.
    """

    flows: tuple[Flow, ...] = ()
    reads: tuple[Name, ...] = ()
    renames: tuple[tuple[Name, Name], ...] = ()
    drops: tuple[Name, ...] = ()
    unresolved: tuple[str, ...] = ()
    columns_unresolved: tuple[str, ...] = ()
    is_pending: bool = False
    ended: Literal["", "commit", "rollback"] = ""
    committed: tuple[Flow, ...] = ()
    rolled_back: tuple[Flow, ...] = ()


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
        schemas = tuple(part.strip() for part in schema.split(",")) if schema else ()
        self.dialect = dialect
        self.catalog = catalog or Catalog()
        self._start = Place(dialect, database, schemas, self.catalog.columns)
        self.place = self._start
        self._temporary: dict[Name, Temporary] = {}
        self._columns = ColumnTracer(self.catalog.columns)
        self._views: dict[Name, tuple[Name, ...]] = {}
        self._handles: dict[str, tuple[Statement, ...]] = {}
        self._depth = 0
        self._open = 0
        self._pending: list[Flow] = []
        self._before: dict[Name, Temporary] = {}

    def start_batch(self) -> None:
        """Forget the table variables of T-SQL, which exist in one batch only."""
        for name in [name for name in self._temporary if name[-1].startswith("@")]:
            del self._temporary[name]

    def apply_statement(self, statement: Statement, *, database: str | None = None) -> Effect:
        """Return the effect of the next statement; ``database`` is that in which it ran."""
        if database is not None and database != self.place.database:
            self.place = replace(self.place, database=database)
        change = _Change(self, statement)
        change.apply_all()
        return self._end_transaction(statement, change)

    def _end_transaction(self, statement: Statement, change: _Change) -> Effect:
        effect = Effect(
            tuple(change.flows),
            tuple(change.reads),
            tuple(change.renames),
            tuple(change.drops),
            tuple(change.unresolved),
            tuple(change.columns_unresolved),
        )
        if self._depth:
            return effect
        transaction = statement.transaction
        if change.resets and self._open:
            transaction = "rollback"
        is_definition = statement.kind.startswith(_DEFINITIONS) and not statement.temporary
        if is_definition and self.dialect in _COMMITTING_DIALECTS:
            transaction = "commit"
        if transaction == "begin":
            self._open = self._open + 1 if self.dialect in TSQL else 1
            self._before = dict(self._temporary) if self._open == 1 else self._before
        elif transaction and self._open:
            self._open = self._open - 1 if transaction == "commit" else 0
            if self._open:
                return effect
            pending, self._pending = tuple(self._pending), []
            if transaction == "commit":
                return replace(effect, ended="commit", committed=pending)
            self._restore_temporary()
            return replace(effect, ended="rollback", rolled_back=pending)
        elif statement.kind == "TRANSACTION" and statement.unresolved:
            self._pending.clear()  # a savepoint: which of the changes remain is not known
        elif self._open:
            self._pending += effect.flows
            return replace(effect, is_pending=True)
        return effect

    def _restore_temporary(self) -> None:
        """Restore the temporary tables from before the transaction; variables keep their rows."""
        variables = {n: s for n, s in self._temporary.items() if n[-1].startswith("@")}
        self._temporary = {**self._before, **variables}

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

    def apply_all(self) -> None:
        statement, session = self.statement, self.session
        if statement.kind == "ALTER":  # of which table is not known
            for key, known in session._temporary.items():
                session._temporary[key] = known._replace(columns=None)
        self.reads.update(self._pass_through(statement.reads))
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
        for call in statement.calls:
            self._apply_call(call)
        session.place = session.place.apply_use(statement)

    def _pass_through(self, names: Iterable[Name]) -> dict[Name, None]:
        """Return full names, with the sources of temporary tables in their place."""
        session = self.session
        sources: dict[Name, None] = {}
        for name in names:
            key = session.place.temporary_key(name)
            if key in session._temporary:
                sources.update(dict.fromkeys(session._temporary[key].sources))
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
        sources = tuple(self._pass_through(flow.sources))
        is_temporary = flow.target in self.statement.temporary or key in session._temporary
        traced = session._columns.trace_flow(
            self.statement, flow, session.place, session._temporary
        )
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
        self.flows.append(Flow(target, sources, flow.mode, traced.column_lineage))

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
            self._apply_nested(handles[handle.key])
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
            statements: tuple[Statement, ...] | None = call.statements
        else:
            statements = session.catalog.routines.get(session.place.complete_name(call.routine))
        if statements is None:
            name = ".".join(call.routine)
            self.unresolved[f"the body of the procedure {name} is not known"] = None
        elif session._depth >= _MAX_DEPTH:
            self.unresolved["procedures call each other too deeply"] = None
        else:
            self._apply_nested(statements, call.target)

    def _apply_nested(self, statements: Sequence[Statement], target: Name | None = None) -> None:
        """Apply the statements of a text or a routine; its temporary tables end with it."""
        session = self.session
        outer, place = set(session._temporary), session.place
        session._depth += 1
        rows: dict[Name, None] = {}
        for statement in statements:
            change = _Change(session, statement)
            change.apply_all()
            self.flows += change.flows
            self.reads.update(change.reads)
            self.renames += change.renames
            self.drops += change.drops
            self.unresolved.update(change.unresolved)
            self.columns_unresolved.update(change.columns_unresolved)
            if statement.kind == "SELECT":
                rows.update(change.reads)
        session._depth -= 1
        if target is not None and rows:
            self._apply_flow(Flow(target, tuple(rows), "append"))
        if session.dialect in TSQL:
            session.place = place
            for name in set(session._temporary) - outer:
                if not name[-1].startswith("##"):
                    del session._temporary[name]


def merge_effects(effects: Iterable[Effect]) -> Effect:
    """Return what all statements of a session did: without what was rolled back.

    A table that was written and then renamed has its new name. A transaction that is still open
    at the end is not committed.
    """
    merged: dict[tuple[Name, str], dict[Name, None]] = {}
    columns: dict[Name, ColumnLineage] = {}
    reads: dict[Name, None] = {}
    renames: list[tuple[Name, Name]] = []
    drops: dict[Name, None] = {}
    unresolved: dict[str, None] = {}
    without_columns: dict[str, None] = {}
    for effect in effects:
        flows = effect.committed if effect.is_pending or effect.ended else effect.flows
        if effect.ended == "commit":
            flows = (*effect.committed, *effect.flows)
        for flow in flows:
            merged.setdefault((flow.target, flow.mode), {}).update(dict.fromkeys(flow.sources))
            if flow.columns is not None:
                columns[flow.target] = merge_columns(columns.get(flow.target), flow.columns)
        reads.update(dict.fromkeys(effect.reads))
        for old, new in effect.renames:
            if any(target == old for target, _ in merged):
                merged = _rename_all(merged, old, new)
                columns = rename_tables(columns, old, new)
            else:
                renames.append((old, new))
        drops.update(dict.fromkeys(effect.drops))
        unresolved.update(dict.fromkeys(effect.unresolved))
        without_columns.update(dict.fromkeys(effect.columns_unresolved))
    flows = tuple(
        Flow(target, tuple(sources), mode, columns.get(target))  # type: ignore[arg-type]
        for (target, mode), sources in merged.items()
    )
    return Effect(
        flows, tuple(reads), tuple(renames), tuple(drops), tuple(unresolved), tuple(without_columns)
    )


def _rename_all(
    merged: dict[tuple[Name, str], dict[Name, None]], old: Name, new: Name
) -> dict[tuple[Name, str], dict[Name, None]]:
    renamed: dict[tuple[Name, str], dict[Name, None]] = {}
    for (target, mode), sources in merged.items():
        key = (new if target == old else target, mode)
        renamed.setdefault(key, {}).update(
            {new if source == old else source: None for source in sources}
        )
    return renamed
