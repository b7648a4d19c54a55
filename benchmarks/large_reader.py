"""Measure the response times of posts while another client reads large results.

python -m benchmarks.large_reader [--datasets N] [--seconds N] [--rounds N] [--dsn DSN]

One collector serves all clients. Two clients post single events, as producers do. The reader
repeatedly requests all datasets downstream of one dataset. Rounds with and without it alternate.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import socket
import statistics
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from benchmarks.collector import received, requests, serving
from benchmarks.emitter import dataset, dsn_of, fresh
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.sharedctypes import Synchronized

WRITERS = 2
# With the highest limit, 100,000, the result has all 20,000 datasets.
READ = (
    "GET /api/v1/graph/dataset-lineage?dataset=warehouse/hub&direction=downstream&limit=100000"
    " HTTP/1.1\r\n"
    "Host: localhost\r\n\r\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=int, default=20_000, help="downstream of the dataset")
    parser.add_argument("--seconds", type=int, default=10, help="duration of a round")
    parser.add_argument("--rounds", type=int, default=6, help="half of them with the reader")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = fresh(options.dsn)
    conn = next(databases)
    write_events(conn, list(events(options.datasets, "made")))
    posts = requests(list(events(5_000, "posted")), 1)
    times: dict[bool, list[float]] = {False: [], True: []}
    with serving(dsn_of(conn)) as (_, address):
        size = fetch_size(address)
        answers = multiprocessing.Value("i", 0)
        for number in range(options.rounds):
            reading = number % 2 == 1
            reader = multiprocessing.Process(target=keep_reading, args=(address, answers))
            if reading:
                reader.start()
            times[reading] += posted(address, posts, options.seconds)
            if reading:
                reader.terminate()
                reader.join()
    print(table(times, answers.value, size))
    databases.close()  # type: ignore[attr-defined]


def events(number: int, of: str) -> Iterator[str]:
    """Yield events that each write a dataset from the queried dataset, or from another one."""
    source = "warehouse/hub" if of == "made" else "warehouse/other"
    for n in range(number):
        yield json.dumps({
            "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1.7e9 + n)),
            "eventType": "COMPLETE",
            "run": {"runId": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{of}-{n}")), "facets": {}},
            "job": {"namespace": "etl", "name": f"{of}-{n % 1_000}", "facets": {}},
            "inputs": [dataset(source, 1)],
            "outputs": [dataset(f"warehouse/{of}-{n}", 1)],
        })  # fmt: skip


def posted(address: tuple[str, int], posts: list[bytes], seconds: int) -> list[float]:
    """Post events by ``WRITERS`` clients for ``seconds``; return the time of each post."""

    def client(place: int) -> list[float]:
        took, end = [], time.perf_counter() + seconds
        with socket.create_connection(address) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while (start := time.perf_counter()) < end:
                connection.sendall(posts[(place + WRITERS * len(took)) % len(posts)])
                if not received(connection).startswith(b"HTTP/1.1 20"):
                    raise SystemExit("The collector rejected an event.")
                took.append(time.perf_counter() - start)
        return took

    with ThreadPoolExecutor(WRITERS) as pool:
        return [each for took in pool.map(client, range(WRITERS)) for each in took]


def fetch_size(address: tuple[str, int]) -> int:
    """Send one query; return the size of the response in bytes."""
    with socket.create_connection(address) as connection:
        connection.sendall(READ.encode())
        answer = received(connection)
    if not answer.startswith(b"HTTP/1.1 200"):
        raise SystemExit(answer[:500].decode())
    return len(answer)


def keep_reading(address: tuple[str, int], answers: Synchronized[int]) -> None:
    """Repeat the query until the process is terminated, and count the responses."""
    while True:
        fetch_size(address)
        with answers.get_lock():
            answers.value += 1


def table(times: dict[bool, list[float]], answers: int, size: int) -> str:
    rows = ["| | posts | ms, median | p95 | p99 |", "|---|---:|---:|---:|---:|"]
    p95: list[Any] = []
    for reading, name in (
        (False, "alone"),
        (True, f"while {answers} answers of {size:,} bytes are read"),
    ):
        cuts = statistics.quantiles((each * 1000 for each in times[reading]), n=100)
        p95.append(cuts[94])
        rows.append(
            f"| {name} | {len(times[reading]):,} | {cuts[49]:.2f} | {cuts[94]:.2f}"
            f" | {cuts[98]:.2f} |"
        )
    return "\n".join([*rows, "", f"p95 is {p95[1] / p95[0]:.2f} times that of alone."])


if __name__ == "__main__":
    main()
