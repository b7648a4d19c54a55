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
    help="List on stderr what could not be read, each with its place and the reason.",
)  # fmt: skip
sources = click.argument("sources", nargs=-1, required=True, metavar="FILE|DIRECTORY|-...")
schema = click.option(
    "--schema",
    metavar="NAME",
    help="Schema of tables that are named without one.  [default: public or dbo, by dialect]",
)


def dialect_option(texts: str, default: str = "by the namespace") -> Callable[[F], F]:
    """Declare the option for the SQL dialect of ``texts``."""
    return click.option(
        "--dialect", metavar="NAME", help=f"SQL dialect of {texts}.  [default: {default}]"
    )


def common_options(command: F) -> F:
    """Declare the options that all imports have."""
    for option in (options.dsn, options.name_map, list_unresolved, text, events):
        command = option(command)
    return command


def describe_events(report: ImportReport) -> str:
    """Return the numbers of events, runs and renamed datasets as text."""
    text = render.count_of(report.events, "event")
    if report.runs:
        text += f" of {render.count_of(report.runs, 'run')}"
    if report.duplicates:
        text += f", {report.duplicates:,} of them already stored"
    if report.renamed:
        text += f"; {render.count_of(report.renamed, 'dataset')} renamed by the map"
    return text


def write_report(report: ImportReport, *, list_unresolved: bool) -> bool:
    """Write the closing line to stderr; return whether all could be read."""
    if list_unresolved:
        for each in (*report.unresolved, *report.uncalled):
            terminal.write_line(f"{each.place}: {each.beginning}: {each.reason}", err=True)
        terminal.write_lines([f"{gap}." for gap in report.gaps], err=True)
    statements = render.count_of(report.statements, "statement")
    shapes = render.count_of(report.shapes, "shape")
    line = f"{describe_events(report)}; {statements}, {shapes}"
    if count := report.unresolved_count:
        hint = "" if list_unresolved else " (--unread lists them)"
        line += f"; {count:,} not read{hint}"
    if report.uncalled:
        hint = "" if list_unresolved else " (--unread lists them)"
        line += f"; {render.count_of(len(report.uncalled), 'routine')} that no script calls{hint}"
    if report.gaps:
        hint = "" if list_unresolved else " (--unread lists them)"
        line += f"; {render.count_of(len(report.gaps), 'gap')} in the numbers of events{hint}"
    if report.others:
        [(application, _)] = report.others.most_common(1)
        number = render.count_of(report.others.total(), "event")
        line += f"; {number} of other applications, such as {application or 'one without a name'}"
    for owner, count in report.passed_over.items():
        line += f"; {render.count_of(count, 'row')} of {owner} passed over"
    terminal.write_line(f"{line}.", err=True)
    return not report.unresolved_count
