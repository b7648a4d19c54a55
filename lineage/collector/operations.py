"""What those who run a collector ask it: does it live, can it write, how far is it behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from lineage.collector.metrics import CONTENT_TYPE
from lineage.collector.parts import Parts
from lineage.database import migrate
from lineage.errors import LineageError
from lineage.graph import backlog
from lineage.plans import queue

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg
    from starlette.requests import Request


async def live(request: Request) -> Response:
    """The process runs."""
    return Response(status_code=204)


async def ready(request: Request) -> Response:
    """Events can be written: the database answers and has all migrations."""
    await Parts.of(request).lookups.ask(migrate.check)
    return Response(status_code=204)


async def metrics(request: Request) -> Response:
    """Counts for Prometheus. Without a database there is no backlog to tell: it is NaN."""
    parts = Parts.of(request)
    parts.metrics.backlog.set(await _waiting(parts, backlog.waiting))
    parts.metrics.unconverted.set(await _waiting(parts, queue.waiting))
    parts.metrics.unwritten.set(parts.events.waiting_bytes + parts.documents.waiting_bytes)
    return Response(parts.metrics.text(), media_type=CONTENT_TYPE)


async def _waiting(parts: Parts, count: Callable[[psycopg.Connection[Any]], int]) -> float:
    try:
        return await parts.lookups.ask(count)
    except LineageError:
        return float("nan")
