"""Root causes of a run that failed, was late or had a wrong result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, run_event, schema, time, wrote
from support.events.views import typed_datasets
from support.properties import examples_in_one_database
from support.reference.graph import clear
from support.reference.root_cause import Causes, below, beyond
from support.reference.run_lineage import Log

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.causes import Cause

    Connection = psycopg.Connection[Any]

STREAM = {"jobType": {"processingType": "STREAMING", "integration": "SPARK", "jobType": "QUERY"}}


def causes(conn: Connection, run: str, depth: int | None = None) -> tuple[Cause, ...]:
    return Graph.over(conn).root_cause(run, depth).causes


LOADED = run_event("load-1", "COMPLETE", 10, "load", ("raw",), (wrote("rates"),))
READS = run_event("report-1", "COMPLETE", 100, "report", ("rates",), (wrote("revenue"),))


def test_the_last_run_that_was_to_refresh_an_input_had_failed(conn: Connection) -> None:
    write_events(conn, [
        LOADED,
        run_event("load-2", "START", 50, "load", ("raw",), ("rates",)),
        run_event("load-2", "FAIL", 60, "load", errorMessage={"message": "timeout\nat x"}),
        READS,
    ])  # fmt: skip
    [cause] = causes(conn, "report-1")
    assert (cause.kind, cause.fault, cause.distance) == ("stale input", "failed", 1)
    assert cause.reader is not None
    assert cause.seen is not None
    assert [cause.run.run_id, cause.reader.run_id, cause.seen.run_id] == [
        "load-2", "report-1", "load-1",
    ]  # fmt: skip
    assert cause.reason == (
        "load should have written s3://lake/rates. It failed at 2026-01-01 00:01:00Z: timeout. Run"
        " report-1 read it at 2026-01-01 00:01:40Z, as run load-1 wrote it at"
        " 2026-01-01 00:00:10Z."
    )


def test_a_run_that_failed_before_it_reported_what_it_writes_counts_too(conn: Connection) -> None:
    write_events(conn, [LOADED, run_event("load-2", "FAIL", 60, "load"), READS])
    [cause] = causes(conn, "report-1")
    assert (cause.fault, cause.run.run_id) == ("failed", "load-2")


def test_one_that_was_to_write_something_else_is_no_cause(conn: Connection) -> None:
    write_events(conn, [LOADED, run_event("load-2", "FAIL", 60, "load", (), ("others",)), READS])
    assert causes(conn, "report-1") == ()


@pytest.mark.parametrize(
    "repair",
    [
        run_event("load-3", "COMPLETE", 70, "load", ("raw",), (wrote("rates"),)),
        run_event("by-hand", "COMPLETE", 70, "repair", ("raw",), (wrote("rates"),)),
    ],
)
def test_what_was_repaired_in_time_is_no_cause(conn: Connection, repair: str) -> None:
    write_events(
        conn, [LOADED, run_event("load-2", "FAIL", 60, "load", (), ("rates",)), repair, READS]
    )
    assert causes(conn, "report-1") == ()


def test_an_append_by_another_job_repairs_nothing(conn: Connection) -> None:
    append = run_event("more", "COMPLETE", 70, "more", (), (wrote("rates", "append"),))
    write_events(
        conn, [LOADED, run_event("load-2", "FAIL", 60, "load", (), ("rates",)), append, READS]
    )
    [cause] = causes(conn, "report-1")
    assert (cause.run.run_id, cause.seen and cause.seen.run_id) == ("load-2", "more")


@pytest.mark.parametrize(
    ("end", "fault"),
    [("COMPLETE", "running"), ("FAIL", "running"), (None, "unended"), ("ABORT", "running")],
)
def test_an_input_that_was_still_being_written(
    conn: Connection, end: str | None, fault: str
) -> None:
    events = [LOADED, run_event("load-2", "START", 50, "load", (), (wrote("rates"),)), READS]
    events += [run_event("load-2", end, 200, "load")] if end else []
    write_events(conn, events)
    [cause] = causes(conn, "report-1")
    assert (cause.kind, cause.fault) == ("stale input", fault)


def test_causes_of_a_failed_run_are_among_its_inputs(conn: Connection) -> None:
    write_events(conn, [
        LOADED,
        run_event("load-2", "ABORT", 60, "load", (), ("rates",)),
        run_event("report-1", "START", 90, "report", ("rates",), ("revenue",)),
        run_event("report-1", "FAIL", 99, "report", errorMessage={"message": "no rates of today"}),
    ])  # fmt: skip
    assert [(c.kind, c.run.run_id, c.distance) for c in causes(conn, "report-1")] == [
        ("stale input", "load-2", 1), ("failed", "report-1", 0),
    ]  # fmt: skip


def test_distant_causes_are_listed_after_near_ones(conn: Connection) -> None:
    write_events(conn, [
        run_event("pull-2", "FAIL", 5, "pull", (), ("raw",)),
        LOADED,
        run_event("load-2", "FAIL", 60, "load", (), ("rates",)),
        READS,
    ])  # fmt: skip
    assert [(c.run.run_id, c.distance) for c in causes(conn, "report-1")] == [
        ("load-2", 1), ("pull-2", 2),
    ]  # fmt: skip
    assert [c.run.run_id for c in causes(conn, "report-1", 1)] == ["load-2"]


def test_of_an_application_what_it_started_is_looked_at(conn: Connection) -> None:
    write_events(conn, [
        LOADED,
        run_event("load-2", "FAIL", 60, "load", (), ("rates",)),
        run_event("app-1", "START", 80, "app"),
        run_event("report-1", "COMPLETE", 100, "report", ("rates",), (), ("app-1", "app")),
        run_event("app-1", "COMPLETE", 110, "app"),
    ])  # fmt: skip
    assert [c.run.run_id for c in causes(conn, "app-1")] == ["load-2"]
    assert Graph.over(conn).root_cause("app-1").looked_at == 3


def daily(n: int, seconds: int, rows: int, late: int = 0, **types: str) -> list[str]:
    """Return the events of the n-th run of a job."""
    begin = 3600 * n + 600 + late
    nominal = {"nominalTime": {"nominalStartTime": time(3600 * n)}}
    written = wrote("rates", rows=rows, schema=schema(**types or {"x": "int"}))
    return [
        run_event(f"load-{n}", "START", begin, "load", **nominal),
        run_event(f"load-{n}", "COMPLETE", begin + seconds, "load", (), (written,)),
    ]


@pytest.mark.parametrize(
    ("last", "kinds"),
    [
        ({"seconds": 105, "rows": 990}, []),
        ({"seconds": 350, "rows": 990}, ["took long"]),
        ({"seconds": 100, "rows": 990, "late": 900}, ["late"]),
        ({"seconds": 100, "rows": 0}, ["few rows"]),
        ({"seconds": 100, "rows": 990, "x": "text", "y": "int"}, ["other columns"]),
        (
            {"seconds": 1900, "rows": 3, "x": "text"},
            ["took long", "late", "few rows", "other columns"],
        ),
    ],
)  # fmt: skip
def test_an_upstream_run_that_differs_from_its_predecessors_is_a_cause(
    conn: Connection, last: dict[str, Any], kinds: list[str]
) -> None:
    usual = [event for n in range(6) for event in daily(n, 100 + n, 1000 + n)]
    write_events(conn, [*usual, *daily(6, **last),
                 run_event("report-1", "COMPLETE", 7 * 3600, "report", ("rates",))])  # fmt: skip
    found = causes(conn, "report-1", 1)
    assert [(c.kind, c.run.run_id) for c in found] == [(kind, "load-6") for kind in kinds]
    assert all("load-6" not in c.reason and c.reason.endswith(".") for c in found)


def test_a_few_runs_are_no_baseline(conn: Connection) -> None:
    write_events(conn, [*(e for n in range(4) for e in daily(n, 10, 1000)), *daily(4, 3000, 0)])
    assert causes(conn, "load-4") == ()


def test_a_run_that_is_not_there_is_reported(conn: Connection) -> None:
    with pytest.raises(NotFound, match="nothing"):
        Graph.over(conn).root_cause("nothing")


def instance(run: str, state: str, at: int, region: str, index: int | None = None) -> str:
    """Return an event of a run of a loop in one application, or of an instance of a task."""
    airflow = {} if index is None else {"airflow": {"taskInstance": {"map_index": index}}}
    table = wrote("orders", "append")
    return run_event(run, state, at, "load", (region,), (table,), ("flow", "flow"), **airflow)


FLOW = run_event("flow", "START", 0, "flow")
READ = run_event("report-1", "COMPLETE", 60, "report", ("orders",), ("out",))


@pytest.mark.parametrize("index", [None, 7])
def test_a_failure_of_one_of_the_runs_of_an_execution_is_a_cause(
    conn: Connection, index: int | None
) -> None:
    """The instance after it completed; it read another file."""
    write_events(conn, [
        FLOW,
        instance("a", "COMPLETE", 10, "a", index and 1),
        instance("b", "FAIL", 20, "b", index and 2),
        instance("c", "COMPLETE", 30, "c", index and 3),
        READ,
    ])  # fmt: skip
    [cause] = causes(conn, "report-1")
    assert (cause.kind, cause.fault, cause.run.run_id) == ("stale input", "failed", "b")
    assert cause.seen is not None
    assert cause.seen.run_id == "c"


@pytest.mark.parametrize("index", [None, 7])
def test_a_retry_under_the_same_parent_repairs_a_failure(
    conn: Connection, index: int | None
) -> None:
    write_events(conn, [
        FLOW,
        instance("b", "START", 20, "b", index and 2),
        instance("b", "FAIL", 22, "b", index and 2),
        instance("c", "COMPLETE", 30, "c", index and 3),
        instance("b again", "COMPLETE", 40, "b", index and 2),
        instance("d", "COMPLETE", 45, "d", index and 4),
        READ,
    ])  # fmt: skip
    assert causes(conn, "report-1") == ()


def test_a_retry_after_the_read_repairs_nothing(conn: Connection) -> None:
    write_events(conn, [
        FLOW, instance("b", "FAIL", 20, "b"), instance("c", "COMPLETE", 30, "c"), READ,
        instance("b again", "COMPLETE", 70, "b"),
    ])  # fmt: skip
    assert [(c.fault, c.run.run_id) for c in causes(conn, "report-1")] == [("failed", "b")]


def test_a_run_of_another_execution_is_no_sibling(conn: Connection) -> None:
    """The last execution has one run, which completed."""
    other = run_event("d", "COMPLETE", 50, "load", ("d",), (wrote("orders"),), ("flow-2", "flow"))
    write_events(conn, [
        FLOW, instance("b", "FAIL", 20, "b"), instance("c", "COMPLETE", 30, "c"),
        run_event("flow-2", "START", 45, "flow"), other, READ,
    ])  # fmt: skip
    assert causes(conn, "report-1") == ()


def test_a_stream_that_failed_after_the_run_is_no_cause(conn: Connection) -> None:
    write_events(conn, [
        run_event("clicks", "START", 0, "clicks", ("topic",), ("table",), of_job=STREAM),
        run_event("clicks", "RUNNING", 1, "clicks", of_job=STREAM),
        run_event("report-1", "START", 10, "report", ("table",), ("out",)),
        run_event("report-1", "FAIL", 20, "report"),
        run_event("clicks", "ABORT", 50, "clicks", of_job=STREAM),
    ])  # fmt: skip
    assert [(c.kind, c.run.run_id) for c in causes(conn, "report-1")] == [("failed", "report-1")]
    write_events(conn, [run_event("report-2", "FAIL", 60, "report", ("table",), ("out",))])
    assert [(c.kind, c.run.run_id) for c in causes(conn, "report-2")] == [
        ("failed", "report-2"), ("aborted", "clicks"),
    ]  # fmt: skip


_names = st.sampled_from(["a", "b", "c"])
_said = st.builds(
    lambda name, mode, version: wrote(
        name, mode, **({"version": {"datasetVersion": version}} if version else {})
    ),
    _names,
    st.sampled_from(["append", "overwrite", "overwrite", "update", "drop"]),
    st.sampled_from([None, None, "1", "2"]),
)
_renamed = st.builds(lambda name, also: dataset(name, (also,)), _names, _names)
_typed = typed_datasets(_names)
_few = st.lists(_said | _said | _said | _renamed | _typed, max_size=2).map(tuple)
_states = st.sampled_from(["COMPLETE", "COMPLETE", "START", "RUNNING", "FAIL", "ABORT", None])
_jobs = st.sampled_from(["j1", "j2", "stream"])
_runs = st.sampled_from(["r1", "r2", "r3", "r4", "r5"])


def _streaming(event: str) -> str:
    if '"name": "stream"' not in event.partition('"inputs"')[0]:
        return event
    body = json.loads(event)
    if body["job"]["name"] == "stream":
        body["job"]["facets"] = STREAM
    return json.dumps(body)


_events = st.builds(
    run_event, _runs, _states, st.integers(0, 9), _jobs, _few, _few,
    st.sampled_from([None, None, None, ("r1", "j1"), ("p", "app")]),
).map(_streaming)  # fmt: skip
SETTINGS = examples_in_one_database(60)


@SETTINGS
@given(st.lists(_events, min_size=2, max_size=12))
def test_causes_are_those_that_the_log_reports(conn: Connection, texts: list[str]) -> None:
    clear(conn)
    write_events(conn, texts)
    log, graph = Log(texts), Graph.over(conn)
    for run in [key[1] for key in log.graph if key[0] == "Run"]:
        expected, found = Causes(log, texts, run), graph.root_cause(run)
        stale = [c for c in found.causes if c.kind == "stale input"]
        ended = [c for c in found.causes if c.kind in ("failed", "aborted", "not ended")]
        assert {(c.run.run_id, _key(c.job), _key(c.dataset), c.fault): c.distance for c in stale} \
            == expected.stale()  # fmt: skip
        assert {(c.kind, c.run.run_id, _key(c.job)): c.distance for c in ended} \
            == expected.ended_badly()  # fmt: skip
        assert found.looked_at == len({who for who, _ in expected.behind} or {run})
        assert len(stale) + len(ended) == len(expected.stale()) + len(expected.ended_badly())
        ranks = [(_RANKS.index(c.kind), c.distance) for c in found.causes]
        assert ranks == sorted(ranks)
        assert all(c.reason for c in found.causes)


_RANKS = ["stale input", "failed", "aborted", "not ended"]


@SETTINGS
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 60)), min_size=4, max_size=24),
    st.tuples(st.integers(0, 1500), st.integers(0, 60)),
)
def test_unlike_is_what_is_beyond_median_and_spread(
    conn: Connection, before: list[tuple[int, int]], last: tuple[int, int]
) -> None:
    clear(conn)
    runs = [*before, last]
    write_events(conn, [
        event
        for n, (seconds, rows) in enumerate(runs)
        for event in (
            run_event(f"r{n}", "START", 3000 * n, "j",
                      nominalTime={"nominalStartTime": time(3000 * n - 2 * rows if n else 0)}),
            run_event(f"r{n}", "COMPLETE", 3000 * n + seconds, "j", (), (wrote("a", rows=rows),)),
        )
    ])  # fmt: skip
    found = {cause.kind for cause in causes(conn, f"r{len(before)}")}
    newest_first = before[::-1]
    delays = [seconds + 2 * rows * (n > 0) for n, (seconds, rows) in enumerate(runs)]
    assert found == {
        kind
        for kind, is_told in {
            "took long": beyond(last[0], [float(s) for s, _ in newest_first], 60),
            "late": beyond(delays[-1], [float(d) for d in delays[-2::-1]], 60),
            "few rows": below(last[1], [float(rows) for _, rows in newest_first]),
        }.items()
        if is_told
    }


def _key(thing: Any) -> tuple[str, str]:
    return thing.namespace, thing.name


def test_jobs_of_one_run_are_sorted_by_name(conn: Connection) -> None:
    """And not in the order in which they were written."""
    write_events(conn, [run_event("r", "FAIL", 1, job, writes=("a",)) for job in ("z", "b", "m")])
    causes = Graph.over(conn).root_cause("r").causes
    assert [cause.job.name for cause in causes] == ["b", "m", "z"]
