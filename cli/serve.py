"""``lineage serve``: the collector."""

from __future__ import annotations

import click

from . import options


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=5000, show_default=True, help="Port; 0 takes a free one.")
@click.option("--tokens", is_flag=True, help="Ask for tokens on the loopback interface too.")
@click.option(
    "--name", "names", metavar="NAME", multiple=True,
    help="Host name that clients use, if it is not localhost. Repeatable.",
)  # fmt: skip
@options.dsn
def serve(host: str, port: int, tokens: bool, names: tuple[str, ...], dsn: str | None) -> None:
    """Take OpenLineage events over HTTP, at /api/v1/lineage.

    An event is on disk before it is acknowledged, and in the graph a moment later. On another
    address than the loopback interface each request needs a token: lineage token add. On the
    loopback interface, and with --name, requests under other host names are refused, so that no
    web page can read or write here.

    \b
    Examples:
      lineage serve
      OPENLINEAGE_URL=http://127.0.0.1:5000 dbt-ol run
    """
    from lineage.http.serve.server import run_server as run

    run(host, port, dsn, tokens=tokens, names=names)
