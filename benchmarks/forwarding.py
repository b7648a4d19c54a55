"""Measure events per second from the log to another collector, also with a slow second target.

python -m benchmarks.forwarding [--events N] [--dsn DSN]

The log contains events of 5 KB. The other collector has a separate database, and all processes
share the machine. The slow target responds to each request after a second. Processor time of
PostgreSQL for the other collector is not included.
"""

from __future__ import annotations

import argparse
import threading
import time
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from benchmarks import emitter
from benchmarks.collector import of_sessions, serving
from benchmarks.processor import of_tree
from lineage.forwarding.sender import Sender
from lineage.forwarding.targets import Target
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

SLOW_SECONDS = 1.0
SENT = "SELECT sent FROM lineage.forward WHERE target = %s"


class Slow(BaseHTTPRequestHandler):
    """Accepts each event after ``SLOW_SECONDS``."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(SLOW_SECONDS)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress the log."""


@contextmanager
def slow() -> Iterator[str]:
    """Run a slow target; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def sent(conn: psycopg.Connection[Any], target: str) -> int:
    """Return the number of events that a target acknowledged."""
    return sum(count for (count,) in conn.execute(SENT, (target,)))


@contextmanager
def forwarding(
    conn: psycopg.Connection[Any], addresses: dict[str, str], **more: Any
) -> Iterator[None]:
    """Send to these targets during the block, as ``lineage forward run`` does."""
    dsn = emitter.dsn_of(conn)
    senders = [
        Sender(Target(name, {"type": "http", "url": url, **more}, from_beginning=True), dsn)
        for name, url in addresses.items()
    ]
    for sender in senders:
        sender.start()
    try:
        yield
    finally:
        for sender in senders:
            sender.stop()
        for sender in senders:
            sender.join()


def measured(
    conn: psycopg.Connection[Any],
    there: psycopg.Connection[Any],
    count: int,
    *,
    beside: bool,
    **more: Any,
) -> str:
    """Return the cells of a row: events per second, processor times, events to the slow target."""
    with ExitStack() as stack:
        collector, (host, port) = stack.enter_context(serving(emitter.dsn_of(there)))
        addresses = {"quick": f"http://{host}:{port}"}
        if beside:
            addresses["slow"] = stack.enter_context(slow())
        theirs, ours, start = of_tree(collector), time.process_time(), time.perf_counter()
        with forwarding(conn, addresses, **more):
            while sent(conn, "quick") < count:
                time.sleep(0.05)
            seconds = time.perf_counter() - start
            taken = (
                time.process_time() - ours, of_sessions(conn), of_tree(collector) - theirs
            )  # fmt: skip
    cells = [f"{count / seconds:,.0f}", *(f"{each * 1e6 / count:,.0f}" for each in taken)]
    return " | ".join([*cells, f"{sent(conn, 'slow'):,}" if beside else ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=6_000, help="number of events of 5 KB")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    texts = list(emitter.stream(options.events))
    print(
        "| target | events/s | processor, µs an event: the forwarder's | its session's"
        " | the target's | the slow one got |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    for what, beside, more in (
        ("alone", False, {}),
        ("beside one that answers after a second", True, {}),
        ("alone, compressed", False, {"compression": "gzip"}),
    ):
        here, there = emitter.fresh(options.dsn), emitter.fresh(options.dsn)
        conn = next(here)
        write_events(conn, texts)
        print(
            f"| {what} | {measured(conn, next(there), len(texts), beside=beside, **more)} |",
            flush=True,
        )
        here.close()
        there.close()


if __name__ == "__main__":
    main()
