"""``lineage query``: where a dataset came from and what it feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from . import graphs, options, shown, tree

if TYPE_CHECKING:
    from lineage.questions.answers import Trace

COLUMNS = ["direction", "distance", "source", "target", "job", "runs", "last_seen", "state",
           "stale"]  # fmt: skip
NOTHING = {
    "upstream": "No run that ended well, or still runs, made it from another dataset.",
    "downstream": "No run that ended well, or still runs, made another dataset from it.",
}


@click.command()
@click.argument("dataset", required=False, shell_complete=options.complete_dataset)
@click.option("--upstream", is_flag=True, help="What it was made from (the default).")
@click.option("--downstream", is_flag=True, help="What was made from it.")
@click.option(
    "--column", metavar="COLUMN", help="Ask about a column; of a struct by its path: a.b."
)
@click.option(
    "--direct", is_flag=True, help="With --column: leave out what filters, joins or sorts."
)
@click.option("--at", metavar="TIME", help="What it was made of at a time (ISO 8601), by run.")
@click.option(
    "--run", metavar="RUN", help="In the place of DATASET: what a run read, and who had written it."
)
@options.depth
@shown.options
@options.form(*graphs.FORMS)
@options.dsn
def query(
    dataset: str | None,
    upstream: bool,
    downstream: bool,
    column: str | None,
    direct: bool,
    at: str | None,
    run: str | None,
    depth: int | None,
    form: str,
    dsn: str | None,
    **said: Any,
) -> None:
    """Tell where DATASET came from, or what was made from it.

    A dataset is named by its full name, an alias, or any ending of these that fits no other. What a
    failed run was to make is not counted.

    Filters (--namespace, --tag, --job, --type, --since) decide on what is shown. The trace goes on
    through what they hide, and tells how much that is. An edge is stale where the newest run of
    its job that completed and wrote something no longer made it.

    With --at or --run the answer goes by runs: whose writes were there when it was read. These are
    the last that left nothing of what was before, and all after it; where it is known which version
    was read, up to the run that wrote this version.

    \b
    Examples:
      lineage query gold/revenue
      lineage query raw.orders --downstream --depth 2
      lineage query gold/revenue --upstream --downstream --limit 20
      lineage query gold/revenue --tag pii --no-stale
      lineage query gold/revenue --column total
      lineage query gold/revenue --at 2026-01-31T18:00:00Z
      lineage query --run 0198c6f0-22a1-7000-8000-000000000001
      lineage query gold/revenue --format jsonl | jq -r .source
      lineage query gold/revenue --format html > revenue.html
    """
    if direct and column is None:
        raise click.UsageError("--direct is about a column: give --column too.")
    filters = shown.filters(said, form)
    if (at, run, column) != (None, None, None) and shown.given(said):
        raise click.UsageError(f"{shown.given(said)} is about traces of datasets alone.")
    if at is not None or run is not None:
        if downstream or column is not None:
            raise click.UsageError("--at and --run go upstream, and know of no columns yet.")
        from . import moments

        moments.answer(moments.Question(dataset, at, run, depth), form, dsn)
        return
    if dataset is None:
        raise click.UsageError("Name a DATASET, or a run by --run.")
    directions: list[Literal["upstream", "downstream"]] = []
    if upstream or not downstream:
        directions.append("upstream")
    if downstream:
        directions.append("downstream")
    if column is not None:
        from . import columns

        columns.answer(columns.Question(dataset, column, depth, not direct), directions, form, dsn)
        return
    # The kind alone that is asked: loading all of them takes as long as the answer.
    from lineage.questions.traces import Traces

    with Traces(dsn) as graph:
        traces = [graph.trace(dataset, each, depth, filters) for each in directions]
    graphs.emit(traces, form, COLUMNS, lambda: _pictures(traces), dsn)
    for trace in traces:
        for line in shown.left_out(trace):
            click.echo(line, err=form != "tree")


def _pictures(traces: list[Trace]) -> str:
    return "\n\n".join(_picture(trace, titled=len(traces) > 1) for trace in traces)


def _picture(trace: Trace, *, titled: bool) -> str:
    title = f"{trace.direction.upper()}\n" if titled else ""
    if len(trace.nodes) > 1 or trace.edges or trace.hidden:
        return title + tree.draw(trace)
    return f"{title}{trace.root}\n{NOTHING[trace.direction]}"
