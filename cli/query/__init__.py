"""``lineage query``: dataset, column, job and run lineage, each a subcommand."""

from __future__ import annotations

import click

from ..default_group import DefaultGroup
from ..lazy_group import LazyGroup

PLACES = {
    "dataset": "dataset:dataset",
    "column": "column:column",
    "job": "job:job",
    "run": "run:run",
    "at": "at:at",
}


class QueryGroup(DefaultGroup, LazyGroup):
    """Group of the kinds of lineage, imported one by one."""


@click.group(cls=QueryGroup, package=__name__, places=PLACES)
def query() -> None:
    """Show the lineage of a dataset, a column, a job or a run.

    `lineage query NAME` is `lineage query dataset NAME`.

    \b
    Examples:
      lineage query gold/revenue
      lineage query raw.orders --downstream --depth 2
      lineage query column gold/revenue total
      lineage query job etl/clean --downstream
      lineage query run report_fleet_age
      lineage query at gold/revenue 2026-01-31T18:00:00Z
    """
