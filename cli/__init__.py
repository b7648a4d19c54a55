"""The ``lineage`` command: one module per command group, imported when its command runs."""

from __future__ import annotations

from typing import Any

import click

from lineage.control_characters import escape_controls
from lineage.errors import LineageError
from lineage.suggestions import nearest_name

from .lazy_group import LazyGroup
from .output import terminal

_PIPE_CLOSED = 141  # as a shell reports a program that SIGPIPE ended

# Heading -> command name -> module and attribute below this package, and its line in the help.
# `lineage query` therefore imports nothing that only `lineage up` needs, and `lineage --help`
# imports no command at all.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Ask": {
        "query": ("query:query", "Lineage of a dataset, a column, a job or a run"),
        "paths": ("paths:paths", "Paths from one dataset to another"),
        "impact": ("impact:impact", "Dependents of a dataset, and their owners"),
        "diff": ("diff:diff", "Differences between two times or two runs"),
        "root-cause": (
            "root_cause:root_cause",
            "Possible causes of a failed, late or incomplete run",
        ),
        "quality": ("quality:quality", "Quality checks of datasets, inputs and runs"),
        "search": ("search:search", "Datasets, jobs and columns that match words"),
        "datasets": ("lists:datasets", "Datasets by name"),
        "jobs": ("lists:jobs", "Jobs by name"),
        "show": ("show:show", "Details of a dataset, a job or a run"),
        "runs": ("show:runs", "Runs of a dataset or a job, newest first"),
        "overdue": ("overdue:overdue_jobs", "Jobs whose next run is overdue"),
        "plan": ("plan:plan_order", "The order of jobs, and DAG files of it"),
        "sources": ("sources:list_sources", "Sources by the products that depend on them"),
        "rank": ("rank:rank_datasets", "Datasets by the lineage that depends on them"),
        "orphans": ("health:orphans", "Datasets without reader or writer, jobs without output"),
        "cycles": ("health:cycles", "Datasets that feed each other or themselves"),
        "stats": ("health:stats", "Size of the graph, and its most used sources"),
        "cypher": ("cypher:cypher", "Rows of a Cypher query over the graph"),
        "queries": ("cypher:queries", "Canned queries: list, show, run"),
    },
    "Run": {
        "run": ("run:run", "Run a Spark command with the listener"),
        "trace": ("trace:trace", "Source rows of a row of a table, by a dry run of its job"),
        "jar": ("jar:jar", "Print the path of the listener's jar"),
        "convert": ("convert:convert", "Convert plan documents to OpenLineage events"),
    },
    "Collect": {
        "ingest": ("ingest:ingest", "Write events and plan documents into the graph"),
        "import": ("imports:import_group", "Lineage from dbt, query logs, scripts and catalogs"),
        "lake": ("lake:lake_group", "Events in object storage: add and fold them by Spark"),
        "graph": ("graph_models:graph_group", "Graph models: import, export, validate"),
        "serve": ("serve:serve", "Receive events and serve the read API over HTTP"),
        "mcp": ("mcp:mcp", "Serve queries to MCP clients"),
        "export": ("exports:export_group", "Write the graph into files of other programs"),
        "forward": ("forward:forward", "Send events to other backends"),
        "events": ("events:events", "Newest events of the log"),
        "plan-documents": (
            "plan_documents:plan_documents",
            "Newest plan documents of the collector",
        ),
    },
    "Administer": {
        "up": ("private_server:up", "Start a private PostgreSQL with Apache AGE"),
        "down": ("private_server:down", "Stop the private server; its data remain"),
        "status": ("status:status", "Pending events, plan documents and forwarding"),
        "doctor": ("doctor:doctor", "Check each layer, from database to jar"),
        "migrate": ("migrate:migrate", "Upgrade a database to this version"),
        "token": ("token:token", "Add, list and remove tokens of the collector"),
        "modes": ("modes:modes", "Set the write mode of jobs that do not report it"),
        "rebuild": ("maintenance:rebuild", "Rebuild the graph from the log"),
        "replay": ("maintenance:replay", "Convert stored plan documents again"),
        "archive": ("maintenance:archive_log", "Move old months of the log to an event lake"),
        "archive-runs": (
            "maintenance:archive_old_runs",
            "Move the runs of old months to an event lake",
        ),
        "prune": ("maintenance:prune", "Drop old months of the log"),
    },
}
COMMANDS = {name: place for group in GROUPS.values() for name, (place, _) in group.items()}


class LineageGroup(LazyGroup):
    """Group of all commands: lists them under headings and prints errors of the library."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing any."""
        width = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(f"{name:<{width}}", text) for name, (_, text) in commands.items()]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; fail with the most similar name if it does not exist."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            near = nearest_name(args[0], COMMANDS)
            ctx.fail(f"No such command {args[0]!r}.{f' Did you mean {near}?' if near else ''}")
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Parse the arguments, after the standard streams are open."""
        terminal.open_closed_streams()
        return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except LineageError as error:
            terminal.write_error(error)
            ctx.exit(error.exit_code)
        except BrokenPipeError:  # the reader of the output has ended, such as head
            terminal.discard_output()
            ctx.exit(_PIPE_CLOSED)
        except OSError as error:
            if not terminal.is_of_output(error):
                raise
            terminal.discard_output()
            reason = error.strerror or str(error)
            terminal.write_error(LineageError(f"Output cannot be written: {reason}."))
            ctx.exit(LineageError.exit_code)
        except click.ClickException as error:
            error.message = escape_controls(error.message, keep="\n")  # type: ignore[misc]
            raise


@click.group(
    cls=LineageGroup,
    package=__name__,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="lineage-age", prog_name="lineage")
def main() -> None:
    """Collect and query the lineage of datasets, columns, jobs and runs."""
