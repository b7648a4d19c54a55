"""``lineage mcp``: queries for MCP clients."""

from __future__ import annotations

import click

from lineage.errors import UsageError
from lineage.extras import install_hint

from . import options


@click.command()
@click.option("--http", metavar="HOST:PORT", help="Serve streamable HTTP on this address, at /mcp.")
@click.option("--tokens", is_flag=True, help="With --http: require tokens on loopback too.")
@options.dsn
def mcp(http: str | None, tokens: bool, dsn: str | None) -> None:
    """Serve queries to MCP clients, such as assistants that call tools.

    A client starts this command and communicates over standard input and output. With --http the
    command serves several clients. If it listens on an address outside the loopback interface, each
    request needs a token with the scope read; `lineage token add NAME --scope read` creates one.

    All tools are read-only. Results are small and report the number of omitted entries.

    \b
    Examples:
      claude mcp add lineage -- lineage mcp
      lineage mcp --http 127.0.0.1:8000
    """
    if tokens and http is None:
        raise click.UsageError("--tokens requires --http.")
    place = _parse_address(http) if http is not None else None
    try:
        from lineage.mcp import serve
    except ImportError as error:
        raise UsageError(
            f"`lineage mcp` needs the package {error.name}.",
            install_hint("mcp"),
        ) from error
    if place is None:
        serve.on_stdio(dsn)
    else:
        from lineage.http.serve.server import is_loopback

        host, port = place
        serve.on_http(host, port, dsn, tokens=tokens or not is_loopback(host))


def _parse_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit():
        raise click.UsageError(f"{text!r} is not of the form HOST:PORT, such as 127.0.0.1:8000.")
    if int(port) > 65535:
        raise click.UsageError(f"The port {port} is not between 0 and 65535.")
    return host.strip("[]"), int(port)
