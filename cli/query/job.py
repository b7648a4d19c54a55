"""``lineage query job``: the jobs upstream or downstream of a job or a dataset."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from lineage.query.child_runs import child_jobs_of_job
from lineage.query.jobs import trace_jobs
from lineage.query.records import Dataset
from lineage.query.session import Session

from .. import options
from ..child_jobs import NO_DATASETS, child_lines
from ..output import graph_formats, terminal, tree
from ..output.uncounted import report_uncounted
from . import filters
from .direction import direction_options, read_directions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.child_runs import ChildRow
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

    If NAME is a job without datasets, as one of an orchestrator, the jobs of the runs that its
    newest runs started are listed.

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
        report_uncounted(session)
        root = traces[0].root
        is_alone = not isinstance(root, Dataset) and not any(map(_has_steps, traces))
        children = child_jobs_of_job(session, root.id) if is_alone and form == "tree" else ()
    picture = partial(_picture_lines, children=children)
    graph_formats.emit_traces(traces, form, TABLE_COLUMNS, picture, dsn)
    for trace in traces:
        for line in filters.omitted_lines(trace, "job"):
            terminal.write_line(line, err=form != "tree")


def _has_steps(trace: JobTrace) -> bool:
    return bool(len(trace.nodes) > 1 or trace.edges or trace.filtered_out)


def _picture_lines(
    trace: JobTrace, names: Mapping[Job, str], children: Sequence[ChildRow]
) -> list[str]:
    if _has_steps(trace):
        return tree.trace_lines(trace, names)
    if children:
        return [str(trace.root), NO_DATASETS, *child_lines(children)]
    nothing = NOTHING_OF_A_DATASET if isinstance(trace.root, Dataset) else NOTHING
    return [str(trace.root), nothing[trace.direction]]
