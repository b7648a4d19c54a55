"""A group of commands about a dataset, a run and others, where the dataset needs no subcommand."""

from __future__ import annotations

import click


class DefaultGroup(click.Group):
    """Group with the default subcommand ``dataset``: ``query NAME`` is ``query dataset NAME``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.list_commands(ctx), *ctx.help_option_names):
            args = ["dataset", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.MissingParameter as error:
            name = error.ctx.info_name if error.ctx else None
            if name != "dataset":
                group = ctx.info_name
                hint = f'For a dataset with the name "{name}": lineage {group} dataset {name}'
                error.message = hint  # type: ignore[misc]
            raise
