"""How fast events are written as the graph grows: the last tenth against the first.

python -m benchmarks.growth [--events N] [--workers N] [--dsn DSN]

With more than one worker each tenth is written by so many processes, which are started for it.
"""

from __future__ import annotations

import argparse
import json
from itertools import islice

from benchmarks import emitter
from benchmarks.processor import taken_by_all


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    tenth = options.events // 10
    texts = map(json.dumps, emitter.stream(options.events))
    databases = emitter.fresh(options.dsn)
    conn = next(databases)
    print(f"{options.events:,} events of 5 KB, {emitter.JOBS} jobs, workers: {options.workers}.\n")
    print("| events before | events/s | processor, µs: ours | server's | bytes an event |")
    print("|---:|---:|---:|---:|---:|")
    for n in range(10):
        part = list(islice(texts, tenth))
        found = taken_by_all(conn, lambda: emitter.put(conn, part, options.workers))  # noqa: B023
        each = [f"{seconds * 1e6 / len(part):.0f}" for seconds in (found.ours, found.servers)]
        size = emitter.stored_bytes(conn) / (n + 1) / tenth
        cells = (f"{n * tenth:,}", f"{len(part) / found.clock:,.0f}", *each, f"{size:,.0f}")
        print(f"| {' | '.join(cells)} |", flush=True)
    databases.close()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
