"""The server process of the collector."""

from __future__ import annotations

import asyncio
import sys
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lineage import logs
from lineage.database.connection import connect_migrated
from lineage.errors import UsageError
from lineage.extras import install_hint
from lineage.http.listening import check_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from socket import socket

    import uvicorn

# The event loop releases the interpreter lock when it sends, receives or hashes. It then waits up
# to this time to get the lock back from a thread that runs a query.
_SWITCH_SECONDS = 0.0005
_NOT_STARTED = 3  # the exit status of uvicorn, for example if the port is in use
_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))


def run_server(
    host: str,
    port: int,
    dsn: str | None = None,
    *,
    tokens: bool = False,
    names: Sequence[str] = (),
    open_page: bool = False,
) -> None:
    """Serve until the process is terminated; pending requests are completed first.

    Each request needs a token if ``tokens`` is true or ``host`` is not the loopback interface.
    ``names`` are host names that clients use in addition to those of the loopback interface.
    ``open_page``: show the web page in the user's browser.
    Raises DatabaseUnavailable or NotMigrated if the database cannot be written to, and UsageError
    if the server's packages are missing or it cannot listen on the address.
    """
    try:
        import uvicorn

        from lineage.http.collector.projector_process import ProjectorProcess
        from lineage.http.origins import Origins
        from lineage.http.serve.app import create_application
        from lineage.http.serve.fast_path import FastPath
    except ImportError as error:
        raise UsageError(
            f"`lineage serve` needs the package {error.name}.",
            install_hint("serve"),
        ) from error
    logs.log_to_stderr()
    connect_migrated(dsn).close()
    check_address(host, port, "--port")
    tokens = tokens or not is_loopback(host)
    sys.setswitchinterval(_SWITCH_SECONDS)
    origins = Origins.for_host(host, names)
    app = create_application(dsn, tokens=tokens, origins=origins, projecting=ProjectorProcess)
    protocol: Any = FastPath(app)  # uvicorn only calls the type
    log_config = logs.uvicorn_config()
    config = uvicorn.Config(
        app, http=protocol, host=host, port=port, access_log=False, log_config=log_config
    )
    server = uvicorn.Server(config)
    if open_page:
        _open_page_at_startup(server)
    with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has shut down
        server.run()
    if not server.started:
        sys.exit(_NOT_STARTED)


def _open_page_at_startup(server: uvicorn.Server) -> None:
    """Open the web page in a browser as soon as the server listens."""
    start = server.startup

    async def start_and_open(sockets: list[socket] | None = None) -> None:
        await start(sockets)
        if server.started:
            port = server.servers[0].sockets[0].getsockname()[1]
            await asyncio.to_thread(webbrowser.open, f"http://localhost:{port}/")

    server.startup = start_and_open  # type: ignore[method-assign]


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to an address."""
    return host in _LOOPBACK
