"""Formats of graph results: a tree, rows, notations of other tools, and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage import export

from . import job_names, render, terminal, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lineage.query.records import Job

GRAPHS = (*export.NOTATIONS, "openlineage")
FORMS = ("tree", *render.ROWS, *GRAPHS)


def emit_results(
    results: Sequence[Any],
    form: str,
    columns: Sequence[str],
    picture: Callable[[], Iterable[str]],
    dsn: str | None,
) -> None:
    """Write results as ``form``; a tree uses ``picture``, a table ``columns``."""
    if form == "tree":
        terminal.write_fitting_lines(picture())
    elif form in export.NOTATIONS:
        click.echo(export.text(export.graph(*results), form), nl=False)
    elif form == "openlineage":
        from lineage.export import openlineage
        from lineage.query.session import Session

        with Session(dsn) as session:
            for event in openlineage.events_of_session(session, *results):
                click.echo(render.json_text(event))
    else:
        rows = [row for result in results for row in export.rows(result)]
        render.emit_rows(rows, form, export.columns(results[0]) if form == "csv" else columns)


def emit_traces(
    traces: Sequence[Any],
    form: str,
    columns: Sequence[str],
    lines_of_trace: Callable[[Any, Mapping[Job, str]], list[str]],
    dsn: str | None,
) -> None:
    """Write traces as ``form``; ``lines_of_trace`` draws one with the short names of its jobs."""

    def picture_of_all() -> Iterable[str]:
        names = job_names.of_records(edge for trace in traces for edge in trace.edges)
        return tree.picture_lines(traces, lambda trace: lines_of_trace(trace, names))

    emit_results(traces, form, columns, picture_of_all, dsn)
