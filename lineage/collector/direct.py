"""Single events are taken directly: of what serves a request, the layers take the most time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from starlette.requests import Request

from lineage.collector import problems

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import Receive, Scope, Send

    from lineage.collector.metrics import Metrics


class Direct:
    """The application, with a way past its middleware and router for the posts of one route.

    What they do for a request is done here: it is timed, and problems are answered.
    """

    def __init__(self, app: Starlette, route: Route, metrics: Metrics) -> None:
        self._app = app
        self._path = route.path
        self._endpoint = route.endpoint
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http" or scope["path"] != self._path or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        scope["app"] = self._app
        status = 500
        try:
            response = await self._response(Request(scope, receive))
            status = response.status_code
            await response(scope, receive, send)
        finally:
            self._metrics.answered(self._path, status, time.perf_counter() - started)

    async def _response(self, request: Request) -> Response:
        try:
            return await self._endpoint(request)  # type: ignore[no-any-return]
        except problems.ANSWERED as problem:
            return await problems.answer(request, problem)
