"""Sessions of browsers: a cookie that stands for a read token, which a page cannot keep secret.

Sessions are in the memory of the server, and end with it. The cookie holds a random id; the server
holds the digests of the id and of the token, so that neither can be read from it.
"""

from __future__ import annotations

import secrets
from time import monotonic
from typing import TYPE_CHECKING

from lineage.http.tokens import token_digest

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "lineage_session"
SECONDS = 12 * 3600
_BYTES = 32
_MAX_SESSIONS = 10_000


class Sessions:
    """Open sessions: from the digest of an id to the digest of a token and the end."""

    def __init__(self) -> None:
        self._open: dict[bytes, tuple[bytes, float]] = {}

    def open_session(self, token_sha256: bytes) -> str:
        """Return the id of a new session for a token. The oldest session ends if there are many."""
        self._remove_expired()
        if len(self._open) >= _MAX_SESSIONS:
            del self._open[next(iter(self._open))]
        session_id = secrets.token_urlsafe(_BYTES)
        self._open[token_digest(session_id)] = token_sha256, monotonic() + SECONDS
        return session_id

    def find_token_digest(self, request: Request) -> bytes | None:
        """Return the digest of the token of the session of a request, None if it has no session."""
        session_id = request.cookies.get(COOKIE)
        if session_id is None:
            return None
        token_sha256, until = self._open.get(token_digest(session_id), (None, 0.0))
        return token_sha256 if until >= monotonic() else None

    def close_session(self, request: Request) -> None:
        """End the session of a request, if it has one."""
        self._open.pop(token_digest(request.cookies.get(COOKIE, "")), None)

    def _remove_expired(self) -> None:
        now = monotonic()
        for digest, (_, until) in list(self._open.items()):
            if until >= now:  # the sessions are in the order of their ends
                return
            del self._open[digest]


def set_cookie(response: Response, request: Request, session_id: str | None) -> None:
    """Set the cookie of a session in a response, or remove it.

    ``SameSite=Strict``: no page of another site can send requests with it. ``HttpOnly``: no script
    can read it. ``Secure`` if the browser uses HTTPS, also through a proxy.
    """
    is_secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))
    response.set_cookie(
        COOKIE, session_id or "", max_age=SECONDS if session_id else 0, path="/",
        secure=is_secure, httponly=True, samesite="strict",
    )  # fmt: skip
