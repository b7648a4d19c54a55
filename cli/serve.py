"""``lineage serve``: the collector."""

from __future__ import annotations

import click

from . import options


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=5000, show_default=True,
    help="Port; 0 selects a free one.",
)  # fmt: skip
@click.option("--tokens", is_flag=True, help="Require tokens on the loopback interface too.")
@click.option(
    "--name", "names", metavar="NAME", multiple=True,
    help="Host name that clients use, if it is not localhost; may be repeated.",
)  # fmt: skip
@click.option("--open", "open_page", is_flag=True, help="Show the web page in the browser.")
@options.dsn
def serve(
    host: str, port: int, tokens: bool, names: tuple[str, ...], open_page: bool, dsn: str | None
) -> None:
    """Receive OpenLineage events over HTTP at /api/v1/lineage, and serve read API and web page.

    An event is written to disk before it is acknowledged. It appears in the graph shortly
    afterwards.

    If the server listens on an address outside the loopback interface, each request needs a token;
    `lineage token add NAME` creates one. On the loopback interface, and with --name, requests with
    other host names are rejected, so that web pages cannot read or write lineage.

    \b
    Examples:
      lineage serve
      lineage serve --open
      OPENLINEAGE_URL=http://127.0.0.1:5000 dbt-ol run
    """
    from lineage.http.serve.server import run_server as run

    run(host, port, dsn, tokens=tokens, names=names, open_page=open_page)
