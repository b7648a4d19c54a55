"""``lineage rank``: the datasets that the most lineage depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.query.ranking import DatasetRanking

_COLUMNS = ["dataset", "rank", "dependents"]


@click.command("rank")
@click.option("--store", is_flag=True, help="Also store the rank of each dataset.")
@options.observed
@options.limit_option(20, "Maximum number of datasets")
@options.format_option("text", *render.ROWS)
@options.dsn
def rank_datasets(store: bool, observed: bool, limit: int, form: str, dsn: str | None) -> None:
    """Rank datasets by the lineage that depends on them.

    The rank is PageRank: a dataset passes its rank to the datasets that feed it, so a source of
    many important datasets is important. All ranks add up to 100 %. Dependents are all datasets
    downstream.

    With --store, the rank of each dataset is written as an event of the dataset. It is then shown
    by search and show, and on the web page, until ranks are stored again. Ranks that have not
    changed are not written again.

    \b
    Examples:
      lineage rank --limit 10
      lineage rank --store
    """
    ranking = _store_ranks(dsn, limit, observed) if store else _read_ranks(dsn, limit, observed)
    if form == "text":
        terminal.write_fitting_lines(_ranking_lines(ranking))
    else:
        rows = [
            {
                "dataset": each.dataset.full_name,
                "rank": each.rank,
                "dependents": each.dependents,
            }
            for each in ranking.datasets
        ]
        render.emit_rows(rows, form, _COLUMNS)


def _read_ranks(dsn: str | None, limit: int, observed: bool) -> DatasetRanking:
    from lineage.query.ranking import rank_datasets as rank
    from lineage.query.session import Session

    with Session(dsn) as session:
        return rank(session, limit or None, observed=observed)


def _store_ranks(dsn: str | None, limit: int, observed: bool) -> DatasetRanking:
    from lineage.database.connection import connect_migrated
    from lineage.stored_ranks import store_ranks

    with connect_migrated(dsn) as conn:
        done = store_ranks(conn, observed=observed)
    unchanged = done.ranking.total - done.stored
    terminal.write_line(
        f"The ranks of {render.count_of(done.stored, 'dataset')} were stored; {unchanged:,} had"
        f" not changed; {done.withdrawn:,} were withdrawn.",
        err=True,
    )
    return done.ranking.limit_to(limit or None)


def _ranking_lines(ranking: DatasetRanking) -> Iterator[str]:
    if not ranking.total:
        yield "No dataset feeds another."
        return
    rows = [
        {
            "dataset": each.dataset.full_name,
            "rank": f"{each.rank:.2%}",
            "dependents": f"{each.dependents:,}",
        }
        for each in ranking.datasets
    ]
    yield from render.table_lines(rows, _COLUMNS, terminal.line_width())
    if ranking.omitted:
        yield f"and {ranking.omitted:,} more; --limit 0 shows all"
    yield ""
    yield (
        f"{render.count_of(ranking.total, 'dataset')} in"
        f" {render.count_of(ranking.components, 'component')};"
        f" the longest chain has {render.count_of(ranking.longest_chain, 'edge')}"
    )
