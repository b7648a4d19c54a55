"""``lineage rebuild``, ``replay`` and ``prune``: the same graph again, or an error."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

EVENTS = [
    run_event("r1", "START", 0, reads=("a",), writes=("b",)),
    run_event("r1", "COMPLETE", 1),
    run_event("r2", "COMPLETE", 2, "next", reads=("b",), writes=("c",)),
]


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_a_rebuild_gives_the_same_graph_and_says_from_what(conn: Connection) -> None:
    write_events(conn, EVENTS)
    before = graph_fingerprint(conn)
    conn.execute('DELETE FROM provenance."FEEDS"')  # a manual change
    assert graph_fingerprint(conn) != before
    result = run("rebuild")
    assert (result.exit_code, result.stderr) == (0, "The graph was rebuilt from 3 events.\n")
    assert graph_fingerprint(conn) == before


def test_a_log_that_is_cut_is_not_whole(conn: Connection) -> None:
    write_events(conn, EVENTS)
    now = datetime.now(timezone.utc).isoformat()
    before = graph_fingerprint(conn)
    pruned = run("prune", "--yes", "--before", now)
    assert pruned.exit_code == 0, pruned.stderr
    assert pruned.stderr == (
        f"3 events and 0 plan documents were dropped; the log begins at {now[:7]}-01.\n"
    )
    for words in (("rebuild",), ("replay", "--spark")):
        result = run(*words)
        assert result.exit_code == 2
        assert f"The log begins at {now[:7]}-01" in result.stderr
    assert graph_fingerprint(conn) == before


def test_nothing_is_dropped_without_a_yes(conn: Connection) -> None:
    write_events(conn, EVENTS)
    result = CliRunner().invoke(main, ["prune", "--before", "2026-06-01"], input="n\n")
    assert result.exit_code == 1
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(3,)]


@pytest.mark.parametrize("time", ["yesterdayish", "2999-01-01"])
def test_a_time_that_cannot_be_is_reported(time: str) -> None:
    result = run("prune", "--yes", "--before", time)
    assert result.exit_code == 2
    assert time in result.stderr
