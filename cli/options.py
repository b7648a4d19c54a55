"""Options and arguments that several commands share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lineage.parameters import MAX_DEPTH, MAX_WINDOW_DAYS, OBSERVED, WINDOW_DAYS

from .output import terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lineage.events.name_map import NameMap
    from lineage.query.session import Session

F = TypeVar("F", bound="Callable[..., Any]")

# lineage.database.connection reads LINEAGE_DSN, so that an error can name the setting that the
# address came from. Here it only appears in the help.
dsn = click.option(
    "--dsn",
    metavar="DSN",
    help="Database, as postgresql://user@host:port/name."
    "  [env var: LINEAGE_DSN; default: the private server of `lineage up`]",
)


def format_option(*forms: str) -> Callable[[F], F]:
    """Declare ``--format`` and the display options; the first of ``forms`` is the default."""
    format_ = click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help="Output format.",
    )
    pager = _display_option("--no-pager", terminal.NO_PAGER, "Write long output without a pager.")
    wide = _display_option(
        "--wide", terminal.WIDE, "Do not shorten lines, columns or names of jobs."
    )

    def declare(command: F) -> F:
        return format_(wide(pager(command)) if "table" in forms else pager(command))

    return declare


def _display_option(name: str, setting: str, help: str) -> Callable[[F], F]:
    """Declare a flag that the module ``terminal`` reads; no command receives it."""

    def store(context: click.Context, _option: click.Parameter, value: bool) -> None:
        if value:
            context.meta[setting] = True

    return click.option(name, is_flag=True, expose_value=False, callback=store, help=help)


depth = click.option(
    "--depth", type=click.IntRange(1, MAX_DEPTH), metavar="N",
    help="Maximum number of edges to follow.  [default: unlimited]",
)  # fmt: skip


def _read_names(_: click.Context, __: click.Parameter, path: Path | None) -> NameMap | None:
    from lineage.events.name_map import read_name_map

    return read_name_map(path) if path else None


name_map = click.option(
    "--map", "names", type=click.Path(path_type=Path), metavar="FILE", callback=_read_names,
    help="YAML file that maps other names of datasets to their proper names.",
)  # fmt: skip


observed = click.option(
    "--observed",
    is_flag=True,
    help=OBSERVED,
)


confidence = click.option(
    "--confidence", "min_confidence", type=click.FloatRange(0, 1), default=0.0, metavar="NUMBER",
    help="Do not follow declared edges whose confidence is below NUMBER (0 to 1).  [default: 0]",
)  # fmt: skip


def time_option(name: str, help: str, **settings: Any) -> Callable[[F], F]:
    """Declare an option whose value ``lineage.query.time_arguments`` parses."""
    zone = "ISO 8601; without an offset, in the time zone of this machine."
    return click.option(name, metavar="TIME", help=f"{help} {zone}", **settings)


def window_days(help: str) -> Callable[[F], F]:
    """Declare ``--window-days``, the number of days before the newest event to count."""
    return click.option(
        "--window-days",
        type=click.IntRange(1, MAX_WINDOW_DAYS),
        default=WINDOW_DAYS,
        show_default=True,
        help=help,
    )


# Default limit of results about runs, columns and differences.
MOST = 1000

# The limit for all rows: limit + 1 still fits an integer of PostgreSQL.
ALL = 10**9


def limit_option(default: int, help: str = "Maximum number of rows.") -> Callable[[F], F]:
    """Declare ``--limit``, the maximum number of results; 0 means all."""
    return click.option(
        "--limit",
        type=click.IntRange(min=0),
        metavar="N",
        default=default,
        show_default=True,
        callback=lambda _context, _option, limit: min(limit or ALL, ALL),
        help=f"{help.removesuffix('.')}; 0 means all.",
    )


def write_omitted(totals: Mapping[str, int], listed: Mapping[str, int], *, err: bool) -> None:
    """Write the numbers of listed and of all entries of each list that the limit cut."""
    for name, more in totals.items():
        number = listed[name]
        terminal.write_line(
            f"The first {number:,} of {number + more:,} {name} are shown. --limit 0 shows all.",
            err=err,
        )


def note_if_empty(session: Session, result: object) -> None:
    """Write to stderr that the graph is empty if ``result`` is empty for that reason."""
    from lineage.query.names import EMPTY, is_graph_empty

    if not result and is_graph_empty(session):
        terminal.write_line(EMPTY, err=True)


def parse_pair(text: str) -> tuple[str, str]:
    """Split ``name=value``."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"{text!r} does not have the form NAME=VALUE.")
    return name, value


def parse_pairs(texts: Sequence[str]) -> dict[str, str]:
    """Split each ``name=value``; raise UsageError if a name has two different values."""
    pairs: dict[str, str] = {}
    for name, value in map(parse_pair, texts):
        if pairs.setdefault(name, value) != value:
            raise click.UsageError(
                f"{name} has two values: {pairs[name]!r} and {value!r}. Give one of them."
            )
    return pairs


def complete_dataset(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Return names of datasets for shell completion; none if no database can be reached."""
    from lineage.errors import LineageError
    from lineage.query.listing import list_datasets
    from lineage.query.session import Session

    try:
        with Session(context.params.get("dsn")) as session:
            return [each.full_name for each in list_datasets(session, incomplete)]
    except LineageError:
        return []


def complete_job(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return names of jobs, then of datasets, for shell completion."""
    from lineage.errors import LineageError
    from lineage.query.listing import list_jobs
    from lineage.query.session import Session

    try:
        with Session(context.params.get("dsn")) as session:
            jobs = [each.full_name for each in list_jobs(session, incomplete)]
    except LineageError:
        return []
    return jobs + complete_dataset(context, parameter, incomplete)


def complete_query(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Return names of canned queries for shell completion."""
    from lineage.query.cypher.canned import canned_queries

    return [query.name for query in canned_queries() if query.name.startswith(incomplete)]


exit_code = click.option(
    "--exit-code",
    type=int,
    metavar="N",
    help="Exit code of the driver, if Spark did not record one.",
)
