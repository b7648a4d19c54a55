"""Pending events: projected once in effect; invalid events are rejected."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql
from support.events.builders import dataset, run_event

from lineage.errors import NotMigrated
from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events
from lineage.projection import backlog
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.fixtures.database import Server

    Connection = psycopg.Connection[Any]

pytestmark = pytest.mark.usefixtures("many")

EVENTS = [
    run_event(f"r{n}", kind, 2 * n + second, reads=(f"t{n}",), writes=(f"t{n + 1}",))
    for n in range(6)
    for second, kind in enumerate(("START", "COMPLETE"))
]


@pytest.fixture
def another_dsn(server: Server, database: Callable[[str], str]) -> str:
    return database(server.migrated())


def enqueue(conn: Connection, *events: str) -> int:
    with conn.transaction():
        return len(log.queue_events(conn, [read_entry(event) for event in events]))


def drained(conn: Connection, limit: int = backlog.BATCH_SIZE) -> int:
    """Project all pending events, and return their number."""
    return sum(iter(lambda: backlog.project_pending(conn, limit), 0))


def refused(conn: Connection) -> list[str]:
    return [reason for (reason,) in conn.execute("SELECT reason FROM lineage.rejected_event")]


def directly(dsn: str, *events: str) -> str:
    """Return the graph of the events, written directly to a separate database."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, events)
        return graph_fingerprint(conn)


def test_queued_events_are_projected_as_direct_writes_are(
    conn: Connection, another_dsn: str
) -> None:
    assert enqueue(conn, *EVENTS) == backlog.count_pending(conn) == len(EVENTS)
    assert drained(conn, limit=5) == len(EVENTS)
    assert backlog.count_pending(conn) == 0
    assert graph_fingerprint(conn) == directly(another_dsn, *EVENTS)


