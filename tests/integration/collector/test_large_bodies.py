"""Many concurrent large bodies of slow clients: memory is bounded, others are served."""

from __future__ import annotations

import gzip
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from support.events.builders import run_event

if TYPE_CHECKING:
    import requests
    from conftest import Process

CLIENTS = 24
ANNOUNCED = 30 << 20
SENT = 20 << 20
MAX_GROWTH_BYTES = 400 << 20  # less than 24 bodies of 20 MiB


def begin(process: Process, stack: ExitStack) -> socket.socket:
    """Send a part of a body."""
    address = urlsplit(process.url)
    connection = stack.enter_context(socket.create_connection((address.hostname, address.port)))
    head = (
        f"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Length: {ANNOUNCED}\r\n\r\n"
    )
    with suppress(OSError):  # the collector may close the connection while the client sends
        connection.sendall(head.encode() + b" " * SENT)
    return connection


def test_clients_that_never_end_their_bodies_fill_no_memory(process: Process) -> None:
    before = process.memory()
    with ExitStack() as stack, ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(lambda _: begin(process, stack), range(CLIENTS)))
        assert process.memory() - before < MAX_GROWTH_BYTES
        answer = process.post("/api/v1/lineage", run_event("r", "COMPLETE", 1))
        assert answer.status_code == 201
    # Their connections are closed, and the memory of their bodies is released.
    large = b" " * ANNOUNCED + run_event("large", "COMPLETE", 1).encode()
    assert process.post("/api/v1/lineage", large).status_code == 201


def test_bodies_with_a_large_decompressed_size_must_be_retried(process: Process) -> None:
    before = process.memory()
    packed = gzip.compress(b"[" + b" " * (31 << 20) + b"]", 1)

    def post(_: int) -> requests.Response:
        return process.post("/api/v1/lineage/batch", packed, **{"Content-Encoding": "gzip"})

    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(post, range(CLIENTS)))
    assert {answer.status_code for answer in answers} <= {200, 429}
    assert all("Retry-After" in answer.headers for answer in answers if answer.status_code == 429)
    assert process.memory() - before < MAX_GROWTH_BYTES
    assert post(0).status_code == 200
