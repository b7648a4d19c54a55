"""``lineage modes``: how jobs write where events do not say."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from lineage.write_modes import Mode


@click.group()
def modes() -> None:
    """Set and list how jobs write where their events do not say."""


@modes.command("set")
@click.argument("job")
@click.argument("mode", type=click.Choice(["append", "overwrite", "unknown"]))
@click.option("--dataset", metavar="NAME", help="Set it for this dataset alone.")
@options.dsn
def set_(job: str, mode: Mode, dataset: str | None, dsn: str | None) -> None:
    """Set how JOB writes where its events do not say.

    append: what was there stays; overwrite: nothing of it does, whoever wrote it; unknown takes
    back what was set of the job, and with --dataset goes before it. It holds for earlier runs, too.
    A job that said once that it appends to a dataset, or is a stream, is taken to append always.

    \b
    Examples:
      lineage modes set airflow/dag.load append
      lineage modes set dag.load overwrite --dataset dw/orders
      lineage modes set dag.load unknown
    """
    from lineage.database.connection import connect
    from lineage.write_modes import set_mode

    with connect(dsn, autocommit=True) as conn:
        now = set_mode(conn, job, mode, dataset)
    of = f" to {now.dataset}" if now.dataset else ""
    terminal.write_line(f"Writes of {now.job}{of} that do not say how: {now.mode}.")


@modes.command("list")
@options.format_option(*render.ROWS)
@options.dsn
def list_(form: str, dsn: str | None) -> None:
    """List how jobs write by what was set.

    \b
    Example:
      lineage modes list
    """
    from lineage.database.connection import connect
    from lineage.write_modes import list_modes

    with connect(dsn, autocommit=True) as conn:
        rows = [dataclasses.asdict(each) for each in list_modes(conn)]
    render.emit_rows(rows, form, ["job", "dataset", "mode"])
