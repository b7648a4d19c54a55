"""Limits of connections before authentication: sizes of headers, timeouts, and late bodies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

MAX_CONNECTIONS = 1000
MAX_HEAD_BYTES = 32 << 10
MAX_LINE_BYTES = 8 << 10
MAX_HEADERS = 100
HEAD_SECONDS = 10.0
BODY_SECONDS = 75.0  # longer than the timeout of the handler, which sends a response
# The rest of a body is read after its response, so that the client can read the response.
MAX_BUFFERED_BYTES = 64 << 20
BUFFERED_SECONDS = 30.0
# Bytes of a chunked body that are not content: sizes, extensions and trailers.
_MAX_FRAMING_BYTES = 64 << 10

_END = b"\r\n\r\n"
_METHOD = re.compile(rb"[A-Z]+( |\Z)")  # other beginnings are rejected at once
_ABSOLUTE = re.compile(rb"(?is)[a-z][a-z0-9+.-]*://([^/?#]*)/?(.*)")
_OFFER = re.compile(rb"(?im)^upgrade:.*\n")

_MESSAGES = {
    408: "The request did not arrive in time.",
    414: f"The address has more than {MAX_LINE_BYTES >> 10} KiB.",
    431: f"The request has more than {MAX_HEADERS} headers or {MAX_HEAD_BYTES >> 10} KiB of them.",
    503: f"The collector has more than {MAX_CONNECTIONS} connections.",
}


def refusal_response(status: int, headers: list[tuple[bytes, bytes]]) -> bytes:
    """Return the whole response for a connection that is closed afterwards."""
    response = JSONResponse({"error": {"message": _MESSAGES[status]}}, status)
    every = (*headers, *response.raw_headers, (b"connection", b"close"))
    lines = [b"%b: %b\r\n" % header for header in every]
    line = STATUS_LINE.get(status, b"HTTP/1.1 %d \r\n" % status)
    return b"".join((line, *lines, b"\r\n", bytes(response.body)))


class LimitedConnection(HttpToolsProtocol):
    """uvicorn's protocol with limits, and without the Upgrade header.

    HTTP clients of Java send Upgrade. The parser then assumes that the data after the headers
    belong to the other protocol, and uvicorn drops them together with the body. Headers are
    therefore buffered until they are complete, and Upgrade is removed. Of pipelined requests that
    arrive together only the first is examined: clients that send Upgrade wait for the response.
    """

    _begun = b""
    _is_in_body = False
    _buffered_bytes = 0  # bytes since the head began, or since the last content of the body
    _buffered_since = 0  # bytes of a body that came after its response
    _header_bytes = 0
    _status = 400  # of rejected request headers
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for request headers."""
        super().connection_made(transport)
        self._start_timer(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request."""
        if self.transport.is_closing():
            return
        if not self._is_in_body:
            data = self._begun + data
            if self._timer is None:
                self._start_timer(HEAD_SECONDS)
            if _END not in data and len(data) <= MAX_HEAD_BYTES and _METHOD.match(data):
                self._begun = data
                self._unset_keepalive_if_required()
                return
            self._begun = b""
            data = _without_offer(data)
        self._buffered_bytes += len(data)
        super().data_received(data)
        if self._buffered_bytes > (_MAX_FRAMING_BYTES if self._is_in_body else MAX_HEAD_BYTES):
            self._send_refusal(431)

    def on_message_begin(self) -> None:
        """Start counting the bytes of headers."""
        self._header_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Receive the request target. Raises ValueError if it is too long."""
        super().on_url(url)
        if len(self.url) > MAX_LINE_BYTES:
            self._status = 414
            raise ValueError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Receive a header, or a trailer of a chunked body. Raises ValueError beyond the limits."""
        self._header_bytes += len(name) + len(value)
        if len(self.headers) >= MAX_HEADERS or self._header_bytes > MAX_HEAD_BYTES:
            self._status = 431
            raise ValueError
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Wait for the body."""
        self._is_in_body, self._buffered_bytes, self._buffered_since = True, 0, 0
        self._start_timer(BODY_SECONDS)
        if target := _ABSOLUTE.fullmatch(self.url):
            self.url = b"/" + target[2]
            self._set_host(target[1])
        super().on_headers_complete()

    def _set_host(self, authority: bytes) -> None:
        """Replace Host by the authority of the request target (RFC 9112, 3.2.2)."""
        names = [name for name, _ in self.headers]
        if b"host" not in names:
            self.headers.append((b"host", authority))
        self.headers[:] = [
            (name, authority if name == b"host" else value) for name, value in self.headers
        ]

    def on_body(self, body: bytes) -> None:
        """Receive a part of the body."""
        self._buffered_bytes = 0
        if self.cycle.response_complete:
            self._buffered_since += len(body)
            if self._buffered_since > MAX_BUFFERED_BYTES:
                self.transport.close()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the timer at the end of a request."""
        self._is_in_body, self._buffered_bytes = False, 0
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the rest of the body after its response."""
        if self._is_in_body:
            self._start_timer(BUFFERED_SECONDS)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Respond to a request that the parser rejects."""
        if self._status == 400:
            super().send_400_response(msg)
        else:
            self._send_refusal(self._status)

    def _start_timer(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, self._close_late)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_late(self) -> None:
        """Close a connection that timed out, with a response to a request without one."""
        if not self._is_in_body and self.cycle and not self.cycle.response_complete:
            self._start_timer(HEAD_SECONDS)  # the request is complete; its response is pending
            return
        if (self._begun or self._buffered_bytes) and not self._is_in_body:
            self._send_refusal(408)
        else:
            self.transport.close()

    def _send_refusal(self, status: int) -> None:
        if not self.transport.is_closing():
            if self.cycle is None or self.cycle.response_complete:
                self.transport.write(refusal_response(status, self.server_state.default_headers))
            self.transport.close()


def _without_offer(data: bytes) -> bytes:
    size = data.find(_END) + 2
    return _OFFER.sub(b"", data[:size]) + data[size:]
