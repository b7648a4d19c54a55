"""How fast events are written as the graph grows: the last tenth against the first.

python -m benchmarks.growth [--events N] [--workers N] [--dsn DSN]

Before it and after it, as bars in the same run, the machine's own limit and one Cypher MERGE an
event: its speed changes. By default there is one worker more than cores: each waits for its
session, and for the disk.
"""

from __future__ import annotations

import argparse
import json
import os
from functools import partial
from itertools import islice
from statistics import harmonic_mean
from typing import TYPE_CHECKING

from benchmarks import emitter
from benchmarks.processor import taken_by_all
from lineage.graph.workers import Done, Item, Workers

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

_BAR = 20_000  # events


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = emitter.fresh(options.dsn)
    merges = [_bars(next(databases))]
    print(
        f"\n{options.events:,} events of 5 KB, {emitter.JOBS} jobs, workers: {options.workers}.\n"
    )
    rates = list(_tenths(next(databases), options.events, options.workers))
    print()
    merges.append(_bars(next(databases)))
    databases.close()  # type: ignore[attr-defined]
    mean, bar = harmonic_mean(rates), harmonic_mean(merges)
    print(
        f"\n{mean:,.0f} events a second, {mean / bar:.1f} times one MERGE an event."
        f" The last tenth goes {rates[-1] / rates[0]:.2f} times as fast as the first."
    )


def _bars(conn: psycopg.Connection[object]) -> float:
    """Measure other ways to write; return how many events a second MERGE takes."""
    stated = emitter.events(_BAR)
    texts = [json.dumps(event) for event in stated]
    table = emitter.Table()
    table.row(emitter.COPIED, conn, _BAR, partial(emitter.copy_raw, conn, texts))
    return table.row(emitter.MERGED, conn, _BAR, partial(emitter.merge_each, conn, stated))


def _tenths(conn: psycopg.Connection[object], count: int, workers: int) -> Iterator[float]:
    """Write events; yield of each tenth how many a second."""
    tenth = count // 10
    texts = (json.dumps(event).encode() for event in emitter.stream(count))
    print("| events before | events/s | processor, µs: ours | server's | bytes an event |")
    print("|---:|---:|---:|---:|---:|")
    told: list[Done] = []
    with Workers(emitter.dsn_of(conn), workers, told.append) as writing:
        for n in range(10):
            part = list(islice(texts, tenth))
            found = taken_by_all(conn, partial(_write, writing, part))
            each = [f"{seconds * 1e6 / tenth:.0f}" for seconds in (found.ours, found.servers)]
            size = emitter.stored_bytes(conn) / (n + 1) / tenth
            cells = (f"{n * tenth:,}", f"{tenth / found.clock:,.0f}", *each, f"{size:,.0f}")
            print(f"| {' | '.join(cells)} |", flush=True)
            yield tenth / found.clock
    assert sum(done.written.new for done in told) == 10 * tenth


def _write(writing: Workers, part: list[bytes]) -> None:
    for text in part:
        writing.emit(Item("", text))
    writing.flush()


if __name__ == "__main__":
    main()
