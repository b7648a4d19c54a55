"""Measure ``emit`` of the hub, compared with queue.Queue.put, and the sink graph, event by event.

python -m benchmarks.hub [--events N] [--dsn DSN]

DSN is a maintenance database of a server; without it the private server is used.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import queue
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.emitter import dsn_of, events, fresh, stream
from lineage.hub import Hub, Settings
from lineage.ingest.writer import write_events
from lineage.sinks.graph import GraphSink

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROUNDS = 7
COUNT = 20_000


class NullSink:
    """Accepts everything at once."""

    def init(self, settings: Mapping[str, str]) -> None:
        """Need nothing."""

    def accept(self, events: Sequence[Any]) -> None:
        """Discard the events."""

    def shutdown(self) -> None:
        """Need nothing."""


def microseconds(call: Callable[[Any], object], event: Any, count: int = COUNT) -> float:
    gc.collect()
    began = time.perf_counter()
    for _ in range(count):
        call(event)
    return (time.perf_counter() - began) / count * 1e6


def emit_microseconds(sinks: int, event: Any, spool: Path) -> float:
    """Return the time of ``emit`` while the sinks linger, as in a program that emits a burst."""
    settings = Settings(
        enabled=True, capacity=2 * COUNT, batch_size=2 * COUNT, linger_ms=60_000, spool=spool
    )
    hub = Hub({f"sink{n}": NullSink for n in range(sinks)}, settings)
    hub.emit(event)
    taken = microseconds(hub.emit, event)
    hub.shutdown(30)
    return taken


def measure_emit(spool: Path) -> None:
    event = events(2, 2)[0]
    off = Hub({"sink": NullSink}, Settings(enabled=False, spool=spool))
    calls: dict[str, Callable[[], float]] = {
        "queue.Queue.put": lambda: microseconds(queue.Queue().put, event),
        "emit, one sink": lambda: emit_microseconds(1, event, spool),
        "emit, two sinks": lambda: emit_microseconds(2, event, spool),
        "emit, five sinks": lambda: emit_microseconds(5, event, spool),
        "emit while off": lambda: microseconds(off.emit, event),
        "json.dumps of the event": lambda: microseconds(json.dumps, event, 2000),
    }
    # in turns, so that other load on the machine affects all rows
    rounds = [{name: call() for name, call in calls.items()} for _ in range(ROUNDS)]
    print("| | µs, least of 7 | times queue.Queue.put |\n|---|---:|---:|")
    least = {name: min(taken[name] for taken in rounds) for name in calls}
    for name, taken in least.items():
        print(f"| {name} | {taken:.2f} | {taken / least['queue.Queue.put']:.1f} |")
    limit = 2 * least["queue.Queue.put"] + 1
    print(f"\nLimit of one sink: twice queue.Queue.put and 1 µs: {limit:.2f} µs.")


def measure_graph(count: int, dsn: str | None, spool: Path) -> None:
    databases = fresh(dsn)
    stated = events(count, 2)
    conn = next(databases)
    os.environ["LINEAGE_DSN"] = dsn_of(conn)
    hub = Hub({"graph": GraphSink}, Settings(enabled=True, capacity=count, spool=spool))
    began = time.perf_counter()
    for event in stated:
        hub.emit(event)
    sent = hub.flush(600).sinks["graph"].sent
    together = count / (time.perf_counter() - began)
    hub.shutdown()
    assert sent == count
    conn = next(databases)
    few = list(stream(max(50, count // 20), 2))
    began = time.perf_counter()
    for text in few:
        write_events(conn, [text])
    alone = len(few) / (time.perf_counter() - began)
    databases.close()  # type: ignore[attr-defined]
    print("\n| | events/s |\n|---|---:|")
    print(f"| sink graph | {together:,.0f} |\n| one event at a time | {alone:,.0f} |")
    print(f"\nThe sink writes {together / alone:.0f} times as many.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=10_000, help="number of events of the graph")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as spool:
        measure_emit(Path(spool))
        measure_graph(options.events, options.dsn, Path(spool))


if __name__ == "__main__":
    main()
