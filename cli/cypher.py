"""``lineage cypher`` and ``lineage queries``: Cypher queries and canned queries."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

import lineage

from . import options
from .archived_runs import report_archive
from .output import render, terminal

if TYPE_CHECKING:
    from lineage.query import Graph

LIMIT = 1000
# Maximum number of rows and characters in memory at a time.
_BATCH = (1000, 1_000_000)


@click.command()
@click.argument("text", metavar="QUERY")
@click.option(
    "-p", "--param", "params", multiple=True, metavar="NAME=VALUE", help="Value of $NAME, as text."
)
@click.option(
    "--timeout",
    type=float,
    default=30.0,
    show_default=True,
    help="Timeout of the query in seconds.",
)
@options.limit_option(LIMIT, "Maximum number of rows.")
@options.format_option(*render.ROWS)
@options.dsn
def cypher(
    text: str, params: tuple[str, ...], timeout: float, limit: int, form: str, dsn: str | None
) -> None:
    """Run a read-only Cypher query over the graph.

    Rows are written as they are fetched, so --limit 0 needs no additional memory. A long result is
    written as several tables of at most 1,000 rows each.

    QUERY is the text of the query, or - to read it from standard input. The query refers to a
    parameter as $name; -p name=value sets its value.

    \b
    Examples:
      lineage cypher 'MATCH (d:Dataset) RETURN d.namespace, count(*)'
      lineage cypher 'MATCH (r:Run {state: $s}) RETURN r.run_id, r.error' -p s=FAIL
    """
    if text == "-":
        text = sys.stdin.read()
    with lineage.connect(dsn) as graph:
        _write_rows(graph, text, options.parse_pairs(params), limit, form, timeout)


@click.group()
def queries() -> None:
    """List, show and run canned queries."""


@queries.command("list")
@options.format_option(*render.ROWS)
def list_queries(form: str) -> None:
    """List the canned queries."""
    from lineage.query.cypher.canned import canned_queries

    rows = [
        {"name": query.name, "params": ", ".join(query.params), "summary": query.summary}
        for query in canned_queries()
    ]
    render.emit_rows(rows, form, ["name", "params", "summary"])


@queries.command("show")
@click.argument("name", shell_complete=options.complete_query)
def show_query(name: str) -> None:
    """Print the text of a canned query.

    \b
    Example:
      lineage queries show failed_runs
    """
    from lineage.query.cypher.canned import canned_query

    click.echo(canned_query(name).text.rstrip())


@queries.command("run")
@click.argument("name", shell_complete=options.complete_query)
@click.argument("values", nargs=-1, metavar="[PARAM=VALUE]...")
@options.limit_option(LIMIT, "Maximum number of rows.")
@options.format_option(*render.ROWS)
@options.dsn
def run_query(name: str, values: tuple[str, ...], limit: int, form: str, dsn: str | None) -> None:
    """Run a canned query.

    Values are passed as text. A parameter that is a dataset or a job takes its full name, an alias,
    or an unambiguous ending of either; the namespace may be omitted.

    \b
    Examples:
      lineage queries run failed_runs
      lineage queries run runs_that_wrote name=gold/revenue
    """
    from lineage.query.cypher.canned import canned_query
    from lineage.query.cypher.canned_parameters import bind_parameters

    query = canned_query(name)
    params = options.parse_pairs(values)
    with lineage.connect(dsn) as graph:
        _write_rows(graph, query.text, bind_parameters(graph.session, query, params), limit, form)


def _write_rows(
    graph: Graph,
    text: str,
    params: dict[str, str],
    limit: int,
    form: str,
    timeout: float = 30.0,
) -> None:
    """Run a query, write its rows as they are fetched, then report what is omitted."""
    from lineage.query.cypher.read import find_archive_of_query

    with graph.cypher_rows(text, params, timeout, limit=limit) as rows:
        count = render.stream_rows(rows.iter_batches(*_BATCH), form, rows.columns)
        omitted = rows.omitted
    if not count:
        terminal.write_line("No rows.", err=True)
    if omitted:
        options.write_omitted({"rows": omitted}, {"rows": count}, err=True)
    report_archive(find_archive_of_query(graph.session, text))
