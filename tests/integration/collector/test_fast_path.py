"""Fast path: split, joined, unusual and slow POSTs of single events, and closed connections."""

from __future__ import annotations

import gzip
import re
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg
import pytest
from support.events.builders import run_event
from support.fixtures.collectors import count_logged
from support.services.polling import wait_until

from lineage.http.request_body import SMALL_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.collectors import Collector, Serving

BODIES = [run_event(f"r{n}", "COMPLETE", n, writes=("a",)).encode() for n in range(5)]
LIVE = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Client:
    """A connection."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._socket = socket.create_connection((address.hostname, address.port), 60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._came = b""

    def send(self, *parts: bytes) -> None:
        for part in parts:
            self._socket.sendall(part)

    def answer(self) -> tuple[int, bytes, bytes]:
        """Return status, headers and body of the next response."""
        while b"\r\n\r\n" not in self._came:
            self._receive()
        head, _, self._came = self._came.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        size = int(length[1]) if length else 0
        while len(self._came) < size:
            self._receive()
        body, self._came = self._came[:size], self._came[size:]
        return int(head.split()[1]), head, body

    def _receive(self) -> None:
        part = self._socket.recv(65536)
        assert part, "the connection has ended"
        self._came += part

    def is_closed(self) -> bool:
        """Wait until the connection is closed."""
        return not self._came and self._socket.recv(65536) == b""

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def connect() -> Iterator[Callable[[str], Client]]:
    clients: list[Client] = []

    def connect(url: str) -> Client:
        clients.append(Client(url))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


@pytest.fixture
def client(collector: Collector, connect: Callable[[str], Client]) -> Client:
    return connect(collector.url)


def post(body: bytes, *headers: bytes, length: int | None = None) -> bytes:
    said = b"".join(b"%b\r\n" % header for header in headers)
    size = len(body) if length is None else length
    head = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%b\r\n"
    return head % (size, said) + body


def chunked(body: bytes) -> bytes:
    head = b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def test_an_answer_says_what_uvicorns_say(client: Client, collector: Collector) -> None:
    client.send(post(BODIES[0]))
    status, head, body = client.answer()
    by_uvicorn = collector.post("/api/v1/lineage?", BODIES[0])
    assert (status, body) == (by_uvicorn.status_code, by_uvicorn.content) == (201, b"")
    names = {line.split(b":")[0].decode() for line in head.split(b"\r\n")[1:]}
    assert names == set(by_uvicorn.headers) == {"date", "server", "content-length"}


def test_a_connection_takes_one_after_the_other(client: Client, collector: Collector) -> None:
    for body in BODIES:
        client.send(post(body))
        assert client.answer()[0] == 201
    assert count_logged(collector.dsn) == len(BODIES)


def test_a_request_may_come_in_any_parts(client: Client, collector: Collector) -> None:
    whole = post(BODIES[0], b"Content-Type: application/json")
    for body, at in zip(BODIES, (1, 20, whole.index(b"\r\n\r\n") + 2, -20, -1), strict=True):
        request = post(body, b"Content-Type: application/json")
        client.send(request[:at], request[at:])
        assert client.answer()[0] == 201
    assert count_logged(collector.dsn) == len(BODIES)


def test_a_head_alone_and_then_a_body_in_parts(client: Client, collector: Collector) -> None:
    for body in BODIES:
        client.send(post(b"", length=len(body)), body[:7], body[7:50], body[50:])
        assert client.answer()[0] == 201
    assert count_logged(collector.dsn) == len(BODIES)


def test_requests_that_do_not_wait_for_answers(client: Client, collector: Collector) -> None:
    client.send(b"".join([*map(post, BODIES), LIVE, post(BODIES[0])]))
    statuses = [client.answer()[0] for _ in range(len(BODIES) + 2)]
    assert statuses == [201] * len(BODIES) + [204, 201]
    assert count_logged(collector.dsn) == len(BODIES)


UNUSUAL = {
    "no body": (post(b""), 400),
    "chunks": (chunked(BODIES[1]), 201),
    "a question mark": (post(BODIES[1]).replace(b"lineage ", b"lineage? "), 201),
    "another version": (post(BODIES[1]).replace(b"HTTP/1.1", b"HTTP/1.0"), 201),
    "not to be kept": (post(BODIES[1], b"Connection: close"), 201),
    "two lengths": (post(BODIES[1], b"Content-Length: 3"), 400),
    "chunks and a length": (post(BODIES[1], b"Transfer-Encoding: chunked"), 400),
    "a bare line feed": (post(BODIES[1], b"A: b\n\nGET / HTTP/1.1"), 400),
    "a long head": (post(BODIES[1], b"A: " + b"a" * 5000), 201),
    "no header": (post(BODIES[1], b"no header"), 400),
    "another path": (post(BODIES[1]).replace(b"lineage", b"other"), 404),
    "no HTTP": (b"what is this\r\n\r\n", 400),
}


@pytest.mark.parametrize(("request_", "status"), UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_not_plain_is_answered_too(client: Client, request_: bytes, status: int) -> None:
    client.send(post(BODIES[0]))
    assert client.answer()[0] == 201
    client.send(request_)
    assert client.answer()[0] == status


def test_an_offered_upgrade_is_ignored(client: Client, collector: Collector) -> None:
    """Java's HTTP clients offer an upgrade with each request, or with the first."""
    for body in BODIES[:2]:
        client.send(post(body, b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c"))
        assert client.answer()[0] == 201
    assert count_logged(collector.dsn) == 2


OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c"
OFFERED = {
    "a batch": post(b"[%b]" % BODIES[0], OFFER).replace(b"lineage ", b"lineage/batch "),
    "more than is read here": post(BODIES[0] + b" " * SMALL_BODY_BYTES, OFFER),
    "chunks": chunked(BODIES[0]).replace(b"Host: localhost", b"Host: localhost\r\n" + OFFER),
    "a question mark": post(BODIES[0], OFFER).replace(b"lineage ", b"lineage? "),
}


@pytest.mark.parametrize("request_", OFFERED.values(), ids=OFFERED)
@pytest.mark.parametrize("cut", [None, 5, 100, -5], ids=["whole", "in line", "in head", "in body"])
def test_an_upgrade_that_is_offered_with_what_is_uvicorns(
    client: Client, collector: Collector, request_: bytes, cut: int | None
) -> None:
    for _ in range(2):
        client.send(request_[:cut], request_[cut:] if cut else b"")
        assert client.answer()[0] in (200, 201)
        client.send(LIVE)
        assert client.answer()[0] == 204
    assert count_logged(collector.dsn) == 1


def test_a_head_that_differs_by_a_length_or_more(client: Client, collector: Collector) -> None:
    packed = gzip.compress(BODIES[0])
    for request, status in [
        (post(BODIES[1] + b"  "), 201),
        (post(BODIES[1]), 201),
        (post(packed, b"Content-Encoding: gzip"), 201),
        (post(packed, b"Content-Encoding: br"), 415),
        (post(BODIES[2], b"Authorization: Bearer x"), 201),
    ]:
        client.send(request)
        assert client.answer()[0] == status
    assert count_logged(collector.dsn) == 3


def test_expect_100_continue_is_answered(client: Client) -> None:
    client.send(post(b"", b"Expect: 100-continue", length=len(BODIES[0])))
    assert client.answer()[0] == 100
    client.send(BODIES[0])
    assert client.answer()[0] == 201


def test_a_bad_event_ends_no_connection(client: Client, collector: Collector) -> None:
    client.send(post(b'{"eventTime": 7}'))
    status, _, body = client.answer()
    assert (status, b"eventTime: Expected" in body) == (400, True)
    client.send(post(BODIES[0]))
    assert client.answer()[0] == 201
    assert count_logged(collector.dsn) == 1


def test_an_event_is_stored_after_its_client_disconnects(
    collector: Collector, connect: Callable[[str], Client]
) -> None:
    with psycopg.connect(collector.dsn) as conn:
        conn.execute("LOCK TABLE lineage.event IN EXCLUSIVE MODE")
        client = connect(collector.url)
        client.send(post(BODIES[0]))
        client.close()
    collector.post("/api/v1/lineage", BODIES[1])
    wait_until(lambda: count_logged(collector.dsn) >= 2)
    assert count_logged(collector.dsn) == 2


def serve_for_a_second(serving: Serving, dsn: str) -> str:
    return serving(dsn, timeout_keep_alive=1)


def test_an_idle_connection_is_closed(
    serving: Serving, connect: Callable[[str], Client], dsn: str
) -> None:
    client = connect(serve_for_a_second(serving, dsn))
    client.send(post(BODIES[0]))
    assert client.answer()[0] == 201
    assert client.is_closed()


def test_a_slow_body_is_waited_for(
    serving: Serving, connect: Callable[[str], Client], dsn: str
) -> None:
    url = serve_for_a_second(serving, dsn)
    slow, idle = connect(url), connect(url)
    slow.send(post(b"", length=len(BODIES[0])), BODIES[0][:9])
    idle.send(post(BODIES[1]))
    assert idle.answer()[0] == 201
    assert idle.is_closed()  # a second has passed
    slow.send(BODIES[0][9:])
    assert slow.answer()[0] == 201


def test_a_server_that_ends_answers_first(
    serving: Serving, connect: Callable[[str], Client], dsn: str
) -> None:
    url = serving(dsn)
    idle, waiting, half = (connect(url) for _ in range(3))
    for client in (idle, waiting, half):
        client.send(post(BODIES[0]))
        assert client.answer()[0] == 201
    with psycopg.connect(dsn) as conn:
        conn.execute("LOCK TABLE lineage.event IN EXCLUSIVE MODE")
        waiting.send(post(BODIES[1]))
        half.send(post(b"", length=len(BODIES[2])), BODIES[2][:9])
        idle.send(post(b"{}"))
        assert idle.answer()[0] == 400  # the other requests have been received, too
        serving.end()
        assert idle.is_closed()
    half.send(BODIES[2][9:])
    for client in (waiting, half):
        status, head, _ = client.answer()
        assert (status, b"connection: close" in head) == (201, True)
        assert client.is_closed()
