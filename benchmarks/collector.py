"""Measure events per second over HTTP, acknowledged and projected, by size, clients and batch.

python -m benchmarks.collector [--events N] [--size "5 KB"] [--clients N] [--collectors N]
                               [--dsn DSN]

Collectors, database and clients share the machine; clients are distributed over the collectors. A
client has one connection and sends a request after the response to the previous one. The whole time
ends when the last event is in the graph. Processor time of PostgreSQL outside the sessions, mostly
for writing pages, is not included.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks import emitter
from benchmarks.processor import of_process, of_tree
from lineage.projection import backlog

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

CLIENTS = (1, 8, 32)
BATCHES = (1, 100)
SESSIONS = """
SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
SERVE = "from lineage_cli import main; main(['serve', '--port', '0'])"


def requests(texts: Sequence[str], batch: int) -> list[bytes]:
    """Return the requests that post these events, ``batch`` at a time."""
    if batch == 1:
        bodies, path = [text.encode() for text in texts], "/api/v1/lineage"
    else:
        parts = [texts[n : n + batch] for n in range(0, len(texts), batch)]
        bodies, path = [f"[{','.join(part)}]".encode() for part in parts], "/api/v1/lineage/batch"
    head = "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n"
    return [head.format(path, len(body)).encode() + body for body in bodies]


def send(address: tuple[str, int], made: Sequence[bytes]) -> None:
    """Send requests, each after the response to the previous one."""
    with socket.create_connection(address) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in made:
            connection.sendall(request)
            answer = received(connection)
            if not re.match(rb"HTTP/1.1 20[01] ", answer):
                raise SystemExit(answer.decode())


def received(connection: socket.socket) -> bytes:
    """Return one complete response."""
    answer = connection.recv(65536)
    while (end := answer.find(b"\r\n\r\n")) < 0:
        answer += connection.recv(65536)
    length = re.search(rb"(?i)content-length: *(\d+)", answer[:end])
    while len(answer) < end + 4 + int(length[1] if length else 0):
        answer += connection.recv(65536)
    return answer


def posted(addresses: Sequence[tuple[str, int]], made: Sequence[bytes], clients: int) -> float:
    """Send all requests, and return the seconds until the last response."""

    def client(n: int) -> None:
        send(addresses[n % len(addresses)], made[n::clients])

    start = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(client, range(clients)))
    return time.perf_counter() - start


def wait_until_projected(conn: psycopg.Connection[Any]) -> None:
    """Wait until no event is pending."""
    while backlog.count_pending(conn):
        time.sleep(0.02)


@contextmanager
def serving(dsn: str) -> Iterator[tuple[int, tuple[str, int]]]:
    """Run a collector in a separate process; yield its process id and its address."""
    command = [sys.executable, "-c", SERVE]
    environment = {**os.environ, "LINEAGE_DSN": dsn}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr is not None
        found = next(
            m for line in server.stderr if (m := re.search(r"http://([\d.]+):(\d+)", line))
        )
        try:
            yield server.pid, (found[1], int(found[2]))
        finally:
            server.terminate()
            server.communicate()


def measured(
    conn: psycopg.Connection[Any], texts: Sequence[str], clients: int, batch: int, collectors: int
) -> str:
    """Return the cells of a row: events per second, and processor time by process."""
    made = requests(texts, batch)
    with ExitStack() as stack:
        dsn = emitter.dsn_of(conn)
        servers = [stack.enter_context(serving(dsn)) for _ in range(collectors)]
        started = sum(of_tree(server) for server, _ in servers)
        ours = time.process_time()
        answered = posted([address for _, address in servers], made, clients)
        ours = time.process_time() - ours
        start = time.perf_counter()
        wait_until_projected(conn)
        whole = answered + time.perf_counter() - start
        theirs = sum(of_tree(server) for server, _ in servers) - started
        taken = ours, theirs, of_sessions(conn)
    rates = [len(texts) / answered, len(texts) / whole]
    return " | ".join(f"{n:,.0f}" for n in [*rates, *(n * 1e6 / len(texts) for n in taken)])


def of_sessions(conn: psycopg.Connection[Any]) -> float:
    """Return the processor time of the collector's sessions in seconds."""
    return sum(of_process(pid) for (pid,) in conn.execute(SESSIONS).fetchall())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--events", type=int, default=6_000, help="events of 5 KB; of other sizes, as many bytes"
    )
    parser.add_argument("--size", choices=emitter.SIZES, help="only events of this size")
    parser.add_argument("--clients", type=int, help="only this number of clients")
    parser.add_argument("--collectors", type=int, default=1, help="collectors of the database")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = emitter.fresh(options.dsn)
    print(
        "| event | clients | events a post | acknowledged/s | and in the graph/s"
        " | processor, µs an event: clients' | the collectors' | its sessions' |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for size in [options.size] if options.size else emitter.SIZES:
        columns = emitter.SIZES[size]
        count = options.events * 12 // max(columns, 6)
        texts = list(emitter.stream(count, columns))
        for batch in BATCHES:
            for clients in [options.clients] if options.clients else CLIENTS:
                cells = measured(next(databases), texts, clients, batch, options.collectors)
                print(f"| {size} | {clients} | {batch} | {cells} |", flush=True)
    databases.close()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
