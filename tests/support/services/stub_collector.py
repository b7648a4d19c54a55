"""A collector of docs/reference/collector-request.md with responses defined by the test."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Document = dict[str, Any]
Answer = Callable[["Handler", "Request"], None]


@dataclass
class Request:
    """A request: its time and content, and whether it was accepted."""

    path: str
    headers: dict[str, str]
    documents: list[Document]
    number: int
    came: float = field(default_factory=time.monotonic)
    accepted: bool = False


class Handler(BaseHTTPRequestHandler):
    """Responds according to the first part of the path: the name of a behaviour."""

    server: StubCollector

    def do_POST(self) -> None:
        """Read a batch and respond."""
        name = self.path.split("/")[1]
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        documents = [json.loads(line) for line in body.decode().splitlines()]
        request = self.server.came(name, self.path, dict(self.headers), documents)
        self.server.answers[name](self, request)

    def do_GET(self) -> None:
        """Respond to ``/NAME/came/N`` when N requests of that name have arrived."""
        _, name, _, number = self.path.split("/")
        self.server.wait_until_came(name, int(number))
        self.reply(200, "{}")

    def reply(self, status: int, text: str, **headers: str) -> None:
        """Send a complete response."""
        body = text.encode()
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Write nothing to stderr."""


class StubCollector(ThreadingHTTPServer):
    """Listens on a free port of this host. ``requests`` contains the requests by behaviour."""

    daemon_threads = True

    def __init__(self, answers: dict[str, Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.requests: dict[str, list[Request]] = {name: [] for name in answers}
        self.closing = threading.Event()
        self._changed = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Return the URL without the name of a behaviour."""
        return f"http://127.0.0.1:{self.server_port}"

    def accepted(self, name: str) -> list[Document]:
        """Return the accepted documents, in order."""
        return [d for r in self.requests[name] if r.accepted for d in r.documents]

    def came(
        self, name: str, path: str, headers: dict[str, str], documents: list[Document]
    ) -> Request:
        """Record a request."""
        with self._changed:
            requests = self.requests[name]
            requests.append(Request(path, headers, documents, len(requests) + 1))
            self._changed.notify_all()
            return requests[-1]

    def wait_until_came(self, name: str, number: int) -> None:
        """Wait up to two minutes until ``number`` requests have arrived."""
        with self._changed:
            done = self._changed.wait_for(lambda: len(self.requests[name]) >= number, timeout=120)
        assert done, f"{len(self.requests[name])} requests came for {name}, not {number}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors: some tests have a client that disconnects."""

    def close(self) -> None:
        """Release all waiting handlers and stop."""
        self.closing.set()
        self.shutdown()
        self.server_close()


def accept(handler: Handler, request: Request) -> None:
    """Accept the documents."""
    request.accepted = True
    handler.reply(200, json.dumps({"accepted": len(request.documents)}))


def fail(status: int, text: str = "", **headers: str) -> Answer:
    """Return a behaviour that responds with this status."""
    return lambda handler, request: handler.reply(status, text, **headers)


def die(handler: Handler, request: Request) -> None:
    """Close the connection without a response."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def hang(handler: Handler, request: Request) -> None:
    """Never respond."""
    handler.server.closing.wait()


def drip(handler: Handler, request: Request) -> None:
    """Send an endless response byte by byte, which no read timeout ends."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Endless: ")
    try:
        while not handler.server.closing.wait(0.02):
            handler.wfile.write(b"x")
    except OSError:
        return  # the client has closed the connection


def in_turn(*answers: Answer) -> Answer:
    """Respond to request n with answer n, and to all further requests with the last answer."""
    return lambda handler, request: answers[min(request.number, len(answers)) - 1](handler, request)
