"""The comparison of two times is that of the writes visible at each of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, run_event, time
from support.events.views import typed_datasets
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

APART = """
SELECT m.dataset, m.run, m.job, max(m.written), bool_or(m.exact),
       min(m.distance) FILTER (WHERE NOT m.later), min(m.distance) FILTER (WHERE m.later)
FROM (SELECT *, false AS later
      FROM lineage.visible_writes_of_dataset(%(root)s, %(start)s, %(depth)s)
      UNION ALL
      SELECT *, true FROM lineage.visible_writes_of_dataset(%(root)s, %(end)s, %(depth)s)) AS m
GROUP BY m.dataset, m.run, m.job
"""
TOGETHER = """
SELECT dataset, run, job, written, exact, before, after
FROM lineage.compare_visible_writes(%(root)s, %(start)s, %(end)s, %(depth)s)
"""


def wrote(name: str, mode: str | None, version: str | None = None) -> dict[str, Any]:
    facets: dict[str, Any] = {"version": {"datasetVersion": version}} if version else {}
    said = {"outputFacets": {"lineage_write": {"mode": mode}}} if mode else {}
    return dataset(name, **said, **facets)


def of_job(event: str, facets: dict[str, Any]) -> str:
    body = json.loads(event)
    body["job"]["facets"] = facets
    return json.dumps(body)


def streaming(event: str) -> str:
    if '"name": "stream"' not in event:
        return event
    return of_job(event, {"jobType": {"processingType": "STREAMING", "integration": "SPARK"}})


def setting(event: str, mode: str) -> str:
    return of_job(event, {"lineage_write_modes": {"mode": mode}})


def told(conn: Connection, **asked: object) -> set[Any]:
    """Return the comparison, after checking it against the walks of the two times."""
    apart, together = (conn.execute(q, asked).fetchall() for q in (APART, TOGETHER))
    assert len(together) == len(set(together))
    assert set(together) == set(apart)
    return set(together)


def seen(conn: Connection, name: str, start: int, end: int) -> dict[str, tuple[Any, Any]]:
    """Return the distances of the runs upstream of a dataset, before and after."""
    [(root,)] = conn.execute("SELECT canonical FROM lineage.dataset WHERE name = %s", (name,))
    rows = told(conn, root=root, start=time(start), end=time(end), depth=None)
    names = dict(conn.execute("SELECT id, run_id FROM lineage.run").fetchall())
    return {names[run]: (before, after) for _, run, *_, before, after in rows if run}


def test_the_newest_write_is_seen_alone_if_it_replaced_the_others(conn: Connection) -> None:
    write_events(conn, [
        run_event("old", "COMPLETE", 1, "load", ("raw",), (wrote("a", "overwrite"),)),
        run_event("new", "COMPLETE", 5, "load", ("raw",), (wrote("a", "overwrite"),)),
        run_event("first", "COMPLETE", 2, "copy", ("a",), (wrote("b", "overwrite"),)),
        run_event("second", "COMPLETE", 6, "copy", ("a",), (wrote("b", "overwrite"),)),
    ])  # fmt: skip
    assert seen(conn, "b", 3, 7) == {
        "old": (2, None), "first": (1, None), "new": (None, 2), "second": (None, 1),
    }  # fmt: skip
    assert seen(conn, "b", 3, 4) == {"old": (2, 2), "first": (1, 1)}


@pytest.mark.parametrize("state", ["RUNNING", "FAIL"])
def test_a_newest_write_that_is_not_there_hides_nothing(conn: Connection, state: str) -> None:
    write_events(conn, [
        run_event("old", "COMPLETE", 1, "load", (), (wrote("a", "overwrite"),)),
        run_event("new", state, 5, "load", (), (wrote("a", "overwrite"),)),
        run_event("reader", "COMPLETE", 6, "copy", ("a",), (wrote("b", "overwrite"),)),
    ])  # fmt: skip
    assert seen(conn, "b", 3, 7) == {"old": (None, 2), "reader": (None, 1)}


def test_writes_of_one_time_are_seen_together(conn: Connection) -> None:
    write_events(conn, [
        run_event("old", "COMPLETE", 1, "load", (), (wrote("a", "overwrite"),)),
        run_event("one", "COMPLETE", 5, "load", (), (wrote("a", "overwrite"),)),
        run_event("other", "COMPLETE", 5, "add", (), (wrote("a", "append"),)),
        run_event("reader", "COMPLETE", 6, "copy", ("a",), (wrote("b", "overwrite"),)),
    ])  # fmt: skip
    assert seen(conn, "b", 0, 7) == {"one": (None, 2), "other": (None, 2), "reader": (None, 1)}


def test_a_run_does_not_see_what_it_writes(conn: Connection) -> None:
    write_events(conn, [
        run_event(f"r{n}", "COMPLETE", n, "merge", ("a",), (wrote("a", "overwrite"),))
        for n in (1, 2, 3)
    ])  # fmt: skip
    assert seen(conn, "a", 2, 3) == {"r1": (2, 3), "r2": (1, 2), "r3": (None, 1)}


def test_a_run_may_be_upstream_at_other_distances(conn: Connection) -> None:
    write_events(conn, [
        run_event("load", "COMPLETE", 1, "load", ("raw",), (wrote("a", "overwrite"),)),
        run_event("short", "COMPLETE", 2, "short", ("a",), (wrote("c", "overwrite"),)),
        run_event("step", "COMPLETE", 3, "step", ("a",), (wrote("b", "overwrite"),)),
        run_event("long", "COMPLETE", 4, "long", ("b",), (wrote("c", "overwrite"),)),
    ])  # fmt: skip
    assert seen(conn, "c", 2, 4) == {
        "load": (2, 3), "short": (1, None), "step": (None, 2), "long": (None, 1),
    }  # fmt: skip


_names = st.sampled_from("abcde")
_modes = st.sampled_from(
    ["overwrite"] * 6 + ["append", "append", "create", "alter", "drop", "truncate", None, None]
)
_wrote = st.builds(wrote, _names, _modes, st.sampled_from([None] * 6 + ["1", "2"]))
_renamed = st.builds(lambda name, also: dataset(name, (also,)), _names, _names)
_read = st.builds(wrote, _names, st.none(), st.sampled_from([None] * 6 + ["1", "2"]))
_typed = typed_datasets(_names)
_inputs = st.lists(st.one_of(*[_read] * 12, _renamed, _typed), max_size=3).map(tuple)
_outputs = st.lists(st.one_of(*[_wrote] * 12, _renamed, _typed), max_size=2).map(tuple)
_states = st.sampled_from(["COMPLETE"] * 8 + ["START", "RUNNING", "FAIL", "ABORT", None])
_runs = st.sampled_from([f"r{n}" for n in range(12)])
_jobs = st.sampled_from(["j1", "j2", "j3", "j4"])
_times = st.integers(0, 12)
_events = st.builds(run_event, _runs, _states, _times, _jobs, _inputs, _outputs)
_streams = st.builds(
    run_event, _runs, _states, _times, st.just("stream"), _inputs, _outputs
).map(streaming)  # fmt: skip
_settings = st.builds(
    lambda at, job, mode: setting(run_event("set", None, at, job), mode),
    _times, _jobs, st.sampled_from(["append", "overwrite", "unknown"]),
)  # fmt: skip
_plain = st.lists(_events, min_size=1, max_size=20)
_mixed = st.lists(st.one_of(*[_events] * 10, _streams, _settings), min_size=1, max_size=20)
SETTINGS = examples_in_one_database(100)


@SETTINGS
@given(_plain | _mixed, _times, _times, st.none() | st.integers(1, 3))
def test_the_comparison_is_that_of_two_walks(
    conn: Connection, texts: list[str], start: int, end: int, depth: int | None
) -> None:
    clear(conn)
    write_events(conn, texts)
    for (root,) in conn.execute("SELECT DISTINCT canonical FROM lineage.dataset").fetchall():
        told(conn, root=root, start=time(start), end=time(end), depth=depth)
