"""A graph of a notebook: queries first ingest the spools, here recorded ones, of the process."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lineage
from lineage.errors import DatabaseUnavailable
from lineage.spark.launcher import own_spools

if TYPE_CHECKING:
    import psycopg

    from lineage.query import Graph

    Connection = psycopg.Connection[Any]

SPOOLS = Path(__file__).parents[2] / "golden" / "spools"
END_OTHERS = """
SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
def graph(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """Return a graph that has ingested an application whose spool is incomplete so far."""
    monkeypatch.setattr(own_spools, "flush_listener", lambda: [tmp_path / "batch"])
    lines = (SPOOLS / "batch.jsonl").read_text().splitlines(keepends=True)
    spool = tmp_path / "batch-0.jsonl"
    spool.write_text("".join(lines[:2]))
    graph = lineage.connect(dsn)
    graph.stats()
    spool.write_text("".join(lines))
    return graph


def event_count(conn: Connection) -> int:
    [(count,)] = conn.execute("SELECT count(*) FROM lineage.event").fetchall()
    return int(count)


def test_a_lost_connection_costs_no_event(graph: Graph, conn: Connection) -> None:
    before = event_count(conn)
    assert conn.execute(END_OTHERS).fetchall() == [(2,)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DatabaseUnavailable):
            graph.stats()  # on its own connection, after the ingestion
    assert event_count(conn) > before > 0
    graph.stats()
    graph.close()


def test_the_warning_names_the_line_of_the_query(graph: Graph, conn: Connection) -> None:
    conn.execute("DROP TABLE lineage.event CASCADE")
    with pytest.warns(UserWarning, match="The result may lack lineage") as caught:
        graph.datasets("x")
    assert [warning.filename for warning in caught] == [__file__]
    graph.close()
