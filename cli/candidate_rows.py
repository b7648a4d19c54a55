"""``lineage trace --candidates``: rows of the sources of a table, selected without its job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError

from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

    from lineage.records.candidate_rows import CandidateRows, Candidates

ROW_COLUMNS = ["source", "file", "values"]


def write_candidates(context: click.Context, table: str, *, limit: int, form: str) -> None:
    """Write the candidates of the rows of a table; the exit code is 1 if there is none.

    Raises UsageError, NotFound, Ambiguous.
    """
    from lineage.query.session import Session
    from lineage.records.candidate_rows import candidates

    where = context.params["where"]
    if where is None:
        raise UsageError("Candidates need a condition on the rows of TABLE.", "Specify --where.")
    with Session(context.params["dsn"]) as session:
        selected = candidates(session, table, where, limit, force=context.params["force"])
    if form == "json":
        terminal.write_text(f"{render.json_text(_as_json(selected), indent=2)}\n")
    elif form == "text":
        terminal.write_lines(_candidate_lines(selected))
    else:
        rows = [_candidate_row(source, row) for source in selected.sources for row in source.rows]
        render.emit_rows(rows, form, ROW_COLUMNS)
    context.exit(0 if any(source.count for source in selected.sources) else 1)


def _candidate_lines(selected: Candidates) -> Iterator[str]:
    yield f"{selected.target}: {selected.fidelity}"
    for part in selected.unused:
        yield f"  not used: {part}"
    if not selected.sources:
        yield "  The graph has no dataset that feeds it."
    for source in selected.sources:
        rows = (
            "no rows are selected" if source.count is None else render.count_of(source.count, "row")
        )
        yield f"  {source.dataset}: {rows}, {source.fidelity} ({'; '.join(source.reasons)})"
        yield from (f"    {_row_text(source, row)}" for row in source.rows)
        if (more := (source.count or 0) - len(source.rows)) > 0:
            yield f"    … {more:,} more"


def _row_text(source: CandidateRows, row: dict[str, Any]) -> str:
    values = " ".join(f"{name}={value}" for name, value in _column_values(row).items())
    return f"{values}  ({_file_in(source, row)})"


def _file_in(source: CandidateRows, row: dict[str, Any]) -> str:
    """Return the path of a row's file below its dataset."""
    directory = source.dataset.split(":", 1)[-1].lstrip("/")
    return str(row["_file"]).rpartition(f"{directory}/")[2]


def _column_values(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "_file"}


def _candidate_row(source: CandidateRows, row: dict[str, Any]) -> dict[str, Any]:
    return {"source": source.dataset, "file": row["_file"], "values": _column_values(row)}


def _as_json(selected: Candidates) -> dict[str, Any]:
    import dataclasses

    return {**dataclasses.asdict(selected), "fidelity": str(selected.fidelity)}
