"""Open and close sessions of browsers: POST and DELETE of ``/api/v1/session``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from starlette.responses import Response

from lineage.http.json_body import receive_object
from lineage.http.services import Services
from lineage.http.sessions import set_cookie

if TYPE_CHECKING:
    from starlette.requests import Request

PATH = "/api/v1/session"


class SessionBody(msgspec.Struct, forbid_unknown_fields=True):
    """The token to open a session with, of scope read."""

    token: str


async def open_session(request: Request) -> Response:
    """Check the posted token, and set the cookie of a session that reads with its rights."""
    services = Services.of_request(request)
    body = await receive_object(request, services, SessionBody)
    response = Response(status_code=204)
    set_cookie(response, request, await services.access.open_session(body.token))
    return response


async def close_session(request: Request) -> Response:
    """End the session of the request, if it has one, and remove its cookie."""
    Services.of_request(request).access.close_session(request)
    response = Response(status_code=204)
    set_cookie(response, request, None)
    return response
