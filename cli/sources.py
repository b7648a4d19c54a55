"""``lineage sources``: which sources matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .archived_runs import report_archive
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.orchestration.sources import RankedSource, SourceRanking

COLUMNS = ["source", "products", "alone", "reads", "readers", "last_read", "columns",
           "columns_used", "cost", "owners", "tags", "unused"]  # fmt: skip


@click.command("sources")
@options.time_option(
    "--since", "Start of the window of reads, by default 30 days before the newest event."
)
@click.option("--products", metavar="PATTERN", multiple=True,
              help="Names of the datasets that count as products, as 'gold/*'. May be repeated.",
              )  # fmt: skip
@click.option("--unused", is_flag=True,
              help="Only sources that were not read, or of which no product was read.",
              )  # fmt: skip
@options.observed
@options.limit_option(50, "Maximum number of sources")
@options.format_option("text", *render.ROWS)
@options.dsn
def list_sources(
    since: str | None,
    products: tuple[str, ...],
    unused: bool,
    observed: bool,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """Rank sources by the use of the data derived from them.

    A source is a dataset that is read and that no run wrote, except failed runs. A product is a
    dataset that a job which writes nothing reads, or that feeds no other dataset; or one that
    matches --products. The column alone counts the products that depend on no other
    source and would be lost with this one. Reads are runs in the window that read one of the
    products, except by jobs that write it.

    Reads that nobody reports are not in the log: an unused source may be in use.

    \b
    Examples:
      lineage sources
      lineage sources --unused --since 2026-01-01
      lineage sources --products 's3://lake/gold/*' --format csv
    """
    from lineage.orchestration.sources import rank_sources
    from lineage.query.session import Session

    with Session(dsn) as session:
        ranking = rank_sources(
            session, since=since, products=products, unused=unused, observed=observed, limit=limit
        )
    if form == "text":
        terminal.write_fitting_lines(_ranking_lines(ranking))
    else:
        columns = ["source", "products", "reads", "readers", "last_read", "cost", "unused"]
        rows = [source_row(each) for each in ranking.sources]
        render.emit_rows(rows, form, COLUMNS if form == "csv" else columns)
        if ranking.omitted:
            click.echo(f"{ranking.omitted:,} more; --limit 0 shows all.", err=True)
    report_archive(ranking.archive)


def _ranking_lines(ranking: SourceRanking) -> Iterator[str]:
    if not ranking.sources:
        yield "There is no source."
        return
    has_cost = any(each.cost is not None for each in ranking.sources)
    rows = [
        {
            "source": each.dataset.full_name,
            "products": f"{each.products:,}",
            "alone": f"{len(each.alone):,}",
            "reads": f"{each.reads:,}",
            "readers": f"{each.readers:,}",
            "columns used": _describe_columns(each),
            "cost": "" if each.cost is None else f"{each.cost:,.2f}",
            "last read": render.format_time(each.last_read) or "never",
            "owners": ", ".join(each.owners),
        }
        for each in ranking.sources
    ]
    columns = ["source", "products", "alone", "reads", "readers", "columns used"]
    columns += [*(["cost"] if has_cost else []), "last read", "owners"]
    yield from render.table_lines(rows, columns, terminal.line_width())
    if ranking.omitted:
        yield f"and {ranking.omitted:,} more; --limit 0 shows all"
    if unused := [each for each in ranking.sources if each.unused]:
        yield from (
            "",
            f"NO REPORTED READ OF A PRODUCT since {render.format_time(ranking.since)}",
        )
        yield from (f"{each.dataset.full_name}  {_describe_disuse(each)}" for each in unused)


def _describe_columns(each: RankedSource) -> str:
    if not each.columns:
        return ""
    used = "?" if each.columns_used is None else f"{each.columns_used:,}"
    return f"{used} of {each.columns:,}"


def _describe_disuse(each: RankedSource) -> str:
    if each.unused == "not read":
        return "it was not read"
    if each.products == 1:
        return "its only product was not read"
    return f"none of its {each.products:,} products was read"


def source_row(each: RankedSource) -> dict[str, Any]:
    """Return a source with full names."""
    return {
        "source": each.dataset.full_name,
        "products": each.products,
        "alone": [dataset.full_name for dataset in each.alone],
        "reads": each.reads,
        "readers": each.readers,
        "last_read": each.last_read,
        "columns": each.columns,
        "columns_used": each.columns_used,
        "cost": each.cost,
        "owners": list(each.owners),
        "tags": list(each.tags),
        "unused": each.unused,
    }
