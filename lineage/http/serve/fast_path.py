"""Posts of single events, read from the socket, because the ASGI stack takes most of their time.

At the first request of another form, the connection is handed over to uvicorn for good.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from lineage.http import errors, request_body
from lineage.http.collector import events
from lineage.http.connection_limits import MAX_CONNECTIONS, LimitedConnection, refusal_response
from lineage.http.errors import ApiError
from lineage.http.request_body import Reservation
from lineage.http.serve.request_headers import RequestHeaders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.applications import Starlette
    from starlette.responses import Response
    from uvicorn import Config
    from uvicorn.server import ServerState

    from lineage.events.entry import Entry
    from lineage.http.collector.services import CollectorServices
    from lineage.http.tokens import Token

LOG = logging.getLogger(__name__)


class FastPath:
    """A factory for uvicorn that creates the protocol of each connection."""

    def __init__(self, app: Starlette) -> None:
        """``app`` is the application that uvicorn serves."""
        self._app = app
        self._created: tuple[object, bytes] = None, b""

    def __call__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> asyncio.Protocol:
        """Return the protocol of a new connection."""

        def create_uvicorn_connection() -> LimitedConnection:
            return LimitedConnection(config, server_state, app_state, _loop)

        return _Connection(self, server_state, config.timeout_keep_alive, create_uvicorn_connection)

    @property
    def services(self) -> CollectorServices:
        """The services of the application, available after its startup."""
        services: CollectorServices = self._app.state.services
        return services

    def created_response(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        """Return the encoded response to a stored event, cached for the same default headers.

        The server creates new default headers once a second.
        """
        if self._created[0] is not headers:
            self._created = headers, _encode_headers(events.CREATED, headers)
        return self._created[1]


class _Connection(asyncio.Protocol):
    """A connection that has received only posts of single events."""

    _transport: asyncio.Transport
    _timer: asyncio.TimerHandle

    def __init__(
        self,
        fast_path: FastPath,
        server: ServerState,
        idle_seconds: float,
        create_uvicorn_connection: Callable[[], LimitedConnection],
    ) -> None:
        self._fast_path = fast_path
        self._services = fast_path.services
        self._server = server
        self._idle_seconds = idle_seconds
        self._create_uvicorn_connection = create_uvicorn_connection
        self._reservation = Reservation(self._services.body_budget)
        self._loop = asyncio.get_running_loop()
        self._headers: RequestHeaders | None = None  # of the request that is being received
        self._received: list[bytes] = []  # the received parts of it, with the headers
        self._missing = 0
        self._began = 0.0
        self._answering = False
        self._early = b""  # data received before the response
        self._omitted: list[str] = []  # of the event that is being written
        self._answered = 0.0  # time of the last response
        self._ending = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection; close it if there are too many."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._server.connections) >= MAX_CONNECTIONS:
            transport.write(refusal_response(503, self._server.default_headers))
            transport.close()
        self._server.connections.add(self)  # type: ignore[arg-type]
        self._timer = self._loop.call_later(self._idle_seconds, self._check_timeouts)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the resources of the connection. An event in the queue is still written."""
        self._stop_watching()

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request."""
        if self._answering:
            self._early += data
            self._transport.pause_reading()
            return
        if self._headers is None:
            self._headers = RequestHeaders.from_bytes(data, self._services.origins)
            if self._headers is None:
                self._hand_over(data)
                return
            self._began = self._loop.time()
            self._missing = self._headers.size + self._headers.length
        self._received.append(data)
        self._missing -= len(data)
        try:
            self._reservation.reserve(len(data))
        except ApiError:
            self._hand_over(b"".join(self._received))
            return
        if self._missing <= 0:
            self._request_received(self._headers)
        elif not self._services.access.is_known(self._headers.authorization):
            self._transport.pause_reading()
            self._task = self._loop.create_task(self._authenticate_early(self._headers))

    async def _authenticate_early(self, headers: RequestHeaders) -> None:
        """Look up the token before the body is read; uvicorn responds if it is rejected."""
        try:
            await self._services.access.authenticate_header(headers.authorization, "write")
        except Exception as error:
            LOG.debug("The token of a request was rejected.", exc_info=error)
            if self._is_here():
                self._hand_over(b"".join(self._received))
            return
        if self._is_here():
            self._transport.resume_reading()

    def _is_here(self) -> bool:
        return self._transport.get_protocol() is self and not self._transport.is_closing()

    def _request_received(self, headers: RequestHeaders) -> None:
        data = self._received[0] if len(self._received) == 1 else b"".join(self._received)
        end = headers.size + headers.length
        self._headers, self._received, self._early = None, [], data[end:]
        self._answering = True
        try:
            token = self._services.access.find_remembered(headers.authorization, "write")
            if token is None:
                self._task = self._loop.create_task(
                    self._look_up(headers, data[headers.size : end])
                )
            else:
                self._write_event(token, headers, data[headers.size : end])
        except Exception as error:  # noqa: BLE001 - it is sent to the client, or logged
            self._send_error(error)

    async def _look_up(self, headers: RequestHeaders, body: bytes) -> None:
        try:
            token = await self._services.access.authenticate_header(headers.authorization, "write")
            self._write_event(token, headers, body)
        except Exception as error:  # noqa: BLE001 - it is sent to the client, or logged
            self._send_error(error)

    def _write_event(self, token: Token, headers: RequestHeaders, body: bytes) -> None:
        text = None if token.namespaces else request_body.decode_small_body(body, headers.encoding)
        if text is None:
            self._task = self._loop.create_task(self._read_and_submit(token, headers, body))
        else:
            self._submit_entry(*events.read_single_event(self._services, token, text))

    async def _read_and_submit(self, token: Token, headers: RequestHeaders, body: bytes) -> None:
        """Read an event that is large or needs a lookup of the owners of runs."""
        try:
            packed = body, headers.encoding
            self._submit_entry(
                *await events.read_single(self._services, token, packed, self._reservation)
            )
        except Exception as error:  # noqa: BLE001 - it is sent to the client, or logged
            self._send_error(error)

    def _submit_entry(self, entry: Entry, omitted: list[str]) -> None:
        self._omitted = omitted
        self._services.events.submit_entries([entry], self._on_written)

    def _on_written(self, result: int | Exception) -> None:
        if isinstance(result, Exception):
            self._send_error(result)
            return
        self._services.metrics.observe_events(result, 1 - result)
        self._send_response(events.created_response(self._omitted))

    def _send_error(self, error: Exception) -> None:
        if isinstance(error, errors.HANDLED_ERRORS):
            self._send_response(errors.error_response(error))
            return
        LOG.error("A request failed with an unexpected error.", exc_info=error)
        self._send_response(PlainTextResponse("Internal Server Error", 500))

    def _send_response(self, response: Response) -> None:
        self._reservation.release()
        self._answering = False
        self._answered = now = self._loop.time()
        self._services.metrics.observe_request(events.PATH, response.status_code, now - self._began)
        if self._transport.is_closing():
            return
        self._transport.write(self._encode_response(response))
        if self._ending:
            self._transport.close()
        elif self._early:
            self._hand_over(self._early)

    def _encode_response(self, response: Response) -> bytes:
        headers = self._server.default_headers
        if self._ending:
            return _encode_headers(response, [*headers, (b"connection", b"close")])
        if response is events.CREATED:
            return self._fast_path.created_response(headers)
        return _encode_headers(response, headers)

    def _check_timeouts(self) -> None:
        """Close an idle connection, or hand it over if its request is incomplete or missing."""
        now = self._loop.time()
        if self._answering or now - max(self._answered, self._began) < self._idle_seconds:
            self._timer = self._loop.call_later(self._idle_seconds, self._check_timeouts)
        elif self._headers or not self._answered:
            self._hand_over(b"".join(self._received))
        else:
            self._transport.close()

    def _hand_over(self, data: bytes) -> None:
        """Hand the connection over to uvicorn, with the received part of a request."""
        self._stop_watching()
        protocol = self._create_uvicorn_connection()
        protocol.connection_made(self._transport)
        self._transport.set_protocol(protocol)
        self._transport.resume_reading()
        if data:
            protocol.data_received(data)
        if self._ending:
            protocol.shutdown()

    def _stop_watching(self) -> None:
        self._timer.cancel()
        self._reservation.release()
        self._server.connections.discard(self)

    def shutdown(self) -> None:
        """Close the connection, after the response if a request is pending."""
        self._ending = True
        if not self._answering and not self._headers:
            self._transport.close()

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read its responses."""
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Resume reading."""
        self._transport.resume_reading()


def _encode_headers(response: Response, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    lines = [b"%b: %b\r\n" % header for header in (*headers, *response.raw_headers)]
    return b"".join((STATUS_LINE[response.status_code], *lines, b"\r\n", response.body))
