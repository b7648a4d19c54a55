"""Errors of all HTTP surfaces, and their responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from lineage.errors import (
    Ambiguous,
    DatabaseUnavailable,
    InvalidEvent,
    LineageError,
    NotFound,
    QueryTimeout,
    QueueFull,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import Response

    from lineage.http.tokens import Token

RETRY_SECONDS = 5


class ApiError(Exception):
    """A request cannot be served; ``status`` is the HTTP status, ``hint`` the remedy.

    ``details``: further members of the error in the response.
    """

    def __init__(
        self,
        status: int,
        message: str,
        hint: str | None = None,
        retry_after: int | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.details = details or {}
        self.status = status
        self.message = message
        self.hint = hint
        self.retry_after = retry_after


def not_good(token: Token, what: str) -> ApiError:
    """Return the error that a token does not cover ``what``."""
    return ApiError(
        403,
        f'The token "{token.name}" does not cover {what}.',
        f"Its namespaces are: {', '.join(token.namespaces)}.",
    )


HANDLED_ERRORS = (ApiError, LineageError)


def from_error(error: LineageError) -> ApiError:
    """Return the HTTP error for an error of this package.

    The status is 4xx if the same request would fail again; clients of OpenLineage retry 5xx.
    """
    if isinstance(error, QueueFull):
        return ApiError(429, error.message, error.hint, retry_after=1)
    if isinstance(error, InvalidEvent | UsageError | QueryTimeout):
        return ApiError(400, error.message, error.hint)
    if isinstance(error, NotFound):
        return ApiError(404, error.message, error.hint)
    if isinstance(error, Ambiguous):
        return ApiError(409, error.message, f"{error.hint} {', '.join(error.candidates[:10])}")
    if isinstance(error, DatabaseUnavailable):
        # The reason may contain hosts and users; it is written to the log only.
        return ApiError(503, "The database is not available.", "Try again.", RETRY_SECONDS)
    return ApiError(
        503, "The database rejected the request. See the collector's log.", None, RETRY_SECONDS
    )


async def error_handler(request: Request, error: Exception) -> Response:
    """Return the response for an error, as an exception handler of Starlette."""
    return error_response(error)


def error_response(error: Exception) -> Response:
    """Return the response for an error, one of ``HANDLED_ERRORS``."""
    if isinstance(error, LineageError):
        error = from_error(error)
    assert isinstance(error, ApiError)
    hint = {"hint": error.hint} if error.hint else {}
    body = {"message": error.message, **hint, **error.details}
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"error": body}, error.status, headers)


async def answer_http(request: Request, error: Exception) -> Response:
    """Return the response for an unknown path or method."""
    http: HTTPException = error  # type: ignore[assignment]
    messages = {
        404: "This path does not exist.",
        405: "This path does not support the method of the request.",
    }
    message = messages.get(http.status_code, http.detail)
    return JSONResponse({"error": {"message": message}}, http.status_code, http.headers)
