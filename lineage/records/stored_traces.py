"""Traces in the database: tables ``record_trace`` and ``record_witness``."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import NotFound
from lineage.query.names import resolve_dataset

if TYPE_CHECKING:
    from lineage.query.session import Session


class SavedTraceRow(NamedTuple):
    """A trace of ``record_trace``."""

    trace_id: str
    dataset: str
    run: str | None
    columns: list[str]
    condition: str | None
    way: str
    fidelity: str
    reasons: list[str]
    rows: int
    counts: list[dict[str, Any]]
    reproduced: bool | None
    row_values: list[dict[str, Any]] | None
    saved_at: str
    total: int


class WitnessRow(NamedTuple):
    """A contributing row of ``record_witness``."""

    hop: int
    target: str
    source: str
    file: str | None
    row_index: int | None
    key: str
    row_values: dict[str, Any] | None


_SQL = StatementFile(__file__)
_SELECT_TRACES = _SQL.statement("select_traces", SavedTraceRow)
_SELECT_WITNESSES = _SQL.statement("select_witnesses", WitnessRow)


@dataclass(frozen=True, slots=True)
class SourceCount:
    """The exact number of distinct rows of a source that rows of a target are made of.

    ``hop`` is the number of writes from these rows to the traced rows: 1 for the inputs of the
    write, whose target is the dataset of the trace; 2 for the inputs of the writes of those inputs.
    ``saved`` of the rows are stored.
    """

    hop: int
    target: str
    source: str
    rows: int
    saved: int


@dataclass(frozen=True, slots=True)
class SavedTrace:
    """One question about rows of a dataset, and how exact its answer is.

    ``columns`` are those of the condition, and ``condition`` is its text if values were saved.
    ``way``: ``live`` or ``dry run``. ``rows`` is the number of traced rows. ``reproduced``: whether
    the query gave the traced rows again on the contributing rows alone; None if it was not tried.
    """

    trace_id: str
    dataset: str
    run: str | None
    columns: tuple[str, ...]
    condition: str | None
    way: str
    fidelity: str
    reasons: tuple[str, ...]
    rows: int
    counts: tuple[SourceCount, ...]
    reproduced: bool | None
    saved_at: str


@dataclass(frozen=True, slots=True)
class SavedTraces:
    """The traces of a dataset, newest first. ``omitted``: number of further ones."""

    dataset: str
    traces: tuple[SavedTrace, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class Witness:
    """A contributing row: its position, or its key if its format has no positions.

    ``values`` are those of its columns, if they were saved.
    """

    hop: int
    target: str
    source: str
    file: str | None
    row_index: int | None
    key: str
    values: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class TraceDetails:
    """A saved trace with contributing rows, and values of the traced rows if they were saved."""

    trace: SavedTrace
    values: tuple[dict[str, Any], ...]
    witnesses: tuple[Witness, ...]


def saved_traces(session: Session, dataset: str, limit: int | None = None) -> SavedTraces:
    """Read the saved traces of a dataset, newest first. Raises NotFound, Ambiguous."""
    match = resolve_dataset(session, dataset)
    rows = session.fetch(_SELECT_TRACES, dataset=match.id, trace=None, limit=limit)
    omitted = rows[0].total - len(rows) if rows else 0
    return SavedTraces(match.full_name, tuple(map(_read_trace, rows)), omitted)


def saved_trace(session: Session, trace_id: str, limit: int | None = None) -> TraceDetails:
    """Read a saved trace, with at most ``limit`` rows of each source of a target.

    ``trace_id`` is the whole id. Raises NotFound.
    """
    row = session.fetch_one(_SELECT_TRACES, dataset=None, trace=_parse_id(trace_id), limit=1)
    if row is None:
        raise _no_trace(trace_id)
    witnesses = session.fetch(_SELECT_WITNESSES, trace=row.trace_id, limit=limit)
    return TraceDetails(
        _read_trace(row), tuple(row.row_values or ()), tuple(Witness(*each) for each in witnesses)
    )


def _read_trace(row: SavedTraceRow) -> SavedTrace:
    return SavedTrace(
        trace_id=row.trace_id,
        dataset=row.dataset,
        run=row.run,
        columns=tuple(row.columns),
        condition=row.condition,
        way=row.way,
        fidelity=row.fidelity,
        reasons=tuple(row.reasons),
        rows=row.rows,
        counts=tuple(SourceCount(**count) for count in row.counts),
        reproduced=row.reproduced,
        saved_at=row.saved_at,
    )


def _parse_id(trace_id: str) -> uuid.UUID:
    try:
        return uuid.UUID(trace_id)
    except ValueError:
        raise _no_trace(trace_id) from None


def _no_trace(trace_id: str) -> NotFound:
    return NotFound(
        f'No trace "{trace_id}" is saved.', "Traces are deleted with the events of their month."
    )
