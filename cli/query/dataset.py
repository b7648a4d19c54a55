"""``lineage query dataset``: the datasets upstream or downstream of a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage.query.datasets import trace_datasets
from lineage.query.session import Session

from .. import options
from ..output import graph_formats, terminal, tree
from ..output.uncounted import report_uncounted
from . import filters
from .direction import direction_options, read_directions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.records import Job, Trace

COLUMNS = ["direction", "distance", "source", "target", "job", "runs", "last_seen", "state",
           "stale", "declared", "confidence"]  # fmt: skip
NOTHING = {
    "upstream": "It has no upstream datasets: no run that completed or is running made it from"
    " another dataset.",
    "downstream": "It has no downstream datasets: no run that completed or is running made another"
    " dataset from it.",
}


@click.command()
@click.argument("name", shell_complete=options.complete_dataset)
@direction_options
@options.depth
@filters.filter_options
@filters.of_job
@options.format_option(*graph_formats.FORMS)
@options.dsn
def dataset(
    name: str,
    direction: str | None,
    upstream: bool,
    downstream: bool,
    depth: int | None,
    form: str,
    dsn: str | None,
    **criteria: Any,
) -> None:
    """Show the datasets upstream or downstream of NAME.

    NAME is the full name of a dataset, an alias, or an unambiguous ending of either. Runs that
    failed or were aborted do not count. Edges that a design reports and no run showed are marked as
    declared; --observed omits them.

    The filters --namespace, --tag, --job, --job-type and --since remove datasets from the result.
    The trace continues through these datasets and counts them. An edge is stale if a newer
    successful run of its job wrote the target but did not produce the edge.

    \b
    Examples:
      lineage query gold/revenue
      lineage query raw.orders --downstream --depth 2
      lineage query gold/revenue --direction both --limit 20
      lineage query gold/revenue --tag pii --exclude-stale
      lineage query gold/revenue --format jsonl | jq -r .source
      lineage query gold/revenue --format html > revenue.html
    """
    trace_filters = filters.read_filters(criteria, form)
    with Session(dsn) as session:
        traces = [
            trace_datasets(session, name, each, depth, trace_filters)
            for each in read_directions(direction, upstream, downstream)
        ]
        report_uncounted(session)
    graph_formats.emit_traces(traces, form, COLUMNS, _picture_lines, dsn)
    for trace in traces:
        for line in filters.omitted_lines(trace):
            terminal.write_line(line, err=form != "tree")


def _picture_lines(trace: Trace, names: Mapping[Job, str]) -> list[str]:
    if len(trace.nodes) > 1 or trace.edges or trace.filtered_out:
        return tree.trace_lines(trace, names)
    return [str(trace.root), NOTHING[trace.direction]]
