"""The outcome of each row of a session: whether it counts, and whether it failed.

The rules follow from the logs of servers; docs/decisions/imported-statements.md lists them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from lineage.readers.query_logs.rows import Kind, begin_time
from lineage.readers.query_logs.text_transactions import undone_in_text
from lineage.readers.query_logs.unseen_transaction import UnseenTransaction
from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.readers.query_logs.stored_rows import LoadedRow
    from lineage.sql.catalogs import Catalog
    from lineage.sql.effects import Effect

_STATEMENTS = (Kind.STATEMENT, Kind.STARTED, Kind.STARTING)
_TEXTS = (*_STATEMENTS, Kind.REQUEST)
_STARTED = (Kind.STARTED, Kind.AUDITED)
ENDS = ("commit", "rollback")


@dataclass(slots=True)
class Outcome:
    """A row and its outcome.

    ``is_counted``: whether the row is a statement by itself. A request with parts, and the second
    row of one statement, are not. ``has_parts``: other rows report the statements that it ran.
    ``lacks_definitions``: these are plans, which report no CREATE or DROP. ``undone``: the numbers
    of its statements that a later rollback undoes, although the log shows no beginning of the
    transaction before them. ``lacks_begin``: whether it is the first row of a transaction that
    began before the log. ``call``: the statement of the client that ran a nested one.
    ``failed_in``: the id of the transaction of the error. ``keeps_parts``: whether it failed after
    transactions that it ended. ``committed``: the number of its statements that count
    although it failed, None if not known.
    """

    row: LoadedRow
    is_counted: bool = True
    failed: bool = False
    has_parts: bool = False
    lacks_definitions: bool = False
    undone: set[int] = field(default_factory=set)
    lacks_begin: bool = False
    call: Outcome | None = None
    failed_in: str = ""
    keeps_parts: bool = False
    committed: int | None = None


def judge_rows(rows: Sequence[LoadedRow], catalog: Catalog, *, is_open: bool) -> list[Outcome]:
    """Return the outcomes of the rows of one session of a server, in order.

    ``is_open``: whether a transaction of the session is open before them.
    """
    outcomes = [Outcome(row, failed=row.row.failed, undone=undone_in_text(row)) for row in rows]
    _judge_twins(outcomes, Kind.AUDITED, _TEXTS)
    _judge_twins(outcomes, Kind.PLAN, (*_TEXTS, Kind.AUDITED))
    _judge_starting(outcomes)
    _judge_errors(outcomes)
    _judge_transactions(outcomes, is_open=is_open and bool(rows[0].row.transaction))
    _judge_requests(outcomes)
    _judge_calls(outcomes)
    _judge_rollbacks(outcomes)
    _judge_implicit(outcomes, catalog)
    return outcomes


def _judge_twins(outcomes: list[Outcome], kind: Kind, others: tuple[Kind, ...]) -> None:
    """A plan of auto_explain is that of the statement before or after it, if the texts agree.

    So is a line of pgaudit.
    """
    top = [o for o in outcomes if o.is_counted and o.row.row.kind in others]
    top = [o for o in top if not o.row.row.is_nested]
    position = 0
    for outcome in outcomes:
        if position < len(top) and outcome is top[position]:
            position += 1
        row = outcome.row
        if row.row.kind != kind or row.row.is_nested:
            continue
        beside = [*top[max(0, position - 1) : position], *top[position : position + 1]]
        outcome.is_counted = all(each.row.statement != row.statement for each in beside)


def _judge_starting(outcomes: list[Outcome]) -> None:
    """A starting event is passed over if the end of the same statement is a row too."""
    ends: dict[bytes | None, int] = {}
    for outcome in reversed(outcomes):
        row = outcome.row
        if row.row.kind in (Kind.STATEMENT, Kind.REQUEST):
            ends[row.statement] = ends.get(row.statement, 0) + 1
        elif row.row.kind == Kind.STARTING and ends.get(row.statement):
            ends[row.statement] -= 1
            outcome.is_counted = False


def _judge_errors(outcomes: list[Outcome]) -> None:
    started: Outcome | None = None
    plans: list[Outcome] = []
    raised: list[str] = []
    for outcome in outcomes:
        row = outcome.row.row
        if row.kind == Kind.AUDITED and (row.is_nested or not outcome.is_counted):
            continue
        if row.kind == Kind.PLAN:
            plans.append(outcome)
            continue
        if row.kind in _STARTED:
            started = outcome
        elif row.kind == Kind.ERROR:
            outcome.failed, outcome.failed_in = True, row.transaction
            same = started and outcome.row.statement in (None, started.row.statement)
            if started and same:
                started.failed, started.failed_in = True, row.transaction
                started.committed = _count_committed(started, row.transaction)
                outcome.is_counted = False  # the statement is counted by its own row
            else:
                _judge_text(outcome, plans)
            started = None
        elif row.kind == Kind.RAISED:
            raised.append(row.time)
        elif row.kind == Kind.STATEMENT:
            if raised:
                begin = begin_time(row.time, row.duration)
                if any(begin <= time <= row.time for time in raised):
                    outcome.failed = True
                    raised.clear()
            started = None
        plans = []


def _judge_text(error: Outcome, plans: list[Outcome]) -> None:
    """Pass over the plans of a text that failed; they may show that its first transaction ended."""
    for plan in plans:
        if plan.row.statement == error.row.statement and not plan.row.row.is_nested:
            committed = _count_committed(plan, error.failed_in)
            is_same = plan.row.row.transaction == error.failed_in != ""
            if committed or is_same:
                error.committed, plan.is_counted = committed, False


def _count_committed(begin: Outcome, failed_in: str) -> int | None:
    """Return how many statements of a text have ended, if it failed in another transaction.

    ``begin`` is a row in its first transaction.
    """
    ids = {begin.row.row.transaction, failed_in}
    if "" in ids:
        return None
    ends = (n for n, each in enumerate(begin.row.statements, 1) if each.transaction in ENDS)
    return next(ends, 0) if len(ids) > 1 else 0


def _judge_transactions(outcomes: list[Outcome], *, is_open: bool) -> None:
    """Judge the rows of each transaction by its id; COMMIT AND CHAIN begins the next one.

    ``is_open``: whether the first one began before these rows. The row of COMMIT AND CHAIN may have
    the id of either transaction.
    """
    rows = (each for each in outcomes if each.row.row.transaction)
    for _, group in groupby(rows, key=lambda each: each.row.row.transaction):
        transaction = list(group)
        is_open = is_open or _begins_next(transaction[0])
        transaction[0].lacks_begin = not is_open and _lacks_begin(transaction)
        _undo_before_error(transaction, is_block=is_open or transaction[0].lacks_begin)
        is_open = _begins_next(transaction[-1])


def _undo_before_error(transaction: list[Outcome], *, is_block: bool) -> None:
    """An error undoes the statements before it in a transaction that no BEGIN began.

    These are the other statements of its text, or those before it in a pipeline.
    """
    before: list[Outcome] = []
    for outcome in transaction:
        if outcome.row.row.kind == Kind.ERROR:
            for each in before:
                each.failed = True
                if outcome.is_counted and each.row.statement == outcome.row.statement:
                    each.is_counted = False  # the error is counted
            before = []
        is_block = is_block or any(s.transaction == "begin" for s in outcome.row.statements)
        if not is_block:
            before.append(outcome)


def _begins_next(outcome: Outcome) -> bool:
    """Return whether a row ends a transaction and begins the next one."""
    return not outcome.failed and any(each.chains for each in outcome.row.statements[-1:])


def _lacks_begin(transaction: list[Outcome]) -> bool:
    """Return whether a transaction has a savepoint or an end, but no beginning."""
    rows = [each for each in transaction if not each.failed and not each.row.row.is_nested]
    statements = [each for row in rows for each in row.row.statements]
    if any(each.transaction == "begin" for each in statements):
        return False
    return any(each.transaction or each.savepoint for each in statements)


def _judge_requests(outcomes: list[Outcome]) -> None:
    """A request is passed over if rows of its statements lie between its begin and its end."""
    parts: list[str] = []
    for outcome in outcomes:
        row = outcome.row.row
        if row.kind == Kind.STATEMENT:
            parts.append(row.time)
        elif row.kind == Kind.REQUEST:
            begin = begin_time(row.time, row.duration)
            if any(begin <= time for time in parts):
                outcome.is_counted = False
            parts.clear()


def _judge_calls(outcomes: list[Outcome]) -> None:
    """Nested rows are statements of the call before them, if it started, else of that after them.

    If the call failed, they are undone with it, unless it had ended their transaction.
    """
    call: Outcome | None = None
    nested: list[Outcome] = []
    for outcome in outcomes:
        row = outcome.row.row
        if row.is_nested:
            nested.append(outcome)
            if call and call.row.row.kind in _STARTED:
                call.has_parts, call.lacks_definitions = True, row.kind == Kind.PLAN
                _join_call(outcome, call)
        elif row.kind == Kind.AUDITED and not outcome.is_counted:
            if call and call.row.statement != outcome.row.statement:  # its twin follows
                call, nested = None, []
        elif is_statement(outcome) or row.kind in (*_TEXTS, Kind.ERROR):
            if row.kind not in _STARTED:
                outcome.has_parts = outcome.lacks_definitions = bool(nested)
                for each in nested:
                    _join_call(each, outcome)
            call, nested = outcome, []


def _join_call(nested: Outcome, call: Outcome) -> None:
    nested.call = call
    if call.failed:
        ids = {nested.row.row.transaction, call.failed_in}
        nested.failed = nested.failed or "" in ids or len(ids) == 1
        call.keeps_parts = call.keeps_parts or not nested.failed


def _judge_rollbacks(outcomes: list[Outcome]) -> None:
    """A rollback of T-SQL undoes all rows before it: drivers start transactions unseen."""
    transaction = UnseenTransaction()
    for outcome in outcomes:
        if outcome.row.row.dialect not in TSQL:
            return
        if outcome.row.row.kind in (Kind.RESET, Kind.END):
            transaction = UnseenTransaction()
        elif is_statement(outcome) and not outcome.failed:
            for number, statement in enumerate(outcome.row.statements):
                transaction.follow_statement(outcome.undone, number, statement)


def _judge_implicit(outcomes: list[Outcome], catalog: Catalog) -> None:
    """A rollback undoes the effects in its session, where each statement is in a transaction.

    Only a session knows the commits of a routine.
    """
    session: Session | None = None
    applied: dict[int, tuple[Effect, Outcome, int]] = {}  # with the effect, so that its id lasts
    for outcome in outcomes:
        row = outcome.row.row
        if not traits_of(row.dialect).lacks_autocommit:
            return
        if row.kind in (Kind.RESET, Kind.END):
            session = None
            continue
        session = session or Session(row.dialect, row.database or None, row.schema or None, catalog)
        if outcome.failed:
            session.fail_statements(outcome.row.statements)
        elif is_statement(outcome):
            for number, statement in enumerate(outcome.row.statements):
                effect = session.apply_statement(statement, database=row.database or None)
                applied[id(effect)] = effect, outcome, number
                for _, undone, place in (applied[id(each)] for each in effect.rolled_back):
                    undone.undone.add(place)


def is_statement(outcome: Outcome) -> bool:
    """Return whether a row is a statement by itself."""
    return outcome.is_counted and outcome.row.row.kind in (*_TEXTS, Kind.PLAN, Kind.AUDITED)
