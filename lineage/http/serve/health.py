"""What those who run a collector ask it: does it live, can it write, how far is it behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from lineage.database import migrations
from lineage.errors import LineageError
from lineage.http.metrics import CONTENT_TYPE
from lineage.http.services import Parts
from lineage.maintenance.status import status

if TYPE_CHECKING:
    from starlette.requests import Request


async def live(request: Request) -> Response:
    """The process runs."""
    return Response(status_code=204)


async def ready(request: Request) -> Response:
    """Events can be written: the database answers and has all migrations."""
    await Parts.of(request).lookups.ask(migrations.check)
    return Response(status_code=204)


async def metrics(request: Request) -> Response:
    """Counts for Prometheus."""
    parts = Parts.of(request)
    try:
        parts.metrics.behind(await parts.lookups.ask(status))
    except LineageError:
        parts.metrics.behind(None)
    parts.metrics.unwritten.set(parts.events.waiting_bytes + parts.documents.waiting_bytes)
    return Response(parts.metrics.text(), media_type=CONTENT_TYPE)
