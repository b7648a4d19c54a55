"""``lineage cypher`` and ``lineage queries``: Cypher of your own and the canned queries."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

import lineage

from . import options
from .output import render

if TYPE_CHECKING:
    from lineage.query import Graph

LIMIT = 1000
# Rows and characters that are held at a time.
_BATCH = (1000, 1_000_000)


@click.command()
@click.argument("text", metavar="QUERY")
@click.option(
    "-p", "--param", "params", multiple=True, metavar="NAME=VALUE", help="Value of $NAME, as text."
)
@click.option("--timeout", type=float, default=30.0, show_default=True, help="Seconds it may take.")
@options.limit_option(LIMIT, "Maximum number of rows.")
@options.format_option(*render.ROWS)
@options.dsn
def cypher(
    text: str, params: tuple[str, ...], timeout: float, limit: int, form: str, dsn: str | None
) -> None:
    """Run a Cypher query over the graph; it can read and nothing else.

    Rows are written as they come: --limit 0 needs no more memory than a limit. A long answer is
    several tables, of at most 1,000 rows each.

    QUERY may be - for standard input. A value is $name in the query and -p name=value here.

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
    """List the canned queries, show one, run one."""


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

    A value is text, whatever it looks like. The dataset or job of a query is named as everywhere:
    by its full name, an alias, or any ending of these that fits no other; its namespace may be
    left out.

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
    """Run a query and write its rows while they are fetched; then how many are left out."""
    with graph.cypher_rows(text, params, timeout, limit=limit) as rows:
        count = render.stream_rows(rows.iter_batches(*_BATCH), form, rows.columns)
        omitted = rows.omitted
    if omitted:
        options.write_omitted({"rows": omitted}, {"rows": count}, err=True)
