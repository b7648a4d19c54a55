"""Retention of the log: dropping old months keeps the graph, and unprojected events."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import run_event
from support.events.plan_documents import application

from lineage.errors import DatabaseError, QueryError, UsageError
from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.forwarding.cursor import remove_target
from lineage.ingest.writer import write_events
from lineage.maintenance import retention
from lineage.maintenance.retention import Pruned, prune_months
from lineage.plan_documents import store
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]

OLD = [run_event("r1", "COMPLETE", 1, reads=("a",), writes=("b",))]  # in January 2026
FLOOR = "2026-02-01T00:00:00.000000Z"


def test_what_is_to_be_forwarded_stays(january: Connection) -> None:
    write_events(january, OLD)
    january.execute("INSERT INTO lineage.forward (target, position) VALUES ('b', 0)")
    with pytest.raises(UsageError, match="still to be forwarded to b"):
        prune_months(january, FLOOR)
    assert count(january, "event") == 1
    remove_target(january, "b")
    assert prune_months(january, FLOOR).events == 1


def at(time: str, event: str) -> str:
    return json.dumps({**json.loads(event), "eventTime": time})


def now() -> str:
    return datetime.now(timezone.utc).isoformat()


NEW = at("2026-03-05T00:00:00Z", run_event("r2", "COMPLETE", 1, reads=("b",), writes=("c",)))


def count(conn: Connection, table: str) -> int:
    return int(conn.execute(f"SELECT count(*) FROM lineage.{table}").fetchall()[0][0])


@pytest.fixture
def january(conn: Connection) -> Connection:
    """Return a connection to a database with partitions since January 2026."""
    conn.execute("""
        ALTER TABLE lineage.event DETACH PARTITION lineage.event_before;
        ALTER TABLE lineage.event ATTACH PARTITION lineage.event_before
            FOR VALUES FROM (MINVALUE) TO ('2026-01-01 00:00Z');
        CREATE TABLE lineage.event_2026_01 PARTITION OF lineage.event
            FOR VALUES FROM ('2026-01-01 00:00Z') TO ('2026-02-01 00:00Z');
        CREATE TABLE lineage.event_2026_02 PARTITION OF lineage.event
            FOR VALUES FROM ('2026-02-01 00:00Z') TO ('2026-03-01 00:00Z');
    """)
    return conn


def partitions(conn: Connection) -> set[str]:
    rows = conn.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits"
        " WHERE inhparent = 'lineage.event'::regclass"
    )
    return {name.removeprefix("lineage.event_") for (name,) in rows}


def test_old_months_go_and_the_graph_stays(january: Connection, dsn: str) -> None:
    much_older = at("2020-05-05T00:00:00Z", run_event("r0", "COMPLETE", 0, writes=("a",)))
    write_events(january, [much_older, *OLD, NEW])
    graph = graph_fingerprint(january)
    assert prune_months(january, "2026-02-20") == Pruned(FLOOR, 2, 0)
    assert count(january, "event") == 1
    assert "2026_01" not in partitions(january)
    assert {"2026_02", "before", "other"} <= partitions(january)
    assert graph_fingerprint(january) == graph
    with Graph(dsn) as answers:
        assert [dataset.name for dataset in answers.upstream("c").datasets] == ["b", "a"]


def test_pending_events_are_projected_before_they_are_pruned(conn: Connection) -> None:
    with conn.transaction():
        log.queue_events(conn, [read_entry(event) for event in OLD])
    prune_months(conn, "2026-02-01")
    assert count(conn, "event") == 0
    assert count(conn, "feeds") == 1


def test_events_that_cannot_be_projected_are_not_pruned(conn: Connection) -> None:
    with conn.transaction():
        log.queue_events(conn, [read_entry(event) for event in OLD])
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="is in the graph yet"):
        conn.execute("SELECT lineage.prune('2026-02-01')")
    assert count(conn, "event") == 1


def test_a_cut_log_makes_no_graph(conn: Connection) -> None:
    write_events(conn, [*OLD, NEW])
    graph = graph_fingerprint(conn)
    prune_months(conn, "2026-02-01")
    with pytest.raises(UsageError, match="The log begins at 2026-02-01") as error:
        rebuild_graph(conn)
    assert "restore a backup" in str(error.value)
    assert graph_fingerprint(conn) == graph


def test_a_second_prune_of_an_earlier_time_leaves_the_beginning_of_the_log(
    january: Connection,
) -> None:
    write_events(january, [*OLD, NEW])
    assert prune_months(january, FLOOR).retained_from == FLOOR
    assert prune_months(january, "2026-02-01T05:00+14:00") == Pruned(FLOOR, 0, 0)


def test_where_nothing_went_the_log_is_whole(conn: Connection) -> None:
    write_events(conn, [NEW])
    assert prune_months(conn, "2026-02-01") == Pruned(FLOOR, 0, 0)
    assert rebuild_graph(conn) == 1


def test_what_went_may_come_again_and_changes_nothing(conn: Connection) -> None:
    write_events(conn, OLD)
    graph = graph_fingerprint(conn)
    prune_months(conn, "2026-02-01")
    assert write_events(conn, OLD).new == 1
    assert graph_fingerprint(conn) == graph


def test_plan_documents_go_too(conn: Connection) -> None:
    started = {"lineage": 1, "kind": "application_start", "time": 1_000, "app": application()}
    newer = {**started, "lineage": 9}
    with conn.transaction():
        store.append_documents(
            conn, [store.read_document(json.dumps(each).encode()) for each in (started, newer)]
        )
    assert prune_months(conn, "2026-02-01").documents == 2
    assert count(conn, "plan_document") == count(conn, "plan_document_queue") == 0


def test_the_present_month_has_a_partition_and_each_event_of_it_is_there(conn: Connection) -> None:
    write_events(conn, [at(now(), OLD[0]), *OLD])
    rows = conn.execute("SELECT tableoid::regclass::text FROM lineage.event ORDER BY event_time")
    assert [name for (name,) in rows] == [
        "lineage.event_before",
        f"lineage.event_{datetime.now(timezone.utc):%Y_%m}",
    ]


def test_partitions_are_created_once_by_a_writer(conn: Connection) -> None:
    name = f"{datetime.now(timezone.utc):%Y_%m}"
    conn.execute(f"DROP TABLE lineage.event_{name}")
    conn.execute("SET ROLE lineage_writer")
    assert [log.make_partitions(conn) for _ in range(2)] == [1, 0]
    assert name in partitions(conn)


def test_a_month_of_which_there_is_something_elsewhere_gets_none(conn: Connection) -> None:
    name = f"{datetime.now(timezone.utc):%Y_%m}"
    conn.execute(f"DROP TABLE lineage.event_{name}")
    write_events(conn, [at(now(), OLD[0])])
    assert log.make_partitions(conn) == 0
    assert name not in partitions(conn)
    assert count(conn, "event") == 1


def test_a_month_of_the_future_is_not_dropped(conn: Connection) -> None:
    with pytest.raises(QueryError, match="The time 2999-01 is in the future"):
        prune_months(conn, "2999-01")


def test_a_writer_drops_nothing(conn: Connection) -> None:
    write_events(conn, OLD)
    conn.execute("SET ROLE lineage_writer")
    with pytest.raises(QueryError, match=r"lineage_writer.* may not drop a part of the log"):
        prune_months(conn, "2026-02-01")


def test_who_reads_the_whole_log_is_not_waited_for_long(
    conn: Connection, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_events(conn, OLD)
    monkeypatch.setattr(retention, "LOCK_SECONDS", 0.1)
    with psycopg.connect(dsn) as reading:
        reading.execute("SELECT count(*) FROM lineage.event")
        with pytest.raises(DatabaseError, match="try again in a while"):
            prune_months(conn, "2026-02-01")
    assert prune_months(conn, "2026-02-01").events == 1
