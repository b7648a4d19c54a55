"""Options and the closing line of all imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.readers.report import ImportReport

F = TypeVar("F", bound="Callable[..., Any]")

namespace = click.option(
    "--namespace",
    metavar="NS",
    required=True,
    help="Namespace of the datasets: the server, as postgres://HOST:PORT or sqlserver://HOST:PORT.",
)
events = click.option(
    "--events", "as_events", is_flag=True,
    help="Write the events to stdout as JSON lines, instead of into the graph.",
)  # fmt: skip
text = click.option(
    "--text",
    type=click.Choice(["none", "shape", "full"]),
    default="shape",
    show_default=True,
    help="Text of statements to keep: nothing, with ? for each literal, or all of it.",
)
list_unresolved = click.option(
    "--unread", "list_unresolved", is_flag=True,
    help="List the rows and statements that could not be read, on stderr.",
)  # fmt: skip
schema = click.option(
    "--schema",
    metavar="NAME",
    help="Schema of tables that are named without one.  [default: public or dbo, by dialect]",
)


def common_options(command: F) -> F:
    """Declare the options that all imports have."""
    for option in (options.dsn, list_unresolved, text, events):
        command = option(command)
    return command


def write_report(report: ImportReport, *, list_unresolved: bool) -> bool:
    """Write the closing line to stderr; return whether all could be read."""
    if list_unresolved:
        for each in report.unresolved:
            terminal.write_line(f"{each.place}: {each.beginning}: {each.reason}", err=True)
    counts = render.count_of(report.events, "event")
    if report.runs:
        counts += f" of {render.count_of(report.runs, 'run')}"
    if report.duplicates:
        counts += f", {report.duplicates:,} of them already stored"
    statements = render.count_of(report.statements, "statement")
    shapes = render.count_of(report.shapes, "shape")
    line = f"{counts}; {statements}, {shapes}"
    if count := report.unresolved_count:
        hint = "" if list_unresolved else " (--unread lists them)"
        line += f"; {count:,} not read{hint}"
    terminal.write_line(f"{line}.", err=True)
    return not count
