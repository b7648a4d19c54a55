"""``lineage search``: datasets, jobs and columns that match words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage.query.search import KINDS, search_names
from lineage.query.session import Session

from . import options
from .output import fitting, render, terminal

if TYPE_CHECKING:
    from lineage.query.search import Hit, Kind

NOTHING = "No name matches or is similar."
COLUMNS = ["kind", "name", "match", "match_field", "matched_text"]


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Only entries of this kind; may be repeated.",
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True,
              help="Maximum number of rows.")  # fmt: skip
@options.format_option("text", *render.ROWS)
@options.dsn
def search(
    words: tuple[str, ...], kinds: tuple[Kind, ...], limit: int, form: str, dsn: str | None
) -> None:
    """Find datasets, jobs and columns by WORDS of their names, tags and descriptions.

    All words have to match, in any case. Exact names are listed first, then names whose last part
    begins with the words. Matches of a whole word or a tag follow, then matches anywhere in the
    text. If nothing matches, similar names are listed, which finds names in spite of typing errors.

    The exit code is 1 if nothing matches.

    \b
    Examples:
      lineage search revenue
      lineage search gold orders --kind dataset
      lineage search pii --format jsonl | jq -r .name
    """
    with Session(dsn) as session:
        hits = search_names(session, " ".join(words), kinds or None, limit)
        options.note_if_empty(session, hits)
    if form == "text":
        terminal.write_fitting_lines(map(_hit_line, hits) if hits else [NOTHING])
    else:
        render.emit_rows(map(_hit_row, hits), form, COLUMNS)
    if not hits:
        raise click.exceptions.Exit(1)


def _hit_line(hit: Hit) -> str:
    also = (
        ""
        if hit.match_field == "name" and hit.matched_text in (hit.full_name, hit.column)
        else hit.matched_text
    )
    text = fitting.shorten_text(render.cell_text(also), render.CELL)
    match = f"  [{hit.match_field if hit.match_field != 'name' else 'also called'}: {text}]"
    types = f"  ({', '.join(hit.node_types)})" if hit.node_types else ""
    rank = f"  [rank {hit.rank.position:,} of {hit.rank.total:,}]" if hit.rank else ""
    return f"{hit.kind:<8} {hit.full_name}{types}{match if also else ''}{rank}"


def _hit_row(hit: Hit) -> dict[str, Any]:
    return {
        "kind": hit.kind,
        "name": hit.full_name,
        "match": hit.match,
        "match_field": hit.match_field,
        "matched_text": hit.matched_text,
        "dataset": hit.dataset and hit.dataset.full_name,
        "job": hit.job and hit.job.full_name,
        "column": hit.column,
        "node_types": list(hit.node_types),
        "rank": hit.rank and hit.rank.rank,
        "rank_position": hit.rank and hit.rank.position,
    }
