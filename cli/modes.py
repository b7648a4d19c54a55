"""``lineage modes``: write modes of jobs whose events do not report one, or not the right one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from . import options
from .child_jobs import child_lines
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.query.session import Session
    from lineage.write_modes import Mode, WriteMode


@click.group()
def modes() -> None:
    """Set and list the write modes of jobs whose events do not report one."""


@modes.command("set")
@click.argument("job")
@click.argument(
    "mode", type=click.Choice(["append", "overwrite", "overwrite_partitions", "unknown"])
)
@click.option("--dataset", metavar="NAME", help="Set the mode for this dataset only.")
@options.dsn
def set_(job: str, mode: Mode, dataset: str | None, dsn: str | None) -> None:
    """Set the write mode of JOB for writes whose events do not report one.

    \b
    append                existing data remain
    overwrite             existing data are replaced, including those of other writers
    overwrite_partitions  other partitions remain, also if events report the lifecycle
                          change OVERWRITE, which has no value for partitions
    unknown               removes all modes that were set for the job; with --dataset it
                          takes precedence over the mode of the job

    The mode also applies to earlier runs. A job that once reported an append to a dataset, or that
    is a stream, is always taken to append.

    \b
    Examples:
      lineage modes set airflow/dag.load append
      lineage modes set dag.load overwrite --dataset dw/orders
      lineage modes set app.load overwrite_partitions --dataset lake/orders
      lineage modes set dag.load unknown
    """
    from lineage.database.connection import connect_migrated
    from lineage.query.session import Session
    from lineage.write_modes import set_mode

    with connect_migrated(dsn) as conn:
        now = set_mode(conn, job, mode, dataset)
        notes = list(_notes_of_no_effect(Session.over(conn), now))
    of = f" to {now.dataset}" if now.dataset else ""
    unless = " or only OVERWRITE" if now.mode == "overwrite_partitions" else ""
    terminal.write_line(
        f"Write mode of {now.job}{of} if events do not report one{unless}: {now.mode}."
    )
    for line in notes:
        terminal.write_line(line, err=True)


def _notes_of_no_effect(session: Session, now: WriteMode) -> Iterator[str]:
    """Yield lines about a job that has not written; an application writes by child runs."""
    from lineage.query.child_runs import child_jobs_of_job
    from lineage.query.names import resolve_job
    from lineage.write_modes import has_written

    if now.mode == "unknown" or has_written(session, now.job, now.dataset):
        return
    target = now.dataset or "a dataset"
    yield f"No run of {now.job} wrote {target}, so the mode has no effect yet."
    children = [
        child
        for child in child_jobs_of_job(session, resolve_job(session, now.job).id)
        if has_written(session, f"{child.namespace}/{child.name}", now.dataset)
    ]
    if children:
        yield "Runs that it started did, those of these jobs:"
        yield from child_lines(children)


@modes.command("list")
@options.format_option(*render.ROWS)
@options.dsn
def list_(form: str, dsn: str | None) -> None:
    """List the write modes that were set.

    \b
    Example:
      lineage modes list
    """
    from lineage.database.connection import connect_migrated
    from lineage.write_modes import list_modes

    with connect_migrated(dsn) as conn:
        rows = [dataclasses.asdict(each) for each in list_modes(conn)]
    render.emit_rows(rows, form, ["job", "dataset", "mode"])
