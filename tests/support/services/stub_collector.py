"""A collector of docs/reference/collector-request.md that answers as a test wants."""

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
    """One request: when it came, what it had, and whether it was accepted."""

    path: str
    headers: dict[str, str]
    documents: list[Document]
    number: int
    came: float = field(default_factory=time.monotonic)
    accepted: bool = False


class Handler(BaseHTTPRequestHandler):
    """Answers by the first part of the path: the name of a behaviour."""

    server: StubCollector

    def do_POST(self) -> None:
        """Read a batch and answer it."""
        name = self.path.split("/")[1]
        body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
        documents = [json.loads(line) for line in body.decode().splitlines()]
        request = self.server.came(name, self.path, dict(self.headers), documents)
        self.server.answers[name](self, request)

    def do_GET(self) -> None:
        """Answer ``/NAME/came/N`` when so many requests of that name have come."""
        _, name, _, number = self.path.split("/")
        self.server.wait_until_came(name, int(number))
        self.reply(200, "{}")

    def reply(self, status: int, text: str, **headers: str) -> None:
        """Send a whole answer."""
        body = text.encode()
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing on stderr."""


class StubCollector(ThreadingHTTPServer):
    """Listens on a free port of this host. ``requests`` has what came, by behaviour."""

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
        """Where it is; a behaviour's name is to be appended."""
        return f"http://127.0.0.1:{self.server_port}"

    def accepted(self, name: str) -> list[Document]:
        """The documents that were accepted, in order."""
        return [d for r in self.requests[name] if r.accepted for d in r.documents]

    def came(
        self, name: str, path: str, headers: dict[str, str], documents: list[Document]
    ) -> Request:
        """Remember a request."""
        with self._changed:
            requests = self.requests[name]
            requests.append(Request(path, headers, documents, len(requests) + 1))
            self._changed.notify_all()
            return requests[-1]

    def wait_until_came(self, name: str, number: int) -> None:
        """Return when so many requests have come; they must within two minutes."""
        with self._changed:
            done = self._changed.wait_for(lambda: len(self.requests[name]) >= number, timeout=120)
        assert done, f"{len(self.requests[name])} requests came for {name}, not {number}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is what some tests are about."""

    def close(self) -> None:
        """Let go of everybody and stop."""
        self.closing.set()
        self.shutdown()
        self.server_close()


def accept(handler: Handler, request: Request) -> None:
    """Take them."""
    request.accepted = True
    handler.reply(200, json.dumps({"accepted": len(request.documents)}))


def fail(status: int, text: str = "", **headers: str) -> Answer:
    """Answer with this status."""
    return lambda handler, request: handler.reply(status, text, **headers)


def die(handler: Handler, request: Request) -> None:
    """Close the connection without an answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def hang(handler: Handler, request: Request) -> None:
    """Never answer."""
    handler.server.closing.wait()


def drip(handler: Handler, request: Request) -> None:
    """Begin an answer that has no end, a byte at a time: no read ever waits long."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Endless: ")
    try:
        while not handler.server.closing.wait(0.02):
            handler.wfile.write(b"x")
    except OSError:
        return  # the client has cut it off


def in_turn(*answers: Answer) -> Answer:
    """The first request gets the first answer, and so on; the last one is for all the others."""
    return lambda handler, request: answers[min(request.number, len(answers)) - 1](handler, request)
