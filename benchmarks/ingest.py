"""Measure events per second by ``lineage ingest`` from a file, with start-up, by workers.

python -m benchmarks.ingest [--events N] [--dsn DSN]

DSN is a maintenance database of a server, as for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.emitter import dsn_of, fresh, stored_bytes, stream
from benchmarks.processor import taken_by_all
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    import psycopg

LINEAGE = str(Path(sys.executable).parent / "lineage")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = fresh(options.dsn)
    prints = set()
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(event) + "\n" for event in stream(options.events))
        file.flush()
        print("| workers | events/s | processor, µs an event: ours | the server's | bytes |")
        print("|---:|---:|---:|---:|---:|")
        for workers in (1, 2, 3):
            conn = next(databases)
            found = taken_by_all(conn, partial(ingest, conn, file.name, workers))
            size = stored_bytes(conn) / options.events
            each = [seconds * 1e6 / options.events for seconds in (found.ours, found.servers)]
            cells = [f"{cell:,.0f}" for cell in (options.events / found.clock, *each, size)]
            print(f"| {' | '.join([str(workers), *cells])} |", flush=True)
            prints.add(graph_fingerprint(conn))
    assert len(prints) == 1
    databases.close()  # type: ignore[attr-defined]


def ingest(conn: psycopg.Connection[Any], file: str, workers: int) -> None:
    environment = {**os.environ, "LINEAGE_DSN": dsn_of(conn)}
    command = [LINEAGE, "ingest", "--workers", str(workers), file]
    subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
