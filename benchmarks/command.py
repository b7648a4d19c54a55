"""Measure the time of commands with start-up, and the part of Python and its libraries.

python -m benchmarks.command [--repeat N] [--dsn DSN]

DSN is a maintenance database of a server, as for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.emitter import dsn_of, events, fresh
from lineage.ingest.writer import write_events

LINEAGE = str(Path(sys.executable).parent / "lineage")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = fresh(options.dsn)
    conn, stated = next(databases), events(400)
    write_events(conn, [json.dumps(event) for event in stated])
    os.environ["LINEAGE_DSN"] = dsn_of(conn)
    source, output = (stated[0][side][0]["name"] for side in ("inputs", "outputs"))
    commands = {
        "an interpreter that does nothing": [sys.executable, "-c", "pass"],
        "the same, and imports psycopg and click": [sys.executable, "-c", "import psycopg, click"],
        "`lineage query`": [LINEAGE, "query", output],
        "`lineage paths`": [LINEAGE, "paths", source, output],
        "`lineage show`": [LINEAGE, "show", output],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(options.repeat):  # in turns, so that load on the machine affects all commands
        for name, command in commands.items():
            seconds[name].append(timed(command))
    print("| | ms, median | least |\n|---|---:|---:|")
    for name, times in seconds.items():
        print(f"| {name} | {statistics.median(times) * 1000:.0f} | {min(times) * 1000:.0f} |")


def timed(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
