"""Authentication by bearer tokens, which are cached for a short time, and by sessions of browsers.

A session reads only: its cookie is accepted where a token of scope read is.
"""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from lineage.http import tokens
from lineage.http.errors import ApiError
from lineage.http.sessions import Sessions
from lineage.http.tokens import Scope, Token

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.database.side_connection import SideConnection

_REMEMBERED_SECONDS = 10.0  # a removed token is still accepted for this time
_MAX_CACHED_TOKENS = 10_000

_CREATE = "Create one: lineage token add NAME. Queries need one with --scope read."

_ANYBODY = Token("anybody", "write")
_NOTHING = (None, 0.0)


class Authentication:
    """Authenticates requests. If tokens are not required, every request may read and write."""

    def __init__(self, lookups: SideConnection, *, required: bool) -> None:
        self._lookups = lookups
        self._required = required
        self._known: dict[bytes, tuple[Token | None, float]] = {}
        self._sessions = Sessions()

    async def authenticate(self, request: Request, scope: Scope) -> Token:
        """Return the token of a request. Raises ApiError if it has none with this scope."""
        header = request.headers.get("authorization")
        if header is None and self._required and scope == "read":
            return _check_scope(await self._look_up(self._session_digest(request)), scope)
        return await self.authenticate_header(header or "", scope)

    async def authenticate_header(self, authorization: str, scope: Scope) -> Token:
        """Return the token of a header. Raises ApiError if it is invalid or has another scope."""
        token = self.find_remembered(authorization, scope)
        if token is None:
            token = _check_scope(await self._find_token(_header_digest(authorization)), scope)
        return token

    def find_remembered(self, authorization: str, scope: Scope) -> Token | None:
        """Return the token of a header as ``authenticate_header`` does, or None if not cached."""
        if not self._required:
            return _ANYBODY
        token, until = self._known.get(_header_digest(authorization), _NOTHING)
        return None if until < monotonic() else _check_scope(token, scope)

    def is_known(self, authorization: str) -> bool:
        """Return whether the result for a header is cached, so that it needs no lookup."""
        if not self._required:
            return True
        try:
            return self._known.get(_header_digest(authorization), _NOTHING)[1] >= monotonic()
        except ApiError:
            return False

    async def authenticate_reader(self, request: Request) -> Token:
        """Return the token of a request that reads. Raises ApiError if it may not read all."""
        return _check_reader(await self.authenticate(request, "read"))

    async def identify_token(self, request: Request) -> Token | None:
        """Return the token of a request, of any scope, or None if tokens are not required.

        Raises ApiError if the request has no known token.
        """
        if not self._required:
            return None
        header = request.headers.get("authorization")
        sha256 = self._session_digest(request) if header is None else _header_digest(header)
        return _check_known(await self._look_up(sha256))

    async def open_session(self, secret: str) -> str:
        """Return the id of a session for a token. Raises ApiError if it may not read all."""
        if not self._required:
            raise ApiError(400, "The collector requires no token, and so no session.")
        sha256 = tokens.token_digest(secret.strip())
        _check_reader(_check_scope(await self._look_up(sha256), "read"))
        return self._sessions.open_session(sha256)

    def close_session(self, request: Request) -> None:
        """End the session of a request, if it has one."""
        self._sessions.close_session(request)

    def has_session(self, request: Request) -> bool:
        """Return whether a request is authenticated by a session."""
        return (
            self._required
            and "authorization" not in request.headers
            and self._sessions.find_token_digest(request) is not None
        )

    def _session_digest(self, request: Request) -> bytes:
        sha256 = self._sessions.find_token_digest(request)
        return _header_digest("") if sha256 is None else sha256

    async def _look_up(self, sha256: bytes) -> Token | None:
        token, until = self._known.get(sha256, _NOTHING)
        return token if until >= monotonic() else await self._find_token(sha256)

    async def _find_token(self, sha256: bytes) -> Token | None:
        token = await self._lookups.run_query(partial(tokens.find_token, sha256=sha256))
        if len(self._known) >= _MAX_CACHED_TOKENS:
            self._known.clear()
        self._known[sha256] = token, monotonic() + _REMEMBERED_SECONDS
        return token


def _header_digest(authorization: str) -> bytes:
    kind, _, secret = authorization.partition(" ")
    if kind.lower() != "bearer" or not secret.strip():
        raise ApiError(401, "The request has no bearer token.", _CREATE)
    return tokens.token_digest(secret.strip())


def _check_known(token: Token | None) -> Token:
    if token is None:
        raise ApiError(401, "The bearer token is not known.", _CREATE)
    return token


def _check_scope(token: Token | None, scope: Scope) -> Token:
    token = _check_known(token)
    if token.scope != scope:
        raise ApiError(403, f'The token "{token.name}" has the scope {token.scope}, not {scope}.')
    return token


def _check_reader(token: Token) -> Token:
    if token.namespaces:
        raise ApiError(
            403,
            f'The token "{token.name}" is limited to namespaces, and lineage crosses them.',
            "Create a token without --namespace: lineage token add NAME --scope read",
        )
    return token
