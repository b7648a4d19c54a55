"""``lineage status``: pending and rejected items with their times."""

from __future__ import annotations

import json
import re

import psycopg
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event
from support.events.plan_documents import application

from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.forwarding.cursor import Cursor
from lineage.ingest.writer import write_entries
from lineage.plan_documents import store
from lineage.projection import backlog
from lineage.projection.deferred import finish_summaries

DOCUMENT = {"lineage": 1, "kind": "application_start", "time": 1, "app": application()}
EVENTS = [read_entry(run_event(f"r{n}", "COMPLETE", n, writes=("a",))) for n in range(3)]


def status(dsn: str, *words: str) -> Result:
    result = CliRunner().invoke(main, ["status", *words, "--dsn", dsn])
    assert result.exit_code == 0, result.stderr
    return result


def lines(dsn: str) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in status(dsn).stdout.splitlines())


def test_where_nothing_waits_it_says_so(dsn: str) -> None:
    assert status(dsn).stdout == "events     none pending\ndocuments  none pending\n"


def test_events_that_wait_are_counted_with_the_oldest(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        log.queue_events(conn, EVENTS)
        conn.execute(
            "UPDATE lineage.event SET received_at = received_at - interval '2 days 3 hours'"
        )
    assert re.fullmatch(r"3 pending, the oldest for 2 d 3 h", lines(dsn)["events"])
    with psycopg.connect(dsn, autocommit=True) as conn:
        backlog.project_pending(conn)
    assert lines(dsn)["events"] == "none pending"


def test_what_failed_is_reported_with_where_to_see_it(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        conn.execute("INSERT INTO lineage.rejected_event (event, reason) VALUES (1, 'too long')")
    assert lines(dsn)["events"] == "none pending, 1 rejected: lineage events --rejected"


def test_documents_that_wait_are_counted(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        store.append_documents(conn, [store.read_document(json.dumps(DOCUMENT).encode())])
    found = json.loads(status(dsn, "--format", "json").stdout)["documents"]
    assert (found["pending"], found["rejected"]) == (1, 0)
    assert found["oldest_seconds"] >= 0


def test_a_target_that_fails_is_reported_with_the_reason(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        cursor = Cursor(conn, "marquez")
        cursor.register_target(from_beginning=True)
        log.append_events(conn, EVENTS)
        cursor.record_failure("it answers 503 Service Unavailable")
    said = lines(dsn)["forward"]
    assert said.startswith("marquez: 3 pending, the oldest for ")
    assert said.endswith("it answers 503 Service Unavailable")


def test_summaries_that_an_interrupted_command_left_are_reported(dsn: str) -> None:
    entries = [read_entry(run_event("r", "COMPLETE", 1, reads=("a",), writes=("b",)))]
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_entries(conn, entries, deferred=True)
        assert lines(dsn)["summaries"].startswith("runs of 1 jobs are not counted yet")
        finish_summaries(conn)
    assert "summaries" not in lines(dsn)
    assert json.loads(status(dsn, "--format", "json").stdout)["deferred_jobs"] == 0
