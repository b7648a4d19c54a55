"""``lineage ingest`` that a signal ends: what it wrote is counted, or reported as not counted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from support.events.builders import dataset, derived, run_event
from support.services.command_line import answer, run
from support.services.processes import spawned

from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.ingest.workers import Done, Item, Workers
from lineage.ingest.writer import write_entries

EVENTS = [
    run_event(f"run-{n}", "COMPLETE", n, f"job-{n % 7}", reads=("a",), writes=("b",))
    for n in range(1200)
]
HINT = "Runs of 1 job are not counted yet, and edges may be missing."


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 1), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_what_was_written_before_a_signal_is_counted(
    tmp_path: Path, dsn: str, number: signal.Signals, code: int
) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(EVENTS))
    program = str(Path(sys.executable).parent / "lineage")
    # A shell lets background processes and their children ignore SIGINT.
    command = ["env", "--default-signal=INT", program, "ingest", str(file)]
    waiting = (
        "SELECT 1 FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event = 'transactionid'"
    )
    with psycopg.connect(dsn, autocommit=True) as conn:
        with psycopg.connect(dsn) as other:
            log.append_events(other, [read_entry(EVENTS[0])])
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            while not conn.execute(waiting).fetchall():
                assert process.poll() is None
            process.send_signal(number)
            other.rollback()  # the batch goes on
        _, errors = process.communicate()
        assert process.returncode == code
        assert "Traceback" not in errors
        [(runs,)] = conn.execute("SELECT count(*) FROM lineage.run").fetchall()
        assert 0 < runs <= len(EVENTS)
        assert conn.execute("SELECT sum(runs) FROM lineage.feeds").fetchall() == [(runs,)]
    assert "s3://lake/a" in answer("query", "b")


def test_an_interrupt_leaves_a_process_that_has_just_started(dsn: str) -> None:
    """A terminal sends it to all processes; the command decides."""
    done: list[Done] = []
    with Workers(dsn, 1, done.append) as workers:
        workers.start_processes()
        os.kill(spawned(os.getpid()), signal.SIGINT)
        workers.emit(Item("file:1", EVENTS[0].encode()))
    assert [each.written.count for each in done] == [1]


def test_runs_that_are_not_counted_are_reported_by_queries_and_doctor(dsn: str) -> None:
    """A command that was killed left them."""
    facet = derived(("total", "a", "price"))
    event = run_event("r", "COMPLETE", 1, reads=("a",), writes=(dataset("b", columnLineage=facet),))
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_entries(conn, [read_entry(event)], deferred=True)
    for query in ("query b", "query job b", "query column b total"):
        result = run(*query.split())
        assert result.exit_code == 0, result.stderr
        assert HINT in result.stderr
    result = run("doctor")
    assert result.exit_code == 1
    assert "WRONG summaries   Runs of 1 job are not counted yet" in result.stdout
    assert run("ingest", "-").exit_code == 0
    assert "s3://lake/a" in answer("query", "b")
    assert HINT not in run("query", "b").stderr
    assert "ok    summaries   all runs are counted" in run("doctor").stdout
