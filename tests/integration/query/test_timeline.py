"""The timeline of some datasets: runs by parts of a range of time, and changes of the edges."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, dataset_event, events, fed, job_event, run_event, time
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import Ambiguous, UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    from lineage.query.timeline import Timeline

    Connection = psycopg.Connection[Any]

NAMES = "SELECT lineage.full_name(namespace, name) FROM lineage.dataset WHERE id = canonical"
# The accesses of all runs that ended, by the vertices of their datasets.
ACCESSES = """
SELECT a.run, lineage.full_name(c.namespace, c.name),
       a.output AND coalesce(lineage.write_mode(a.facets), '') NOT IN ('alter', 'truncate', 'drop'),
       r.state, lineage.iso8601(r.ended_at)
FROM lineage.access a JOIN lineage.run r ON r.id = a.run
JOIN lineage.dataset n ON n.id = a.dataset JOIN lineage.dataset c ON c.id = n.canonical
"""
FULL_NAMES = [f"s3://lake/{name}" for name in "abc"]


def at(second: float) -> str:
    """Return a time as records have it."""
    moment = datetime.fromisoformat("2026-01-01T00:00:00") + timedelta(seconds=second)
    return moment.isoformat(timespec="microseconds") + "Z"


def counts(timeline: Timeline) -> list[tuple[int, int, int]]:
    return [(each.writes, each.failed, each.changes) for each in timeline.bins]


def test_writes_failures_and_changes_are_counted_in_bins(provenance: Graph) -> None:
    names = ["raw/orders", "silver/orders", "gold/revenue"]
    timeline = provenance.timeline(names, bins=7)
    # From the run of "clean" to the failure of "broken"; "publish" only reads the last one.
    assert (timeline.start, timeline.end) == (at(10), at(80))
    assert [each.start for each in timeline.bins] == [at(10 * n) for n in range(1, 8)]
    assert counts(timeline) == [
        (1, 0, 1),  # clean-1
        (0, 0, 0),
        (0, 0, 1),  # report-1 begins, and shows its edge then
        (1, 0, 0),  # report-1
        (1, 0, 0),  # report-2
        (0, 0, 0),
        (0, 1, 0),  # broken-1 failed; publish-1 only read
    ]
    assert timeline.changes == ((at(30), 1, 0), (at(10), 1, 0))
    assert (timeline.missing, timeline.omitted) == ((), {})


def test_a_run_that_failed_counts_at_its_intended_output(provenance: Graph) -> None:
    timeline = provenance.timeline(["gold/fraud"], bins=1)
    assert counts(timeline) == [(0, 1, 0)]


def test_a_run_is_counted_once_when_it_ended(conn: Connection) -> None:
    write_events(
        conn,
        [
            run_event("r", "RUNNING", 1, writes=("a",)),
            run_event("r", "RUNNING", 2, writes=("b",)),
            run_event("r", "COMPLETE", 5),
            run_event("s", "COMPLETE", 9, writes=("a", "b")),
        ],
    )
    timeline = Graph.over(conn).timeline(["a", "b"], time(0), time(10), bins=10)
    assert [n for n, each in enumerate(timeline.bins) if each.writes] == [5, 9]
    assert sum(each.writes for each in timeline.bins) == 2


def test_the_range_may_be_set_and_includes_its_end(conn: Connection) -> None:
    write_events(conn, [run_event(f"r{n}", "COMPLETE", n, writes=("a",)) for n in range(6)])
    graph = Graph.over(conn)
    timeline = graph.timeline(["a"], time(1), time(4), bins=2)
    assert (timeline.start, timeline.end) == (at(1), at(4))
    assert [(each.start, each.writes) for each in timeline.bins] == [(at(1), 2), (at(2.5), 2)]
    assert graph.timeline(["a"], start=time(4), bins=1).end == at(5)
    assert graph.timeline(["a"], end=time(4), bins=1).start == at(0)
    # A range that begins after the last access has this moment alone.
    late = graph.timeline(["a"], start=time(60), bins=2)
    assert (late.start, late.end, counts(late)) == (at(60), at(60), [(0, 0, 0), (0, 0, 0)])


def test_a_single_time_is_in_the_last_bin(conn: Connection) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 3, writes=("a",))])
    timeline = Graph.over(conn).timeline(["a"], bins=3)
    assert {each.start for each in timeline.bins} == {at(3)}
    assert counts(timeline) == [(0, 0, 0), (0, 0, 0), (1, 0, 0)]


def test_the_first_run_ends_an_edge_that_only_a_facet_of_its_target_declares(
    conn: Connection,
) -> None:
    design = dataset_event(2, dataset("b", lineage=fed("a")))
    write_events(conn, [design, run_event("r", "COMPLETE", 5, "j", ("a",), ("b",))])
    graph = Graph.over(conn)
    assert graph.timeline(["a", "b"]).changes == ((at(5), 1, 1), (at(2), 1, 0))
    assert graph.timeline(["a", "b"], observed=True).changes == ((at(5), 1, 0),)


def test_the_first_run_does_not_change_an_edge_that_its_job_declares(conn: Connection) -> None:
    design = job_event(2, "j", ("a",), ("b",))
    write_events(conn, [design, run_event("r", "COMPLETE", 5, "j", ("a",), ("b",))])
    assert Graph.over(conn).timeline(["a", "b"]).changes == ((at(2), 1, 0),)


def test_the_oldest_changes_are_omitted(conn: Connection) -> None:
    write_events(
        conn, [run_event(f"r{n}", "COMPLETE", n, f"j{n}", ("a",), ("b",)) for n in range(5)]
    )
    timeline = Graph.over(conn).timeline(["a", "b"], bins=1, limit=2)
    assert timeline.changes == ((at(4), 1, 0), (at(3), 1, 0))
    assert timeline.omitted == {"changes": 3}
    assert counts(timeline) == [(5, 0, 5)]


def test_names_that_match_none_are_returned(provenance: Graph) -> None:
    timeline = provenance.timeline(["gold/gone", "raw/rates"], bins=1)
    assert (timeline.missing, counts(timeline)) == (("gold/gone",), [(0, 0, 0)])
    nothing = provenance.timeline(["gold/gone"])
    assert (nothing.start, nothing.end, nothing.bins, nothing.changes) == (None, None, (), ())
    empty = provenance.timeline([], time(1), time(3), bins=2)
    assert counts(empty) == [(0, 0, 0), (0, 0, 0)]


def test_invalid_values_are_rejected(conn: Connection) -> None:
    graph = Graph.over(conn)
    with pytest.raises(UsageError, match="soon"):
        graph.timeline([], "soon")
    for times in (("", None), (None, "")):
        with pytest.raises(UsageError, match='The time ""'):
            graph.timeline([], *times)
    with pytest.raises(UsageError, match="is after end"):
        graph.timeline([], time(2), time(1))
    for bins in (0, 501):
        with pytest.raises(UsageError, match=f"bins is {bins}"):
            graph.timeline([], bins=bins)
    write_events(conn, [run_event("r", "COMPLETE", 1, writes=("x/t", "y/t"))])
    with pytest.raises(Ambiguous):
        graph.timeline(["t"])


def edges(graph: Graph, names: Sequence[str], moment: str, *, observed: bool) -> set[Any]:
    subgraph = graph.subgraph(names, filters=Filters(observed=observed), time=moment)
    return {(edge.source, edge.target, edge.job) for edge in subgraph.edges}


@examples_in_one_database(80)
@given(log=st.lists(events, min_size=1, max_size=8), observed=st.booleans())
def test_the_changes_are_those_of_the_subgraph(
    conn: Connection, log: list[str], observed: bool
) -> None:
    """At each change the subgraphs differ by that many edges, and otherwise they do not."""
    clear(conn)
    write_events(conn, log)
    graph = Graph.over(conn)
    names = [name for (name,) in conn.execute(NAMES)]
    changes = {each.time: each[1:] for each in graph.timeline(names, observed=observed).changes}
    for second in range(6):  # the times of all events
        before = edges(graph, names, at(second - 1e-6), observed=observed)
        now = edges(graph, names, at(second), observed=observed)
        assert changes.pop(at(second), (0, 0)) == (len(now - before), len(before - now))
        assert edges(graph, names, at(second + 1 - 1e-6), observed=observed) == now
    assert not changes


@examples_in_one_database(80)
@given(
    log=st.lists(events, min_size=1, max_size=8),
    range_=st.tuples(st.integers(0, 5), st.integers(0, 5)).map(sorted),
    bins=st.integers(1, 4),
)
def test_the_bins_are_those_of_the_accesses(
    conn: Connection, log: list[str], range_: list[int], bins: int
) -> None:
    clear(conn)
    write_events(conn, log)
    first, last = range_
    graph = Graph.over(conn)
    found = [name for (name,) in conn.execute(NAMES) if name in FULL_NAMES]
    timeline = graph.timeline(found, time(first), time(last), bins=bins)
    expected = [[0, 0, 0] for _ in range(bins)]

    starts = [each.start for each in timeline.bins]
    assert starts == sorted(starts)
    assert starts[0] == at(first)

    def bin_of(moment: str) -> int:
        return max(n for n, start in enumerate(starts) if start <= moment)

    seen: dict[tuple[int, int], str] = {}
    for run, name, output, state, moment in conn.execute(ACCESSES):
        kind = 0 if state == "COMPLETE" and output else 1 if state in ("FAIL", "ABORT") else None
        if kind is not None and name in found and at(first) <= moment <= at(last):
            seen[run, kind] = moment
    for (_, kind), moment in seen.items():
        expected[bin_of(moment)][kind] += 1
    for change in timeline.changes:
        expected[bin_of(change.time)][2] += 1
    assert counts(timeline) == [tuple(each) for each in expected]
