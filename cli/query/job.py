"""``lineage query job``: the jobs upstream or downstream of a job or a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage.query.jobs import trace_jobs
from lineage.query.records import Dataset
from lineage.query.session import Session

from .. import options
from ..output import graph_formats, terminal, tree
from . import filters
from .direction import direction_options, read_directions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.records import Job, JobTrace

TABLE_COLUMNS = ["direction", "distance", "source", "target", "dataset", "written", "read", "stale"]
NOTHING = {
    "upstream": "No successful or running run wrote a dataset that it read.",
    "downstream": "No successful or running run read a dataset that it wrote.",
}
NOTHING_OF_A_DATASET = {
    "upstream": "No successful or running run wrote it.",
    "downstream": "No successful or running run read it.",
}


@click.command()
@click.argument("name", shell_complete=options.complete_job)
@direction_options
@options.depth
@filters.filter_options
@options.format_option(*graph_formats.FORMS)
@options.dsn
def job(
    name: str,
    direction: str | None,
    upstream: bool,
    downstream: bool,
    depth: int | None,
    form: str,
    dsn: str | None,
    **criteria: Any,
) -> None:
    """Show the jobs upstream or downstream of NAME.

    NAME is a job or a dataset; a full name takes precedence over an ending.

    One job feeds another if it wrote a dataset that the other read. Dependencies that jobs report
    in jobDependencies are steps without a dataset. --observed omits these, and steps that only the
    design of a job declares.

    \b
    Examples:
      lineage query job etl/clean --downstream
      lineage query job gold/revenue --format csv
    """
    trace_filters = filters.read_filters(criteria, form)
    with Session(dsn) as session:
        traces = [
            trace_jobs(session, name, each, depth, trace_filters)
            for each in read_directions(direction, upstream, downstream)
        ]
    graph_formats.emit_traces(traces, form, TABLE_COLUMNS, _picture_lines, dsn)
    for trace in traces:
        for line in filters.omitted_lines(trace, "job"):
            terminal.write_line(line, err=form != "tree")


def _picture_lines(trace: JobTrace, names: Mapping[Job, str]) -> list[str]:
    if len(trace.nodes) > 1 or trace.edges or trace.filtered_out:
        return tree.trace_lines(trace, names)
    nothing = NOTHING_OF_A_DATASET if isinstance(trace.root, Dataset) else NOTHING
    return [str(trace.root), nothing[trace.direction]]
