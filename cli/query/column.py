"""``lineage query column``: the columns upstream or downstream of a column."""

from __future__ import annotations

import shlex
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from lineage.errors import Ambiguous, NotFound
from lineage.query.columns import trace_columns
from lineage.query.names import resolve_dataset
from lineage.query.session import Session

from .. import options
from ..output import graph_formats, job_names, render, terminal, tree
from ..output.uncounted import report_uncounted
from ..output.unreported_columns import unreported_lines
from .direction import direction_options, read_directions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.query.records import Column, ColumnEdge, ColumnTrace, Dataset, Job

TABLE_COLUMNS = ["direction", "distance", "source", "source_column", "target", "target_column",
"type",
         "subtype", "job", "runs", "last_seen", "stale"]  # fmt: skip
NOTHING = {
    "upstream": "No successful or running run reported columns that it is derived from.",
    "downstream": "No successful or running run reported a column derived from it.",
}


@click.command()
@click.argument("name", shell_complete=options.complete_dataset)
@click.argument("column")
@direction_options
@options.depth
@click.option(
    "--direct-only",
    is_flag=True,
    help="Do not follow columns that only filter, join, group or sort.",
)
@options.observed
@options.limit_option(options.MOST, "Maximum number of edges, nearest first.")
@options.format_option(*graph_formats.FORMS)
@options.dsn
def column(
    name: str,
    column: str,
    direction: str | None,
    upstream: bool,
    downstream: bool,
    depth: int | None,
    direct_only: bool,
    observed: bool,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """Show the columns upstream or downstream of a column.

    NAME is a dataset, COLUMN one of its columns. The field of a struct is named by its path, such
    as a.b. An edge is stale if a newer successful run of its job wrote the target but did not
    report the edge; the time is that of the last run that did.

    \b
    Examples:
      lineage query column gold/revenue total
      lineage query column raw/orders price --downstream --direct-only
    """
    with Session(dsn) as session, _hint_at_order(session, name, column):
        traces = [
            trace_columns(
                session, name, column, each, depth,
                direct_only=direct_only, observed=observed, limit=limit,
            )
            for each in read_directions(direction, upstream, downstream)
        ]  # fmt: skip
        report_uncounted(session)
    graph_formats.emit_traces(traces, form, TABLE_COLUMNS, _picture_lines, dsn)
    for trace in traces:
        if trace.unreported and form != "tree":
            terminal.write_fitting_lines(unreported_lines(trace.unreported), err=True)
        if steps := trace.omitted.get("unreported"):
            terminal.write_line(
                f"Omitted: {render.count_of(steps, 'unknown step')}. --limit 0 shows all.",
                err=form != "tree",
            )
        if more := trace.omitted.get("edges"):
            whole = len(trace.edges) + more
            terminal.write_line(
                f"The {len(trace.edges):,} nearest of {whole:,} edges {trace.direction} are shown."
                " --limit 0 shows all.",
                err=form != "tree",
            )


@contextmanager
def _hint_at_order(session: Session, name: str, column: str) -> Iterator[None]:
    """Point at swapped arguments: the column is the name of a dataset."""
    try:
        yield
    except NotFound as error:
        if _is_dataset(session, name) or not _is_dataset(session, column):
            raise
        command = shlex.join(["lineage", "query", "column", column, name])
        hint = f"The dataset precedes the column: {command}"
        raise NotFound(error.message, hint) from None


def _is_dataset(session: Session, name: str) -> bool:
    try:
        return bool(resolve_dataset(session, name))
    except (NotFound, Ambiguous):
        return False


def _picture_lines(trace: ColumnTrace, names: Mapping[Job, str]) -> list[str]:
    unknown = ["", *unreported_lines(trace.unreported)] if trace.unreported else []
    if not trace.edges:
        return [str(trace.root), NOTHING[trace.direction], *unknown]
    next_columns = _NextColumns(trace, names)
    return [trace.root.full_name, *tree.branch_lines(trace.root, next_columns), *unknown]


class _NextColumns:
    """Compute the branches of the tree below a column.

    They include edges of the structs that contain the column, and of its fields. They also include
    edges of its whole dataset, or of all columns if the node is a dataset.
    """

    def __init__(self, trace: ColumnTrace, names: Mapping[Job, str]) -> None:
        self._names = names
        self._upstream = trace.direction == "upstream"
        self._of_column: dict[Column, list[ColumnEdge]] = defaultdict(list)
        self._of_dataset: dict[Dataset, list[ColumnEdge]] = defaultdict(list)
        self._around: dict[Column, list[Column]] = defaultdict(list)
        for pair in trace.nested:
            self._around[pair.column].append(pair.within)
            self._around[pair.within].append(pair.column)
        for edge in trace.edges:
            near = edge.target if self._upstream else edge.source
            self._of_column[near].append(edge)
            if not (self._upstream and near.name):
                self._of_dataset[near.dataset].append(edge)

    def __call__(self, column: Column) -> list[tree.Branch[Column]]:
        by_end: dict[Column, list[ColumnEdge]] = defaultdict(list)
        for edge in self._edges_of(column):
            by_end[edge.source if self._upstream else edge.target].append(edge)
        return [
            (
                end,
                end.full_name,
                "; ".join(dict.fromkeys(self._edge_note(e, column) for e in edges)),
            )
            for end, edges in sorted(by_end.items(), key=lambda item: item[0].full_name)
        ]

    def _edges_of(self, column: Column) -> list[ColumnEdge]:
        own = list(self._of_column.get(column, ())) if column.name else []
        for other in self._around.get(column, ()):
            own += self._of_column.get(other, ())
        whole = self._of_dataset.get(column.dataset, [])
        if self._upstream:
            return own + whole
        return own if column.name else whole

    def _edge_note(self, edge: ColumnEdge, column: Column) -> str:
        """Return type and job of an edge, and the column at its near end if that is another one."""
        parts = [edge.subtype or edge.type]
        parts += ["indirect"] if edge.type == "INDIRECT" and edge.subtype else []
        parts += ["masked"] if edge.masking else []
        near = edge.target if self._upstream else edge.source
        if near.name and column.name and near != column:
            parts.append(f"{'into' if self._upstream else 'from'} {near.name}")
        job = ""
        if edge.job:
            job = job_names.beside_target(edge.job, edge.target.dataset, self._names)
        by = job if edge.runs else f"declared by {job}" if job else "declared"
        stale = [f"{render.format_time(edge.last_seen)}, stale"] if edge.stale else []
        return f"[{', '.join([*parts, by, *stale])}]"
