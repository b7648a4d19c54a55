"""Kafka Connect and a schema registry, as their documentation describes their REST interfaces."""

from __future__ import annotations

import base64
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

CLUSTER_ID = "I4ZmrWqfT2e-upky_4fdPA"


class Failure(Exception):
    """A response other than 200. Both services put ``error_code`` and ``message`` into it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class ConnectWorker:
    """``connectors``: configuration by name; ``topics``: active topics by name.

    ``expands``: false before Kafka 2.3. ``tracks_topics``: topic.tracking.enable. ``rebalances``:
    number of requests that are answered 409 before the others.
    """

    connectors: dict[str, dict[str, str]]
    topics: dict[str, list[str]] = field(default_factory=dict)
    sinks: set[str] = field(default_factory=set)
    expands: bool = True
    tracks_topics: bool = True
    rebalances: int = 0
    has_root: bool = True

    def answer(self, path: list[str], query: dict[str, list[str]]) -> Any:
        """Return the response to GET."""
        if self.rebalances:
            self.rebalances -= 1
            raise Failure(409, "Cannot complete request momentarily due to stale configuration")
        if path == [""] and self.has_root:
            return {
                "version": "3.9.1",
                "commit": "f745dfdcee2b9851",
                "kafka_cluster_id": CLUSTER_ID,
            }
        if path == ["connectors"]:
            if not self.expands or not query.get("expand"):
                return list(self.connectors)
            expanded = {"info": self._info, "status": self._status}
            return {
                name: {key: expanded[key](name) for key in query["expand"]}
                for name in self.connectors
            }
        if len(path) >= 2 and path[0] == "connectors" and path[1] in self.connectors:
            name = path[1]
            if path[2:] == []:
                return self._info(name)
            if path[2:] == ["status"]:
                return self._status(name)
            if path[2:] == ["topics"]:
                if not self.tracks_topics:
                    raise Failure(403, "Topic tracking is disabled.")
                return {name: {"topics": self.topics.get(name, [])}}
        raise Failure(404, "HTTP 404 Not Found")

    def _type(self, name: str) -> str:
        return "sink" if name in self.sinks else "source"

    def _info(self, name: str) -> dict[str, Any]:
        config = {"name": name, **self.connectors[name]}
        tasks = [{"connector": name, "task": 0}]
        return {"name": name, "config": config, "tasks": tasks, "type": self._type(name)}

    def _status(self, name: str) -> dict[str, Any]:
        state = {"state": "RUNNING", "worker_id": "10.0.0.1:8083"}
        return {
            "name": name, "connector": state, "tasks": [{"id": 0, **state}],
            "type": self._type(name),
        }  # fmt: skip


@dataclass
class SchemaRegistry:
    """``subjects``: the newest schema of each subject, as it was registered."""

    subjects: dict[str, dict[str, Any]]

    def answer(self, path: list[str], query: dict[str, list[str]]) -> Any:
        """Return the response to GET."""
        if path == ["subjects"]:
            return list(self.subjects)
        if len(path) == 4 and path[0] == "subjects" and path[2:] == ["versions", "latest"]:
            if path[1] in self.subjects:
                return {"subject": path[1], "version": 2, "id": 7, **self.subjects[path[1]]}
            raise Failure(404, "Subject not found. io.confluent.rest.exceptions")
        raise Failure(404, "HTTP 404 Not Found")


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Respond with JSON."""
        url = urlsplit(self.path)
        path = [unquote(part) for part in url.path.split("/")[1:]]
        try:
            self._check_user()
            status, value = 200, self.server.service.answer(path, parse_qs(url.query))
        except Failure as failure:
            status, value = failure.status, {"error_code": failure.status, "message": str(failure)}
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _check_user(self) -> None:
        required = self.server.user
        if required is not None:
            expected = f"Basic {base64.b64encode(required.encode()).decode()}"
            if self.headers.get("Authorization") != expected:
                raise Failure(401, "Unauthorized")

    def log_message(self, *arguments: object) -> None:
        """Write nothing."""


class _Server(ThreadingHTTPServer):
    def __init__(self, service: Any, user: str | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service
        self.user = user


@contextmanager
def serve(service: Any, user: str | None = None) -> Iterator[str]:
    """Serve a service, and yield its URL. ``user``: ``name:password`` of Basic authentication."""
    server = _Server(service, user)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        at = f"{user}@" if user else ""
        yield f"http://{at}127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
