"""Who may do what: the bearer token of a request, looked up and remembered for a moment."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from lineage.http import tokens
from lineage.http.errors import Problem
from lineage.http.tokens import Scope, Token

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.database.side_connection import Lookups

_REMEMBERED_SECONDS = 10.0  # for so long a removed token is still good
_MOST_REMEMBERED = 10_000

_ANYBODY = Token("anybody", "write")
_NOTHING = (None, 0.0)


class Access:
    """Tells which token a request comes with. Where none is required, anybody may do anything."""

    def __init__(self, lookups: Lookups, *, required: bool) -> None:
        self._lookups = lookups
        self._required = required
        self._known: dict[bytes, tuple[Token | None, float]] = {}

    async def token(self, request: Request, scope: Scope) -> Token:
        """Return the token of a request. Raises Problem where it has none that is good for this."""
        return await self.of(request.headers.get("authorization", ""), scope)

    async def of(self, authorization: str, scope: Scope) -> Token:
        """Return the token of a header. Raises Problem where it is none that is good for this."""
        token = self.remembered(authorization, scope)
        if token is None:
            token = _good(await self._find(_digest(authorization)), scope)
        return token

    def remembered(self, authorization: str, scope: Scope) -> Token | None:
        """Return the token of a header as ``of`` does, or None where it has to be looked up."""
        if not self._required:
            return _ANYBODY
        token, until = self._known.get(_digest(authorization), _NOTHING)
        return None if until < time.monotonic() else _good(token, scope)

    def is_known(self, authorization: str) -> bool:
        """Return whether a header needs no lookup: its token is remembered, good or not."""
        if not self._required:
            return True
        try:
            return self._known.get(_digest(authorization), _NOTHING)[1] >= time.monotonic()
        except Problem:
            return False

    async def reader(self, request: Request) -> Token:
        """Return the token of a request that reads. Raises Problem where it may not read all."""
        token = await self.token(request, "read")
        if token.namespaces:
            raise Problem(
                403,
                f'The token "{token.name}" is for some namespaces, and lineage leads through all.',
                "Make one without --namespace: lineage token add --scope read",
            )
        return token

    async def _find(self, sha256: bytes) -> Token | None:
        token = await self._lookups.ask(partial(tokens.find, sha256=sha256))
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[sha256] = token, time.monotonic() + _REMEMBERED_SECONDS
        return token


def _digest(authorization: str) -> bytes:
    kind, _, secret = authorization.partition(" ")
    if kind.lower() != "bearer" or not secret.strip():
        raise Problem(401, "The request has no bearer token.", "Make one: lineage token add")
    return tokens.digest(secret.strip())


def _good(token: Token | None, scope: Scope) -> Token:
    if token is None:
        raise Problem(401, "The bearer token is not known.", "Make one: lineage token add")
    if token.scope != scope:
        raise Problem(403, f'The token "{token.name}" is to {token.scope}, not to {scope}.')
    return token
