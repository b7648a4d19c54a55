"""Requests rejected before authentication: other origins, floods of headers, idle connections."""

from __future__ import annotations

import os
import re
import socket
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import requests
from support.events.builders import run_event
from support.services.polling import wait_until

from lineage.http import connection_limits
from lineage.http.connection_limits import MAX_CONNECTIONS, MAX_HEADERS
from lineage.http.origins import Origins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Collector, Process, Serving

LINEAGE = "/api/v1/lineage"
EVENT = run_event("r1", "COMPLETE", 1, writes=("a",))
JSON = {"Content-Type": "application/json"}
FLOOD = 256 << 20 if "ABUSE_INPUTS" in os.environ else 16 << 20

FOREIGN: dict[str, tuple[dict[str, str], int]] = {
    "a name that was bound to this address": ({"Host": "evil.example"}, 421),
    "the same with a port": ({"Host": "evil.example:5000"}, 421),
    "a name that ends as ours": ({"Host": "localhost.evil.example"}, 421),
    "ours as user": ({"Host": "localhost@evil.example"}, 421),
    "something behind our address": ({"Host": "[::1]evil.example"}, 421),
    "something behind our port": ({"Host": "localhost:80:evil.example"}, 421),
    "a port that is none": ({"Host": "localhost:evil.example"}, 421),
    "no name": ({"Host": ""}, 421),
    "another address": ({"Host": "10.0.0.1"}, 421),
    "a page of somebody else": ({"Origin": "https://evil.example"}, 403),
    "a page of another service here": ({"Origin": "http://localhost:1"}, 403),
    "a page without origin": ({"Origin": "null"}, 403),
    "a page that ends as ours": ({"Origin": "http://localhost.evil.example"}, 403),
    "a form": ({"Content-Type": "text/plain"}, 415),
    "an encoded form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "a form of parts": ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    "a form that looks like JSON": ({"Content-Type": "text/plain; application/json"}, 415),
}


