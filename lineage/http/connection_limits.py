"""Limits on what a connection may bring before anybody asks who it is: heads, times, leftovers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

MOST_CONNECTIONS = 1000
MOST_HEAD_BYTES = 32 << 10
MOST_LINE_BYTES = 8 << 10
MOST_HEADERS = 100
HEAD_SECONDS = 10.0
BODY_SECONDS = 75.0  # who reads a body gives it up before, with an answer
# What comes of a body after its answer is read, so that the client gets to read the answer.
MAX_BUFFERED_BYTES = 64 << 20
BUFFERED_SECONDS = 30.0
# Of a body in chunks what is no content: sizes, extensions, and headers behind it.
_MOST_BETWEEN = 64 << 10

_END = b"\r\n\r\n"
_METHOD = re.compile(rb"[A-Z]+( |\Z)")  # what begins otherwise is told so at once
_ABSOLUTE = re.compile(rb"(?is)[a-z][a-z0-9+.-]*://([^/?#]*)/?(.*)")
_OFFER = re.compile(rb"(?im)^upgrade:.*\n")

_MESSAGES = {
    408: "The request did not arrive in time.",
    414: f"The address has more than {MOST_LINE_BYTES >> 10} KiB.",
    431: f"The head has more than {MOST_HEADERS} headers or {MOST_HEAD_BYTES >> 10} KiB.",
    503: f"The collector has more than {MOST_CONNECTIONS} connections.",
}


def refusal_response(status: int, headers: list[tuple[bytes, bytes]]) -> bytes:
    """Return the whole answer to a connection that is closed then."""
    response = JSONResponse({"error": {"message": _MESSAGES[status]}}, status)
    every = (*headers, *response.raw_headers, (b"connection", b"close"))
    lines = [b"%b: %b\r\n" % header for header in every]
    line = STATUS_LINE.get(status, b"HTTP/1.1 %d \r\n" % status)
    return b"".join((line, *lines, b"\r\n", bytes(response.body)))


class LimitedConnection(HttpToolsProtocol):
    """uvicorn's protocol within limits, and without offers to go on in another protocol.

    HTTP clients of Java make such offers. The parser takes it that what follows such a head is of
    the other protocol; uvicorn then drops it, and with it the body. A head is kept until it is
    whole. Of requests that do not wait for answers only the first of those that come at once is
    looked at: who offers something waits for the answer.
    """

    _begun = b""
    _is_in_body = False
    _buffered_bytes = 0  # bytes since the head began, or since the last content of the body
    _buffered_since = 0  # bytes of a body that came after its answer
    _header_bytes = 0
    _status = 400  # of a head that is refused
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Wait for a head."""
        super().connection_made(transport)
        self._start_timer(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if self.transport.is_closing():
            return
        if not self._is_in_body:
            data = self._begun + data
            if self._timer is None:
                self._start_timer(HEAD_SECONDS)
            if _END not in data and len(data) <= MOST_HEAD_BYTES and _METHOD.match(data):
                self._begun = data
                self._unset_keepalive_if_required()
                return
            self._begun = b""
            data = _without_offer(data)
        self._buffered_bytes += len(data)
        super().data_received(data)
        if self._buffered_bytes > (_MOST_BETWEEN if self._is_in_body else MOST_HEAD_BYTES):
            self._send_refusal(431)

    def on_message_begin(self) -> None:
        """Called by the parser."""
        self._header_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Called by the parser."""
        super().on_url(url)
        if len(self.url) > MOST_LINE_BYTES:
            self._status = 414
            raise ValueError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Called by the parser, for what comes behind a body in chunks too."""
        self._header_bytes += len(name) + len(value)
        if len(self.headers) >= MOST_HEADERS or self._header_bytes > MOST_HEAD_BYTES:
            self._status = 431
            raise ValueError
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Called by the parser."""
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
        """Called by the parser."""
        self._buffered_bytes = 0
        if self.cycle.response_complete:
            self._buffered_since += len(body)
            if self._buffered_since > MAX_BUFFERED_BYTES:
                self.transport.close()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Called by the parser."""
        self._is_in_body, self._buffered_bytes = False, 0
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Called once an answer is sent."""
        if self._is_in_body:
            self._start_timer(BUFFERED_SECONDS)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser refuses."""
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
        """Close what took too long, with an answer if it began and has none."""
        if not self._is_in_body and self.cycle and not self.cycle.response_complete:
            self._start_timer(HEAD_SECONDS)  # nothing more is read before the answer
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
