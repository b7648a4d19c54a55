"""Fold the rows of a part into runs. The result depends on the set of rows alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias
from uuid import NAMESPACE_URL, uuid5

from lineage.readers.complete_names import omit_incomplete
from lineage.readers.query_logs.ended_transactions import find_doubt
from lineage.readers.query_logs.origins import Call, Origin, add_effect
from lineage.readers.query_logs.outcomes import ENDS, is_statement, judge_rows
from lineage.readers.query_logs.rows import Kind, begin_time, is_of_client
from lineage.readers.query_logs.runs import Occurrences, Run, Unresolved
from lineage.readers.query_logs.session_state import is_one_session
from lineage.sql.catalogs import Catalog
from lineage.sql.dialects import TSQL
from lineage.sql.records import Statement
from lineage.sql.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.naming import DatasetName
    from lineage.readers.query_logs.outcomes import Outcome
    from lineage.readers.query_logs.stored_rows import LoadedRow
    from lineage.readers.server_names import ServerNames
    from lineage.sql.effects import Effect

_PUBLIC = "public"  # the schema from which PostgreSQL's sessions start
_UNFINISHED = "The transaction is open at the end of the run."


@dataclass
class SessionState:
    """A session, and the run to which its statements belong."""

    session: Session
    run: Run
    transaction: str = ""  # the id of the last row
    is_idle: bool = False  # whether the last statement ended a transaction
    handles: dict[str, tuple[Statement, ...]] = field(default_factory=dict)
    # Tables whose rows the client received before the part, if an open transaction goes on.
    earlier: dict[DatasetName, None] = field(default_factory=dict)
    # Pending effects with their origins, by identity. The effect is there so that its id lasts.
    pending: dict[int, tuple[Effect, Origin]] = field(default_factory=dict)
    resumed: set[int] = field(default_factory=set)  # those that began before the part
    calls: dict[int, Call] = field(default_factory=dict)
    lacks_begin: bool = False  # whether the open transaction began before the log

    @property
    def has_transaction(self) -> bool:
        """Whether a transaction is open."""
        return bool(self.session.transaction.depth)

    def has_ended_unseen(self, outcome: Outcome) -> bool:
        """Return whether a row shows that a transaction without BEGIN has ended before it.

        The log may be a sample, without its COMMIT. A row at the end of a statement has the id that
        is valid after it, "" outside of transactions.
        """
        row = outcome.row.row
        if not self.lacks_begin or row.transaction == self.transaction:
            return False
        if row.kind == Kind.STATEMENT:
            ends = any(each.transaction in ENDS for each in outcome.row.statements)
            return not (ends or row.is_nested)
        return bool(row.transaction)

    def follow_transaction(self, outcome: Outcome) -> None:
        """Begin and end transactions that the log shows by their ids, or by statements without one.

        A function that sets a search path for its transaction has rows of its own before the call.
        """
        row = outcome.row.row
        is_same = row.transaction == self.transaction
        if not is_same or not (row.transaction or row.is_nested):
            self.session.end_implicit_transaction()
        self.transaction = row.transaction
        if outcome.lacks_begin and not self.has_transaction:
            self.session.apply_statement(Statement("TRANSACTION", transaction="begin"))
            self.lacks_begin = True

    def begin_part(self) -> None:
        """Keep what an open transaction has: what the next part commits is of its runs."""
        goes_on = self.has_transaction and not self.is_idle
        self.earlier = dict(self.run.fetched) if goes_on else {}
        self.resumed = set(self.pending)
        self.calls.clear()

    def enter_run(self, run: Run) -> None:
        """Begin a row of a run, which goes on with what the client has in memory."""
        self.run = run
        run.fetched = run.fetched or dict(self.earlier)

    def take_origin(self, committed: Effect, origin: Origin) -> Origin:
        """Return the origin of a pending effect; ``origin`` is that of the COMMIT."""
        key = id(committed)
        _, before = self.pending.pop(key, (committed, origin))
        return before._replace(run=origin.run) if key in self.resumed else before

    def end_transaction(self) -> None:
        """Forget the transaction that has ended."""
        self.pending.clear()
        self.earlier = {}
        self.lacks_begin = False

    def find_call(self, outcome: Outcome) -> Call | None:
        """Return the call that a row belongs to, if it has nested rows."""
        call = outcome.call or outcome
        return self.calls.setdefault(id(call), Call()) if call.has_parts else None

    def has_other_path(self, outcome: Outcome) -> bool:
        """Return whether a nested row ran with the search path of a function that is known.

        Then the call has its effect, by the body of the function.
        """
        if outcome.call is None:
            return False
        names = [name for each in outcome.call.row.statements for name in each.functions]
        names += [call.routine for each in outcome.call.row.statements for call in each.calls]
        bodies = filter(None, map(self.session.find_routine, names))
        return any(each.lasts_until == "return" for body in bodies for each in body.statements)

    def returns_rows(self, statement: Statement) -> bool:
        """Return whether the client receives rows: of a query, also of one that it prepared."""
        handle = statement.handle
        nested = [each for call in statement.calls for each in call.statements]
        if handle and handle.action == "prepare":
            self.handles[handle.key] = handle.statements
        elif handle and handle.action == "execute":
            nested += self.handles.get(handle.key, ())
        if statement.calls or handle:
            return any(each.reads and not each.flows for each in nested)
        return not statement.flows


Sessions: TypeAlias = dict[str, SessionState]  # by their names


@dataclass
class PartReader:
    """Reads the parts of a server, by its names and its catalog."""

    server: ServerNames
    catalog: Catalog | None = None

    def __post_init__(self) -> None:
        self._known = self.catalog or Catalog()

    def fold_rows(
        self,
        unit: str,
        rows: Iterable[LoadedRow],
        *,
        has_ended: bool,
        sessions: Sessions | None = None,
    ) -> list[Run]:
        """Return the runs of a part. ``has_ended``: whether a pause follows it in the log.

        ``sessions`` are those before the part, which go on after a pause. They become those after
        it.
        """
        sessions = {} if sessions is None else sessions
        for state in sessions.values():
            state.begin_part()
        runs = self._follow_rows(unit, rows, sessions)
        if has_ended:
            for state in sessions.values():
                _close_session(state)
        for run in runs:
            run.has_ended = run.has_ended or has_ended
        return runs

    def _follow_rows(self, unit: str, rows: Iterable[LoadedRow], sessions: Sessions) -> list[Run]:
        """Apply rows to the sessions, and return the runs that these rows are of."""
        ordered = sorted(rows, key=_row_key)
        outcomes = _judge_sessions(ordered, self._known, sessions)
        first = min((begin_time(each.row.time, each.row.duration) for each in ordered), default="")
        runs: dict[tuple[str, str, str], Run] = {}
        for loaded in ordered:
            run = self._find_run(runs, unit, loaded, first)
            run.last = loaded.row.time
            if loaded.row.kind in (Kind.RESET, Kind.END):
                closed = sessions.pop(loaded.row.session, None)
                self._end_unseen(closed, run.last)
                _close_session(closed)
                run.has_ended = loaded.row.kind == Kind.END and is_one_session(unit)
                continue
            run.has_ended = False
            state = sessions.get(loaded.row.session)
            if state is None:
                state = sessions[loaded.row.session] = self._open_session(loaded, run)
            if state.has_ended_unseen(outcomes[loaded.sha256]):
                self._end_unseen(state, run.last)
            state.enter_run(run)
            self._apply_row(state, outcomes[loaded.sha256])
        for state in sessions.values():
            self._end_unseen(state, state.run.last)
        return list(runs.values())

    def _find_run(
        self, runs: dict[tuple[str, str, str], Run], unit: str, loaded: LoadedRow, first: str
    ) -> Run:
        row = loaded.row
        namespace = row.job_namespace or self.server.namespace
        run = runs.get((namespace, row.job, row.run))
        if run is None:
            id = row.run or _derive_run_id(self.server.namespace, unit, namespace, row.job, first)
            begin = begin_time(row.time, row.duration)
            run = Run(namespace, row.job, id, bool(row.run), begin)
            runs[namespace, row.job, row.run] = run
        run.users.update(filter(None, [row.user]))
        run.hosts.update(filter(None, [row.host]))
        return run

    def _open_session(self, loaded: LoadedRow, run: Run) -> SessionState:
        row = loaded.row
        schema = row.schema
        if schema == _PUBLIC and (row.database, row.user) in self._known.known_schemas:
            schema = ",".join((row.user, schema))  # the path begins with "$user"
        session = Session(row.dialect, row.database or None, schema or None, self._known)
        return SessionState(session, run)

    def _apply_row(self, state: SessionState, outcome: Outcome) -> None:
        row, run = outcome.row.row, state.run
        state.follow_transaction(outcome)
        counts = is_statement(outcome)
        if counts or row.kind in (Kind.ERROR, Kind.REQUEST):
            run.has_failed = outcome.failed
        if row.kind != Kind.STARTING:
            run.has_outcomes = True
        if outcome.is_counted and (doubt := find_doubt(outcome, state.session)):
            _add_unresolved(run, row.time, outcome.row.statements[0], (doubt,))
        if outcome.failed:
            if counts or (row.kind == Kind.ERROR and outcome.is_counted):
                run.statements += 1
                run.failed += 1
            committed = outcome.committed or 0
            for statement in outcome.row.statements[:committed]:
                self._apply_statement(state, statement, outcome, is_undone=False)
            effect = state.session.fail_statements(outcome.row.statements[committed:])
            self._add_committed(state, Origin(run, run, 0, None, False), row.time, effect)
        elif counts and not state.has_other_path(outcome):
            for number, statement in enumerate(outcome.row.statements):
                is_undone = number in outcome.undone
                self._apply_statement(state, statement, outcome, is_undone=is_undone)
        else:
            for statement in outcome.row.statements:
                if statement.handle:  # the rows of its parts do not show the handle
                    prepared = Statement(statement.kind, handle=statement.handle)
                    state.session.apply_statement(prepared, database=row.database or None)
        state.session.end_text()
        if row.kind == Kind.REQUEST:
            state.session.start_batch()

    def _apply_statement(
        self, state: SessionState, statement: Statement, outcome: Outcome, *, is_undone: bool
    ) -> None:
        row, run = outcome.row.row, state.run
        run.statements += 1
        if text := outcome.row.text or statement.shape:
            run.texts[text] = None
        applied = state.session.apply_statement(statement, database=row.database or None)
        effect = omit_incomplete(applied, row.dialect)
        call, has_functions = state.find_call(outcome), bool(statement.functions)
        origin = Origin(run, run, len(run.fetched), call, has_functions)
        self._add_committed(state, origin, row.time, applied)
        _add_reasons(run, row.time, statement, outcome, effect.unresolved)
        if self.catalog is not None:
            run.reasons.update(effect.columns_unresolved)
        if effect.is_pending:
            state.pending[id(applied)] = applied, origin
        elif not (effect.has_writes and is_undone):
            returns = not effect.has_writes and state.returns_rows(statement)
            fetched = returns and not row.is_nested and is_of_client(row)
            add_effect(self.server, origin, row.time, effect, fetched=fetched)
            if returns and row.is_nested and origin.call:
                names = map(self.server.name_dataset, effect.reads)
                origin.call.read_datasets(row.time, names)

    def _end_unseen(self, state: SessionState | None, time: str) -> None:
        """End a transaction that began before the log, and of which the log lacks the end."""
        if state is not None and state.lacks_begin:
            effect = state.session.apply_statement(Statement("TRANSACTION", transaction="commit"))
            self._add_committed(state, Origin(state.run, state.run, 0, None, False), time, effect)
            state.lacks_begin = False

    def _add_committed(
        self, state: SessionState, origin: Origin, time: str, effect: Effect
    ) -> None:
        """Add the effects of earlier statements that this one commits, to the runs of these."""
        for committed in effect.committed:
            known = omit_incomplete(committed, state.session.dialect)
            add_effect(self.server, state.take_origin(committed, origin), time, known)
        state.is_idle = bool(effect.ended)
        if state.is_idle:
            state.end_transaction()


def _add_reasons(
    run: Run, time: str, statement: Statement, outcome: Outcome, reasons: tuple[str, ...]
) -> None:
    """Record why a statement is not resolved, unless other rows show its effect."""
    savepoint = statement.savepoint
    is_return = savepoint is not None and savepoint.action == "return"
    if is_return and outcome.row.row.dialect in TSQL:  # drivers begin transactions unseen
        return
    if outcome.has_parts and not (outcome.lacks_definitions and statement.kind == "CALL"):
        return
    _add_unresolved(run, time, statement, reasons)


def _add_unresolved(run: Run, time: str, statement: Statement, reasons: tuple[str, ...]) -> None:
    run.reasons.update(reasons)
    if in_session := tuple(each for each in reasons if each not in statement.unresolved):
        unresolved = Unresolved(statement.shape, in_session)
        run.unresolved.setdefault(unresolved, Occurrences(time)).count += 1


def _row_key(loaded: LoadedRow) -> tuple[str, int, bytes]:
    return loaded.row.time, loaded.row.position, loaded.sha256


def _judge_sessions(
    rows: Iterable[LoadedRow], catalog: Catalog, sessions: Sessions
) -> dict[bytes, Outcome]:
    by_session: dict[str, list[LoadedRow]] = {}
    for loaded in rows:
        by_session.setdefault(loaded.row.session, []).append(loaded)
    return {
        outcome.row.sha256: outcome
        for name, session in by_session.items()
        for outcome in judge_rows(
            session, catalog, is_open=name in sessions and sessions[name].has_transaction
        )
    }


def _close_session(state: SessionState | None) -> None:
    """End a session: its open transaction is rolled back."""
    if state is not None and (pending := state.session.pending_effects):
        state.run.reasons[_UNFINISHED] += len(pending)


def _derive_run_id(server: str, unit: str, namespace: str, job: str, first: str) -> str:
    key = "\n".join((server, unit, namespace, job, first))
    return str(uuid5(NAMESPACE_URL, f"urn:lineage-age:imported-run:{key}"))
