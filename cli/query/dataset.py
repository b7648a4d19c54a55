"""``lineage query``: where a dataset came from and what it feeds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .. import options
from ..output import graph_formats, job_names, terminal, tree
from . import filter_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.records import Job, OneWay, Trace

COLUMNS = ["direction", "distance", "source", "target", "job", "runs", "last_seen", "state",
           "stale", "declared"]  # fmt: skip
NOTHING = {
    "upstream": "No run that ended well, or still runs, made it from another dataset.",
    "downstream": "No run that ended well, or still runs, made another dataset from it.",
}


@click.command()
@click.argument("name", required=False, shell_complete=options.complete_dataset)
@click.option(
    "--level",
    type=click.Choice(["dataset", "job", "run"]),
    help="What the answer is made of; columns by --column.  [default: dataset]",
)
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
    "--run",
    metavar="RUN",
    help="In the place of NAME: what a run, or the last one of a job or dataset, read, and who had"
    " written it.",
)
@click.option(
    "--runs", is_flag=True, help="With --at, --run or --level run: each run, not one line a job."
)
@click.option(
    "--perhaps",
    is_flag=True,
    help="With these: go also by writes that a newer one of the same job may have replaced.",
)
@options.depth
@filter_options.options
@options.form(*graph_formats.FORMS)
@options.dsn
def query(
    name: str | None,
    level: str | None,
    upstream: bool,
    downstream: bool,
    column: str | None,
    direct: bool,
    at: str | None,
    run: str | None,
    runs: bool,
    perhaps: bool,
    depth: int | None,
    form: str,
    dsn: str | None,
    **said: Any,
) -> None:
    """Tell where the dataset NAME came from, or what was made from it.

    A dataset is named by its full name, an alias, or any ending of these that fits no other. What a
    failed run was to make is not counted. What no run showed but a design states is marked as
    declared; --observed leaves it out.

    With --level job the answer goes by jobs: one feeds another where it wrote what the other read.
    Jobs that are said to run one after the other, by jobDependencies, are steps without a dataset.
    --observed leaves out these, and steps that only the design of a job declares.
    NAME is a job or a dataset; a full name goes before an ending.

    Filters (--namespace, --tag, --job, --type, --since) decide on what is shown. The trace goes on
    through what they hide, and tells how much that is. An edge is stale where the newest run of
    its job that completed and wrote something no longer made it.

    With --at, --run or --level run the answer goes by runs: whose writes were there when it was
    read. These are the last that left nothing of what was before, and all after it; where it is
    known which version was read, up to the run that wrote this version. Of a job that does not say
    how it writes it is the newest run; how many earlier ones may be there too is told, and
    --perhaps goes by them. A line is for all runs of a job, with --runs for each. NAME is the id of
    a run, as with --run, or a dataset: then it is what is there now. Downstream of a run are the
    runs that read what it wrote.

    \b
    Examples:
      lineage query gold/revenue
      lineage query raw.orders --downstream --depth 2
      lineage query gold/revenue --upstream --downstream --limit 20
      lineage query gold/revenue --tag pii --no-stale
      lineage query gold/revenue --column total
      lineage query gold/revenue --at 2026-01-31T18:00:00Z
      lineage query --run 0198c6f0-22a1-7000-8000-000000000001
      lineage query --run 0198c6f0-22a1-7000-8000-000000000001 --downstream
      lineage query etl/clean --level job --downstream
      lineage query gold/revenue --format jsonl | jq -r .source
      lineage query gold/revenue --format html > revenue.html
    """
    if direct and column is None:
        raise click.UsageError("--direct is about a column: give --column too.")
    asked = level or ("run" if (at, run) != (None, None) else "dataset")
    _check(asked, {"--at": at, "--run": run, "--column": column})
    filters = filter_options.filters(said, form)
    if asked != "run" and (runs or perhaps):
        option = "--runs" if runs else "--perhaps"
        raise click.UsageError(f"{option} is about the level of runs, not of {asked}s.")
    # A limit is of runs and columns too, and columns are declared too.
    own = ("limit",) if asked == "run" else ("limit", "observed") if column is not None else ()
    about = {name: value for name, value in said.items() if name not in own}
    if (asked == "run" or column is not None) and filter_options.given(about):
        raise click.UsageError(
            f"{filter_options.given(about)} is about traces of datasets and jobs alone."
        )
    directions: list[OneWay] = ["upstream"] if upstream or not downstream else []
    if downstream:
        directions.append("downstream")
    if asked == "run":
        from . import run_lineage

        question = run_lineage.Question(name, at, run, depth, runs, perhaps, said["limit"])
        run_lineage.answer(question, directions, form, dsn)
        return
    if name is None:
        raise click.UsageError("Give the NAME of a dataset, or a run by --run.")
    if asked == "job":
        from . import job_lineage

        job_lineage.answer(name, directions, depth, filters, form, dsn)
        return
    if column is not None:
        from . import column_lineage

        most = options.MOST if said["limit"] is None else said["limit"] or None
        of_column = column_lineage.Question(name, column, depth, direct, filters.observed, most)
        column_lineage.answer(of_column, directions, form, dsn)
        return
    # The kind alone that is asked: loading all of them takes as long as the answer.
    from lineage.query.datasets import trace_datasets
    from lineage.query.session import Session

    with Session(dsn) as session:
        traces = [trace_datasets(session, name, each, depth, filters) for each in directions]
    picture = partial(_picture, names=job_names.of_records(e for t in traces for e in t.edges))
    graph_formats.emit(traces, form, COLUMNS, lambda: tree.pictures(traces, picture), dsn)
    for trace in traces:
        for line in filter_options.left_out(trace):
            terminal.write_line(line, err=form != "tree")


def _check(level: str, given: dict[str, str | None]) -> None:
    """Raise UsageError where an option is about another level."""
    if given["--column"] is not None and level != "dataset":
        raise click.UsageError("--column is a level of its own: it goes by no jobs and no runs.")
    for option in ("--at", "--run"):
        if given[option] is not None and level != "run":
            raise click.UsageError(f"{option} is about the level of runs, not of {level}s.")


def _picture(trace: Trace, names: Mapping[Job, str]) -> list[str]:
    if len(trace.nodes) > 1 or trace.edges or trace.hidden:
        return tree.draw(trace, names)
    return [str(trace.root), NOTHING[trace.direction]]
