"""Saved traces on the command line: the list of a dataset, and the rows of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.records.dry_run import TraceAnswer
    from lineage.records.stored_traces import SavedTrace, TraceDetails, Witness

TRACE_COLUMNS = ["trace", "saved", "way", "fidelity", "columns", "rows", "contributing"]
ROW_COLUMNS = ["hop", "target", "source", "file", "row_index", "key"]


def write_traces(dsn: str | None, dataset: str, *, limit: int, form: str) -> None:
    """Write the list of the traces of a dataset. Raises NotFound, Ambiguous."""
    from lineage.query.session import Session
    from lineage.records.stored_traces import saved_traces

    with Session(dsn) as session:
        listed = saved_traces(session, dataset, limit)
    render.emit_rows(map(_trace_row, listed.traces), form, TRACE_COLUMNS)
    if listed.omitted:
        number = f"{len(listed.traces):,} of {len(listed.traces) + listed.omitted:,}"
        terminal.write_line(f"The newest {number} traces are shown. --limit 0 shows all.", err=True)


def write_trace(dsn: str | None, trace: str, *, limit: int, form: str) -> None:
    """Write a saved trace: as text or JSON all of it, else its rows. Raises NotFound."""
    import dataclasses

    from lineage.query.session import Session
    from lineage.records.stored_traces import saved_trace

    with Session(dsn) as session:
        details = saved_trace(session, trace, limit)
    if form == "json":
        terminal.write_text(f"{render.json_text(dataclasses.asdict(details), indent=2)}\n")
    elif form == "text":
        terminal.write_lines(_trace_lines(details))
    else:
        render.emit_rows(map(dataclasses.asdict, details.witnesses), form, ROW_COLUMNS)


def check_before_save(dsn: str | None, dataset: str) -> None:
    """Raise an error if a trace of a dataset could not be saved, before a job runs for it."""
    from lineage.query.names import resolve_dataset
    from lineage.query.session import Session
    from lineage.records.row_keys import read_user_key

    read_user_key()
    with Session(dsn) as session:
        resolve_dataset(session, dataset)


def save_answers(
    dsn: str | None, answers: Sequence[TraceAnswer], condition: str, *, values: bool
) -> None:
    """Save the answers of a dry run that have rows, and write their ids to stderr."""
    from lineage.records.trace_results import results_of_dry_run
    from lineage.records.trace_writer import save_trace

    for result in results_of_dry_run(answers, condition):
        if result.rows:
            trace = save_trace(result, dsn, with_values=values)
            terminal.write_line(f"lineage: The trace is saved as {trace}.", err=True)


def _trace_row(trace: SavedTrace) -> dict[str, Any]:
    return {
        "trace": trace.trace_id,
        "saved": trace.saved_at,
        "way": trace.way,
        "fidelity": trace.fidelity,
        "columns": " ".join(trace.columns),
        "rows": trace.rows,
        "contributing": sum(count.rows for count in trace.counts),
    }


def _trace_lines(details: TraceDetails) -> Iterator[str]:
    trace = details.trace
    reasons = f" ({', '.join(trace.reasons)})" if trace.reasons else ""
    yield f"{trace.dataset}: {render.count_of(trace.rows, 'row')}, {trace.fidelity}{reasons}"
    condition = trace.condition or f"a condition on {', '.join(trace.columns) or 'no column'}"
    yield f"  {condition}; {trace.way}, saved {render.format_time(trace.saved_at)}"
    yield from (f"  {_values_text(values)}" for values in details.values)
    for count in trace.counts:
        hop = f", {count.hop} writes before" if count.hop > 1 else ""
        yield f"  {count.source}: {render.count_of(count.rows, 'row')}{hop}"
        place = (count.hop, count.target, count.source)
        rows = [row for row in details.witnesses if (row.hop, row.target, row.source) == place]
        yield from (f"    {_witness_text(row)}" for row in rows)
        if count.rows > len(rows):
            yield f"    … {count.rows - len(rows):,} more"


def _witness_text(row: Witness) -> str:
    values = _values_text(row.values) if row.values else ""
    if row.file is None:
        return values or f"row with the key {row.key}"
    place = f"{row.file.rsplit('/', 1)[-1]}, row {row.row_index}"
    return f"{values}  ({place})" if values else place


def _values_text(values: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in values.items())
