"""The ASGI application: its routes, and what is started and ended with it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from lineage.collector import documents, events, openapi, operations, problems
from lineage.collector.access import Access
from lineage.collector.background import Background
from lineage.collector.bodies import Room
from lineage.collector.lookups import Lookups
from lineage.collector.metrics import Metrics, Timed
from lineage.collector.parts import Parts
from lineage.collector.readers import Readers
from lineage.collector.reading import OPERATIONS
from lineage.collector.writer import Writer
from lineage.graph import backlog, log
from lineage.graph.recent import Recent
from lineage.plans import kept, queue

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import psycopg

_UPKEEP_SECONDS = 3600.0
# Larger parts take little less for each event.
_ENOUGH_TO_DRAW = 5_000

ROUTES = (
    Route(events.PATH, events.post_event, methods=["POST"]),
    Route(f"{events.PATH}/batch", events.post_batch, methods=["POST"]),
    Route("/api/v1/plans", documents.post, methods=["POST"]),
    Route("/health/live", operations.live),
    Route("/health/ready", operations.ready),
    Route("/metrics", operations.metrics),
    Route("/openapi.json", openapi.serve),
    *(operation.route() for operation in OPERATIONS),
)


def _append(
    conn: psycopg.Connection[Any], entries: list[log.Entry], recent: Recent
) -> list[log.Entry]:
    """A statement is a transaction of its own: to begin and to end one takes two turns more."""
    with nullcontext() if log.is_one_statement(entries) else conn.transaction():
        new = log.queue(conn, entries)
    recent.add(new)
    return list(new.values())


def application(dsn: str | None = None, *, tokens: bool = False) -> Starlette:
    """Return the collector for a database; its threads start and end with the application.

    With ``tokens`` each request needs one that is good for what it wants.
    """
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        lookups, readers = Lookups(dsn), Readers(dsn)
        recent = Recent()
        drawing = Background(dsn, partial(backlog.draw, recent=recent), enough=_ENOUGH_TO_DRAW)
        converting = Background(dsn, queue.convert, drawing.wake)
        upkeep = Background(dsn, log.make_partitions, look_seconds=_UPKEEP_SECONDS)
        events = Writer(dsn, partial(_append, recent=recent), drawing.wake)
        documents = Writer(dsn, kept.append, converting.wake)
        access = Access(lookups, required=tokens)
        app.state.parts = Parts(access, Room(), events, documents, readers, lookups, metrics)
        try:
            yield
        finally:
            for part in (events, documents, converting, drawing, upkeep, readers, lookups):
                await asyncio.to_thread(part.close)

    return Starlette(
        routes=ROUTES,
        middleware=[Middleware(Timed, metrics=metrics)],
        exception_handlers={
            **dict.fromkeys(problems.ANSWERED, problems.answer),
            HTTPException: problems.answer_http,
        },
        lifespan=lifespan,
    )
