"""Concurrent writers: no deadlock, no lost or duplicate facts, also if a writer is killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import (
    dataset,
    dataset_event,
    derived,
    fed,
    job_event,
    run_event,
    schema,
)
from support.reference.graph import expected, stored
from support.services.polling import rows_while_running

from lineage.database.writer_lock import lock_exclusively
from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.events.merge import Batch
from lineage.ingest.writer import write_events
from lineage.projection import backlog
from lineage.projection.project import project_batch
from lineage.projection.rebuild import rebuild_graph

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.ingest.writer import Written

    Connection = psycopg.Connection[Any]

pytestmark = pytest.mark.usefixtures("many")

WRITERS = 16


def at_once(dsn: str, shares: list[list[str]], batch_size: int) -> list[Written]:
    """Start one writer per share at the same time."""
    barrier = threading.Barrier(len(shares))

    def work(share: list[str]) -> Written:
        with psycopg.connect(dsn, autocommit=True) as conn:
            barrier.wait()
            return write_events(conn, share, batch_size)

    with ThreadPoolExecutor(len(shares)) as pool:
        return list(pool.map(work, shares))


def hot_events(count: int) -> list[str]:
    """Return runs of three jobs over six datasets in both directions, some of them failed."""
    chance = random.Random(1)
    stated = []
    for n in range(count):
        reads, writes = chance.sample("abcdef", 2), chance.sample("fedcba", 2)
        job, end = f"j{n % 3}", chance.choice(["COMPLETE", "COMPLETE", "FAIL"])
        stated.append(run_event(f"r{n}", "START", n, job, tuple(reads), tuple(writes)))
        stated.append(run_event(f"r{n}", end, n + 1, job, tuple(writes[:1]), tuple(reads[:1])))
    return stated


def test_writers_of_hot_datasets_lose_nothing(dsn: str, conn: Connection) -> None:
    stated = hot_events(120)
    # Each event goes to two writers, in different orders.
    shuffled = stated * 2
    random.Random(2).shuffle(shuffled)
    shares = [shuffled[n::WRITERS] for n in range(WRITERS)]
    written = at_once(dsn, shares, batch_size=7)
    assert sum(one.new for one in written) == len(stated)
    assert stored(conn) == expected(stated)


def test_two_halves_of_a_run_by_two_writers_make_one_pair(dsn: str, conn: Connection) -> None:
    runs = [f"r{n}" for n in range(40)]
    reads = [run_event(run, "START", 1, reads=("a",)) for run in runs]
    writes = [run_event(run, "COMPLETE", 2, writes=("b",)) for run in reversed(runs)]
    at_once(dsn, [reads, writes], batch_size=1)
    [(feeding, count)] = conn.execute("SELECT count(*), sum(runs) FROM lineage.feeds").fetchall()
    assert (feeding, count) == (1, len(runs))
    assert stored(conn) == expected(reads + writes)


def test_writers_that_state_columns_lose_nothing(dsn: str, conn: Connection) -> None:
    chance = random.Random(3)
    stated = []
    for n in range(60):
        source, target = chance.sample("abc", 2)
        x, y = chance.choice("xyz"), chance.choice("xyz")
        said = derived((x, source, y), whole=((source, x, "FILTER"),))
        written = dataset(target, schema=schema(**{x: "int"}), columnLineage=said)
        stated.append(run_event(f"r{n}", "START", n, f"j{n % 2}", (source,), (written,)))
        end = chance.choice(["COMPLETE", "FAIL"])
        stated.append(run_event(f"r{n}", end, n + 1, f"j{n % 2}"))
    shuffled = stated * 2
    chance.shuffle(shuffled)
    at_once(dsn, [shuffled[n::WRITERS] for n in range(WRITERS)], batch_size=5)
    assert stored(conn) == expected(stated)


def test_writers_of_designs_while_runs_come_and_fail(dsn: str, conn: Connection) -> None:
    chance = random.Random(4)
    designs = []
    for n in range(30):
        reads, writes = chance.sample("abcdef", 2), chance.sample("fedcba", 2)
        designs.append(job_event(n, f"j{n % 3}", tuple(reads), tuple(writes)))
        own = dataset(writes[0], lineage=fed(*reads))
        designs.append(dataset_event(n, own))
    stated = hot_events(60) + designs
    shuffled = stated * 2
    chance.shuffle(shuffled)
    at_once(dsn, [shuffled[n::WRITERS] for n in range(WRITERS)], batch_size=4)
    assert stored(conn) == expected(stated)


def test_writers_that_learn_aliases_while_others_use_them(dsn: str, conn: Connection) -> None:
    uses = [run_event(f"u{n}", "COMPLETE", n, "use", (f"t{n % 5}",), ("out",)) for n in range(60)]
    columns = derived(("x", "in", "x"), whole=(("t0", "y", "FILTER"),))
    claims = [
        run_event(
            f"c{n}",
            "COMPLETE",
            n,
            "make",
            ("in",),
            (dataset(f"p{n % 7}", (f"t{n % 5}",), columnLineage=columns),),
        )
        for n in range(60)
    ]
    shares = [uses[::2], claims[::2], uses[1::2], claims[1::2]]
    at_once(dsn, shares, batch_size=3)
    assert stored(conn) == expected(uses + claims)


WRITER = """
import json, sys, psycopg
from lineage.ingest.writer import EventWriter
dsn, path = sys.argv[1:]
with psycopg.connect(dsn, autocommit=True) as conn, EventWriter(conn, 5) as emitter:
    for line in open(path):
        emitter.emit(json.loads(line))
        print(emitter.written.count, flush=True)
