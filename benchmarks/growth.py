"""Measure the rate of writing while the graph grows: the last tenth compared with the first.

python -m benchmarks.growth [--events N] [--workers N] [--random-ids] [--dsn DSN]

The speed of the machine may change during the measurement. COPY and one Cypher MERGE per event are
therefore measured before and after it. In addition, one more tenth is written in turns with the
first tenth of another database. The ids of runs begin with their time, as those of OpenLineage's
clients do (UUID version 7), or are random with --random-ids. By default there is one worker more
than cores, because workers wait for their sessions and for the disk.
"""

from __future__ import annotations

import argparse
import os
from functools import partial
from itertools import islice
from statistics import harmonic_mean
from typing import TYPE_CHECKING

from benchmarks import emitter
from benchmarks.processor import Taken, taken_by_all
from lineage.ingest.workers import Done, Item, Workers
from lineage.projection.deferred import finish_summaries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

_BAR = 20_000  # events
_TURNS = 4  # few, so that each part has several whole batches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("--random-ids", action="store_true")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases, others = emitter.fresh(options.dsn), emitter.fresh(options.dsn)
    merges = [_bars(next(databases))]
    print(
        f"\n{options.events:,} events of 5 KB, {emitter.JOBS} jobs, workers: {options.workers}.\n"
    )
    tenth = options.events // 10
    events = partial(emitter.stream, random_ids=options.random_ids)
    grown = _Database(next(databases), events(11 * tenth), options.workers)
    first = _Database(next(others), events(tenth), options.workers)
    with grown.workers, first.workers:
        rates = _tenths(grown, tenth)
        in_turns = _in_turns(grown, first, tenth)
    others.close()  # type: ignore[attr-defined]
    print()
    merges.append(_bars(next(databases)))
    databases.close()  # type: ignore[attr-defined]
    mean, bar = harmonic_mean(rates), harmonic_mean(merges)
    print(
        f"\n{mean:,.0f} events a second, {mean / bar:.1f} times one MERGE an event. The last tenth"
        f" goes {rates[-1] / rates[0]:.2f} times as fast as the first; in turns, the one after it"
        f" {in_turns:.2f} times."
    )


def _bars(conn: psycopg.Connection[object]) -> float:
    """Measure COPY and MERGE for comparison; return the events per second of MERGE."""
    stated = emitter.events(_BAR)
    texts = list(emitter.stream(_BAR))
    table = emitter.Table()
    table.row(emitter.COPIED, conn, _BAR, partial(emitter.copy_raw, conn, texts))
    return table.row(emitter.MERGED, conn, _BAR, partial(emitter.merge_each, conn, stated))


class _Database:
    """A database, with worker processes that write the events of a stream to it."""

    def __init__(
        self, conn: psycopg.Connection[object], events: Iterator[str], workers: int
    ) -> None:
        self._conn = conn
        self._texts = map(str.encode, events)
        self._told: list[Done] = []
        self.workers = Workers(emitter.dsn_of(conn), workers, self._told.append)
        self.workers.start_processes()  # before a time is measured
        self._stored = 0

    def write(self, count: int) -> Taken:
        """Write the next ``count`` events; return the times."""
        part = list(islice(self._texts, count))
        self._stored += len(part)
        found = taken_by_all(self._conn, partial(self._write, part))
        assert sum(done.written.new for done in self._told) == self._stored
        return found

    def _write(self, part: list[bytes]) -> None:
        for text in part:
            self.workers.emit(Item("", text))
        self.workers.flush()
        finish_summaries(self._conn)

    def row(self, name: str, parts: Sequence[Taken], count: int) -> float:
        """Print the times of ``count`` events; return events per second."""
        clock, ours, servers = (sum(each) for each in zip(*parts, strict=True))
        size = emitter.stored_bytes(self._conn) / self._stored
        each = f"{ours * 1e6 / count:.0f} | {servers * 1e6 / count:.0f} | {size:,.0f}"
        print(f"| {name} | {count / clock:,.0f} | {each} |", flush=True)
        return count / clock


def _tenths(grown: _Database, tenth: int) -> list[float]:
    """Write ten tenths; return the events per second of each."""
    print("| events before | events/s | processor, µs: ours | server's | bytes an event |")
    print("|---:|---:|---:|---:|---:|")
    return [grown.row(f"{n * tenth:,}", [grown.write(tenth)], tenth) for n in range(10)]


def _in_turns(grown: _Database, first: _Database, tenth: int) -> float:
    """Write one more tenth in turns with the first of another database; return the rate ratio."""
    size = tenth // _TURNS
    last, begun = zip(*((grown.write(size), first.write(size)) for _ in range(_TURNS)), strict=True)
    rate = grown.row(f"{10 * tenth:,}, in turns with", last, tenth)
    return rate / first.row("0 of another database", begun, tenth)


if __name__ == "__main__":
    main()