def test_bodies_are_read_in_pages_within_a_batch(
    conn: Connection, another_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page has at least one event, however small a page is to be."""
    long = run_event("r6", "COMPLETE", 20, reads=(dataset("t0", note={"text": "x" * 900}),))
    enqueue(conn, *EVENTS, long)
    monkeypatch.setattr(backlog, "_PAGE_BYTES", 2 * len(EVENTS[0]) + 50)
    assert backlog.project_pending(conn) == len(EVENTS) + 1
    assert graph_fingerprint(conn) == directly(another_dsn, *EVENTS, long)


def test_a_batch_ends_by_the_bytes_that_it_keeps(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second event of a run has the datasets of the first, which are kept once."""
    enqueue(conn, *EVENTS)
    # The first events of two runs and a part of a third; then less than one event.
    monkeypatch.setattr(backlog, "BATCH_BYTES", 2 * len(EVENTS[0]) + 50)
    assert backlog.project_pending(conn) == 5
    monkeypatch.setattr(backlog, "BATCH_BYTES", 1)
    assert backlog.project_pending(conn) == 1
    assert backlog.count_pending(conn) == len(EVENTS) - 6


def test_a_batch_keeps_the_facets_of_each_run(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [run_event("r", "RUNNING", n, reads=("t",), note={"text": "x" * 500}) for n in range(9)]
    enqueue(conn, *texts)
    monkeypatch.setattr(backlog, "BATCH_BYTES", len(texts[0]) + 1_400)
    assert backlog.project_pending(conn) == 4


def test_a_batch_keeps_the_facets_of_each_job(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [
        run_event("r", "RUNNING", n, f"job{n // 2}", of_job={"sourceCode": {"text": "x" * 500}})
        for n in range(9)
    ]
    enqueue(conn, *texts)
    monkeypatch.setattr(backlog, "BATCH_BYTES", 2 * len(texts[0]) + 50)
    assert backlog.project_pending(conn) == 5


def test_a_batch_has_an_end_in_names_of_datasets_too(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new name takes much memory; a repeated one takes none."""
    reads = [tuple(f"{letter}{n}" for n in range(3)) for letter in "aaab"]
    texts = [run_event(f"r{n}", "COMPLETE", n, reads=read) for n, read in enumerate(reads)]
    log.queue_events(conn, [read_entry(text) for text in (*texts, *texts)])
    monkeypatch.setattr(backlog, "_MAX_NAMES", 5)
    assert backlog.project_pending(conn) == 4
    monkeypatch.setattr(backlog, "_MAX_NAMES", 2)
    log.queue_events(
        conn, [read_entry(run_event(f"s{n}", "COMPLETE", n, reads=reads[n])) for n in (1, 3)]
    )
    assert [
        backlog.project_pending(conn),
        backlog.project_pending(conn),
        backlog.count_pending(conn),
    ] == [1, 1, 0]


@pytest.mark.parametrize("size", [1, 50, 1 << 20])
def test_pages_of_the_log_have_an_end_in_bytes_too(conn: Connection, size: int) -> None:
    enqueue(conn, *EVENTS)
    length = len(EVENTS[0])
    pages = [len(page) for page in log.read_pages(conn, 5, size * length - 1)]
    assert sum(pages) == len(EVENTS)
    assert max(pages) == min(size, 5)


def test_a_logged_event_is_not_queued_again(conn: Connection) -> None:
    write_events(conn, EVENTS[:1])
    assert enqueue(conn, *EVENTS[:2]) == 1
    assert drained(conn) == 1


def test_two_projectors_project_each_event_once(
    conn: Connection, dsn: str, another_dsn: str
) -> None:
    enqueue(conn, *EVENTS)

    def draw() -> int:
        with psycopg.connect(dsn, autocommit=True) as own:
            return drained(own, limit=1)

    with ThreadPoolExecutor(2) as pool:
        drawn = [future.result() for future in [pool.submit(draw) for _ in range(2)]]
    assert sum(drawn) == len(EVENTS)
    assert graph_fingerprint(conn) == directly(another_dsn, *EVENTS)


def refusing(conn: Connection, name: str) -> None:
    """Make the database reject one name, as it rejects a number that jsonb cannot store."""
    assert {len(name)} != {len(f"t{n}") for n in range(7)}
    check = sql.SQL("ALTER TABLE lineage.dataset ADD CHECK (1 / (length(name) - {}) < 9)")
    conn.execute(check.format(len(name)))


def test_a_bad_event_is_set_aside_and_the_rest_goes_on(conn: Connection, another_dsn: str) -> None:
    refusing(conn, "bad")
    bad = run_event("r9", "COMPLETE", 99, writes=(dataset("bad"),))
    enqueue(conn, *EVENTS[:3], bad, *EVENTS[3:])
    assert drained(conn) == len(EVENTS) + 1
    assert refused(conn) == ["The database reports: division by zero (22012)."]
    assert graph_fingerprint(conn) == directly(another_dsn, *EVENTS)


RENAME_JOBS = """
CREATE FUNCTION lineage.rename_job() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN NEW.name := 'another'; RETURN NEW; END$$;
CREATE TRIGGER rename_job BEFORE INSERT ON lineage.job FOR EACH ROW WHEN (NEW.name = 'odd')
EXECUTE FUNCTION lineage.rename_job();
"""


def test_an_event_that_this_version_cannot_project_stops_no_other(
    conn: Connection, another_dsn: str
) -> None:
    """The database returns another name than that of the event, which Python does not expect."""
    conn.execute(RENAME_JOBS)
    odd = run_event("r9", "COMPLETE", 99, "odd", reads=("t0",), writes=("t9",))
    enqueue(conn, *EVENTS[:3], odd, *EVENTS[3:])
    assert drained(conn) == len(EVENTS) + 1
    assert refused(conn) == ["An internal error prevents its projection. KeyError: ('etl', 'odd')"]
    assert graph_fingerprint(conn) == directly(another_dsn, *EVENTS)

    conn.execute("DROP TRIGGER rename_job ON lineage.job")
    conn.execute("DELETE FROM lineage.rejected_event")
    rebuild_graph(conn)
    with psycopg.connect(another_dsn, autocommit=True) as other:
        write_events(other, [odd])
        assert graph_fingerprint(conn) == graph_fingerprint(other)


def test_a_rebuild_leaves_out_what_was_set_aside(conn: Connection) -> None:
    refusing(conn, "bad")
    enqueue(conn, *EVENTS, run_event("r9", "COMPLETE", 99, writes=(dataset("bad"),)))
    drained(conn)
    before = graph_fingerprint(conn)
    assert rebuild_graph(conn) == len(EVENTS)
    assert graph_fingerprint(conn) == before


def test_a_rebuild_draws_what_waits(conn: Connection, another_dsn: str) -> None:
    write_events(conn, EVENTS[:4])
    enqueue(conn, *EVENTS[4:])
    rebuild_graph(conn)
    assert backlog.count_pending(conn) == 0
    assert graph_fingerprint(conn) == directly(another_dsn, *EVENTS)


def test_uncommitted_events_are_pending_again(conn: Connection) -> None:
    enqueue(conn, *EVENTS)
    conn.execute("ALTER TABLE lineage.feeds RENAME TO elsewhere")
    with pytest.raises(NotMigrated):
        backlog.project_pending(conn)
    assert backlog.count_pending(conn) == len(EVENTS)
    conn.execute("ALTER TABLE lineage.elsewhere RENAME TO feeds")
    assert drained(conn) == len(EVENTS)
