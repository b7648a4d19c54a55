"""Options for the filters of a trace, and notes about the entries that they omit."""

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

# A tree is read by people; formats for programs have no default limit.
TREE_LIMIT = 100

_OPTIONS = (
    click.option("--limit", type=click.IntRange(min=0), metavar="N",
                 help="Maximum number of datasets or jobs in each direction, nearest first; "
                 f"0 means all.  [default: {TREE_LIMIT} in a tree, else all]"),
    click.option("--namespace", multiple=True, metavar="NAMESPACE",
                 help="Only datasets or jobs of this namespace; may be repeated."),
    click.option("--tag", multiple=True, metavar="TAG",
                 help="Only datasets or jobs with this tag, key:value if it has a value; "
                 "may be repeated."),
    click.option("--job-type", multiple=True, metavar="TYPE",
                 help="Only jobs of this jobType, or edges of such jobs; may be repeated."),
    options_of_commands.time_option("--since", "Only edges seen at that time or later."),
    click.option("--include-stale/--exclude-stale", default=True, show_default=True,
                 help="Follow edges that the last successful write of the target by their job "
                 "did not produce."),
    options_of_commands.observed,
    options_of_commands.confidence,
)  # fmt: skip

of_job = click.option("--job", multiple=True, metavar="JOB",
                      help="Only edges of this job; may be repeated.")  # fmt: skip


def filter_options(command: F) -> F:
    """Declare the options whose values ``read_filters`` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_filters(values: Mapping[str, Any], form: str) -> Filters:
    """Return the filters of the option values; a tree has a default limit."""
    from lineage.query.filters import Filters

    limit = values["limit"]
    if limit is None and form == "tree":
        limit = TREE_LIMIT
    return Filters(
        values["namespace"], values["tag"], values.get("job", ()), values["job_type"],
        values["since"], values["include_stale"], limit or None, values["observed"],
        values["min_confidence"],
    )  # fmt: skip


def omitted_lines(trace: Trace | JobTrace, what: str = "dataset") -> Iterator[str]:
    """Yield notes about omitted entries; ``what`` is the noun for one entry."""
    if trace.omitted:
        whole = trace.omitted + len(trace.nodes) - 1
        yield (
            f"The {len(trace.nodes) - 1:,} nearest of {whole:,} {what}s {trace.direction} are"
            f" shown; {trace.omitted_adjacent:,} of the others are adjacent to these."
            " --limit 0 shows all."
        )
    if trace.filtered_out:
        hidden = render.count_of(trace.filtered_out, what)
        yield f"{hidden} {trace.direction} not shown: removed by filters."