@pytest.mark.parametrize(("headers", "status"), FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize(
    "path", [LINEAGE, f"{LINEAGE}?", f"{LINEAGE}/batch", "/api/v1/plan-documents"]
)
def test_no_foreign_page_writes(
    collector: Collector, path: str, headers: dict[str, str], status: int
) -> None:
    answer = collector.post(path, EVENT, **(JSON | headers))
    assert (answer.status_code, "message" in answer.json()["error"]) == (status, True)
    with collector.drawn() as conn:
        assert conn.execute("SELECT count(*) FROM lineage.event").fetchone() == (0,)


@pytest.mark.parametrize("name", ["Host", "Origin", "Content-Type"])
@pytest.mark.parametrize("path", [LINEAGE, f"{LINEAGE}?"])
def test_what_is_reported_twice_is_not_guessed(
    collector: Collector, connect: Callable[[str], socket.socket], path: str, name: str
) -> None:
    port = urlsplit(collector.url).port
    own = {
        "Host": f"localhost:{port}",
        "Origin": f"http://localhost:{port}",
        "Content-Type": "application/json",
    }
    head = "".join(f"{key}: {value}\r\n" for key, value in own.items())
    connection = connect(collector.url)
    for more, status in (("", 201), (f"{name}: {own[name]}\r\n", 400)):
        length = f"Content-Length: {len(EVENT)}\r\n\r\n"
        connection.sendall(f"POST {path} HTTP/1.1\r\n{head}{more}{length}{EVENT}".encode())
        assert connection.recv(65536).split()[1] == b"%d" % status


# RFC 9112, 3.2.2: the host of an absolute target overrides the Host header.
TARGETS = {
    "own": ("http://localhost:{port}/metrics", "localhost", 200),
    "own, with another Host": ("http://localhost:{port}/metrics", "evil.example", 200),
    "foreign": ("http://evil.example/metrics", "localhost", 421),
    "foreign, of another scheme": ("https://evil.example:443/metrics", "localhost", 421),
    "ours as user": ("http://localhost@evil.example/metrics", "localhost", 421),
    "foreign without a path": ("http://evil.example", "localhost", 421),
    "foreign with a query alone": ("http://evil.example?x=/metrics", "localhost", 421),
}


@pytest.mark.parametrize(("target", "host", "status"), TARGETS.values(), ids=TARGETS)
def test_an_absolute_target_names_the_host(
    collector: Collector,
    connect: Callable[[str], socket.socket],
    target: str,
    host: str,
    status: int,
) -> None:
    target = target.format(port=urlsplit(collector.url).port)
    connection = connect(collector.url)
    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert connection.recv(65536).split()[1] == b"%d" % status


@pytest.mark.parametrize("path", [LINEAGE, f"{LINEAGE}?"])
def test_small_headers_are_counted_too(
    collector: Collector, connect: Callable[[str], socket.socket], path: str
) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for number, status in ((MAX_HEADERS - 3, 201), (MAX_HEADERS - 2, 431)):
        more = "".join(f"a{n}:\r\n" for n in range(number))
        length = f"Content-Length: {len(EVENT)}\r\n\r\n"
        connection = connect(collector.url)
        connection.sendall(f"{head}{more}{length}{EVENT}".encode())
        assert connection.recv(65536).split()[1] == b"%d" % status


READ = ("/api/v1/graph/stats", "/api/v1/namespaces", "/openapi.json", "/metrics")


@pytest.mark.parametrize("path", READ)
def test_no_foreign_page_reads(collector: Collector, path: str) -> None:
    for headers, status in FOREIGN.values():
        if "Content-Type" not in headers:
            answer = requests.get(collector.url + path, headers=headers, timeout=60)
            assert answer.status_code == status, headers


def test_own_names_and_pages_are_served(collector: Collector) -> None:
    port = urlsplit(collector.url).port
    for host in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST"):
        own = {"Host": f"{host}:{port}", "Origin": f"http://{host}:{port}"}
        for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
            answer = collector.post(LINEAGE, EVENT, **own, **{"Content-Type": kind})
            assert answer.status_code == 201
    assert collector.post(LINEAGE, EVENT).status_code == 201  # no Origin: not a page
    probe = {"Host": "10.0.0.1"}
    assert (
        requests.get(f"{collector.url}/health/live", headers=probe, timeout=60).status_code == 204
    )


def test_a_collector_answers_to_its_configured_names(serving: Serving, dsn: str) -> None:
    url = serving(dsn, origins=Origins.for_host("0.0.0.0", ["Lineage.example"]))
    for headers, status in [
        ({"Host": "lineage.example"}, 200),
        ({"Host": "lineage.example:8443", "Origin": "https://lineage.example"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "lineage.example", "Origin": "https://evil.example"}, 403),
    ]:
        answer = requests.get(f"{url}/api/v1/namespaces", headers=headers, timeout=60)
        assert answer.status_code == status, headers


def test_reached_from_elsewhere_any_name_will_do(serving: Serving, dsn: str) -> None:
    """Requests then have a token, which a foreign page does not have."""
    url = serving(dsn, origins=Origins.for_host("0.0.0.0"))
    for headers, status in [
        ({"Host": "any.example"}, 200), ({"Host": "a.example", "Origin": "http://b.example"}, 403),
    ]:  # fmt: skip
        answer = requests.get(f"{url}/api/v1/namespaces", headers=headers, timeout=60)
        assert answer.status_code == status


@pytest.fixture
def connect() -> Iterator[Callable[[str], socket.socket]]:
    with ExitStack() as stack:

        def connect(url: str) -> socket.socket:
            address = urlsplit(url)
            connection = socket.create_connection((address.hostname, address.port), 60)
            return stack.enter_context(connection)

        yield connect


def answered(connection: socket.socket) -> tuple[int, bytes]:
    """Return the status and the response up to the end of the connection; 0 without a response."""
    came = b""
    with suppress(ConnectionError):
        while part := connection.recv(65536):
            came += part
    found = re.match(rb"HTTP/1\.1 (\d+) ", came)
    return int(found[1]) if found else 0, came


HEAD = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n \r\n"
FLOODS = {
    "a header without end": (HEAD + b"A: ", b"a" * 65536, {0, 431}),
    "a name without end": (HEAD, b"a" * 65536, {0, 400, 431}),
    "headers without end": (HEAD, b"A: b\r\n" * 10_000, {0, 431}),
    "an address without end": (b"GET /", b"a" * 65536, {0, 414, 431}),
    "a method without end": (b"", b"A" * 65536, {0, 400, 431}),
    "empty lines": (b"", b"\r\n" * 30_000, {0, 400, 431}),
    "headers behind a body": (CHUNKED + b"0\r\n", b"A: b\r\n" * 10_000, {0, 400, 431}),
    "a header behind a body": (CHUNKED + b"0\r\nA: ", b"a" * 65536, {0, 400, 431}),
    "an extension of a chunk": (CHUNKED + b"1;", b"a" * 65536, {0, 400, 431}),
}  # fmt: skip


@pytest.mark.parametrize(("begin", "part", "statuses"), FLOODS.values(), ids=FLOODS)
def test_a_flood_is_cut_off(
    process: Process,
    connect: Callable[[str], socket.socket],
    begin: bytes,
    part: bytes,
    statuses: set[int],
) -> None:
    before = process.memory()
    client = connect(process.url)
    sent = 0
    with suppress(ConnectionError):
        client.sendall(begin)
        while sent < FLOOD:
            sent += client.send(part)
    status, came = answered(client)
    assert sent < FLOOD, came
    assert status in statuses, came
    assert process.memory() - before < 64 << 20
    assert process.post(LINEAGE, EVENT, **JSON).status_code == 201


WHOLE = {
    "headers": (HEAD + b"A: b\r\n" * (MAX_HEADERS - 1), 431),
    "a long header": (HEAD + b"A: " + b"a" * connection_limits.MAX_HEAD_BYTES + b"\r\n", 431),
    "a long address": (HEAD.replace(b"lineage", b"lineage?" + b"a" * 8192), 414),
    "not too many": (HEAD + b"A: b\r\n" * (MAX_HEADERS - 3), 201),
}


@pytest.mark.parametrize(("head", "status"), WHOLE.values(), ids=WHOLE)
def test_a_head_has_limits(
    collector: Collector, connect: Callable[[str], socket.socket], head: bytes, status: int
) -> None:
    client = connect(collector.url)
    length = b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(EVENT)
    client.sendall(head + length + EVENT.encode())
    assert answered(client)[0] == status


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "BUFFERED_SECONDS"):
        monkeypatch.setattr(connection_limits, name, 0.5)


