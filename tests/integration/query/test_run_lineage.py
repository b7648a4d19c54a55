"""Run lineage, and the lineage of a dataset as of a time."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import (
    NAMESPACE,
    dataset,
    derived,
    job_event,
    renamed,
    run_event,
    time,
)
from support.events.views import typed_datasets
from support.properties import examples_in_one_database
from support.reference.graph import _iso, clear
from support.reference.run_lineage import Dependency, Log, Step

from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.run_records import RunLineage

    Connection = psycopg.Connection[Any]

STREAM = {"jobType": {"processingType": "STREAMING", "integration": "SPARK", "jobType": "QUERY"}}


def wrote(
    name: str, mode: str | None = None, version: str | None = None, *versions: str
) -> dict[str, Any]:
    """Return a dataset as reported by a run that wrote in this mode, or read these versions.

    A mode in upper case is a lifecycle change.
    """
    facets: dict[str, Any] = {}
    if mode and mode.isupper():
        facets["lifecycleStateChange"] = {"lifecycleStateChange": mode}
    elif mode:
        facets["outputFacets"] = {"lineage_write": {"mode": mode}}
    if version:
        facets["version"] = {"datasetVersion": version}
    if versions:
        facets["lineage_versions"] = {"versions": list(versions)}
    return dataset(name, **facets)


def sources(conn: Connection, statement: str, *values: object) -> set[Any]:
    """Return ``reader, dataset, writer, exact`` of each run dependency."""
    rows = conn.execute(f"SELECT run, name, source_run, exact FROM {statement}", values)
    return set(rows.fetchall())


def test_a_read_sees_the_last_overwrite_before_it_and_the_appends_since(conn: Connection) -> None:
    write_events(
        conn,
        [
            run_event("old", "COMPLETE", 1, "o", ("a",), (wrote("b", "append"),)),
            run_event("full", "COMPLETE", 2, "f", ("a",), (wrote("b", "overwrite"),)),
            run_event("more", "COMPLETE", 3, "m", ("x",), (wrote("b", "append"),)),
            run_event("reader", "START", 4, "r", ("b",), (wrote("c", "overwrite"),)),
            run_event("late", "COMPLETE", 5, "l", ("a",), (wrote("b", "overwrite"),)),
            run_event("reader", "COMPLETE", 6, "r", ("b",), (wrote("c", "overwrite"),)),
        ],
    )
    assert sources(conn, "lineage.upstream_runs('reader')") == {
        ("reader", "b", "full", False),
        ("reader", "b", "more", False),
        ("full", "a", None, None),
        ("more", "x", None, None),
    }
    assert sources(conn, "lineage.dataset_lineage_at('b', %s, 1)", time(5)) == {
        (None, "b", "late", False)
    }
    assert sources(conn, "lineage.dataset_lineage_at('b', %s)", time(0)) == set()


def test_a_renamed_dataset_has_its_rows_from_its_old_name(conn: Connection) -> None:
    events = [
        run_event("load", "COMPLETE", 1, "l", ("raw",), ("old",)),
        run_event("rename", "COMPLETE", 2, "r", (), (dataset("new", **renamed("old")),)),
        run_event("report", "COMPLETE", 3, "p", ("new",), ("report",)),
    ]
    write_events(conn, events)
    assert sources(conn, "lineage.upstream_runs('report')") == {
        ("report", "new", "rename", False),
        ("rename", "old", "load", False),
        ("load", "raw", None, None),
    }


def test_a_version_that_both_state_goes_before_the_time(conn: Connection) -> None:
    write_events(
        conn,
        [
            run_event("v1", "COMPLETE", 1, "w", ("a",), (wrote("b", "overwrite", "1"),)),
            run_event("v2", "COMPLETE", 2, "w", ("a",), (wrote("b", "overwrite", "2"),)),
            run_event("travels", "COMPLETE", 3, "t", (wrote("b", version="1"),), ("c",)),
        ],
    )
    assert sources(conn, "lineage.upstream_runs('travels', 1)") == {("travels", "b", "v1", True)}


def test_a_read_of_several_versions_sees_the_writes_of_each(conn: Connection) -> None:
    """A join of Metaflow reads the tasks of its run, whatever other runs wrote meanwhile."""
    parts = ("1/a", "1/b")
    write_events(
        conn,
        [
            run_event("task a", "COMPLETE", 1, "w", ("a",), (wrote("b", None, "1/a"),)),
            run_event("other run", "COMPLETE", 2, "w", ("a",), (wrote("b", None, "2/a"),)),
            run_event("task b", "COMPLETE", 3, "w", ("a",), (wrote("b", None, "1/b"),)),
            run_event("other run 2", "COMPLETE", 4, "w", ("a",), (wrote("b", None, "2/b"),)),
            run_event("join", "COMPLETE", 5, "j", (wrote("b", None, "1/b", *parts),), ("c",)),
        ],
    )
    seen = {("join", "b", "task a", True), ("join", "b", "task b", True)}
    assert sources(conn, "lineage.upstream_runs('join', 1)") == seen
    for task in ("task a", "task b"):
        readers = conn.execute("SELECT run, exact FROM lineage.downstream_runs(%s)", (task,))
        assert readers.fetchall() == [("join", True)]
    for other in ("other run", "other run 2"):
        readers = conn.execute("SELECT run, exact FROM lineage.downstream_runs(%s)", (other,))
        assert readers.fetchall() == []


def test_what_had_not_happened_when_it_was_read_is_no_source(conn: Connection) -> None:
    """a fed b after b was read: the current graph has a path from a to c, but no data took it."""
    write_events(
        conn,
        [
            run_event("second", "COMPLETE", 1, "s", ("b",), ("c",)),
            run_event("first", "COMPLETE", 2, "f", ("a",), ("b",)),
        ],
    )
    assert sources(conn, "lineage.dataset_lineage_at('c', %s)", time(9)) == {
        (None, "c", "second", False),
        ("second", "b", None, None),
    }


@pytest.mark.parametrize(
    ("end", "seen"),
    [("COMPLETE", set()), ("FAIL", set()), (None, set())],
)
def test_a_batch_that_runs_has_written_nothing_yet(
    conn: Connection, end: str | None, seen: set[str]
) -> None:
    events = [run_event("runs", "START", 1, "w", ("a",), ("b",))]
    if end:
        events.append(run_event("runs", end, 5, "w"))
    write_events(conn, events)
    assert sources(conn, "lineage.dataset_lineage_at('b', %s)", time(3)) == seen


def test_a_stream_that_runs_has_written_what_it_had(conn: Connection) -> None:
    started = run_event("s", "START", 1, "stream", ("a",), ("b",))
    write_events(
        conn, [_streaming(started), run_event("s", "RUNNING", 7, "stream", ("a",), ("b",))]
    )
    for at in (3, 7, 9):
        assert sources(conn, "lineage.dataset_lineage_at('b', %s, 1)", time(at)) == {
            (None, "b", "s", False)
        }


@pytest.mark.parametrize("processing", ["STREAMING", "Service"])
@pytest.mark.parametrize("end", ["ABORT", "FAIL"])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_a_stream_of_another_producer_fed_what_it_fed_before_it_ended(
    conn: Connection, processing: str, end: str, order: tuple[int, ...]
) -> None:
    """As Flink reports it: START has job type and datasets, RUNNING the checkpoints.

    A service, as of Kafka Streams, has no natural end either.
    """
    lineage = derived(("y", "a", "x"))
    start = run_event("s", "START", 1, "flink", ("a",), (dataset("b", columnLineage=lineage),))
    events = [
        _streaming(start, processing),
        run_event("s", "RUNNING", 5, "flink"),
        run_event("s", end, 9, "flink"),
    ]
    for at in order:
        write_events(conn, [events[at], events[at]])
    graph = Graph.over(conn)
    assert [d.name for d in graph.upstream("b").datasets] == ["a"]
    assert [c.name for c in graph.column_lineage("b", "y").columns] == ["x"]
    for at in (3, 9, 12):
        assert sources(conn, "lineage.dataset_lineage_at('b', %s, 1)", time(at)) == {
            (None, "b", "s", False)
        }
    assert [a.access_kind for a in graph.run("s").accesses] == ["read", "wrote"]


@pytest.mark.parametrize("missing", ["RUNNING", "STREAMING"])
def test_what_never_ran_or_is_no_stream_fed_nothing_where_it_failed(
    conn: Connection, missing: str
) -> None:
    start = run_event("s", "START", 1, "flink", ("a",), ("b",))
    events = [start if missing == "STREAMING" else _streaming(start)]
    events += [run_event("s", "RUNNING", 5, "flink")] * (missing != "RUNNING")
    write_events(conn, [*events, run_event("s", "FAIL", 9, "flink")])
    assert Graph.over(conn).upstream("b").datasets == ()
    assert sources(conn, "lineage.dataset_lineage_at('b', %s, 1)", time(12)) == set()


def _streaming(event: str, processing: str = "STREAMING") -> str:
    body = json.loads(event)
    body["job"]["facets"] = {"jobType": {**STREAM["jobType"], "processingType": processing}}
    return json.dumps(body)


def test_a_newer_write_of_the_same_job_hides_writes_of_unknown_mode(
    conn: Connection,
) -> None:
    """A daily job reports no mode: its newest write is visible, earlier ones may be visible."""
    write_events(
        conn,
        [
            run_event("mon", "COMPLETE", 1, "daily", ("a",), ("b",)),
            run_event("other", "COMPLETE", 2, "beside", ("x",), ("b",)),
            run_event("tue", "COMPLETE", 3, "daily", ("a",), ("b",)),
            run_event("reader", "START", 4, "r", ("b",), ("c",)),
            run_event("wed", "COMPLETE", 5, "daily", ("a",), ("b",)),
        ],
    )
    assert sources(conn, "lineage.upstream_runs('reader', 1)") == {
        ("reader", "b", "tue", False),
        ("reader", "b", "other", False),
    }
    assert sources(conn, "lineage.upstream_runs('reader', 1, true)") == {
        ("reader", "b", "mon", False),
        ("reader", "b", "tue", False),
        ("reader", "b", "other", False),
    }
    assert {link.reader for link in _readers(conn, "mon")} == set()
    assert {link.reader for link in _readers(conn, "mon", perhaps=True)} == {"reader"}
    assert {link.reader for link in _readers(conn, "tue")} == {"reader"}


@pytest.mark.parametrize("evidence", ["append", "update", "overwrite_partitions"])
def test_what_a_job_reported_once_holds_for_all_its_runs(conn: Connection, evidence: str) -> None:
    """This includes failed and later runs."""
    first = run_event("mon", "COMPLETE", 1, "daily", ("a",), ("b",))
    second = run_event("tue", "COMPLETE", 3, "daily", ("a",), ("b",))
    write_events(conn, [first, second])
    at = "lineage.dataset_lineage_at('b', %s, 1)"
    assert sources(conn, at, time(4)) == {(None, "b", "tue", False)}
    write_events(conn, [run_event("wed", "FAIL", 9, "daily", ("a",), (wrote("b", evidence),))])
    assert sources(conn, at, time(4)) == {(None, "b", "mon", False), (None, "b", "tue", False)}


def test_of_a_job_that_replaced_it_once_nothing_follows_for_others(conn: Connection) -> None:
    """A producer that reports only OVERWRITE reports no mode of appends: other data may remain."""
    write_events(
        conn,
        [
            run_event("other", "COMPLETE", 1, "beside", ("x",), ("b",)),
            run_event("full", "COMPLETE", 2, "daily", ("a",), (wrote("b", "overwrite"),)),
            run_event("more", "COMPLETE", 3, "beside", ("x",), ("b",)),
            run_event("next", "COMPLETE", 4, "daily", ("a",), ("b",)),
        ],
    )
    at = "lineage.dataset_lineage_at('b', %s, 1)"
    assert sources(conn, at, time(3)) == {(None, "b", "full", False), (None, "b", "more", False)}
    assert sources(conn, at, time(5)) == {(None, "b", "next", False), (None, "b", "more", False)}


def setting(at: int, job: str, mode: str | None = None, **datasets: str) -> str:
    """Return a setting of the write modes of a job and its datasets."""
    named = [{"namespace": NAMESPACE, "name": name, "mode": of} for name, of in datasets.items()]
    facet = {"mode": mode, "datasets": named}
    return job_event(at, job, lineage_write_modes={k: v for k, v in facet.items() if v})


SILENT = [
    run_event("mon", "COMPLETE", 1, "daily", ("a",), ("b",)),
    run_event("other", "COMPLETE", 2, "beside", ("x",), ("b",)),
    run_event("tue", "COMPLETE", 3, "daily", ("a",), ("b",)),
]


def _there(*runs: str) -> set[Any]:
    return {(None, "b", run, False) for run in runs}


@pytest.mark.parametrize(
    ("set_as", "sure", "perhaps"),
    [
        (setting(9, "daily", "append"), ("mon", "other", "tue"), ("mon", "other", "tue")),
        (setting(9, "daily", "overwrite"), ("tue",), ("tue",)),
        (setting(9, "daily", "unknown"), ("other", "tue"), ("mon", "other", "tue")),
        (setting(9, "daily", c="overwrite"), ("other", "tue"), ("mon", "other", "tue")),
        (setting(9, "daily", b="overwrite"), ("tue",), ("tue",)),
        (setting(9, "daily", "append", b="overwrite"), ("tue",), ("tue",)),
        (setting(9, "daily", "overwrite", b="unknown"), ("other", "tue"), ("mon", "other", "tue")),
        (setting(9, "daily", "no mode"), ("other", "tue"), ("mon", "other", "tue")),
    ],
)
def test_a_setting_applies_to_writes_of_unreported_mode(
    conn: Connection, set_as: str, sure: tuple[str, ...], perhaps: tuple[str, ...]
) -> None:
    """It applies to earlier and later runs of the job, and to its dataset."""
    write_events(conn, [set_as, *SILENT])
    at = "lineage.dataset_lineage_at('b', %s, 1"
    assert sources(conn, f"{at})", time(4)) == _there(*sure)
    assert sources(conn, f"{at}, true)", time(4)) == _there(*perhaps)


def test_the_newest_setting_withdraws_an_earlier_one(conn: Connection) -> None:
    at = "lineage.dataset_lineage_at('b', %s, 1)"
    write_events(conn, [*SILENT, setting(9, "daily", "unknown"), setting(8, "daily", "overwrite")])
    assert sources(conn, at, time(4)) == _there("other", "tue")


@pytest.mark.parametrize("order", [1, -1])
def test_a_reported_mode_has_precedence_over_a_setting(conn: Connection, order: int) -> None:
    """Reported modes take precedence: of the write itself, and an append of the dataset."""
    events = [
        run_event("old", "COMPLETE", 1, "daily", ("a",), ("b",)),
        run_event("full", "COMPLETE", 2, "daily", ("a",), (wrote("b", "overwrite"),)),
        run_event("next", "COMPLETE", 3, "daily", ("a",), ("b",)),
        setting(9, "daily", "append"),
    ]
    at = "lineage.dataset_lineage_at('b', %s, 1)"
    write_events(conn, events[::order])
    assert sources(conn, at, time(4)) == _there("full", "next")
    write_events(conn, [setting(10, "daily", "overwrite")])
    assert sources(conn, at, time(4)) == _there("next")
    write_events(conn, [run_event("more", "COMPLETE", 5, "daily", ("a",), (wrote("b", "append"),))])
    assert sources(conn, at, time(4)) == _there("full", "next")


def test_a_dataset_of_several_names_is_as_it_was_set_for_one(conn: Connection) -> None:
    named = run_event("mon", "COMPLETE", 1, "daily", ("a",), (dataset("b", ("alias",)),))
    write_events(conn, [*SILENT[1:], named, setting(9, "daily", alias="overwrite")])
    assert sources(conn, "lineage.dataset_lineage_at('b', %s, 1)", time(4)) == _there("tue")


def test_what_a_set_overwrite_replaced_is_not_stale(conn: Connection) -> None:
    """The data of the failed run had been overwritten before the read."""
    write_events(
        conn,
        [
            run_event("fails", "START", 1, "w", (), ("b",)),
            run_event("fails", "FAIL", 2, "w", (), ("b",)),
            run_event("full", "COMPLETE", 3, "daily", ("a",), (dataset("b", ("alias",)),)),
            run_event("reader", "START", 4, "r", ("b",), ("c",)),
            run_event("reader", "FAIL", 5, "r", ("b",), ("c",)),
        ],
    )
    stale = (
        "SELECT r.run_id FROM lineage.run asked, lineage.stale_inputs(asked.id) AS s"
        " JOIN lineage.run r ON r.id = s.run WHERE asked.run_id = 'reader'"
    )
    assert conn.execute(stale).fetchall() == [("fails",)]
    write_events(conn, [setting(9, "daily", "overwrite")])
    assert conn.execute(stale).fetchall() == []


_names = st.sampled_from(["a", "b", "c", "d"])
_modes = st.sampled_from(
    [None, None, None, None, "append", "overwrite", "create", "update", "alter", "truncate",
     "drop", "rename", "OVERWRITE", "OVERWRITE"]
)  # fmt: skip
_versions = st.sampled_from([None, None, "1", "2"])
_said = st.builds(wrote, _names, _modes, _versions) | st.builds(
    lambda name, versions: wrote(name, None, versions[0], *versions),
    _names, st.lists(st.sampled_from(["1", "2", "3"]), min_size=1, max_size=3),
)  # fmt: skip
_renamed = st.builds(lambda name, also: dataset(name, (also,)), _names, _names)
_typed = typed_datasets(_names)
_few = st.lists(_said | _said | _said | _renamed | _typed, max_size=2).map(tuple)
_states = st.sampled_from(
    ["COMPLETE", "COMPLETE", "COMPLETE", "START", "RUNNING", "RUNNING", "FAIL", "ABORT", None]
)
_runs = st.sampled_from(["r1", "r2", "r3", "r4", "r5"])
# Reads of some seconds, and of hours.
_times = st.integers(0, 8) | st.integers(0, 8).map(lambda at: at * 2_000)
_jobs = st.sampled_from(["j1", "j2", "stream"])
_parents = st.sampled_from([None, ("p1", "dag"), ("p1", "dag"), ("p2", "dag")])
_ran = st.builds(run_event, _runs, _states, _times, _jobs, _few, _few, _parents).map(
    lambda event: _streaming(event) if '"name": "stream"' in event else event
)
_set_to = st.sampled_from(
    ["append", "overwrite", "overwrite", "overwrite_partitions", "overwrite_partitions", "unknown"]
)
_settings = st.builds(
    lambda at, job, mode, datasets: setting(at, job, mode, **datasets),
    _times, _jobs, st.none() | _set_to, st.dictionaries(_names, _set_to, max_size=2),
)  # fmt: skip
_designs = st.builds(job_event, _times, _jobs, _few, _few)
_events = _ran | _ran | _ran | _ran | _settings | _designs
SETTINGS = examples_in_one_database(120)


@SETTINGS
@given(st.lists(_events, min_size=1, max_size=10), _times)
def test_links_are_those_that_the_log_reports(conn: Connection, texts: list[str], at: int) -> None:
    clear(conn)
    write_events(conn, texts)
    log = Log(texts)
    for key in log.graph:
        if key[0] == "Run":
            for perhaps in (False, True):
                given = _dependencies(conn, "lineage.upstream_runs(%s, NULL, %s)", key[1], perhaps)
                assert given == log.behind_run(key[1], perhaps=perhaps), key[1]
                readers = _readers(conn, key[1], perhaps=perhaps)
                assert readers == log.from_run(key[1], perhaps=perhaps), key[1]
        elif key[0] == "Dataset":
            name = f"{NAMESPACE}/{key[1][1]}"
            for perhaps in (False, True):
                call = "lineage.dataset_lineage_at(%s, %s, NULL, %s)"
                given = _dependencies(conn, call, name, time(at), perhaps)
                assert given == log.behind(key[1], _iso(time(at)), perhaps=perhaps), name


@SETTINGS
@given(st.lists(_events, min_size=1, max_size=10), st.booleans())
def test_readers_of_a_run_are_the_reverse_of_the_sources_of_a_run(
    conn: Connection, texts: list[str], perhaps: bool
) -> None:
    clear(conn)
    write_events(conn, texts)
    upstream, downstream = (
        conn.execute(
            "SELECT l.run, l.namespace, l.name, l.version, l.source_run, l.written, l.exact"
            f" FROM lineage.run r CROSS JOIN LATERAL lineage.{function}(r.run_id, 1, %s) AS l"
            " WHERE l.source_run IS NOT NULL", (perhaps,),
        ).fetchall()
        for function in ("upstream_runs", "downstream_runs")
    )  # fmt: skip
    assert Counter(downstream) == Counter(upstream)


@SETTINGS
@given(
    st.lists(_events, min_size=1, max_size=10),
    _times,
    st.none() | st.integers(1, 2),
    st.booleans(),
)
def test_steps_from_job_to_job_are_those_that_the_log_reports(
    conn: Connection, texts: list[str], at: int, depth: int | None, perhaps: bool
) -> None:
    clear(conn)
    write_events(conn, texts)
    log = Log(texts)
    asked = depth, perhaps
    for key in log.graph:
        if key[0] == "Run":
            run = "(SELECT id FROM lineage.run WHERE run_id = %s)"
            behind = _steps(conn, f"lineage.run_job_steps({run}, %s, %s)", key[1], *asked)
            assert behind == log.steps_of_run(key[1], depth, perhaps=perhaps), key[1]
            ahead = _steps(conn, f"lineage.job_steps_downstream({run}, %s, %s)", key[1], *asked)
            assert ahead == log.steps_from(key[1], depth, perhaps=perhaps), key[1]
        elif key[0] == "Dataset":
            call = "lineage.job_steps_at(lineage.dataset_id(%s), %s, %s, %s)"
            found = _steps(conn, call, f"{NAMESPACE}/{key[1][1]}", time(at), *asked)
            assert found == log.steps_at(key[1], _iso(time(at)), depth, perhaps=perhaps), key[1]


def _steps(conn: Connection, call: str, *values: object) -> set[Step]:
    rows = conn.execute(
        "SELECT s.distance, i.namespace, i.name, d.namespace, d.name, o.namespace, o.name, s.runs,"
        f" s.perhaps, s.first, s.last, s.since FROM {call} AS s"
        " JOIN lineage.dataset d ON d.id = s.dataset"
        " LEFT JOIN lineage.job i ON i.id = s.reader_job"
        " LEFT JOIN lineage.job o ON o.id = s.writer_job",
        values,
    ).fetchall()
    for *_, runs, perhaps, first, last, since in rows:
        assert (first is None, last is None, since is None) == (not runs, not runs, not perhaps)
        assert not runs or first <= last
    return {
        Step(row[0], *(tuple(row[n : n + 2]) if row[n] else None for n in (1, 3, 5)), *row[7:9])  # type: ignore[arg-type]
        for row in rows
    }


def test_downstream_runs_are_followed_from_run_to_run(conn: Connection) -> None:
    write_events(
        conn,
        [
            run_event("bad", "COMPLETE", 1, "w", (), (wrote("a", "overwrite"),)),
            run_event("reader", "COMPLETE", 2, "r", ("a",), (wrote("b", "overwrite"),)),
            run_event("fails", "FAIL", 3, "f", ("a",), (wrote("c"),)),
            run_event("good", "COMPLETE", 4, "w", (), (wrote("a", "overwrite"),)),
            run_event("later", "COMPLETE", 5, "r", ("a",), (wrote("d"),)),
            run_event("far", "COMPLETE", 6, "x", ("b", "c")),
        ],
    )
    found = Graph.over(conn).run_lineage("bad", "downstream")
    assert [
        (e.distance, e.writer and e.writer.run_id, e.dataset.name, e.reader and e.reader.run_id)
        for e in found.dependencies
    ] == [(1, "bad", "a", "fails"), (1, "bad", "a", "reader"), (2, "reader", "b", "far")]
    assert [e.job and e.job.name for e in found.dependencies] == ["f", "r", "x"]
    assert len(Graph.over(conn).run_lineage("bad", "downstream", 1).dependencies) == 2
    assert Graph.over(conn).run_lineage("far", "downstream").dependencies == ()


def counted(name: str, read: int | None = None, written: int | None = None) -> dict[str, Any]:
    """Return a dataset of which a run reports numbers of rows."""
    facets = {
        "inputFacets": ("inputStatistics", read),
        "outputFacets": ("outputStatistics", written),
    }
    return dataset(
        name,
        **{
            place: {facet: {"rowCount": rows}}
            for place, (facet, rows) in facets.items()
            if rows is not None
        },
    )


def test_each_run_has_its_job_and_its_numbers_of_rows(conn: Connection) -> None:
    most = 2**63 - 1
    write_events(
        conn,
        [
            run_event("w1", "COMPLETE", 1, "one", (counted("x", 5), counted("y", 2)),
                      (counted("a", written=0),)),
            run_event("w2", "COMPLETE", 2, "two", ("z",),
                      (counted("b", written=most), counted("c", written=most))),
            run_event("r", "START", 3, "reader", ("a", "b"), ("d",)),
        ],
    )  # fmt: skip
    graph = Graph.over(conn)

    def volumes(lineage: RunLineage) -> list[Any]:
        return [
            (each.run_id, each.job and each.job.name, each.rows_read, each.rows_written)
            for each in lineage.volumes
        ]

    first = ("w1", "one", 7, 0)
    second = ("w2", "two", None, None)  # the sum is no bigint
    assert volumes(graph.run_lineage("r")) == [("r", "reader", None, None), first, second]
    assert volumes(graph.run_lineage("r", limit=1)) == [("r", "reader", None, None), first]
    assert volumes(graph.run_lineage("w2", "downstream")) == [
        second, ("r", "reader", None, None)
    ]  # fmt: skip
    assert volumes(graph.dataset_lineage_at("a")) == [first]
    assert volumes(graph.run_lineage("w2", limit=1)) == [second]


def test_a_read_of_hours_saw_the_write_that_it_began_after(conn: Connection) -> None:
    """Both reads of "first" began before two others replaced it; one ended hours after them."""
    hour = 3_600
    write_events(
        conn,
        [
            run_event("first", "COMPLETE", 1, "w", (), (wrote("a", "overwrite"),)),
            run_event("long", "START", 2, "l", ("a",), ("b",)),
            run_event("short", "COMPLETE", 3, "s", ("a",), ("c",)),
            run_event("second", "COMPLETE", 4, "w", (), (wrote("a", "overwrite"),)),
            run_event("third", "COMPLETE", 5, "w", (), (wrote("a", "overwrite"),)),
            run_event("late", "COMPLETE", 5 * hour, "s", ("a",), ("c",)),
            run_event("long", "COMPLETE", 6 * hour, "l", ("a",), ("b",)),
        ],
    )
    assert {link.reader for link in _readers(conn, "first")} == {"long", "short"}
    assert {link.reader for link in _readers(conn, "third")} == {"late"}


def test_a_version_is_read_after_others_have_replaced_it(conn: Connection) -> None:
    """Two runs replaced the data of "v1"; "travels" reads that version, "late" does not."""
    write_events(
        conn,
        [run_event(f"v{n}", "COMPLETE", n, "w", (), (wrote("b", "overwrite", f"{n}"),))
         for n in (1, 2, 3)] + [
            run_event("travels", "COMPLETE", 8, "t", (wrote("b", version="1"),), ("c",)),
            run_event("late", "COMPLETE", 9, "t", ("b",), ("c",)),
        ],
    )  # fmt: skip
    assert {link.reader for link in _readers(conn, "v1")} == {"travels"}
    assert {link.reader for link in _readers(conn, "v3")} == {"late"}


def test_a_version_may_have_any_length(conn: Connection) -> None:
    """Three versions that differ at their end, longer than a key of an index may be."""
    long = "".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(200))
    write_events(
        conn,
        [run_event(f"w{n}", "COMPLETE", n, "w", (), (wrote("b", "append", f"{long}{n}"),))
         for n in (1, 2, 3)] + [
            run_event("two", "COMPLETE", 8, "r", (wrote("b", version=f"{long}2"),)),
            run_event("none", "COMPLETE", 9, "n", (wrote("b", version=long),)),
        ],
    )  # fmt: skip
    assert sources(conn, "lineage.upstream_runs('two')") >= {("two", "b", "w2", True)}
    exact = {n: {link.reader for link in _readers(conn, f"w{n}") if link.exact} for n in (1, 2, 3)}
    assert exact == {1: set(), 2: {"two"}, 3: set()}


def _readers(conn: Connection, run: str, *, perhaps: bool = False) -> set[Dependency]:
    rows = conn.execute(
        "SELECT distance, run, namespace, name, version, source_run, exact"
        " FROM lineage.downstream_runs(%s, NULL, %s)", (run, perhaps),
    ).fetchall()  # fmt: skip
    return {Dependency(row[0], row[1], (row[2], row[3]), *row[4:7]) for row in rows}


def _dependencies(conn: Connection, call: str, *values: object) -> set[Dependency]:
    rows = conn.execute(
        f"SELECT distance, run, namespace, name, version, source_run, exact, written FROM {call}",
        values,
    ).fetchall()
    for *_, written in rows:
        assert written is None or isinstance(written, datetime)
    return {Dependency(row[0], row[1], (row[2], row[3]), *row[4:7]) for row in rows}
