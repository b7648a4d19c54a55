"""``lineage events``: the events of the log with their projection status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event

from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events
from lineage.projection import backlog

if TYPE_CHECKING:
    import psycopg

EVENTS = [
    run_event("r1", "START", 0),
    run_event("r1", "COMPLETE", 60),
    run_event("r2", "FAIL", 120, "other"),
]


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


def events(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["events", *arguments])


def rows(*arguments: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in events(*arguments, "--format", "jsonl").stdout.splitlines()
    ]


def test_the_newest_come_first(conn: psycopg.Connection[Any]) -> None:
    for event in EVENTS:  # one transaction each, so that their order is defined
        write_events(conn, [event])
    assert [row["event_type"] for row in rows()] == ["FAIL", "COMPLETE", "START"]
    assert [row["event_type"] for row in rows("--limit", "1")] == ["FAIL"]
    assert len(rows("--limit", "0")) == len(EVENTS)


def test_they_are_selected_by_run_and_by_time(conn: psycopg.Connection[Any]) -> None:
    write_events(conn, EVENTS)
    assert {row["event_type"] for row in rows("--run", "r1")} == {"START", "COMPLETE"}
    (last,) = rows("--since", json.loads(EVENTS[2])["eventTime"])
    assert (last["job_namespace"], last["job"], last["run_id"]) == ("etl", "other", "r2")


def test_the_events_themselves_are_as_they_came(conn: psycopg.Connection[Any]) -> None:
    write_events(conn, EVENTS)
    assert sorted(events("--body").stdout.splitlines()) == sorted(EVENTS)


def test_pending_and_rejected_events_are_reported(conn: psycopg.Connection[Any]) -> None:
    write_events(conn, EVENTS[:1])
    with conn.transaction():
        log.queue_events(conn, [read_entry(event) for event in EVENTS[1:]])
    conn.execute("ALTER TABLE lineage.run ADD CHECK (1 / (length(state) - 4) < 9)")  # not FAIL
    assert {row["event_type"]: row["state"] for row in rows()} == {
        "START": "projected", "COMPLETE": "pending", "FAIL": "pending",
    }  # fmt: skip
    while backlog.project_pending(conn):
        pass
    (refused,) = rows("--rejected")
    assert (refused["event_type"], refused["state"]) == ("FAIL", "rejected")
    assert "division by zero" in refused["reason"]


def test_a_time_that_is_none_is_reported() -> None:
    result = events("--since", "yesterdayish")
    assert result.exit_code == 2
    assert "yesterdayish" in result.stderr
