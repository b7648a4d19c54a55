"""Plan documents that are posted: stored before the response, converted after it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from lineage.errors import InvalidEvent
from lineage.http import request_body
from lineage.http.collector.services import CollectorServices
from lineage.http.errors import ApiError, not_good
from lineage.http.request_body import Reservation
from lineage.plan_documents import store

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.http.tokens import Token
    from lineage.plan_documents.store import StoredDocument


async def receive_documents(request: Request) -> Response:
    """Store plan documents, one a line; see docs/reference/collector-request.md."""
    services = CollectorServices.of_request(request)
    token = await services.access.authenticate(request, "write")
    with Reservation(services.body_budget) as share:
        body = await request_body.receive_body(request, share)
        encoding = request.headers.get("content-encoding", "identity")
        return await _store_documents(services, token, (body, encoding), share)


async def _store_documents(
    services: CollectorServices, token: Token, packed: tuple[bytes, str], share: Reservation
) -> Response:
    counted = services.metrics.documents
    try:
        read = await asyncio.to_thread(_read_documents, token, packed, share)
    except ApiError:
        counted["rejected"].inc()
        raise
    applications = {each.application: each.namespace for each in read}
    if foreign := await services.owners.may_send(token, applications):
        counted["rejected"].inc()
        raise not_good(token, foreign)
    new = await services.documents.write_entries(read)
    counted["new"].inc(new)
    counted["known"].inc(len(read) - new)
    return JSONResponse({"accepted": len(read)})


def _read_documents(
    token: Token, packed: tuple[bytes, str], share: Reservation
) -> list[StoredDocument]:
    """Return the plan documents of a body.

    Raises ApiError for the first line that is not a plan document or that the token does not cover.
    """
    body = request_body.decode_body(*packed, share)
    share.reserve(len(body))  # for the lines
    count = body.count(b"\n")
    if count > request_body.MAX_EVENTS:
        raise ApiError(413, f"The body has more than {request_body.MAX_EVENTS} plan documents.")
    lines = body.removesuffix(b"\n").split(b"\n")
    return [_read_document(token, number, line) for number, line in enumerate(lines, start=1)]


def _read_document(token: Token, number: int, line: bytes) -> StoredDocument:
    try:
        document = store.read_document(line)
    except InvalidEvent as error:
        raise ApiError(422, f"Line {number} is not a plan document: {error.message}.") from None
    if not token.covers_namespace(document.namespace):
        raise not_good(token, f'namespace "{document.namespace}"')
    return replace(document, namespaces=token.namespaces) if token.namespaces else document
