"""Diffs of a dataset between two times, and between two runs."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.counting_session import CountingSession
from support.events.builders import (
    NAMESPACE,
    dataset,
    dataset_event,
    job_event,
    run_event,
    time,
    wrote,
)
from support.events.builders import schema as columns
from support.events.views import typed_datasets
from support.properties import examples_in_one_database
from support.reference.dataset_diff import changes, least, made_of, run_told, schema
from support.reference.graph import _iso, clear
from support.reference.run_lineage import Log

from lineage.errors import NotFound, UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.facet_values import leaf_values
from lineage.query.run_diff import diff_runs
from lineage.write_modes import set_mode

if TYPE_CHECKING:
    import psycopg

    from lineage.query.dataset_diff_records import Diff

    Connection = psycopg.Connection[Any]

STREAM = {"jobType": {"processingType": "STREAMING", "integration": "SPARK", "jobType": "QUERY"}}


def short(diff: Diff) -> set[str]:
    """Return the changes in the form ``+ kind name``."""
    signs = {"added": "+", "removed": "-"}
    return (
        {f"{signs[d.change]} dataset {d.dataset.name}" for d in diff.datasets}
        | {f"{signs[j.change]} job {j.job.name}" for j in diff.jobs}
        | {f"{signs[w.change]} run {w.write.run.run_id}" for w in diff.writes}
    )


OLD = (
    run_event("load-1", "COMPLETE", 1, "load", ("rates",), (wrote("fx", rows=5),)),
    run_event("report-1", "START", 2, "report", ("fx", "orders")),
    run_event("report-1", "COMPLETE", 3, "report", (),
              (wrote("revenue", rows=100, schema=columns(total="int", note="string")),)),
)  # fmt: skip
NEW = (
    run_event("load-2", "COMPLETE", 11, "load", ("rates",), (wrote("fx", rows=6),)),
    run_event("report-2", "START", 12, "report", ("fx", "sales")),
    run_event("report-2", "COMPLETE", 13, "report", (),
              (wrote("revenue", rows=7, schema=columns(total="bigint", tax="int")),)),
)  # fmt: skip


def test_what_came_and_what_went(conn: Connection) -> None:
    write_events(conn, [*OLD, *NEW])
    diff = Graph.over(conn).dataset_diff("revenue", time(5), time(15))
    assert short(diff) == {
        "+ dataset sales", "- dataset orders",
        "+ run report-2", "- run report-1", "+ run load-2", "- run load-1",
    }  # fmt: skip
    [revenue] = diff.schemas
    assert [(c.change, c.name, c.before, c.after) for c in revenue.columns] == [
        ("removed", "note", "string", None),
        ("added", "tax", None, "int"),
        ("changed", "total", "int", "bigint"),
    ]
    rows = [(r.dataset.name, r.before.rows, r.after.rows) for r in diff.rows]
    assert rows == [("revenue", 100, 7), ("fx", 5, 6)]


def test_nothing_changed_where_nothing_ran(conn: Connection) -> None:
    write_events(conn, [*OLD, *NEW])
    diff = Graph.over(conn).dataset_diff("revenue", time(5), time(10))
    assert (short(diff), diff.schemas, diff.rows, diff.unchanged) == (set(), (), (), 2)


def test_a_schema_not_yet_reported_at_the_time_is_unknown(conn: Connection) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 1, "j", (), ("b",)),
                 dataset_event(5, dataset("b", schema=columns(x="int")))])  # fmt: skip
    [change] = Graph.over(conn).dataset_diff("b", time(2), time(6)).schemas
    assert (change.before_known, change.after_known, change.columns) == (False, True, ())


def test_the_schema_as_of_a_time_is_read_across_many_events_without_one(conn: Connection) -> None:
    write_events(conn, [
        run_event("first", "START", 1, "j", (), (dataset("b", schema=columns(x="int")),)),
        *(run_event(f"r{n}", "COMPLETE", n, "k", ("b",)) for n in range(2, 60)),
        *(run_event("first", "RUNNING", n, "j", (), ("b",)) for n in range(2, 60)),
        run_event("last", "COMPLETE", 90, "j", (), (dataset("b", schema=columns(x="text")),)),
    ])  # fmt: skip
    [change] = Graph.over(conn).dataset_diff("b", time(70), time(91)).schemas
    assert [(c.name, c.before, c.after) for c in change.columns] == [("x", "int", "text")]


def test_an_event_whose_names_sql_cannot_read_counts_too(conn: Connection) -> None:
    odd = dataset_event(1, dataset("b\0c", schema=columns(x="int")))
    write_events(conn, [odd, dataset_event(5, dataset("b\0c", schema=columns(x="text")))])
    [change] = Graph.over(conn).dataset_diff("b�c", time(2), time(6)).schemas
    assert [(c.name, c.before, c.after) for c in change.columns] == [("x", "int", "text")]


FIRST = run_event(
    "one", "COMPLETE", 20, "report", ("fx", "orders"),
    (wrote("revenue", rows=100, schema=columns(total="int")),),
    processing_engine={"version": "3.5.1", "name": "spark", "_producer": "x"},
    tags={"tags": [{"key": "env", "value": "prod", "source": "CONFIG"}]},
)  # fmt: skip
SECOND = run_event(
    "two", "COMPLETE", 30, "report", ("fx",),
    (wrote("revenue", rows=7, schema=columns(total="bigint")),),
    processing_engine={"version": "4.0.0", "name": "spark", "_producer": "y"},
    tags={"tags": [{"key": "env", "value": "test", "source": "CONFIG"}]},
)  # fmt: skip


def with_sql(event: str, query: str) -> str:
    body = json.loads(event)
    body["job"]["facets"] = {"sql": {"query": query}}
    return json.dumps(body)


def test_a_run_diff_compares_inputs_facets_and_outputs(conn: Connection) -> None:
    write_events(conn, [*OLD, with_sql(FIRST, "SELECT 1"), *NEW, with_sql(SECOND, "SELECT 2"),
                 run_event("two", "START", 25, "report")])  # fmt: skip
    found = Graph.over(conn).run_diff("one", "two")
    assert found.unlogged == ()
    assert {
        (d.part, d.dataset.name if d.dataset else None, d.key, d.before, d.after)
        for d in found.differences
    } == {
        ("run", None, "duration", None, 5.0),
        ("run", None, "run.processing_engine.version", "3.5.1", "4.0.0"),
        ("run", None, "run.tags.tags.env", "prod", "test"),
        ("job", None, "job.sql.query", "SELECT 1", "SELECT 2"),
        ("input", "orders", "dataset", f"{NAMESPACE}/orders", None),
        ("output", "revenue", "rows", 100, 7),
        ("output", "revenue", "column total", "int", "bigint"),
    }


def test_a_run_diff_reports_another_writer_of_an_input(conn: Connection) -> None:
    write_events(conn, [*OLD, *NEW])
    [changed] = [
        (d.before, d.after)
        for d in Graph.over(conn).run_diff("report-1", "report-2").differences
        if d.key == "written by"
    ]
    assert changed == ("load-1 by time", "load-2 by time")


def test_a_run_diff_takes_as_many_statements_for_any_number_of_datasets(conn: Connection) -> None:
    counts = []
    for size in (1, 30):
        for day, kind in ((1, "int"), (2, "text")):
            inputs = tuple(dataset(f"{size}/t{n}", schema=columns(id=kind)) for n in range(size))
            write_events(conn, [run_event(f"{size}-{day}", "COMPLETE", day, "job", inputs)])
        session = CountingSession.over(conn)
        changes = diff_runs(session, f"{size}-1", f"{size}-2").differences
        assert {(d.dataset.name, d.key, d.before, d.after) for d in changes if d.dataset} == {
            (f"{size}/t{n}", "column id", "int", "text") for n in range(size)
        }
        counts.append(session.statements)
    assert counts[0] == counts[1]


def test_where_the_log_was_cut_jobs_and_columns_are_not_compared(conn: Connection) -> None:
    write_events(conn, [with_sql(FIRST, "SELECT 1"), with_sql(SECOND, "SELECT 2")])
    conn.execute("DELETE FROM lineage.event WHERE run_id = 'one'")
    found = Graph.over(conn).run_diff("one", "two")
    assert found.unlogged == ("one",)
    assert not [d for d in found.differences if d.part == "job" or d.key.startswith("column")]
    with pytest.raises(NotFound, match="three"):
        Graph.over(conn).run_diff("one", "three")


@pytest.mark.parametrize(
    ("facet", "value"),
    [
        ({"tags": [{"key": "env", "value": "a"}]}, {"run.x.tags.env": "a"}),
        ({"variables": [{"name": "A", "value": "1"}]}, {"run.x.variables.A": "1"}),
        ({"rows": [1, 2]}, {"run.x.rows": [1, 2]}),
        ({"_producer": "p", "a": {"b.c": True}}, {"run.x.a.b.c": True}),
        ({"owners": [{"name": "me", "type": "team"}]}, {"run.x.owners.me.type": "team"}),
        ({"twice": [{"name": "A"}, {"name": "A"}]}, {"run.x.twice": [{"name": "A"}] * 2}),
    ],
)
def test_a_facet_is_compared_value_by_value(facet: Any, value: Any) -> None:
    assert leaf_values("run", {"x": facet, "parent": {"run": {"runId": "p"}}}) == value


def test_invalid_times_and_runs_are_usage_errors(conn: Connection) -> None:
    write_events(conn, OLD)
    graph = Graph.over(conn)
    with pytest.raises(UsageError, match="yesterday"):
        graph.dataset_diff("revenue", "yesterday", time(1))
    with pytest.raises(UsageError, match="is later than the end"):
        graph.dataset_diff("revenue", time(2), time(1))
    assert graph.dataset_diff("revenue", "2026-01-01", time(1)).start == _iso(time(0))
    with pytest.raises(NotFound, match="nothing"):
        graph.dataset_diff("nothing", time(0), time(1))


_names = st.sampled_from(["a", "b", "c", "d"])
_said = st.builds(
    lambda name, mode, version, types, rows: wrote(
        name, mode, rows,
        **({"version": {"datasetVersion": version}} if version else {}),
        **({"schema": columns(**types)} if types is not None else {}),
    ),
    _names,
    st.sampled_from(["append", "append", "overwrite", "create", "alter", "drop", "update"]),
    st.sampled_from([None, None, "1", "2"]),
    st.none()
    | st.dictionaries(st.sampled_from("xyz"), st.sampled_from(["int", "text", {"y": "int"}])),
    st.none() | st.integers(0, 3),
)  # fmt: skip
_renamed = st.builds(lambda name, also: dataset(name, (also,)), _names, _names)
_typed = typed_datasets(_names)
_few = st.lists(_said | _said | _said | _renamed | _typed, max_size=2).map(tuple)
_states = st.sampled_from(["COMPLETE", "COMPLETE", "COMPLETE", "START", "RUNNING", "FAIL", None])
_runs = st.sampled_from(["r1", "r2", "r3", "r4", "r5"])
_jobs = st.sampled_from(["j1", "j2", "stream"])
_times = st.integers(0, 7)


def _streaming(event: str) -> str:
    if '"name": "stream"' not in event:
        return event
    body = json.loads(event)
    body["job"]["facets"] = STREAM
    return json.dumps(body)


_engines = st.builds(lambda v: {"version": v, "name": "spark"}, st.sampled_from(["3.5", "4.0"]))
_run_events = st.builds(
    lambda engine, *event: run_event(*event, **({"processing_engine": engine} if engine else {})),
    st.none() | _engines,
    _runs, _states, _times, _jobs, _few, _few,
).map(_streaming)  # fmt: skip
_events = st.one_of(
    _run_events,
    _run_events,
    _run_events,
    st.builds(dataset_event, _times, _said),
    st.builds(job_event, _times, st.sampled_from(["j1", "j3"]), _few, _few),
)
SETTINGS = examples_in_one_database(60)


def test_writes_that_an_unknown_mode_hides_are_reported_by_their_jobs(conn: Connection) -> None:
    writes = [
        run_event(f"r{at}", "COMPLETE", at, "report", (source,), ("revenue",))
        for at, source in ((1, "rates"), (5, "orders"))
    ]
    write_events(conn, [*writes, run_event("o", "COMPLETE", 6, "other", (), (wrote("revenue"),))])
    graph = Graph.over(conn)

    def unknown(end: int) -> list[str]:
        diff = graph.dataset_diff("revenue", time(2), time(end))
        return [job.name for job in diff.unknown_modes]

    assert unknown(3) == []  # nothing is hidden yet
    assert unknown(5) == ["report"]
    assert unknown(7) == []  # an overwrite removes both
    for mode, expected in (("append", []), ("overwrite", []), ("unknown", ["report"])):
        set_mode(conn, "report", mode)
        assert unknown(5) == expected


@SETTINGS
@given(st.lists(_events, min_size=1, max_size=10), st.integers(0, 8), st.integers(0, 8))
def test_a_diff_is_that_of_the_log(
    conn: Connection, texts: list[str], start: int, end: int
) -> None:
    clear(conn)
    write_events(conn, texts)
    log, graph = Log(texts), Graph.over(conn)
    start, end = sorted((start, end))
    for key in [key[1] for key in log.graph if key[0] == "Dataset"]:
        given = graph.dataset_diff(f"{NAMESPACE}/{key[1]}", time(start), time(end))
        before, after = (made_of(log, key, _iso(time(at))) for at in (start, end))
        known = [least(made, 0) | {key: 1} for made in (before, after)]
        assert _told(given.datasets, lambda c: _name(c.dataset)) == changes(
            least(before, 0), least(after, 0)
        )
        assert _told(given.jobs, lambda c: _name(c.job)) == changes(
            least(before, 2), least(after, 2)
        )
        runs = [{k: d for k, d in made.items() if k[1]} for made in (before, after)]
        assert _told(
            given.writes,
            lambda c: (_name(c.write.dataset), c.write.run.run_id, _name(c.write.job)),
        ) == changes(*runs)
        assert given.unchanged == len(runs[0].keys() & runs[1].keys())
        assert {_name(s.dataset): _columns_of(s) for s in given.schemas} == {
            name: told
            for name in known[0].keys() & known[1].keys()
            if (told := _expected(texts, name, _iso(time(start)), _iso(time(end))))
        }


@SETTINGS
@given(st.lists(_events, min_size=1, max_size=10))
def test_two_runs_differ_as_the_log_says(conn: Connection, texts: list[str]) -> None:
    clear(conn)
    write_events(conn, texts)
    log, graph = Log(texts), Graph.over(conn)
    runs = [key[1] for key in log.graph if key[0] == "Run"]
    for one, other in product(runs, runs):
        before, after = (run_told(log, texts, run) for run in (one, other))
        assert {
            (d.part, d.dataset and _name(d.dataset), d.key): _plain(d)
            for d in graph.run_diff(one, other).differences
            if d.key in KEYS and not (d.part == "output" and d.key == "version")
        } == {
            key: (before.get(key), after.get(key))
            for key in before.keys() | after.keys()
            if before.get(key) != after.get(key)
            and (key[2] == "dataset" or _in_both(key, before, after))
        }


KEYS = ("state", "run.processing_engine.version", "dataset", "rows", "version", "written by")


def _in_both(key: Any, *told: dict[Any, Any]) -> bool:
    """Return whether both runs have the dataset: otherwise only its addition is reported."""
    return key[1] is None or all((*key[:2], "dataset") in each for each in told)


def _plain(found: Any) -> tuple[Any, Any]:
    values = found.before, found.after
    if found.key == "dataset":
        return tuple(found.dataset and value and _name(found.dataset) for value in values)
    if found.key in ("version", "written by"):
        return tuple(set(value.split(", ")) if value else None for value in values)
    return values


def _expected(texts: list[str], name: Any, start: str, end: str) -> Any:
    before, after = schema(texts, name, start), schema(texts, name, end)
    if before is None or after is None:
        return None if before is after else (before is not None, after is not None, set())
    differ = {
        (column, before.get(column), after.get(column))
        for column in before.keys() | after.keys()
        if before.get(column) != after.get(column)
    }
    return (True, True, differ) if differ else None


def _columns_of(change: Any) -> Any:
    columns = {(c.name, c.before, c.after) for c in change.columns}
    return change.before_known, change.after_known, columns


def _told(found: Any, thing: Any) -> set[Any]:
    assert len(found) == len({thing(each) for each in found})
    return {(each.change, thing(each), each.distance) for each in found}


def _name(thing: Any) -> tuple[str, str]:
    return thing.namespace, thing.name
