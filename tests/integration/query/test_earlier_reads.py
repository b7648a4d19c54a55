"""Reads of rows that were read before the run began, as from a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, run_event, time
from support.exported_results import assert_same

from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]


def overwritten(name: str) -> dict[str, Any]:
    return dataset(name, outputFacets={"lineage_write": {"mode": "overwrite"}})


def cached(at: Any) -> dict[str, Any]:
    return dataset("table", inputFacets={"lineage_read_time": {"time": at}})


def events(at: Any) -> list[str]:
    """Return events of a run that begins after the second write of its input."""
    return [
        run_event("old", "COMPLETE", 1, "first", ("one",), (overwritten("table"),)),
        run_event("new", "COMPLETE", 5, "second", ("two",), (overwritten("table"),)),
        run_event("use", "START", 6, "use", ("table",), (overwritten("result"),)),
        run_event("use", "COMPLETE", 7, "use", (cached(at),), (overwritten("result"),)),
    ]


def writers(graph: Graph) -> set[str]:
    return {each.writer.run_id for each in graph.run_lineage("use").dependencies if each.writer}


@pytest.mark.parametrize(
    ("at", "writer"),
    [(time(3), "old"), (time(9), "new"), ("soon", "new"), (None, "new")],
)
def test_the_writer_is_that_at_the_time_of_the_read(conn: Connection, at: Any, writer: str) -> None:
    write_events(conn, events(at))
    assert writers(Graph.over(conn)) == {writer}


def test_the_run_and_its_execution_begin_with_the_first_event(conn: Connection) -> None:
    write_events(conn, reversed(events(time(3))))
    begin = (
        "SELECT DISTINCT r.first_seen = x.first_seen, r.started_at = x.first_seen"
        " FROM lineage.run r JOIN lineage.execution x ON x.run = r.id WHERE r.run_id = 'use'"
    )
    assert conn.execute(begin).fetchall() == [(True, True)]
    assert writers(Graph.over(conn)) == {"old"}


def test_the_time_of_the_read_survives_export_and_import(
    conn: Connection, copy: Connection
) -> None:
    write_events(conn, events(time(3)))
    assert_same(Graph.over(conn), copy, lambda graph: graph.run_lineage("use"))
    assert writers(Graph.over(copy)) == {"old"}
