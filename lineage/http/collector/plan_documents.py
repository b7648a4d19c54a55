"""Plan documents that are posted: kept before the answer, converted after it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from lineage.errors import InvalidEvent
from lineage.http import request_body
from lineage.http.collector.services import CollectorServices
from lineage.http.errors import Problem, not_good
from lineage.http.request_body import Share
from lineage.plan_documents import store

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineage.http.tokens import Token
    from lineage.plan_documents.store import Kept


async def post(request: Request) -> Response:
    """Documents as lines: 200 with their number, as docs/reference/collector-request.md has it."""
    services = CollectorServices.of(request)
    token = await services.access.token(request, "write")
    with Share(services.room) as share:
        body = await request_body.received(request, share)
        encoding = request.headers.get("content-encoding", "identity")
        return await _kept(services, token, (body, encoding), share)


async def _kept(
    services: CollectorServices, token: Token, packed: tuple[bytes, str], share: Share
) -> Response:
    counted = services.metrics.documents
    try:
        read = await asyncio.to_thread(_read, token, packed, share)
    except Problem:
        counted["refused"].inc()
        raise
    applications = {each.application: each.namespace for each in read}
    if foreign := await services.owners.may_send(token, applications):
        counted["refused"].inc()
        raise not_good(token, foreign)
    new = await services.documents.write(read)
    counted["new"].inc(new)
    counted["known"].inc(len(read) - new)
    return JSONResponse({"accepted": len(read)})


def _read(token: Token, packed: tuple[bytes, str], share: Share) -> list[Kept]:
    """Raise Problem for the first line that is no plan document, or not for this token to send."""
    body = request_body.plain(*packed, share)
    share.take(len(body))  # for the lines
    count = body.count(b"\n")
    if count > request_body.MOST_EVENTS:
        raise Problem(413, f"The body has more than {request_body.MOST_EVENTS} plan documents.")
    lines = body.removesuffix(b"\n").split(b"\n")
    return [_document(token, number, line) for number, line in enumerate(lines, start=1)]


def _document(token: Token, number: int, line: bytes) -> Kept:
    try:
        document = store.read(line)
    except InvalidEvent as error:
        raise Problem(422, f"Line {number} is no plan document: {error.message}.") from None
    if not token.covers(document.namespace):
        raise not_good(token, f'namespace "{document.namespace}"')
    return replace(document, namespaces=token.namespaces) if token.namespaces else document
