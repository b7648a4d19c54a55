"""Measure events per second by ``lineage ingest`` from a file, with start-up, by workers.

python -m benchmarks.ingest [--events N] [--columns N] [--dsn DSN]

An event has 5 KB with 12 columns, and 30 KB with 85. Standard input is a pipe, which may never end:
its summaries are completed every few seconds. DSN is that of benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.emitter import COPIED, copy_raw, dsn_of, fresh, stored_bytes, stream
from benchmarks.processor import taken_by_all
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

LINEAGE = str(Path(sys.executable).parent / "lineage")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = fresh(options.dsn)
    prints = set()
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for event in stream(options.events, options.columns):
            file.write(event + "\n")
        file.flush()
        print("| | events/s | processor, µs an event: ours | the server's | bytes |")
        print("|---|---:|---:|---:|---:|")
        show = partial(measure, options.events)
        show(COPIED, conn := next(databases), partial(copy_file, conn, file.name))
        conn = next(databases)
        show("standard input, one process", conn, partial(ingest, conn, "-", 1, file.name))
        prints.add(graph_fingerprint(conn))
        for workers in (1, 2, 3):
            conn = next(databases)
            show(f"{workers} workers", conn, partial(ingest, conn, file.name, workers))
            prints.add(graph_fingerprint(conn))
    assert len(prints) == 1
    databases.close()  # type: ignore[attr-defined]


def measure(
    events: int, what: str, conn: psycopg.Connection[Any], work: Callable[[], object]
) -> None:
    """Run ``work`` once, and print its row."""
    found = taken_by_all(conn, work)
    each = [seconds * 1e6 / events for seconds in (found.ours, found.servers)]
    numbers = (events / found.clock, *each, stored_bytes(conn) / events)
    print(f"| {' | '.join([what, *(f'{number:,.0f}' for number in numbers)])} |", flush=True)


def copy_file(conn: psycopg.Connection[Any], file: str) -> None:
    with open(file) as lines:
        copy_raw(conn, (line.rstrip("\n") for line in lines))


def ingest(
    conn: psycopg.Connection[Any], source: str, workers: int, standard_input: str = os.devnull
) -> None:
    environment = {**os.environ, "LINEAGE_DSN": dsn_of(conn)}
    command = [LINEAGE, "ingest", "--workers", str(workers), source]
    with subprocess.Popen(["cat", standard_input], stdout=subprocess.PIPE) as text:
        subprocess.run(
            command, env=environment, check=True, stdin=text.stdout, stderr=subprocess.DEVNULL
        )


if __name__ == "__main__":
    main()
