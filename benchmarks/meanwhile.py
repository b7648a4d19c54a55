"""Measure queries while events are written, and check their results.

python -m benchmarks.meanwhile [--rate N] [--seconds N] [--before N] [--dsn DSN]

A separate process writes a batch of events twice a second; every 20 events belong to a new job.
Each query returns all datasets upstream of a table. The result is compared with the events in the
log at that time. Every second query is on a table that existed before. Only the times of these
queries are compared, because their results do not grow.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import statistics
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from benchmarks.emitter import column_lineage, dataset, dsn_of, fresh
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.synchronize import Event

EVENTS_A_JOB = 20
BATCHES_A_SECOND = 2
NEWEST = 200  # number of the newest tables from which inputs are chosen


@dataclass(frozen=True, slots=True)
class Answer:
    """A result: the names upstream of a table, the number of events in the log, and the time."""

    root: str
    was_there: bool
    found: frozenset[str]
    events: int
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=int, default=1000, help="events of 5 KB per second")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--before", type=int, default=20_000, help="events written in advance")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    sources = inputs((options.before + options.rate * options.seconds) // EVENTS_A_JOB + 1)
    databases = fresh(options.dsn)
    conn = next(databases)
    write_events(conn, list(events(sources, 0, options.before)))
    tables = options.before // EVENTS_A_JOB
    alone = run_queries(conn, options.seconds, tables)
    dsn = dsn_of(conn)
    begun = multiprocessing.Event()
    writer = multiprocessing.Process(
        target=keep_writing, args=(dsn, sources, options.before, options.rate, begun)
    )
    writer.start()
    begun.wait()
    before, start = count(conn), time.perf_counter()
    meanwhile = run_queries(conn, options.seconds, tables)
    written = (count(conn) - before) / (time.perf_counter() - start)
    writer.terminate()
    writer.join()
    wrong = [each for each in alone + meanwhile if each.found != upstream(each, sources)]
    if wrong:
        raise SystemExit(f"{len(wrong)} results are wrong, the first: {wrong[0]}")
    print(table(alone, meanwhile, written))
    databases.close()  # type: ignore[attr-defined]


def inputs(jobs: int) -> list[tuple[int, ...]]:
    """Return the tables that each job reads; job n writes table n + 2."""
    chance = random.Random(1)
    return [
        tuple(chance.sample(range(max(0, job + 2 - NEWEST), job + 2), 2)) for job in range(jobs)
    ]


def events(sources: list[tuple[int, ...]], start: int, end: int) -> Iterator[str]:
    """Yield the events from number ``start`` to ``end``, each of 5 KB."""
    for n in range(start, end):
        job = n // EVENTS_A_JOB
        written = dataset(f"warehouse/t{job + 2}", 12, **column_lineage(sources[job][0], 12))
        event = {
            "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1.7e9 + n)),
            "eventType": "COMPLETE" if n % 2 else "START",
            "run": {"runId": str(uuid.UUID(int=n // 2)), "facets": {}},
            "job": {"namespace": "etl", "name": f"job-{job}", "facets": {}},
            "inputs": [dataset(f"warehouse/t{source}", 12) for source in sources[job]],
            "outputs": [written],
        }
        yield json.dumps(event)


def keep_writing(
    dsn: str, sources: list[tuple[int, ...]], written: int, rate: int, begun: Event
) -> None:
    """Write ``rate`` events per second, or fewer if writing takes longer."""
    size = rate // BATCHES_A_SECOND
    with psycopg.connect(dsn, autocommit=True) as conn:
        begun.set()
        due = time.perf_counter()
        while (written + size) // EVENTS_A_JOB < len(sources):
            write_events(conn, list(events(sources, written, written + size)))
            written += size
            due += 1 / BATCHES_A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))


def run_queries(conn: psycopg.Connection[Any], seconds: int, tables: int) -> list[Answer]:
    """Run ten queries a second, alternately on one of the first ``tables`` and on any table."""
    chance = random.Random(2)
    graph = Graph.over(conn)
    answers = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        was_there = len(answers) % 2 == 0
        last = tables if was_there else count(conn) // EVENTS_A_JOB
        root = f"warehouse/t{chance.randrange(2, last + 1)}"
        with conn.transaction():
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            conn.execute("SELECT 1 FROM lineage.migration")  # takes the snapshot
            start = time.perf_counter()
            trace = graph.upstream(f"s3://lake/{root}")
            took = time.perf_counter() - start
            found = frozenset(each.name for each in trace.datasets)
            answers.append(Answer(root, was_there, found, count(conn), took))
        time.sleep(max(0.0, 0.1 - took))
    return answers


def count(conn: psycopg.Connection[Any]) -> int:
    return int(conn.execute("SELECT count(*) FROM lineage.event").fetchall()[0][0])


def upstream(answer: Answer, sources: list[tuple[int, ...]]) -> set[str]:
    """Return the expected names of a result, from the events in the log."""
    jobs = -(-answer.events // EVENTS_A_JOB)
    waiting = [int(answer.root.removeprefix("warehouse/t"))]
    found: set[int] = set()
    while waiting:
        table = waiting.pop()
        if 0 <= table - 2 < jobs:
            new = set(sources[table - 2]) - found
            found |= new
            waiting += new
    return {f"warehouse/t{each}" for each in found}


def table(alone: list[Answer], meanwhile: list[Answer], written: float) -> str:
    rows = [
        "| | answers, all right | datasets, median | ms, median | p95 |",
        "|---|---:|---:|---:|---:|",
    ]
    p95 = []
    for name, answers in (("alone", alone), (f"while {written:,.0f} events/s come in", meanwhile)):
        compared = [each for each in answers if each.was_there]
        times = sorted(each.seconds * 1000 for each in compared)
        p95.append(statistics.quantiles(times, n=20)[-1])
        size = statistics.median(len(each.found) for each in compared)
        rows.append(
            f"| {name} | {len(answers):,} | {size:,.0f} |"
            f" {statistics.median(times):.1f} | {p95[-1]:.1f} |"
        )
    return "\n".join([*rows, "", f"p95 is {p95[1] / p95[0]:.2f} times that of alone."])


if __name__ == "__main__":
    main()
