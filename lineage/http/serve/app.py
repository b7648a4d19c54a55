"""The ASGI application: its routes, and the services with its lifetime."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from lineage.database.read_pool import ReadPool
from lineage.database.side_connection import SideConnection
from lineage.eventlog import log
from lineage.http import errors
from lineage.http.authentication import Authentication
from lineage.http.collector import events, plan_documents
from lineage.http.collector.group_commit import GroupCommitWriter
from lineage.http.collector.projector import Projector
from lineage.http.collector.run_owners import RunOwners
from lineage.http.collector.services import CollectorServices
from lineage.http.metrics import Metrics, Timed
from lineage.http.operation import EncodedRoute
from lineage.http.origins import Origins, OwnPages
from lineage.http.request_body import BodyBudget
from lineage.http.serve import health, openapi, session, whoami
from lineage.http.serve.operations import OPERATIONS
from lineage.http.web import routes as web
from lineage.plan_documents import store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    import psycopg

    from lineage.events.entry import Entry
    from lineage.http.collector.projector import ProjectorControl

# Also with a trailing slash, because clients do not repeat a POST after a redirection.
_POSTS = (
    (events.PATH, events.post_event),
    (f"{events.PATH}/batch", events.post_batch),
    ("/api/v1/plan-documents", plan_documents.receive_documents),
)
ROUTES = (
    *(EncodedRoute(path, serve, ["POST"]) for path, serve in _POSTS),
    Route("/health/live", health.get_live),
    Route("/health/ready", health.get_ready),
    Route("/metrics", health.get_metrics),
    Route("/openapi.json", openapi.get_openapi),
    Route(whoami.PATH, whoami.get_identity),
    Route(session.PATH, session.open_session, methods=["POST"]),
    Route(session.PATH, session.close_session, methods=["DELETE"]),
    *(operation.to_route() for operation in OPERATIONS),
    *web.ROUTES,
)


def _append_entries(conn: psycopg.Connection[Any], entries: list[Entry]) -> list[Entry]:
    """Append entries in one transaction; a single statement needs no explicit one."""
    with nullcontext() if log.is_one_statement(entries) else conn.transaction():
        return log.queue_events(conn, entries)


def create_application(
    dsn: str | None = None,
    *,
    tokens: bool = False,
    origins: Origins | None = None,
    projecting: Callable[[str | None], ProjectorControl] = Projector,
) -> Starlette:
    """Return the collector for a database; its threads start and end with the application.

    With ``tokens`` each request needs a token for its operation. ``origins`` are the host names of
    the collector, by default those of the loopback interface. ``projecting`` creates the projector.
    """
    metrics = Metrics()
    own = origins or Origins()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        lookups, readers = SideConnection(dsn), ReadPool(dsn)
        projector = projecting(dsn)
        event_writer = GroupCommitWriter(dsn, _append_entries, projector.notify_events)
        document_writer = GroupCommitWriter(dsn, store.append_documents, projector.notify_documents)
        app.state.services = CollectorServices(
            origins=own,
            access=Authentication(lookups, required=tokens),
            body_budget=BodyBudget(),
            readers=readers,
            lookups=lookups,
            metrics=metrics,
            owners=RunOwners(lookups),
            events=event_writer,
            documents=document_writer,
        )
        try:
            yield
        finally:
            for part in (event_writer, document_writer, projector, readers, lookups):
                await asyncio.to_thread(part.close)

    return Starlette(
        routes=ROUTES,
        middleware=[Middleware(Timed, metrics=metrics), Middleware(OwnPages, origins=own)],
        exception_handlers={
            **dict.fromkeys(errors.HANDLED_ERRORS, errors.error_handler),
            HTTPException: errors.answer_http,
        },
        lifespan=lifespan,
    )