"""


def test_a_writer_killed_in_mid_batch_and_started_again(
    dsn: str, conn: Connection, tmp_path: Path
) -> None:
    stated = hot_events(60)
    path = tmp_path / "events"
    path.write_text("".join(json.dumps(event) + "\n" for event in stated))
    for survived in (1, 23, 58):
        command = [sys.executable, "-c", WRITER, dsn, str(path)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(survived)]
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        acknowledged = int(lines[-1])
        # One snapshot of log and graph: the server may be ending the killed writer's transaction.
        with conn.transaction():
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            logged = {body for (body,) in conn.execute("SELECT body FROM lineage.event")}
            graph = stored(conn)
        assert set(stated[:acknowledged]) <= logged
        assert graph == expected([event for event in stated if event in logged])
    write_events(conn, stated)
    assert stored(conn) == expected(stated)


@pytest.mark.parametrize("is_written", [True, False], ids=["committed", "rolled back"])
def test_a_second_writer_of_the_same_events_waits(
    dsn: str, conn: Connection, is_written: bool
) -> None:
    entries = [read_entry(event) for event in hot_events(3)]

    def append() -> int:
        with psycopg.connect(dsn, autocommit=True) as other, other.transaction():
            return len(log.append_events(other, entries))

    with ThreadPoolExecutor(1) as pool, conn.transaction(force_rollback=not is_written):
        assert len(log.append_events(conn, entries[::2])) == 3
        done = pool.submit(append)
        rows_while_running(conn, WAITING_FOR_ANOTHER, done)
    assert done.result() == (3 if is_written else 6)
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(6,)]


WAITING_FOR_ANOTHER = """
SELECT FROM pg_locks waiting JOIN pg_locks held USING (pid)
WHERE waiting.locktype = 'transactionid' AND NOT waiting.granted
  AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@pytest.mark.parametrize("parent", [None, ("app", "all")], ids=["same datasets", "same parent"])
def test_writers_wait_for_each_other_only_at_their_end(
    dsn: str, conn: Connection, parent: tuple[str, str] | None
) -> None:
    stated = [
        run_event(f"r{n}", "COMPLETE", n, reads=("a",), writes=("b",), parent=parent)
        for n in range(3)
    ]
    write_events(conn, stated[:1])
    with ThreadPoolExecutor(1) as pool:
        with conn.transaction():
            entries = log.append_events(conn, [read_entry(stated[1])])
            project_batch(conn, Batch.merge_entries(entries))
            done = pool.submit(at_once, dsn, [stated[2:]], 1)
            rows_while_running(conn, WAITING_FOR_ANOTHER, done)
            written = {table for (table,) in conn.execute(WRITTEN_BY_WAITING)}
        done.result()
    assert {"lineage.run", "lineage.execution", "lineage.access"} <= written
    assert stored(conn) == expected(stated)


# Tables written by a transaction that waits for another transaction.
WRITTEN_BY_WAITING = """
SELECT held.relation::regclass::text FROM pg_locks held
JOIN pg_locks waiting USING (pid)
WHERE waiting.locktype = 'transactionid' AND NOT waiting.granted
  AND held.locktype = 'relation' AND held.mode = 'RowExclusiveLock'
"""


def test_writers_of_datasets_and_jobs_that_are_new_lose_nothing(dsn: str, conn: Connection) -> None:
    chance = random.Random(4)
    stated = []
    for n in range(80):  # each name appears in a few adjacent events only
        near = [f"d{n // 4}", f"d{n // 4 + 1}", f"d{n // 4 + 2}"]
        chance.shuffle(near)
        job = f"j{n // 5}"
        stated.append(run_event(f"r{n // 2}", "START", n, job, tuple(near[:2]), tuple(near[2:])))
    shuffled = stated * 2
    at_once(dsn, [shuffled[n::WRITERS] for n in range(WRITERS)], batch_size=3)
    assert stored(conn) == expected(stated)


def test_a_rebuild_while_events_come_in(dsn: str, conn: Connection) -> None:
    stated = hot_events(60)
    write_events(conn, stated[:60])
    barrier = threading.Barrier(2)

    def rebuilding() -> None:
        with psycopg.connect(dsn, autocommit=True) as other:
            barrier.wait()
            for _ in range(3):
                rebuild_graph(other, page=7)

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(rebuilding)
        barrier.wait()
        write_events(conn, stated[60:], batch_size=4)
        done.result()
    assert stored(conn) == expected(stated)


def test_a_writer_waiting_for_a_rebuild_locks_no_table_that_it_empties(
    dsn: str, conn: Connection
) -> None:
    """Otherwise they would deadlock. Claimed names are checked before all other tables."""
    claimed = [run_event("r", "COMPLETE", n, writes=(dataset("a", ("b",)),)) for n in (1, 2)]
    write_events(conn, claimed[:1])
    with conn.transaction():
        log.queue_events(conn, [read_entry(claimed[1])])

    def draw() -> int:
        with psycopg.connect(dsn, autocommit=True) as other:
            return backlog.project_pending(other)

    with ThreadPoolExecutor(1) as pool:
        with conn.transaction():
            lock_exclusively(conn)
            drawn = pool.submit(draw)
            held = rows_while_running(conn, HELD_BY_WAITING, drawn)
            conn.execute("LOCK TABLE lineage.dataset, lineage.alias, lineage.run")
        assert drawn.result() == 1
    assert ("lineage.projection_queue",) in held
    assert stored(conn) == expected(claimed)


# Tables locked by a transaction that waits for an advisory lock.
HELD_BY_WAITING = """
SELECT held.relation::regclass::text FROM pg_locks held
JOIN pg_locks waiting USING (pid)
WHERE waiting.locktype = 'advisory' AND NOT waiting.granted AND held.locktype = 'relation'
"""
