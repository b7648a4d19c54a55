"""The ``lineage`` command: one module a command group, loaded when its command is called."""

from __future__ import annotations

import importlib

import click

from lineage.control_characters import escape_controls
from lineage.errors import LineageError

from . import terminal

# command name -> module of this package and attribute, so that `lineage query` loads nothing that
# only `lineage up` needs
COMMANDS: dict[str, str] = {
    "up": "server:up",
    "down": "server:down",
    "status": "status:status",
    "migrate": "migrate:migrate",
    "jar": "jar:jar",
    "run": "run:run",
    "convert": "convert:convert",
    "ingest": "ingest:ingest",
    "events": "events:events",
    "documents": "documents:documents",
    "rebuild": "rebuild:rebuild",
    "replay": "rebuild:replay",
    "prune": "rebuild:prune",
    "serve": "serve:serve",
    "mcp": "mcp:mcp",
    "forward": "forward:forward",
    "token": "token:token",
    "query": "query:query",
    "path": "path:path",
    "impact": "impact:impact",
    "diff": "diff:diff",
    "root-cause": "root_cause:root_cause",
    "quality": "quality:quality",
    "orphans": "health:orphans",
    "cycles": "health:cycles",
    "stats": "health:stats",
    "search": "search:search",
    "show": "show:show",
    "runs": "show:runs",
    "cypher": "cypher:cypher",
    "queries": "cypher:queries",
    "doctor": "doctor:doctor",
}


class LazyGroup(click.Group):
    """A group that imports the module of a command when that command is looked up."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (place := COMMANDS.get(cmd_name)) is None:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(importlib.import_module(f".{module}", __name__), attribute)
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except LineageError as error:
            terminal.write_error(error)
            ctx.exit(error.exit_code)
        except click.ClickException as error:
            error.message = escape_controls(error.message, keep="\n")  # type: ignore[misc]
            raise


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lineage-age", prog_name="lineage")
def main() -> None:
    """Where did this table come from, and what breaks if it changes?"""
