"""``lineage datasets`` and ``lineage jobs``: entities by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.query.listing import ListedDataset, ListedJob

DATASETS = ["name", "last_seen", "tags"]
JOBS = ["name", "type", "last_seen", "tags"]
LIMIT = 100

namespace = click.option("--namespace", multiple=True, metavar="NAMESPACE",
                         help="Only entries of this namespace; may be repeated.")  # fmt: skip
tag = click.option("--tag", multiple=True, metavar="TAG",
                   help="Only entries with this tag, key:value if it has a value; may be repeated.",
                   )  # fmt: skip


@click.command()
@click.argument("text", default="")
@namespace
@tag
@options.limit_option(LIMIT, "Maximum number of datasets")
@options.format_option(*render.ROWS)
@options.dsn
def datasets(
    text: str,
    namespace: tuple[str, ...],
    tag: tuple[str, ...],
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """List datasets by name.

    With TEXT, only datasets are listed whose full name contains it, in any case.

    \b
    Examples:
      lineage datasets gold
      lineage datasets --tag pii --format jsonl | jq -r .name
    """
    from lineage.query.listing import list_datasets
    from lineage.query.session import Session

    with Session(dsn) as session:
        listed = list_datasets(session, text, limit + 1, namespaces=namespace, tags=tag)
        options.note_if_empty(session, listed)
    _write_list(listed, form, limit, DATASETS, _dataset_row)


@click.command()
@click.argument("text", default="")
@namespace
@tag
@click.option("--job-type", "types", multiple=True, metavar="TYPE",
              help="Only jobs of this jobType, in any case; may be repeated.")  # fmt: skip
@options.limit_option(LIMIT, "Maximum number of jobs")
@options.format_option(*render.ROWS)
@options.dsn
def jobs(
    text: str,
    namespace: tuple[str, ...],
    tag: tuple[str, ...],
    types: tuple[str, ...],
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """List jobs by name.

    With TEXT, only jobs are listed whose full name contains it, in any case.

    \b
    Examples:
      lineage jobs delays
      lineage jobs --job-type streaming
    """
    from lineage.query.listing import list_jobs
    from lineage.query.session import Session

    with Session(dsn) as session:
        listed = list_jobs(session, text, limit + 1, namespaces=namespace, tags=tag, types=types)
        options.note_if_empty(session, listed)
    _write_list(listed, form, limit, JOBS, _job_row)


def _dataset_row(each: ListedDataset) -> dict[str, Any]:
    return {
        "name": each.full_name,
        "namespace": each.namespace,
        "last_seen": each.last_seen,
        "tags": each.tags,
    }


def _job_row(each: ListedJob) -> dict[str, Any]:
    return {
        "name": each.full_name,
        "namespace": each.namespace,
        "type": each.type,
        "last_seen": each.last_seen,
        "tags": each.tags,
    }


def _write_list(
    listed: Sequence[Any],
    form: str,
    limit: int,
    columns: Sequence[str],
    row: Callable[[Any], dict[str, Any]],
) -> None:
    rows = [row(each) for each in listed[:limit]]
    if form == "table":
        rows = [
            {
                **each,
                "last_seen": render.format_time(each["last_seen"]),
                "tags": ", ".join(each["tags"]),
            }
            for each in rows
        ]
    render.emit_rows(rows, form, columns)
    if len(listed) > limit:
        terminal.write_line(f"The first {limit:,} are listed. --limit 0 lists all.", err=True)
