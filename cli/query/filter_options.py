"""What of a trace ``lineage query`` shows: the options for it, and what is said of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from .. import options as options_of_commands
from ..output import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lineage.query.filters import Filters
    from lineage.query.records import JobTrace, Trace

    F = TypeVar("F", bound="Callable[..., Any]")

# What a person looks through; programs get all.
TREE_LIMIT = 100

_OPTIONS = (
    click.option("--limit", type=click.IntRange(min=0), metavar="N",
                 help="At most so many datasets (jobs), nearest first; 0 for all."
                 f"  [default: {TREE_LIMIT} in a tree, else all; of runs and columns 1000]"),
    click.option("--namespace", multiple=True, metavar="NAMESPACE",
                 help="Show datasets (jobs) of this namespace; may be repeated."),
    click.option("--tag", multiple=True, metavar="TAG",
                 help="Show datasets (jobs) with this tag, key or key:value; may be repeated."),
    click.option("--job", multiple=True, metavar="JOB",
                 help="Show what this job leads to; may be repeated."),
    click.option("--type", multiple=True, metavar="TYPE",
                 help="Show what jobs of this type (jobType) lead to, or these; may be repeated."),
    click.option("--since", metavar="TIME",
                 help="Show what was read and written at that time or later (ISO 8601)."),
    click.option("--no-stale", is_flag=True,
                 help="Do not pass edges that the last good run of their job no longer made."),
    options_of_commands.observed,
)  # fmt: skip


def options(command: F) -> F:
    """The options, each a parameter of the command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def filters(said: Mapping[str, Any], form: str) -> Filters:
    """Return what the options say."""
    from lineage.query.filters import Filters

    limit = said["limit"]
    if limit is None and form == "tree":
        limit = TREE_LIMIT
    return Filters(
        said["namespace"], said["tag"], said["job"], said["type"], said["since"],
        not said["no_stale"], limit or None, said["observed"],
    )  # fmt: skip


def given(said: Mapping[str, Any]) -> str:
    """Return the first of the options that was given, as it is written, or nothing."""
    names = [name for name, value in said.items() if value not in (None, (), False)]
    return f"--{names[0].replace('_', '-')}" if names else ""


def left_out(trace: Trace | JobTrace, what: str = "dataset") -> Iterator[str]:
    """Yield what is said of what is not shown; ``what`` the trace is of."""
    if trace.left_out:
        whole = trace.left_out + len(trace.nodes) - 1
        yield (
            f"The {len(trace.nodes) - 1:,} nearest of {whole:,} {what}s {trace.direction} are"
            f" shown; {trace.next_left_out:,} of the others are right behind these."
            " --limit 0 shows all."
        )
    if trace.hidden:
        hidden = render.count(trace.hidden, what)
        yield f"{hidden} {trace.direction} not shown: the filters do not fit."
