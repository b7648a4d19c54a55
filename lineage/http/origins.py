"""Reject requests of foreign web pages before their bodies are read.

A page can send requests to any address that its browser reaches, also to this machine. It cannot
choose Host, Origin and, without a preflight request, most content types.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct
from starlette.requests import Request

from lineage.http import errors
from lineage.http.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "::1", "localhost")
_JSON = frozenset(("application/json", "application/x-ndjson"))
# Strict, because lax parsers read different hosts from malformed authorities.
_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\s@:/?#\[\]\\]+))(?::[0-9]*)?")
ONCE = ("host", "origin", "content-type")  # duplicates are ambiguous
_OPEN = "/health/"  # reveals nothing, and probes use the address as host


class Origins(Struct, frozen=True):
    """The host names of a collector.

    ``names`` are the configured ones; ``only_names`` is whether others are rejected.
    """

    names: frozenset[str] = frozenset(LOOPBACK)
    only_names: bool = True

    @classmethod
    def for_host(cls, host: str, names: Iterable[str] = ()) -> Origins:
        """Return the host names of a collector that listens on ``host``.

        Outside the loopback interface, names are checked only if ``names`` are configured.
        """
        configured = frozenset(name.lower() for name in names)
        return cls(configured.union(LOOPBACK), bool(configured) or host in LOOPBACK)

    def check_request(self, path: str, headers: Mapping[str, str], *, has_body: bool) -> None:
        """Raise ApiError for a request that may come from a foreign page."""
        if path.startswith(_OPEN):
            return
        host = headers.get("host", "")
        name = _host_of(host)
        if self.only_names and name not in self.names:
            raise ApiError(
                421,
                f'The collector does not accept requests for the host name "{name[:100]}".',
                f"Configure the name: lineage serve --name {name[:100] or 'NAME'}",
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, host):
            raise ApiError(
                403, f'Pages of "{origin[:100]}" may not send requests to the collector.'
            )
        kind = headers.get("content-type")
        if has_body and kind is not None and not _is_json(kind):
            raise ApiError(
                415,
                f'The Content-Type "{kind[:100]}" is not supported.',
                "Send application/json, or application/x-ndjson for lines.",
            )

    def _is_own(self, origin: str, host: str) -> bool:
        _, _, authority = origin.lower().partition("://")
        own_names = self.names.difference(LOOPBACK)
        return bool(authority) and (authority == host.lower() or _host_of(authority) in own_names)


class OwnPages:
    """Middleware that rejects requests by ``Origins``."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or respond with the reason for its rejection."""
        if scope["type"] == "http":
            request = Request(scope)
            has_body = request.method not in ("GET", "HEAD", "OPTIONS")
            try:
                _check_once(request.headers)
                self._origins.check_request(scope["path"], request.headers, has_body=has_body)
            except ApiError as error:
                await errors.error_response(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _check_once(headers: Headers) -> None:
    if any(len(headers.getlist(name)) > 1 for name in ONCE):
        raise ApiError(400, f"The request has one of the headers {', '.join(ONCE)} twice.")


def _host_of(authority: str) -> str:
    """Return the host of ``host:port``; empty if the authority is invalid."""
    match = _AUTHORITY.fullmatch(authority.lower())
    return match[1] or match[2] if match else ""


def _is_json(kind: str) -> bool:
    name = kind.partition(";")[0].strip().lower()
    return name in _JSON or (name.startswith("application/") and name.endswith("+json"))
