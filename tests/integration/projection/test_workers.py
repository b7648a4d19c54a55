"""Several writing processes: the same graph, and a report of every error."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import run_event
from support.reference.graph import expected, stored
from support.services.polling import wait_until

from lineage.errors import DatabaseError, NotMigrated, SpoolError
from lineage.ingest import workers
from lineage.ingest.workers import Done, Item, Workers
from lineage.ingest.writer import Written
from lineage.projection.deferred import finish_summaries

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]

STATED = [
    event
    for n in range(30)
    for event in (
        run_event(f"r{n}", "START", n, f"j{n % 3}", (f"d{n % 5}",), parent=("app", "all")),
        run_event(f"r{n}", "FAIL" if n % 7 == 0 else "COMPLETE", n + 1, f"j{n % 3}", (), ("out",)),
    )
]


def written(dsn: str, texts: list[str], count: int = 2) -> Done:
    """Write the events with workers, complete the summaries, and return the workers' reports."""
    told: list[Done] = []
    with Workers(dsn, count, told.append) as writing:
        for number, text in enumerate(texts):
            writing.emit(Item(f"line {number}", text.encode()))
    with psycopg.connect(dsn, autocommit=True) as conn:
        finish_summaries(conn)
    return Done(
        sum((done.written for done in told), Written()),
        [error for done in told for error in done.bad],
    )


@pytest.mark.parametrize("batch", [4, 500], ids=["batch after batch", "one batch each"])
def test_workers_write_the_graph_of_the_events(
    dsn: str, conn: Connection, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SMALL_BATCH", batch // 2)
    monkeypatch.setattr(workers, "BATCH_SIZE", batch)
    assert written(dsn, STATED + STATED[:10]) == Done(Written(len(STATED) + 10, len(STATED)), [])
    assert stored(conn) == expected(STATED)


def test_what_cannot_be_read_is_reported_with_its_place_and_the_rest_goes_in(
    dsn: str, conn: Connection
) -> None:
    texts = [*STATED[:7], '{"run": 1}', *STATED[7:], "no json"]
    done = written(dsn, texts)
    assert done.written == Written(len(STATED), len(STATED))
    told = {error.message.split(":")[0] for error in done.bad}
    assert told == {"line 7", f"line {len(STATED) + 1}"}
    assert stored(conn) == expected(STATED)


def test_a_database_that_cannot_take_events_is_reported(empty_dsn: str) -> None:
    with pytest.raises(NotMigrated, match="lineage migrate"):
        written(empty_dsn, STATED)


def test_a_process_that_was_killed_is_reported(dsn: str, conn: Connection) -> None:
    def write_and_kill() -> None:
        with Workers(dsn, 1, lambda done: None) as writing:
            writing.emit(Item("line 1", STATED[0].encode()))
            [process] = multiprocessing.active_children()
            process.kill()
            process.join()

    with pytest.raises(DatabaseError, match=r"was killed.*events already stored are skipped"):
        write_and_kill()
    assert written(dsn, STATED) == Done(Written(len(STATED), len(STATED)), [])
    assert stored(conn) == expected(STATED)


def test_items_emitted_before_an_error_of_the_caller_are_written(
    dsn: str, conn: Connection
) -> None:
    def write_and_fail() -> None:
        with Workers(dsn, 2, lambda done: None) as writing:
            for text in STATED:
                writing.emit(Item("", text.encode()))
            raise SpoolError("The rest cannot be read.")

    with pytest.raises(SpoolError, match=r"The rest cannot be read\."):
        write_and_fail()
    finish_summaries(conn)
    assert stored(conn) == expected(STATED)


KILLED = """
import json, multiprocessing, os, signal, sys
from lineage.ingest import workers
if __name__ == "__main__":
    workers.SMALL_BATCH = 1
    with workers.Workers(sys.argv[1], 2, print) as writing:
        for text in json.load(sys.stdin):
            writing.emit(workers.Item("", text.encode()))
        print([process.pid for process in multiprocessing.active_children()], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_no_process_is_left_when_the_one_that_gave_the_events_was_killed(
    dsn: str, conn: Connection
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, dsn],
        input=json.dumps(STATED),
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL
    for pid in json.loads(done.stdout.splitlines()[-1]):
        wait_until(partial(has_ended, pid))
    assert written(dsn, STATED).written.count == len(STATED)
    assert stored(conn) == expected(STATED)


def has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
