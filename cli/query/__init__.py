"""``lineage query``: dataset, column, job and run lineage, each a subcommand."""

from __future__ import annotations

import click

from ..lazy_group import LazyGroup

PLACES = {
    "dataset": "dataset:dataset",
    "column": "column:column",
    "job": "job:job",
    "run": "run:run",
    "at": "at:at",
}


class QueryGroup(LazyGroup):
    """Group with the default subcommand ``dataset``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.places and args[0] not in ctx.help_option_names:
            args = ["dataset", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.MissingParameter as error:
            name = error.ctx.info_name if error.ctx else None
            if name != "dataset":
                hint = f'For a dataset with the name "{name}": lineage query dataset {name}'
                error.message = hint  # type: ignore[misc]
            raise


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
