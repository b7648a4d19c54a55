"""A JSON object in the body of a request, checked against its declared type."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

import msgspec

from lineage.http import request_body
from lineage.http.errors import ApiError
from lineage.http.request_body import Reservation

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.http.services import Services

Body = TypeVar("Body", bound=msgspec.Struct)


async def receive_object(request: Request, services: Services, body: type[Body]) -> Body:
    """Return the posted object. Raises ApiError if it is not one of type ``body``."""
    encoding = request.headers.get("content-encoding", "identity")
    with Reservation(services.body_budget) as share:
        packed = await request_body.receive_body(request, share)
        text = await asyncio.to_thread(request_body.decode_body, packed, encoding, share)
        try:
            received = msgspec.json.decode(text, type=body)
            has_nul = _has_nul(msgspec.structs.asdict(received))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ApiError(400, f"The body is invalid: {error}.") from None
        except RecursionError:
            raise ApiError(400, "The body is nested too deeply.") from None
    if has_nul:
        raise ApiError(400, "The body contains a NUL character, which is not allowed.")
    return received


def _has_nul(value: object) -> bool:
    """Return whether a text in a value of JSON has a NUL character, which PostgreSQL rejects."""
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(_has_nul(each) for each in (*value, *value.values()))
    return isinstance(value, list) and any(map(_has_nul, value))
