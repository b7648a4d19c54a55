"""Run the MCP server on standard input and output, or over streamable HTTP."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from starlette.requests import Request

from lineage import logs
from lineage.database.connection import connect_migrated
from lineage.database.read_pool import ReadPool
from lineage.database.side_connection import SideConnection
from lineage.errors import LineageError
from lineage.http import errors
from lineage.http.authentication import Authentication
from lineage.http.errors import ApiError
from lineage.http.listening import check_address
from lineage.mcp.server import create_server

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


def on_stdio(dsn: str | None) -> None:
    """Serve the client that started the process, until it closes standard input.

    Raises DatabaseUnavailable and NotMigrated.
    """
    connect_migrated(dsn).close()
    with contextlib.closing(ReadPool(dsn)) as readers:
        create_server(readers, remote=False).run("stdio")


def on_http(host: str, port: int, dsn: str | None, *, tokens: bool) -> None:
    """Serve at /mcp until the process is terminated; with ``tokens`` each request needs one.

    Raises DatabaseUnavailable, NotMigrated, and UsageError if it cannot listen on the address.
    """
    import uvicorn

    from lineage.http.connection_limits import LimitedConnection

    logs.log_to_stderr()
    connect_migrated(dsn).close()
    check_address(host, port, "--http")
    with (
        contextlib.closing(ReadPool(dsn)) as readers,
        contextlib.closing(SideConnection(dsn)) as lookups,
    ):
        # Stateless, so that clients can continue after a restart.
        app = create_server(readers, remote=True).streamable_http_app(
            host=host, stateless_http=True, json_response=True
        )
        app.add_middleware(Guard, access=Authentication(lookups, required=tokens))
        uvicorn.run(
            app,
            http=LimitedConnection,
            host=host,
            port=port,
            access_log=False,
            log_config=logs.uvicorn_config(),
        )


class Guard:
    """Accept only requests with a token of scope read, by the rules of `lineage serve`."""

    def __init__(self, app: ASGIApp, access: Authentication) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or respond with the reason for its rejection."""
        if scope["type"] == "http":
            request = Request(scope)
            try:
                await self._access.authenticate_reader(request)
            except (ApiError, LineageError) as error:
                await (await errors.error_handler(request, error))(scope, receive, send)
                return
        await self._app(scope, receive, send)
