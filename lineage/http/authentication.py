"""Authentication by bearer tokens, which are cached for a short time."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from lineage.http import tokens
from lineage.http.errors import ApiError
from lineage.http.tokens import Scope, Token

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.database.side_connection import SideConnection

_REMEMBERED_SECONDS = 10.0  # a removed token is still accepted for this time
_MOST_REMEMBERED = 10_000

_ANYBODY = Token("anybody", "write")
_NOTHING = (None, 0.0)


class Authentication:
    """Authenticates requests. If tokens are not required, every request may read and write."""

    def __init__(self, lookups: SideConnection, *, required: bool) -> None:
        self._lookups = lookups
        self._required = required
        self._known: dict[bytes, tuple[Token | None, float]] = {}

    async def authenticate(self, request: Request, scope: Scope) -> Token:
        """Return the token of a request. Raises ApiError if it has none with this scope."""
        return await self.authenticate_header(request.headers.get("authorization", ""), scope)

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
        return None if until < time.monotonic() else _check_scope(token, scope)

    def is_known(self, authorization: str) -> bool:
        """Return whether the result for a header is cached, so that it needs no lookup."""
        if not self._required:
            return True
        try:
            return self._known.get(_header_digest(authorization), _NOTHING)[1] >= time.monotonic()
        except ApiError:
            return False

    async def authenticate_reader(self, request: Request) -> Token:
        """Return the token of a request that reads. Raises ApiError if it may not read all."""
        token = await self.authenticate(request, "read")
        if token.namespaces:
            raise ApiError(
                403,
                f'The token "{token.name}" is limited to namespaces, and lineage crosses them.',
                "Create a token without --namespace: lineage token add --scope read",
            )
        return token

    async def identify_token(self, request: Request) -> Token | None:
        """Return the token of a request, of any scope, or None if tokens are not required.

        Raises ApiError if the request has no known token.
        """
        if not self._required:
            return None
        sha256 = _header_digest(request.headers.get("authorization", ""))
        token, until = self._known.get(sha256, _NOTHING)
        return _check_known(token if until >= time.monotonic() else await self._find_token(sha256))

    async def _find_token(self, sha256: bytes) -> Token | None:
        token = await self._lookups.run_query(partial(tokens.find_token, sha256=sha256))
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[sha256] = token, time.monotonic() + _REMEMBERED_SECONDS
        return token


def _header_digest(authorization: str) -> bytes:
    kind, _, secret = authorization.partition(" ")
    if kind.lower() != "bearer" or not secret.strip():
        raise ApiError(401, "The request has no bearer token.", "Create one: lineage token add")
    return tokens.token_digest(secret.strip())


def _check_known(token: Token | None) -> Token:
    if token is None:
        raise ApiError(401, "The bearer token is not known.", "Create one: lineage token add")
    return token


def _check_scope(token: Token | None, scope: Scope) -> Token:
    token = _check_known(token)
    if token.scope != scope:
        raise ApiError(403, f'The token "{token.name}" has the scope {token.scope}, not {scope}.')
    return token
