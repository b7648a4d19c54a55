"""The identity of a request: its token, and the state of the log that it sees."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import msgspec

from lineage.http.json_response import json_response
from lineage.http.services import Services
from lineage.maintenance.status import read_log_status

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PATH = "/api/v1/whoami"
_VERSION = version("lineage-age")


async def get_identity(request: Request) -> Response:
    """Return the version, the token of the request, and the state of the log.

    A token of any scope is accepted, so that a client learns which one it has.
    """
    services = Services.of_request(request)
    token = await services.access.identify_token(request)
    log = await services.lookups.run_query(read_log_status)
    identity = {
        "version": _VERSION,
        "token": token and {"name": token.name, "scope": token.scope},
        "session": services.access.has_session(request),
        "newest_event": log.newest_event,
        "last_event": log.last_event,
        "pending_events": log.pending,
    }
    return json_response(msgspec.json.encode(identity), request.headers)
