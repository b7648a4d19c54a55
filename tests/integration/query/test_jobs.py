"""Job lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, fed, job_event, run_event, time
from support.properties import examples_in_one_database
from support.reference.graph import clear, expected
from support.reference.job_lineage import Jobs, Run, Step

from lineage.errors import Ambiguous, NotFound, UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    from lineage.query.records import JobEdge, JobTrace

    Connection = psycopg.Connection[Any]


def names(trace: JobTrace) -> list[tuple[str, int]]:
    return [(node.job.name, node.distance) for node in trace.nodes]


def steps(trace: JobTrace) -> list[tuple[str | None, str, str | None]]:
    return [
        (e.source and e.source.name, e.dataset.name, e.target and e.target.name)
        for e in trace.edges
    ]


def test_a_job_is_fed_by_the_writers_of_its_inputs(provenance: Graph) -> None:
    trace = provenance.job_lineage("publish")
    assert names(trace) == [("publish", 0), ("report", 1), ("clean", 2), ("load", 2)]
    assert steps(trace) == [
        ("report", "gold/revenue", "publish"),
        ("clean", "silver/orders", "report"),
        ("load", "silver/rates", "report"),
    ]
    assert [edge.stale for edge in trace.edges] == [False, False, True]  # as in report-2
    trace = provenance.job_lineage("clean", "downstream", depth=1)
    assert names(trace) == [("clean", 0), ("report", 1)]  # "broken" failed
    assert (trace.edges[0].written, trace.edges[0].read) == (
        "2026-01-01T00:00:10.000000Z", "2026-01-01T00:00:50.000000Z",
    )  # fmt: skip


def test_writers_of_a_dataset_have_distance_one(provenance: Graph) -> None:
    trace = provenance.job_lineage("gold/revenue")
    assert names(trace) == [("gold/revenue", 0), ("report", 1), ("clean", 2), ("load", 2)]
    assert steps(trace)[0] == ("report", "gold/revenue", None)
    trace = provenance.job_lineage("raw/rates", "downstream")
    assert steps(trace)[0] == (None, "raw/rates", "load")


def test_a_job_that_only_writes_or_only_reads_is_there_too(conn: Connection) -> None:
    write_events(conn, [run_event("r1", "COMPLETE", 1, "land", (), ("a",)),
                 run_event("r2", "COMPLETE", 2, "make", ("a",), ("b",)),
                 run_event("r3", "COMPLETE", 3, "look", ("b",))])  # fmt: skip
    graph = Graph.over(conn)
    assert steps(graph.job_lineage("look")) == [("make", "b", "look"), ("land", "a", "make")]
    assert names(graph.job_lineage("land", "downstream")) == [("land", 0), ("make", 1), ("look", 2)]


def test_a_change_without_rows_is_no_write(conn: Connection) -> None:
    write_events(conn, [
        run_event("l", "COMPLETE", 1, "load", ("raw",), ("orders",)),
        run_event("t", "COMPLETE", 2, "truncate", (), (changed("orders", "TRUNCATE"),)),
        run_event("a", "COMPLETE", 3, "load", (), (changed("orders", "ALTER"),)),
        run_event("r", "COMPLETE", 4, "report", ("orders",), ("sums",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    trace = graph.job_lineage("etl/report")
    [edge] = trace.edges
    assert edge.source
    assert (edge.source.name, edge.written) == ("load", "2026-01-01T00:00:01.000000Z")
    assert {node.job.name for node in graph.job_lineage("orders").nodes if node.distance} == {
        "load"
    }
    assert [node.job.name for node in graph.job_lineage("truncate", "downstream").nodes] == [
        "truncate"
    ]


def changed(name: str, change: str) -> dict[str, Any]:
    return dataset(name, lifecycleStateChange={"lifecycleStateChange": change})


def test_inputs_of_a_run_without_outputs_are_not_upstream(conn: Connection) -> None:
    write_events(conn, [run_event("r1", "COMPLETE", 1, "other", (), ("x",)),
                 run_event("r2", "COMPLETE", 2, "make", ("x",)),
                 run_event("r3", "COMPLETE", 3, "make", ("a",), ("b",))])  # fmt: skip
    graph = Graph.over(conn)
    assert steps(graph.job_lineage("b")) == [("make", "b", None)]
    assert steps(graph.job_lineage("make")) == [("other", "x", "make")]


def test_a_job_is_fed_by_sources_that_only_its_lineage_facet_names(conn: Connection) -> None:
    """``make`` states no input: the facet of "b" alone names "a" as its source."""
    write_events(conn, [
        run_event("r1", "COMPLETE", 1, "land", ("raw",), ("a",)),
        run_event("r2", "COMPLETE", 2, "make", writes=(dataset("b", lineage=fed("a")),)),
        run_event("r3", "COMPLETE", 3, "look", ("b",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    assert steps(graph.job_lineage("b"))[1:] == [("land", "a", "make")]
    assert steps(graph.job_lineage("make")) == [("land", "a", "make")]
    assert steps(graph.job_lineage("look"))[1:] == [("land", "a", "make")]
    assert steps(graph.job_lineage("land", "downstream")) == [
        ("land", "a", "make"), ("make", "b", "look"),
    ]  # fmt: skip


def test_limits_and_filters(provenance: Graph) -> None:
    trace = provenance.job_lineage("publish", filters=Filters(limit=2))
    assert names(trace) == [("publish", 0), ("report", 1), ("clean", 2)]
    assert ([node.omitted_neighbours for node in trace.nodes], trace.omitted) == ([0, 1, 0], 1)
    trace = provenance.job_lineage("publish", filters=Filters(stale=False))
    assert names(trace) == [("publish", 0), ("report", 1), ("clean", 2)]
    trace = provenance.job_lineage("publish", filters=Filters(since=time(50)))
    assert (names(trace), trace.filtered_out) == ([("publish", 0), ("report", 1), ("clean", 2)], 1)
    trace = provenance.job_lineage("publish", filters=Filters(namespaces=("none",)))
    assert (names(trace), trace.filtered_out) == ([("publish", 0)], 3)
    with pytest.raises(UsageError, match="cannot be filtered by job"):
        provenance.job_lineage("publish", filters=Filters(jobs=("clean",)))


def test_a_full_name_has_precedence_over_a_suffix(conn: Connection) -> None:
    write_events(conn, [run_event("r1", "COMPLETE", 1, "both", (), ("etl/both",))])
    graph = Graph.over(conn)
    assert str(graph.job_lineage("etl/both").root) == "etl/both"
    assert str(graph.job_lineage("s3://lake/etl/both").root) == "s3://lake/etl/both"
    with pytest.raises(Ambiguous, match='"both" matches 2 jobs and datasets') as error:
        graph.job_lineage("both")
    assert error.value.candidates == ["job etl/both", "dataset s3://lake/etl/both"]
    with pytest.raises(NotFound, match='No job or dataset is called "nobody"'):
        graph.job_lineage("nobody")


@pytest.mark.parametrize(
    ("called", "kind", "said"),
    [("both", "TooManyRows", '"both" matches 2 jobs and datasets'),
     ("nobody", "NoDataFound", 'no job or dataset is called "nobody"')],
)  # fmt: skip
def test_sql_raises_the_same_errors(conn: Connection, called: str, kind: str, said: str) -> None:
    write_events(conn, [run_event("r1", "COMPLETE", 1, "both", (), ("etl/both",))])
    with pytest.raises(getattr(psycopg.errors, kind), match=said):
        conn.execute("SELECT * FROM lineage.job_lineage(%s)", (called,))
    conn.rollback()


_datasets = st.builds(
    lambda name, also: dataset(name, also),
    st.sampled_from("abcdef"),
    st.sampled_from([(), (), (), (), ("a",)]),
)
_few = st.lists(_datasets, max_size=2).map(tuple)
_events = st.builds(
    run_event,
    st.sampled_from([f"r{n}" for n in range(8)]),
    st.sampled_from(["COMPLETE", "COMPLETE", "COMPLETE", "START", "RUNNING", "FAIL"]),
    st.integers(0, 9),
    st.sampled_from(["j1", "j2", "j3", "j4"]),
    _few,
    _few,
    st.sampled_from([None, None, ("r0", "j1"), ("p", "flow")]),
)


_designs = st.builds(job_event, st.integers(0, 9), st.sampled_from(["j1", "j2", "j5"]), _few, _few)


@examples_in_one_database(60)
@given(
    texts=st.lists(_events | _designs, min_size=1, max_size=10),
    direction=st.sampled_from(["upstream", "downstream"]),
    depth=st.none() | st.integers(1, 3),
)
def test_a_design_of_a_job_counts_as_a_run_that_is_marked(
    conn: Connection, texts: list[str], direction: Any, depth: int | None
) -> None:
    clear(conn)
    write_events(conn, texts)
    graph, ran, told = Graph.over(conn), Jobs(texts), Jobs(texts)
    for key in expected(texts):
        if key[0] == "DECLARED" and len(key) == len("dstj") and key[3]:
            source, target, job = key[1:]
            told.runs.append(Run(job, frozenset({source}), frozenset({target}), "designed"))
    for name_of_dataset, job, output in told.unpaired_accesses():
        ends = [frozenset({name_of_dataset}), frozenset[Any]()]
        told.runs.append(Run(job, *(reversed(ends) if output else ends), last="designed"))
    upstream = direction == "upstream"

    def name(of: Any) -> Any:
        return of and (of.namespace, of.name)

    def ends(trace: JobTrace) -> dict[Step, JobEdge]:
        return {Step(*(name(t) for t in (e.source, e.dataset, e.target))): e for e in trace.edges}

    for root in (*graph.datasets(), *graph.jobs()):
        key, is_job = (root.namespace, root.name), root in graph.jobs()
        distances, passed = told.trace(key, is_job, upstream, depth)
        trace = graph.job_lineage(root.full_name, direction, depth, Filters(limit=None))
        assert {name(n.job): n.distance for n in trace.nodes if n.distance} == distances
        found = ends(trace)
        assert found.keys() == passed.keys()
        for step, edge in found.items():
            near, far = (step.target, step.source) if upstream else (step.source, step.target)
            did = (ran.wrote if upstream else ran.read)(far, step.dataset)
            passes = near is None or step.dataset in ran._behind(
                "job", near, upstream, first=is_job and near == key
            )
            assert edge.declared == (not (did and passes)), step
        alone = graph.job_lineage(root.full_name, direction, depth, Filters(observed=True))
        assert ends(alone).keys() == ran.trace(key, is_job, upstream, depth)[1].keys()


@examples_in_one_database(80)
@given(
    texts=st.lists(_events, min_size=1, max_size=12),
    direction=st.sampled_from(["upstream", "downstream"]),
    depth=st.none() | st.integers(1, 3),
    stale=st.booleans(),
)
def test_steps_are_those_that_the_events_say(
    conn: Connection, texts: list[str], direction: Any, depth: int | None, stale: bool
) -> None:
    clear(conn)
    write_events(conn, texts)
    graph, told = Graph.over(conn), Jobs(texts)
    for root in (*graph.datasets(), *graph.jobs()):
        key, is_job = (root.namespace, root.name), root in graph.jobs()
        distances, passed = told.trace(key, is_job, direction == "upstream", depth)
        trace = graph.job_lineage(root.full_name, direction, depth, Filters(limit=None))

        def name(of: Any) -> Any:
            return of and (of.namespace, of.name)

        assert {name(n.job): n.distance for n in trace.nodes if n.distance} == distances
        found = {Step(*(name(t) for t in (e.source, e.dataset, e.target))): e for e in trace.edges}
        assert found.keys() == passed.keys()
        for step, edge in found.items():
            assert edge.stale == told.stale(step), step
            assert edge.written == (step.source and told.wrote(step.source, step.dataset))
            assert edge.read == (step.target and told.read(step.target, step.dataset))
        rows = conn.execute(
            "SELECT source_namespace, source, dataset_namespace, dataset, target_namespace, target,"
            " min(distance), bool_or(stale) FROM lineage.job_lineage(%s, %s, %s)"
            " GROUP BY 1, 2, 3, 4, 5, 6",
            (root.full_name, direction, depth),
        ).fetchall()

        def pair(namespace: Any, name: Any) -> Any:
            return (namespace, name) if name else None

        assert {
            Step(pair(*row[:2]), pair(*row[2:4]), pair(*row[4:6])): row[6] for row in rows
        } == passed
