"""A view holds no rows: its readers read what it is made from, at the time of the read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import NAMESPACE, dataset, job_event, run_event, time

from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]


def table(name: str) -> dict[str, Any]:
    return dataset(name, outputFacets={"lineage_write": {"mode": "overwrite"}})


def view(name: str, kind: dict[str, str] | None = None) -> dict[str, Any]:
    """Return a view as reported by the run that created it."""
    return dataset(
        name,
        datasetType=kind or {"datasetType": "VIEW"},
        lifecycleStateChange={"lifecycleStateChange": "CREATE"},
    )


def load(run: str, at: int, state: str = "COMPLETE", name: str = "orders") -> str:
    return run_event(run, state, at, f"load {name}", ("raw",), (table(name),))


def report(run: str, at: int, *names: str) -> str:
    return run_event(run, "COMPLETE", at, "report", names or ("v",), (table("revenue"),))


CREATED = run_event("mkview", "COMPLETE", 10, "mkview", ("orders",), (view("v"),))
# orders is written at 1, before the view exists, and at 20 and 40; the view is read at 30 and 50.
EVENTS = [load("load-1", 1), CREATED, load("load-2", 20), report("report-1", 30),
          load("load-3", 40), report("report-2", 50)]  # fmt: skip


def upstream(conn: Connection, run: str) -> set[Any]:
    """Return ``distance, dataset, writer`` of each dependency of a run."""
    statement = "SELECT distance, name, source_run FROM lineage.upstream_runs(%s)"
    return set(conn.execute(statement, (run,)).fetchall())


def downstream(conn: Connection, run: str) -> set[Any]:
    """Return ``distance, dataset, reader`` of each dependent of a run."""
    statement = "SELECT distance, name, run FROM lineage.downstream_runs(%s)"
    return set(conn.execute(statement, (run,)).fetchall())


def at(conn: Connection, name: str, moment: int) -> set[Any]:
    statement = "SELECT distance, name, source_run FROM lineage.dataset_lineage_at(%s, %s)"
    return set(conn.execute(statement, (f"{NAMESPACE}/{name}", time(moment))).fetchall())


def test_a_reader_of_a_view_sees_what_the_table_was_at_the_time_of_the_read(
    conn: Connection,
) -> None:
    write_events(conn, EVENTS)
    assert upstream(conn, "report-1") == {
        (1, "v", "mkview"), (1, "orders", "load-2"), (2, "raw", None),
    }  # fmt: skip
    assert upstream(conn, "report-2") == {
        (1, "v", "mkview"), (1, "orders", "load-3"), (2, "raw", None),
    }  # fmt: skip
    assert at(conn, "revenue", 35) == {
        (1, "revenue", "report-1"), (2, "v", "mkview"), (2, "orders", "load-2"), (3, "raw", None),
    }  # fmt: skip


def test_a_view_at_a_time_is_what_the_table_was(conn: Connection) -> None:
    write_events(conn, EVENTS)
    assert at(conn, "v", 45) == {(1, "v", "mkview"), (1, "orders", "load-3"), (2, "raw", None)}
    steps = Graph.over(conn).dataset_steps_at("v", time(45)).steps
    assert {
        (s.distance, s.dataset.name, s.writer and s.writer.name, s.run and s.run.run_id)
        for s in steps
    } == {
        (1, "v", "mkview", "mkview"),
        (1, "orders", "load orders", "load-3"),
        (2, "raw", None, None),
    }


def test_a_view_over_a_source_names_the_source(conn: Connection) -> None:
    write_events(conn, [CREATED])
    assert at(conn, "v", 45) == {(1, "v", "mkview"), (1, "orders", None)}


def test_readers_of_a_view_are_downstream_of_the_writes_that_they_saw(conn: Connection) -> None:
    write_events(conn, EVENTS)
    assert downstream(conn, "load-1") == {(1, "orders", "mkview")}
    assert downstream(conn, "load-2") == {(1, "orders", "report-1")}
    assert downstream(conn, "load-3") == {(1, "orders", "report-2")}
    assert downstream(conn, "mkview") == {(1, "v", "report-1"), (1, "v", "report-2")}


def test_a_failed_load_of_the_table_is_the_cause_of_a_stale_read_of_the_view(
    conn: Connection,
) -> None:
    write_events(conn, [*EVENTS, load("load-4", 60, "FAIL"), report("report-3", 70)])
    assert [
        (c.kind, c.run.run_id, c.fault, c.dataset and c.dataset.name, c.distance)
        for c in Graph.over(conn).root_cause("report-3").causes
    ] == [("stale input", "load-4", "failed", "orders", 1)]


def test_what_was_stale_when_the_view_was_created_is_no_cause(conn: Connection) -> None:
    write_events(conn, [load("load-0", 5, "FAIL"), *EVENTS])
    assert Graph.over(conn).root_cause("report-2").causes == ()


def test_a_diff_tells_which_load_of_the_table_changed(conn: Connection) -> None:
    write_events(conn, EVENTS)
    diff = Graph.over(conn).dataset_diff("revenue", time(35), time(55))
    assert {(w.change, w.write.dataset.name, w.write.run.run_id, w.distance)
            for w in diff.writes} == {
        ("removed", "revenue", "report-1", 1), ("added", "revenue", "report-2", 1),
        ("removed", "orders", "load-2", 2), ("added", "orders", "load-3", 2),
    }  # fmt: skip
    of_view = Graph.over(conn).dataset_diff("v", time(35), time(55))
    assert {(w.change, w.write.run.run_id, w.distance) for w in of_view.writes} == {
        ("removed", "load-2", 1), ("added", "load-3", 1),
    }  # fmt: skip


def test_views_over_views_are_followed_and_a_cycle_of_views_ends(conn: Connection) -> None:
    write_events(conn, [
        CREATED,
        run_event("top", "COMPLETE", 11, "top", ("v",), (view("w"),)),
        run_event("again", "COMPLETE", 12, "mkview", ("orders", "w"), (view("v"),)),
        load("load-2", 20),
        report("report-1", 30, "w"),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == {
        (1, "w", "top"), (1, "v", "again"), (1, "orders", "load-2"), (2, "raw", None),
    }  # fmt: skip
    assert downstream(conn, "load-2") == {(1, "orders", "report-1")}


def test_the_definition_at_the_time_of_the_read_decides(conn: Connection) -> None:
    write_events(conn, [
        *EVENTS,
        load("other-1", 55, name="others"),
        run_event("replaced", "COMPLETE", 60, "other job", ("others",), (view("v"),)),
        report("report-3", 70),
    ])  # fmt: skip
    assert upstream(conn, "report-3") == {
        (1, "v", "replaced"), (1, "others", "other-1"), (2, "raw", None),
    }  # fmt: skip
    assert (1, "orders", "load-3") in upstream(conn, "report-2")


def test_a_table_that_the_run_reports_itself_is_read_once(conn: Connection) -> None:
    versioned = dataset("orders", version={"datasetVersion": "1"})
    write_events(conn, [
        run_event("load-1", "COMPLETE", 1, "load orders", (), (versioned,)),
        CREATED,
        load("load-2", 20),
        run_event("report-1", "COMPLETE", 30, "report", ("v", versioned), (table("revenue"),)),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == {(1, "v", "mkview"), (1, "orders", "load-1")}


def test_a_view_of_a_design_is_followed_without_a_run(conn: Connection) -> None:
    write_events(conn, [
        job_event(0, "dbt", ("orders",), (view("v"),)), load("load-1", 1), report("report-1", 30),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == {
        (1, "v", None), (1, "orders", "load-1"), (2, "raw", None),
    }  # fmt: skip
    assert downstream(conn, "load-1") == {(1, "orders", "report-1")}


@pytest.mark.parametrize(
    "kind",
    [
        {"datasetType": "TABLE"},
        {"datasetType": "MATERIALIZED_VIEW"},
        {"datasetType": "VIEW", "subType": "MATERIALIZED"},
    ],
)
def test_a_materialized_view_has_the_rows_of_its_last_refresh(
    conn: Connection, kind: dict[str, str]
) -> None:
    created = run_event("mkview", "COMPLETE", 10, "mkview", ("orders",), (view("v", kind),))
    write_events(conn, [load("load-1", 1), created, load("load-2", 20), report("report-1", 30)])
    assert upstream(conn, "report-1") == {
        (1, "v", "mkview"), (2, "orders", "load-1"), (3, "raw", None),
    }  # fmt: skip
