"""Summaries that are completed after the events: the same graph, whoever writes meanwhile."""

from __future__ import annotations

import itertools
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, derived, events, run_event
from support.properties import examples_in_one_database
from support.reference.graph import clear, expected, stored
from support.services.polling import wait_until

from lineage.database import binary_copy
from lineage.events.entry import read_entry
from lineage.http.collector.projector import Projector
from lineage.ingest.writer import write_entries
from lineage.projection.deferred import finish_summaries
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Iterable

    Connection = psycopg.Connection[Any]

WRITERS = 12
COLUMNS = derived(("x", "a", "x"), whole=(("a", "y", "FILTER"),))
MAPPED = dataset("c", columnLineage=COLUMNS)


def write_batches(conn: Connection, texts: list[str], size: int, modes: Iterable[bool]) -> None:
    """Write events in batches, each of which defers the summaries or not."""
    batches = (texts[n : n + size] for n in range(0, len(texts), size))
    for batch, deferred in zip(batches, modes, strict=False):
        write_entries(conn, [read_entry(text) for text in batch], deferred=deferred)


def count_deferred(conn: Connection) -> int:
    [(count,)] = conn.execute(
        "SELECT (SELECT count(*) FROM lineage.deferred_feeds)"
        " + (SELECT count(*) FROM lineage.deferred_derives)"
    )
    return int(count)


def counted_runs(conn: Connection) -> dict[str, int]:
    """Return the number of runs of each FEEDS edge by the name of its job."""
    return dict(
        conn.execute(
            "SELECT j.name, f.runs FROM lineage.feeds f JOIN lineage.job j ON j.id = f.job"
        )
    )


CASES = {
    "a run that fails after it was deferred": [
        run_event("ok", "COMPLETE", 1, reads=("a",), writes=("b",)),
        run_event("bad", "START", 2, reads=("a",), writes=("b", "c")),
        run_event("bad", "FAIL", 3),
    ],
    "a run that reads and writes more later": [
        run_event("r", "START", 1, reads=("a",), writes=(dataset("b", columnLineage=COLUMNS),)),
        run_event("r", "RUNNING", 2, writes=(dataset("c", columnLineage=COLUMNS), "d")),
        run_event("r", "COMPLETE", 3, reads=("e",)),
    ],
    "an alias learnt after runs of it were deferred": [
        run_event(
            "r1",
            "COMPLETE",
            1,
            "j1",
            reads=("a",),
            writes=(dataset("table", columnLineage=COLUMNS),),
        ),
        run_event("r2", "COMPLETE", 2, "j2", reads=("table",), writes=("out",)),
        run_event("r3", "COMPLETE", 3, "j3", writes=(dataset("path", ("table", "a")),)),
    ],
    "a run of two jobs that fails in one of them": [
        run_event("r", "START", 1, "j1", reads=("a",), writes=("b",)),
        run_event("r", "START", 2, "j2", reads=("b",), writes=(MAPPED,)),
        run_event("r", "ABORT", 3, "j1"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_any_order_and_any_division_of_modes_give_the_graph(
    conn: Connection, case: list[str]
) -> None:
    graph = expected(case)
    modes = itertools.cycle(itertools.product((True, False), repeat=len(case)))
    orders = [*itertools.permutations(case)] * 3
    for order, each in zip(orders, modes, strict=False):
        clear(conn)
        write_batches(conn, list(order), 1, each)
        finish_summaries(conn)
        assert stored(conn) == graph
        assert count_deferred(conn) == 0


@examples_in_one_database(60)
@given(data=st.data(), stated=st.lists(events, min_size=1, max_size=14))
def test_any_events_give_the_graph(
    conn: Connection, data: st.DataObject, stated: list[str]
) -> None:
    """Aliases, failures, run ids of several jobs, duplicates; finished in the middle or not."""
    clear(conn)
    again = data.draw(st.lists(st.sampled_from(stated), max_size=4))
    order = data.draw(st.permutations(stated + again))
    middle = data.draw(st.integers(0, len(order)))
    with patch.object(binary_copy, "MANY", data.draw(st.sampled_from([1, 3, 100]))):
        for part in (order[:middle], order[middle:]):
            size = data.draw(st.integers(1, len(order)))
            count = -(-len(part) // size)
            modes = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
            write_batches(conn, part, size, modes)
            if data.draw(st.booleans()):
                finish_summaries(conn)
        finish_summaries(conn)
    assert stored(conn) == expected(stated)
    before = graph_fingerprint(conn)
    rebuild_graph(conn, page=data.draw(st.integers(1, 5)))
    assert graph_fingerprint(conn) == before
    assert count_deferred(conn) == 0


def test_another_writer_completes_the_jobs_that_it_writes(conn: Connection) -> None:
    runs = [
        run_event(f"r{n}", "COMPLETE", n, f"j{n % 2}", reads=("a",), writes=(f"b{n % 2}",))
        for n in range(6)
    ]
    write_batches(conn, runs, 10, [True])
    assert counted_runs(conn) == {}
    more = run_event("more", "COMPLETE", 9, "j1", reads=("a",), writes=("b1",))
    write_batches(conn, [more], 10, [False])
    assert counted_runs(conn) == {"j1": 4}
    finish_summaries(conn)
    assert counted_runs(conn) == {"j0": 3, "j1": 4}


def test_a_collector_completes_what_an_interrupted_command_left(dsn: str, conn: Connection) -> None:
    write_batches(conn, [run_event("r", "COMPLETE", 1, reads=("a",), writes=("b",))], 10, [True])
    projector = Projector(dsn)
    try:
        wait_until(lambda: not count_deferred(conn))
    finally:
        projector.close()
    assert list(counted_runs(conn).values()) == [1]


def test_writers_of_both_modes_and_a_finisher_lose_nothing(dsn: str, conn: Connection) -> None:
    chance = random.Random(5)
    stated = []
    for n in range(120):
        reads, writes = chance.sample("abcd", 2), chance.sample("dcba", 1)
        columns = derived((chance.choice("xy"), reads[0], chance.choice("xy")))
        job, end = f"j{n % 3}", chance.choice(["COMPLETE", "COMPLETE", "FAIL"])
        written = dataset(writes[0], columnLineage=columns)
        stated.append(run_event(f"r{n}", "START", n, job, tuple(reads), (written,)))
        stated.append(run_event(f"r{n}", end, n + 1, job, (writes[0],), (reads[0],)))
    shuffled = stated * 2
    chance.shuffle(shuffled)
    barrier = threading.Barrier(WRITERS)

    def work(number: int) -> None:
        with psycopg.connect(dsn, autocommit=True) as own:
            barrier.wait()
            if number == 0:
                for _ in range(20):
                    finish_summaries(own)
            write_batches(own, shuffled[number::WRITERS], 7, itertools.repeat(number % 3 > 0))

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(work, range(WRITERS)))
    finish_summaries(conn)
    assert stored(conn) == expected(stated)
    assert count_deferred(conn) == 0
