"""A view holds no rows: its readers read what it is made from, at the time of the read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import NAMESPACE, dataset, job_event, renamed, run_event, time
from support.events.views import typed_datasets, view
from support.properties import examples_in_one_database
from support.reference.graph import _iso, clear
from support.reference.run_lineage import Dependency, Log

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    from random import Random

    import psycopg

    Connection = psycopg.Connection[Any]


def table(name: str) -> dict[str, Any]:
    return dataset(name, outputFacets={"lineage_write": {"mode": "overwrite"}})


def load(run: str, at: int, state: str = "COMPLETE", name: str = "orders") -> str:
    return run_event(run, state, at, f"load {name}", ("raw",), (table(name),))


def report(run: str, at: int, *names: Any) -> str:
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


def test_a_diff_reports_which_load_of_the_table_changed(conn: Connection) -> None:
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


def test_a_view_of_a_design_is_not_followed_without_a_run(conn: Connection) -> None:
    write_events(conn, [
        job_event(0, "dbt", ("orders",), (view("v"),)), load("load-1", 1), report("report-1", 30),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == {(1, "v", None)}
    assert downstream(conn, "load-1") == set()


@pytest.mark.parametrize(
    "kind",
    [
        {"datasetType": "TABLE"},
        {"datasetType": "MATERIALIZED_VIEW"},
        {"datasetType": "VIEW", "subType": "MATERIALIZED"},
        {"datasetType": "view", "subType": "materialized"},
    ],
)
def test_a_materialized_view_has_the_rows_of_its_last_refresh(
    conn: Connection, kind: dict[str, str]
) -> None:
    created = run_event("mkview", "COMPLETE", 10, "mkview", ("orders",), (view("v", kind=kind),))
    write_events(conn, [load("load-1", 1), created, load("load-2", 20), report("report-1", 30)])
    assert upstream(conn, "report-1") == OF_ROWS


# A read of rows that mkview left, made from what it had read.
OF_ROWS = {(1, "v", "mkview"), (2, "orders", "load-1"), (3, "raw", None)}
OF_VIEW = {(1, "v", "mkview"), (1, "orders", "load-2"), (2, "raw", None)}


def made(at: int, *written: Any, run: str = "mkview", **kwargs: Any) -> str:
    return run_event(run, "COMPLETE", at, run, ("orders",), written, **kwargs)


BEFORE, AFTER = load("load-1", 1), (load("load-2", 20), report("report-1", 30))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([made(10, view("v", None))], OF_VIEW),
        ([made(10, view("v", "overwrite"))], OF_VIEW),
        ([made(10, view("v", rows=3))], OF_ROWS),
        ([made(10, view("v", "append"))], OF_ROWS),
        # Several events of one run: the last one decides.
        ([made(9, table("v")), made(10, view("v"))], OF_VIEW),
        ([made(9, view("v")), made(10, table("v"))], OF_ROWS),
        ([made(9, view("v")), made(10, view("v", rows=3))], OF_ROWS),
        ([made(8, view("v")), made(9, table("v")), made(10, view("v"))], OF_VIEW),
        # Types that other runs, readers and designs report do not count.
        ([made(10, table("v")), job_event(11, "dbt", ("orders",), (view("v"),))], OF_ROWS),
        ([made(10, view("v")), job_event(11, "dbt", ("orders",), (table("v"),))], OF_VIEW),
        ([made(10, table("v")), run_event("r", "COMPLETE", 11, "r", (view("v"),))], OF_ROWS),
        # A view was replaced by a table, and the other way round.
        ([made(9, view("v"), run="old"), made(10, table("v"))], OF_ROWS),
        ([made(9, table("v"), run="old"), made(10, view("v"))], OF_VIEW),
        ([made(10, table("v")), made(40, view("v"), run="later")], OF_ROWS),
        ([made(10, view("v")), made(40, table("v"), run="later")], OF_VIEW),
        (
            [made(8, view("v"), run="old"), made(9, view("v", "drop"), run="drop"),
             made(10, table("v"))],
            OF_ROWS,
        ),
        # Neither a change of its properties nor a failed run replaces a definition.
        ([made(10, view("v")), made(11, view("v", "alter"), run="alter")], OF_VIEW),
        (
            [made(10, view("v")),
             run_event("fails", "FAIL", 11, "fails", ("others",), (table("v"),))],
            OF_VIEW,
        ),
        # Its sources are those that the run names for it.
        ([made(10, view("v", sources=("orders",)), table("t"))], OF_VIEW),
        ([made(10, view("v", sources=()))], {(1, "v", "mkview")}),
    ],
)  # fmt: skip
def test_each_visible_write_says_whether_it_left_rows(
    conn: Connection, events: list[str], expected: set[Any]
) -> None:
    write_events(conn, [BEFORE, *events, *AFTER])
    assert upstream(conn, "report-1") == expected


def test_a_refresh_leaves_rows_in_a_view(conn: Connection) -> None:
    refreshed = run_event("refresh", "COMPLETE", 15, "refresh", ("orders",), (table("v"),))
    write_events(conn, [BEFORE, CREATED, refreshed, *AFTER])
    assert upstream(conn, "report-1") == {
        (1, "v", "refresh"), (2, "orders", "load-1"), (3, "raw", None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("defined_at", "sources"), [(14, {"v", "orders"}), (15, {"v", "orders"}), (16, {"v"})]
)
def test_a_view_that_one_run_defines_and_renames(
    conn: Connection, defined_at: int, sources: set[str]
) -> None:
    defined = view("tmp", sources=("orders",))
    new = view("v", "rename", sources=("tmp",))
    write_events(conn, [
        run_event("make", "RUNNING", defined_at, "make", ("orders",), (defined,)),
        run_event("make", "RUNNING", 15, "make", (), (new,)),
        run_event("make", "COMPLETE", 17, "make", ("orders",), (defined, new)),
        report("report-1", 30),
    ])  # fmt: skip
    assert {name for _, name, _ in upstream(conn, "report-1")} == sources


def test_a_renamed_view_keeps_its_sources(conn: Connection) -> None:
    gone = view("w", None, **renamed("v"))
    write_events(conn, [
        BEFORE,
        CREATED,
        run_event("rename", "COMPLETE", 15, "rename", (), (gone,)),
        run_event("mktable", "COMPLETE", 16, "mktable", ("others",), (table("v"),)),
        load("load-2", 20),
        report("report-1", 30, "w"),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == {
        (1, "w", "rename"), (1, "orders", "load-2"), (2, "raw", None),
    }  # fmt: skip
    assert downstream(conn, "load-2") == {(1, "orders", "report-1")}


def test_an_alias_of_a_view_is_read_through(conn: Connection) -> None:
    write_events(conn, [
        BEFORE, CREATED, load("load-2", 20), report("report-1", 30, "alias"),
        run_event("names", "COMPLETE", 15, "names", (dataset("v", ("alias",)),)),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == OF_VIEW
    assert downstream(conn, "load-2") == {(1, "orders", "report-1")}


def test_a_run_that_defines_a_view_itself_is_not_read_through_to_an_older_one(
    conn: Connection,
) -> None:
    both = run_event(
        "both", "COMPLETE", 30, "both", ("others", "v"),
        (view("v", sources=("others",)), table("revenue")),
    )  # fmt: skip
    write_events(conn, [BEFORE, CREATED, load("load-2", 20), both])
    assert upstream(conn, "both") == {(1, "others", None), (1, "v", "mkview")}


def test_a_run_with_a_view_and_a_table_is_upstream_for_the_table(
    conn: Connection,
) -> None:
    write_events(conn, [
        load("load-0", 5, "FAIL"), made(10, view("v"), table("t")), load("load-1", 11),
        report("report-1", 30), report("report-2", 40, "t"),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == {
        (1, "v", "mkview"), (1, "orders", "load-1"), (2, "raw", None),
    }  # fmt: skip
    assert Graph.over(conn).root_cause("report-1").causes == ()
    assert upstream(conn, "report-2") == {(1, "t", "mkview"), (2, "orders", None)}
    assert [c.run.run_id for c in Graph.over(conn).root_cause("report-2").causes] == ["load-0"]


def test_a_version_of_a_view_is_its_definition_and_not_the_rows_of_that_time(
    conn: Connection,
) -> None:
    first, second = ({"version": {"datasetVersion": each}} for each in ("1", "2"))
    write_events(conn, [
        BEFORE,
        made(10, view("v", **first)),
        run_event("new", "COMPLETE", 15, "new", ("others",), (view("v", **second),)),
        load("load-2", 20),
        report("report-1", 30, dataset("v", **first)),
        report("report-2", 31, dataset("v", **second)),
    ])  # fmt: skip
    assert upstream(conn, "report-1") == OF_VIEW
    assert upstream(conn, "report-2") == {(1, "v", "new"), (1, "others", None)}


def test_a_stream_leaves_rows(conn: Connection) -> None:
    stream = {"jobType": {"processingType": "STREAMING", "integration": "SPARK"}}
    write_events(conn, [BEFORE, made(10, view("v"), of_job=stream), *AFTER])
    assert upstream(conn, "report-1") == OF_ROWS


@pytest.mark.parametrize("order", [1, -1])
def test_events_in_any_order_and_twice_give_the_same(conn: Connection, order: int) -> None:
    for event in EVENTS[::order] * 2:
        write_events(conn, [event])
    assert upstream(conn, "report-2") == {
        (1, "v", "mkview"), (1, "orders", "load-3"), (2, "raw", None),
    }  # fmt: skip
    rebuild_graph(conn)
    assert upstream(conn, "report-2") == {
        (1, "v", "mkview"), (1, "orders", "load-3"), (2, "raw", None),
    }  # fmt: skip


_names = st.sampled_from(["a", "b", "v", "w"])
_written = st.builds(table, _names) | typed_datasets(_names) | st.builds(view, _names)
_ran = st.builds(
    run_event,
    st.sampled_from([f"r{n}" for n in range(6)]),
    st.sampled_from(["COMPLETE"] * 6 + ["FAIL", "RUNNING"]),
    st.integers(0, 9),
    st.sampled_from(["j1", "j2", "j3"]),
    st.lists(_names, min_size=1, max_size=2).map(tuple),
    st.lists(_written, max_size=2).map(tuple),
)


@examples_in_one_database(80)
@given(
    st.lists(_ran, min_size=3, max_size=12), st.integers(0, 9), st.randoms(use_true_random=False)
)
def test_views_are_read_as_the_log_reports_in_any_order(
    conn: Connection, texts: list[str], at: int, random: Random
) -> None:
    clear(conn)
    for batch in (texts, texts[::2]):
        shuffled = random.sample(batch, len(batch))
        write_events(conn, shuffled[:3])
        write_events(conn, shuffled[3:])
    log = Log(texts)
    runs = {run for (run,) in conn.execute("SELECT run_id FROM lineage.run").fetchall()}
    for run in runs:
        for perhaps in (False, True):
            assert _dependencies(conn, "upstream_runs", run, perhaps) == _of(
                log.behind_run(run, perhaps=perhaps)
            )
    for name in "abvw":
        if ("Dataset", (NAMESPACE, name)) in log.graph:
            assert _dependencies(
                conn, "dataset_lineage_at", f"{NAMESPACE}/{name}", False, time(at)
            ) == _of(log.behind((NAMESPACE, name), _iso(time(at))))
    # Downstream is the inverse of upstream.
    upstream_pairs, downstream_pairs = (
        conn.execute(
            "SELECT r.run_id, l.run, l.name, l.source_run"
            f" FROM lineage.run r CROSS JOIN LATERAL lineage.{function}(r.run_id, 1) AS l"
            " WHERE l.source_run IS NOT NULL"
        ).fetchall()
        for function in ("upstream_runs", "downstream_runs")
    )
    assert {row[1:] for row in upstream_pairs} == {row[1:] for row in downstream_pairs}


def _dependencies(conn: Connection, function: str, name: str, perhaps: bool, *at: str) -> set[Any]:
    times = ", %s" * len(at)
    statement = (
        "SELECT distance, run, name, version, source_run, exact"
        f" FROM lineage.{function}(%s{times}, NULL, %s)"
    )
    return set(conn.execute(statement, (name, *at, perhaps)).fetchall())


def _of(dependencies: set[Dependency]) -> set[Any]:
    return {
        (each.distance, each.reader, each.dataset[1], each.version, each.writer, each.exact)
        for each in dependencies
    }
