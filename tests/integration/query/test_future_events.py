"""An event of the future, from a producer whose clock is wrong: answers about the present stay."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from support.events.builders import run_event
from support.services.command_line import answer

import lineage
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    import psycopg

NOW = datetime.now(timezone.utc)


def at(time: datetime, run: str, job: str, reads: str, writes: str) -> str:
    event = json.loads(run_event(run, "COMPLETE", 1, job, (reads,), (writes,)))
    return json.dumps({**event, "eventTime": time.isoformat()})


READS = [at(NOW - timedelta(days=n), f"r{n}", "clean", "raw", "staged") for n in range(1, 6)]


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


def test_reads_of_the_last_days_are_counted(conn: psycopg.Connection, dsn: str) -> None:
    write_events(conn, [*READS, at(NOW + timedelta(days=4000), "skewed", "copy", "other", "x")])
    with lineage.connect() as graph:
        assert graph.impact("raw").itself.reads == 5
        sources = graph.stats().most_read
    assert {each.dataset.name: each.reads for each in sources} == {"raw": 5, "other": 1}
    year = (NOW + timedelta(days=4000)).year
    [line] = [line for line in answer("doctor").splitlines() if " graph " in line]
    assert f"the newest event is of {year}-" in line
    assert line.endswith("in the future")


def test_a_clock_that_is_ahead_by_less_than_a_day_moves_the_window(
    conn: psycopg.Connection, dsn: str
) -> None:
    ahead = NOW + timedelta(hours=20)
    write_events(conn, [*READS, at(ahead, "ahead", "clean", "raw", "staged")])
    assert conn.execute("SELECT lineage.latest_event_time()").fetchone() == (ahead,)
    assert "future" not in answer("doctor")
