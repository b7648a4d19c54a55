"""The ASGI application: its routes, and what is started and ended with it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from lineage.collector import documents, events, openapi, operations, problems
from lineage.collector.access import Access
from lineage.collector.bodies import Room
from lineage.collector.lookups import Lookups
from lineage.collector.metrics import Metrics, Timed
from lineage.collector.origins import Origins, OwnPages
from lineage.collector.owners import Owners
from lineage.collector.parts import Parts
from lineage.collector.projector import Projector
from lineage.collector.readers import Readers
from lineage.collector.reading import OPERATIONS
from lineage.collector.writer import Writer
from lineage.graph import log
from lineage.plans import kept

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    import psycopg

    from lineage.collector.projector import Projects

# With a slash at the end too: who posts does not post again to where a redirection leads.
_POSTS = (
    (events.PATH, events.post_event),
    (f"{events.PATH}/batch", events.post_batch),
    ("/api/v1/plans", documents.post),
)
ROUTES = (
    *(Route(path + end, serve, methods=["POST"]) for path, serve in _POSTS for end in ("", "/")),
    Route("/health/live", operations.live),
    Route("/health/ready", operations.ready),
    Route("/metrics", operations.metrics),
    Route("/openapi.json", openapi.serve),
    *(operation.route() for operation in OPERATIONS),
)


def _append(conn: psycopg.Connection[Any], entries: list[log.Entry]) -> list[log.Entry]:
    """A statement is a transaction of its own: to begin and to end one takes two turns more."""
    with nullcontext() if log.is_one_statement(entries) else conn.transaction():
        return log.queue(conn, entries)


def application(
    dsn: str | None = None,
    *,
    tokens: bool = False,
    origins: Origins | None = None,
    projecting: Callable[[str | None], Projects] = Projector,
) -> Starlette:
    """Return the collector for a database; its threads start and end with the application.

    With ``tokens`` each request needs one that is good for what it wants. ``origins`` are the names
    that it answers to, those of the loopback interface without it. ``projecting`` makes what brings
    the graph up to date.
    """
    metrics = Metrics()
    own = origins or Origins()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        lookups, readers = Lookups(dsn), Readers(dsn)
        projector = projecting(dsn)
        events = Writer(dsn, _append, projector.events_came)
        documents = Writer(dsn, kept.append, projector.documents_came)
        access = Access(lookups, required=tokens)
        app.state.parts = Parts(
            own, access, Owners(lookups), Room(), events, documents, readers, lookups, metrics
        )
        try:
            yield
        finally:
            for part in (events, documents, projector, readers, lookups):
                await asyncio.to_thread(part.close)

    return Starlette(
        routes=ROUTES,
        middleware=[Middleware(Timed, metrics=metrics), Middleware(OwnPages, origins=own)],
        exception_handlers={
            **dict.fromkeys(problems.ANSWERED, problems.answer),
            HTTPException: problems.answer_http,
        },
        lifespan=lifespan,
    )