SLOW = {
    "nothing": (b"", 0),
    "half a head": (HEAD, 408),
    "half a line": (b"POST /api", 408),
    "half a body": (HEAD + b"Content-Length: 9\r\n\r\n{", 0),
    "half a body in chunks": (CHUNKED, 0),
}


@pytest.mark.parametrize(("begin", "status"), SLOW.values(), ids=SLOW)
@pytest.mark.parametrize("after", [False, True], ids=["first", "after a request"])
def test_nobody_is_waited_for_for_ever(
    hasty: None,
    serving: Serving,
    dsn: str,
    connect: Callable[[str], socket.socket],
    begin: bytes,
    status: int,
    after: bool,
) -> None:
    client = connect(serving(dsn, timeout_keep_alive=1))
    if after:
        client.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 204")
    client.sendall(begin)
    assert answered(client)[0] == status


@pytest.mark.slow
def test_connections_above_the_maximum_receive_503(
    process: Process, connect: Callable[[str], socket.socket]
) -> None:
    for _ in range(MAX_CONNECTIONS):
        connect(process.url)
    answer = process.post(LINEAGE, EVENT, **JSON)
    assert (answer.status_code, "connections" in answer.text) == (503, True)
    # Until the idle ones are closed.
    wait_until(lambda: process.post(LINEAGE, EVENT, **JSON).status_code != 503)


@pytest.mark.parametrize("size", [1000, 900_000, 5 << 20])
def test_no_body_is_read_before_its_token(
    guarded: Collector, connect: Callable[[str], socket.socket], size: int
) -> None:
    """A client that sends the whole body can read the reason of the rejection."""
    client = connect(guarded.url)
    bearer = b"Authorization: Bearer x\r\nConnection: close\r\n"
    client.sendall(HEAD + bearer + b"Content-Length: %d\r\n\r\n" % size)
    client.sendall(b"x" * 100)
    status = int(client.recv(65536).split()[1])
    assert status == 401
    answer: Any = guarded.post(LINEAGE, b"x" * size, **JSON, Authorization="Bearer x")
    assert answer.status_code == 401
