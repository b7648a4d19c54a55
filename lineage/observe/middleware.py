"""Middleware of ASGI and WSGI: each request to the program is a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from lineage.hub.events import Direction, HttpIo
from lineage.hub.guard import guard_program
from lineage.hub.program_names import program_name
from lineage.hub.runs import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lineage.hub.active_run import ActiveRun


class RequestFailed(Exception):
    """The error of a run whose response has a status from 500 on."""


def asgi(app: Any, *, name: str | None = None, namespace: str | None = None) -> Any:
    """Return ``app`` with a run for each HTTP request.

    ``name``: the job; by default the program. In the request, ``lineage.current_run()`` is its run.
    """

    async def call_app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request = _Request(scope["method"], _url_of_scope(scope))

        async def send_response(message: Any) -> None:
            if message["type"] == "http.response.start":
                request.status = message["status"]
            elif message["type"] == "http.response.body":
                request.response_bytes += len(message.get("body", b""))
            await send(message)

        async with run(name or program_name(), namespace=namespace) as active:
            try:
                await app(scope, receive, send_response)
            finally:
                request.add_to(active)
            if request.has_failed:
                active.end_run(RequestFailed(f"The response has the status {request.status}."))

    return call_app


def wsgi(app: Any, *, name: str | None = None, namespace: str | None = None) -> Any:
    """Return ``app`` with a run for each request, which ends when the response is closed.

    ``name``: the job; by default the program. In the request, ``lineage.current_run()`` is its run.
    """

    def call_app(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
        request = _Request(environ["REQUEST_METHOD"], _url_of_environ(environ))
        active = run(name or program_name(), namespace=namespace)
        active.start_run()

        def start(status: str, *args: Any) -> Any:
            request.status = int(status.split(" ", 1)[0])
            return start_response(status, *args)

        try:
            with active.activate_run():
                parts: Iterable[bytes] = app(environ, start)
        except BaseException as error:
            request.add_to(active)
            active.end_run(error)
            raise
        if not active.is_recording and _is_data(parts, environ):
            return parts  # no code of the program runs while the server sends it
        has_length = hasattr(parts, "__len__")
        return (_SizedResponse if has_length else _Response)(parts, request, active)

    return call_app


def _is_data(parts: Any, environ: Any) -> bool:
    """Return whether a response is a list, or a file that the server itself reads."""
    wrapper = environ.get("wsgi.file_wrapper")
    return isinstance(parts, list | tuple) or (
        isinstance(wrapper, type) and isinstance(parts, wrapper)
    )


class _Request:
    """A request, and the known facts of its response."""

    def __init__(self, method: str, url: str) -> None:
        self.status: int | None = None
        self.response_bytes = 0
        self._method = method
        self._url = url
        self._began = time.perf_counter()

    @property
    def has_failed(self) -> bool:
        return self.status is not None and self.status >= 500

    def add_to(self, active: ActiveRun) -> None:
        """Record the request in its run."""
        with guard_program():
            active.add_observation(
                HttpIo(
                    Direction.SERVER,
                    self._method,
                    self._url,
                    self.status,
                    response_bytes=self.response_bytes,
                    duration_ms=round(1000 * (time.perf_counter() - self._began), 3),
                )
            )


class _Response:
    """The parts of a response of WSGI. The run is the current one while a part is made."""

    def __init__(self, parts: Iterable[bytes], request: _Request, active: ActiveRun) -> None:
        self._parts = parts
        self._request = request
        self._active = active
        self._error: BaseException | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            with self._active.activate_run():
                iterator = iter(self._parts)
            while True:
                try:
                    with self._active.activate_run():
                        part = next(iterator)
                except StopIteration:
                    return
                self._request.response_bytes += len(part)
                yield part
        except Exception as error:
            self._error = error
            raise

    def close(self) -> None:
        """End the run; servers call this in any case."""
        try:
            if hasattr(self._parts, "close"):
                with self._active.activate_run():
                    self._parts.close()
        finally:
            self._request.add_to(self._active)
            error = self._error
            if error is None and self._request.has_failed:
                error = RequestFailed(f"The response has the status {self._request.status}.")
            self._active.end_run(error)


class _SizedResponse(_Response):
    """A response with a number of parts, of which a server computes the Content-Length."""

    def __len__(self) -> int:
        return len(self._parts)  # type: ignore[arg-type]


def _url_of_scope(scope: Any) -> str:
    """Return the URL by the Host header, else by the address that the server has."""
    headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
    host = headers.get(b"host", b"").decode("latin-1")
    if not host and scope.get("server"):
        host = f"{scope['server'][0]}:{scope['server'][1]}"
    return f"{scope.get('scheme', 'http')}://{host or 'localhost'}{scope['path']}"


def _url_of_environ(environ: Any) -> str:
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return f"{environ['wsgi.url_scheme']}://{host}{path}"
