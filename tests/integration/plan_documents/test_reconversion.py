"""Reconversion of stored plan documents: the graph has the events of the new conversion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from support.events.builders import run_event

from lineage.eventlog import log
from lineage.eventlog.listing import list_events
from lineage.events.entry import Entry, read_entry
from lineage.plan_documents import queue, store
from lineage.plan_documents.reconversion import Replayed, reconvert_all
from lineage.projection import backlog
from lineage.projection.rebuild import graph_fingerprint
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

SPOOLS = Path(__file__).parents[2] / "golden" / "spools"
LINES = (SPOOLS / "batch.jsonl").read_bytes().splitlines()


class Silent:
    """Ignores progress messages."""

    def on_converted(self, documents: int) -> None: ...

    def on_projected(self, events: int) -> None: ...


@pytest.fixture
def played(conn: Connection) -> Connection:
    """Return a connection to a database with the recorded documents and their events."""
    with conn.transaction():
        store.append_documents(conn, [store.read_document(line) for line in LINES])
    drain(conn)
    return conn


def drain(conn: Connection) -> None:
    while queue.convert_pending(conn) or backlog.project_pending(conn):
        pass


def told_wrongly(conn: Connection) -> Entry:
    """Store an event of a document that the current converter does not produce."""
    wrong = replace(
        read_entry(run_event("w", "COMPLETE", 5, "wrong", reads=("never",), writes=("read",))),
        document=store.read_document(LINES[-1]).sha256,
    )
    with conn.transaction():
        log.queue_events(conn, [wrong])
    drain(conn)
    return wrong


@pytest.mark.parametrize("page", [1, 3, 200])
def test_converted_again_they_give_the_same_graph(played: Connection, page: int) -> None:
    before = graph_fingerprint(played)
    assert reconvert_all(played, Silent(), page) == Replayed(len(LINES), 0, 0)
    assert graph_fingerprint(played) == before


def test_a_wrong_edge_of_an_older_converter_is_gone(played: Connection, dsn: str) -> None:
    before = graph_fingerprint(played)
    told_wrongly(played)
    with Graph(dsn) as graph:
        assert [dataset.name for dataset in graph.upstream("read").datasets] == ["never"]
    assert reconvert_all(played, Silent()) == Replayed(len(LINES), 0, 1)
    assert graph_fingerprint(played) == before
    assert [event.state for event in list_events(played, 99, run="w")] == ["superseded"]


def test_superseded_events_that_conversion_produces_again_are_in_the_graph(
    played: Connection,
) -> None:
    before = graph_fingerprint(played)
    played.execute("INSERT INTO lineage.superseded_event (event) SELECT id FROM lineage.event")
    assert reconvert_all(played, Silent()) == Replayed(len(LINES), 0, 0)
    assert graph_fingerprint(played) == before


def test_events_that_came_as_events_stay(played: Connection, dsn: str) -> None:
    with played.transaction():
        text = run_event("r", "COMPLETE", 5, reads=("x",), writes=("y",))
        log.queue_events(played, [read_entry(text)])
    assert reconvert_all(played, Silent()).replaced == 0
    with Graph(dsn) as graph:
        assert [dataset.name for dataset in graph.upstream("y").datasets] == ["x"]


def test_what_waited_and_what_was_set_aside_is_converted(conn: Connection) -> None:
    with conn.transaction():
        store.append_documents(conn, [store.read_document(line) for line in LINES])
    conn.execute(
        "UPDATE lineage.plan_document_queue SET reason = 'not known then' WHERE time < now()"
    )
    assert reconvert_all(conn, Silent()).new > 0
    assert conn.execute("SELECT count(*) FROM lineage.plan_document_queue").fetchall() == [(0,)]
    whole = graph_fingerprint(conn)
    drain(conn)
    assert graph_fingerprint(conn) == whole
