"""Results as OpenLineage events: valid, and with equal results when written to another database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import uuid5

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, events, fed, job_event, run_event, source
from support.events.openlineage_schema import assert_valid
from support.events.views import view
from support.exported_results import assert_same, plain
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.export import openlineage
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters
from lineage.query.names import resolve_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator

Connection = psycopg.Connection[Any]


@pytest.mark.parametrize("direction", ["upstream", "downstream", "both"])
@pytest.mark.parametrize("name", ["gold/revenue", "raw/orders", "gold/fraud"])
def test_a_trace_is_the_same_again(
    provenance: Graph, copy: Connection, name: str, direction: Any
) -> None:
    full = resolve_dataset(provenance.session, name).full_name
    assert_same(provenance, copy, lambda graph: graph.dataset_lineage(full, direction))


@pytest.mark.parametrize(
    ("direction", "root", "filters"),
    [
        ("upstream", "gold", Filters(namespaces=("s3://lake",))),
        ("downstream", "raw", Filters(namespaces=("s3://lake",))),
        ("both", "gold", Filters(namespaces=("s3://lake",))),
        ("downstream", "raw", Filters(since="2026-01-01T00:00:02Z", namespaces=("s3://lake",))),
    ],
)
def test_a_path_through_filtered_datasets_is_the_same_again(
    conn: Connection, copy: Connection, direction: Any, root: str, filters: Filters
) -> None:
    stage = dataset("stage.t", namespace="postgres://db:5432")
    raw, gold = (dataset(name, namespace="s3://lake") for name in ("raw", "gold"))
    write_events(conn, [
        run_event("1", "COMPLETE", 1, "load", (raw,), (stage,)),
        run_event("2", "COMPLETE", 2, "publish", (stage,), (gold,)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    [path] = graph.dataset_lineage(root, direction, filters=filters).collapsed_paths
    assert {path.near.name, path.far.name} == {"gold", "raw"}
    assert_same(graph, copy, lambda graph: graph.dataset_lineage(root, direction, filters=filters))


def test_a_root_may_have_the_full_name_of_another(conn: Connection, copy: Connection) -> None:
    source = dataset("source", namespace="keep")
    middle, root = dataset("middle", namespace="db"), dataset("c", namespace="a/b")
    write_events(conn, [
        run_event("1", "COMPLETE", 1, "load", (source,), (middle,)),
        run_event("2", "COMPLETE", 2, "publish", (middle,), (root,)),
        run_event("3", "COMPLETE", 3, "other", (), (dataset("b/c", namespace="a"),)),
    ])  # fmt: skip
    graph, filters = Graph.over(conn), Filters(namespaces=("keep",))
    assert graph.dataset_lineage("a/b:c", filters=filters).collapsed_paths
    assert_same(graph, copy, lambda graph: graph.dataset_lineage("a/b:c", filters=filters))


def test_a_path_through_filtered_jobs_is_the_same_again(conn: Connection, copy: Connection) -> None:
    load = run_event("1", "COMPLETE", 1, "load", ("raw",), ("stage",))
    publish = run_event("2", "COMPLETE", 2, "publish", ("stage",), ("gold",))
    report = run_event("3", "COMPLETE", 3, "report", ("gold",), ("summary",))
    other = json.loads(publish)
    other["job"]["namespace"] = "elsewhere"
    write_events(conn, [load, json.dumps(other), report])
    filters = Filters(namespaces=(json.loads(load)["job"]["namespace"],))
    graph = Graph.over(conn)
    [path] = graph.job_lineage("report", filters=filters).collapsed_paths
    assert (path.near.name, path.far.name) == ("report", "load")
    assert_same(graph, copy, lambda graph: graph.job_lineage("report", filters=filters))


def test_a_column_trace_is_the_same_again(provenance: Graph, copy: Connection) -> None:
    name = "s3://lake/gold/dashboard"
    assert_same(provenance, copy, lambda graph: graph.column_lineage(name, "headline"))
    source = "s3://lake/raw/orders"
    assert_same(
        provenance, copy, lambda graph: graph.column_lineage(source, "status", "downstream")
    )


def test_run_lineage_survives_export_and_import(provenance: Graph, copy: Connection) -> None:
    at = "2026-01-01T00:01:00Z"
    assert_same(
        provenance, copy, lambda graph: graph.dataset_lineage_at("s3://lake/gold/revenue", at)
    )
    assert_same(provenance, copy, lambda graph: graph.run_lineage("publish-1"))


@pytest.mark.parametrize("name", ["etl/publish", "s3://lake/gold/revenue", "etl/clean", "etl/load"])
def test_a_trace_of_jobs_is_the_same_again(provenance: Graph, copy: Connection, name: str) -> None:
    assert_same(provenance, copy, lambda graph: graph.job_lineage(name))
    assert_same(provenance, copy, lambda graph: graph.job_lineage(name, "downstream"))


def test_designs_that_only_read_or_write_are_the_same_again(
    conn: Connection, copy: Connection
) -> None:
    write_events(conn, [
        job_event(1, "landing", writes=("raw",)),
        run_event("r", "COMPLETE", 2, "load", ("raw",), ("orders",)),
        job_event(3, "dashboard", reads=("orders",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    assert len(graph.job_lineage("dashboard").edges) == 2
    assert_same(graph, copy, lambda graph: graph.job_lineage("dashboard"))
    assert_same(graph, copy, lambda graph: graph.job_lineage("raw", "downstream"))


def test_an_output_without_sources_has_none_again(conn: Connection, copy: Connection) -> None:
    write_events(conn, [
        run_event("c", "COMPLETE", 1, "make", (), ("control",)),
        job_event(2, "fill", reads=("control",), writes=(dataset("dim", lineage=fed()),)),
        run_event("f", "COMPLETE", 3, "load", ("dim",), ("fact",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    assert {node.dataset.name for node in graph.upstream("fact").nodes} == {"fact", "dim"}
    assert_same(graph, copy, lambda graph: graph.job_lineage("fill", "downstream"))
    assert {node.dataset.name for node in Graph.over(copy).upstream("fact").nodes} == {
        "fact",
        "dim",
    }


def test_the_readers_of_a_run_survive_export_and_import(conn: Connection, copy: Connection) -> None:
    """ "later" read only x of "bad": its write of a had been replaced."""
    overwrite = {"outputFacets": {"lineage_write": {"mode": "overwrite"}}}
    write_events(conn, [
        run_event("bad", "COMPLETE", 1, "w", (), (dataset("a", **overwrite), "x")),
        run_event("reader", "COMPLETE", 2, "r", ("a",), ("b",)),
        run_event("good", "COMPLETE", 3, "w", (), (dataset("a", **overwrite),)),
        run_event("later", "COMPLETE", 4, "l", ("a", "x"), ("c",)),
    ])  # fmt: skip
    assert_same(Graph.over(conn), copy, lambda graph: graph.run_lineage("bad", "downstream"))


def test_what_a_job_reported_of_its_other_runs_goes_along(
    conn: Connection, copy: Connection
) -> None:
    """The append that determines the mode of "a" and "b" is of a later run."""
    append = {"outputFacets": {"lineage_write": {"mode": "append"}}}
    write_events(conn, [
        run_event("a", "COMPLETE", 1, "load", ("raw",), ("t",)),
        run_event("b", "COMPLETE", 2, "load", ("raw",), ("t",)),
        run_event("c", "COMPLETE", 9, "load", ("raw",), (dataset("t", **append),)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    assert_same(
        graph, copy, lambda graph: graph.dataset_lineage_at("s3://lake/t", "2026-01-01T00:00:05Z")
    )
    assert_same(graph, copy, lambda graph: graph.run_lineage("a", "downstream"))


def test_a_stream_that_failed_has_fed_the_same_again(conn: Connection, copy: Connection) -> None:
    start = json.loads(run_event("s", "START", 1, "stream", ("a",), ("b",)))
    start["job"]["facets"] = {"jobType": {"processingType": "STREAMING", "integration": "FLINK"}}
    write_events(conn, [json.dumps(start), run_event("s", "RUNNING", 2, "stream"),
                 run_event("s", "ABORT", 3, "stream")])  # fmt: skip
    graph = Graph.over(conn)
    assert graph.upstream("b").datasets
    assert_same(graph, copy, lambda graph: graph.upstream("s3://lake/b"))
    assert_same(
        graph, copy, lambda graph: graph.dataset_lineage_at("s3://lake/b", "2026-01-01T00:00:09Z")
    )


def test_two_jobs_of_one_run_id_keep_their_times(conn: Connection, copy: Connection) -> None:
    write_events(conn, [
        run_event("r", "START", 1, "one", ("raw",), ("gold",)),
        run_event("r", "COMPLETE", 2, "other", ("gold",), ("raw",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    assert_same(graph, copy, lambda graph: graph.upstream("s3://lake/gold"))


def test_what_two_names_of_an_output_state_is_the_same_again(
    conn: Connection, copy: Connection
) -> None:
    """By one name it was written from b only, by the other from all inputs of the job."""
    made = (dataset("a", lineage=fed("b")), dataset("c", ("a",)))
    write_events(conn, [run_event("r1", "COMPLETE", 1, "j1", reads=("a", "d"), writes=made)])
    graph = Graph.over(conn)
    assert {edge.source.name for edge in graph.upstream("c").edges} == {"b", "c", "d"}
    assert_same(graph, copy, lambda g: g.upstream("c"))


def test_names_of_a_dataset_have_the_same_result(conn: Connection, copy: Connection) -> None:
    """Datasets are exported with the names that they have in catalogs."""
    write_events(conn, [
        run_event("r1", "COMPLETE", 1, "j1", (dataset("wh/raw", ("bronze.raw",)),),
                  (dataset("wh/revenue", ("gold.revenue", "gold.income")),)),
        run_event("r2", "COMPLETE", 2, "j2", ("wh/revenue",), ("report",)),
        run_event("r3", "COMPLETE", 3, "j3", (), (dataset("alone", ("x.alone",)),)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    for name in ("gold.revenue", "gold.income", "wh/revenue"):
        assert_same(graph, copy, lambda g, name=name: g.upstream(name))
    for name in ("bronze.raw", "gold.income"):
        assert_same(graph, copy, lambda g, name=name: g.downstream(name))
    assert_same(graph, copy, lambda g: g.upstream("x.alone"))
    [symlinks] = [
        each["facets"]["symlinks"]
        for event in openlineage.events_of_session(graph.session, graph.upstream("gold.revenue"))
        for each in event["outputs"]
    ]
    assert [each["name"] for each in symlinks["identifiers"]] == ["gold.income", "gold.revenue"]


def test_a_source_that_only_a_facet_names_was_read(conn: Connection, copy: Connection) -> None:
    """The lineage facet names "a" as a source of itself; the newest run of the job has none."""
    write_events(conn, [
        run_event("r1", None, 1, "j1"),
        run_event("r2", None, 1, "j1", writes=(dataset("a", lineage=fed(x=[source("a", "x")])),)),
        run_event("r1", None, 2, "j1"),
    ])  # fmt: skip
    graph = Graph.over(conn)
    [read] = {edge.read for edge in graph.job_lineage("s3://lake/a").edges if edge.target}
    assert read == "2026-01-01T00:00:01.000000Z"
    assert_same(graph, copy, lambda graph: graph.job_lineage("s3://lake/a"))


def test_paths_survive_export_and_import(provenance: Graph, copy: Connection) -> None:
    ends = "s3://lake/raw/orders", "s3://lake/gold/dashboard"
    assert_same(provenance, copy, lambda graph: graph.paths(*ends, all_paths=True))


def test_impact_survives_export_and_import_except_for_owners(
    provenance: Graph, copy: Connection
) -> None:
    found = provenance.impact("raw/orders")
    write_events(
        copy,
        [json.dumps(event) for event in openlineage.events_of_session(provenance.session, found)],
    )
    again = Graph.over(copy).impact("s3://lake/raw/orders")
    assert plain(again.edges) == plain(found.edges)


def test_events_are_valid_and_say_what_is_known(conn: Connection, dsn: str) -> None:
    from uuid import NAMESPACE_URL

    run = str(uuid5(NAMESPACE_URL, "run"))
    facet = {
        "_producer": "https://example.com",
        "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet",
        "fields": [{"name": "total", "type": "int"}],
    }
    derived = {"fields": {"total": {"inputFields": [
        {"namespace": "s3://lake", "name": "raw", "field": "price",
         "transformations": [{"type": "DIRECT", "masking": True}]}]}}}  # fmt: skip
    write_events(conn, [
        run_event(run, "START", 0, "job", ("raw", "elsewhere")),
        run_event(run, "FAIL", 9, "job", ("raw",),
                  (dataset("gold", ("db.gold",), columnLineage=derived),),
                  errorMessage={"message": "no", "programmingLanguage": "Python"}),
        run_event(run, "COMPLETE", 10, "job", (), (dataset("gold", schema=facet, version={"datasetVersion": "7"}, outputFacets={"outputStatistics": {"rowCount": 1}}),)),  # noqa: E501
    ])  # fmt: skip
    other = str(uuid5(NAMESPACE_URL, "other"))
    write_events(conn, [run_event(other, "COMPLETE", 20, "job", ("raw",), ("gold",))])
    with Graph(dsn) as graph:
        found = list(openlineage.events_of_session(graph.session, graph.upstream("gold")))
    assert {event["run"]["runId"] for event in found} >= {other}
    for event in found:
        assert_valid(event)
    [output] = [o for e in found for o in e["outputs"] if e["run"]["runId"] == other]
    assert output["facets"]["schema"]["fields"] == facet["fields"]


def asks(graph: Graph, name: str, kind: str, depth: int | None) -> Iterator[Any]:
    """Yield the queries of a kind about a dataset."""
    if kind == "columns":
        known = graph.session.fetch_rows(
            "SELECT name FROM lineage.field WHERE dataset = %s ORDER BY name",
            (resolve_dataset(graph.session, name).id,),
        )
        for (column,) in known:
            yield lambda g, column=column: g.column_lineage(name, column, "upstream", depth)
            yield lambda g, column=column: g.column_lineage(name, column, "downstream", depth)
    elif kind == "jobs":
        yield lambda g: g.job_lineage(name, "upstream", depth)
        yield lambda g: g.job_lineage(name, "downstream", depth)
    elif kind == "runs":
        for run, *_ in graph.session.fetch_rows(
            "SELECT run_id FROM lineage.run WHERE last_seen IS NOT NULL", ()
        ):
            yield lambda g, run=run: g.run_lineage(run, "downstream", depth)
    elif kind == "moment":
        yield lambda g: g.dataset_lineage_at(name, "2026-01-01T00:00:03Z", depth)
    else:
        yield lambda g: g.dataset_lineage(name, kind, depth)


@examples_in_one_database(60)
@given(
    # Without the order of jobs that share no data, which is not exported.
    st.lists(events.filter(lambda text: '"upstream"' not in text), min_size=1, max_size=10),
    st.integers(0, 4),
    st.sampled_from(["upstream", "downstream", "both", "moment", "columns", "jobs", "runs"]),
    st.none() | st.integers(1, 2),
)
def test_any_answer_is_the_same_again(
    conn: Connection, copy: Connection, texts: list[str], place: int, kind: str, depth: int | None
) -> None:
    clear(conn)
    write_events(conn, texts)
    graph = Graph.over(conn)
    for found in graph.datasets()[place : place + 1]:
        for ask in asks(graph, found.full_name, kind, depth):
            assert_same(graph, copy, ask)


def test_a_change_by_another_name_does_not_hide_a_write(conn: Connection, copy: Connection) -> None:
    """The run altered the table by its name, and wrote rows by its path."""
    table = dataset(
        "table",
        lifecycleStateChange={"lifecycleStateChange": "ALTER"},
        symlinks={"identifiers": [{"namespace": "s3://lake", "name": "path", "type": "TABLE"}]},
    )
    write_events(conn, [run_event("r", "COMPLETE", 1, "load", ("raw",), (table, "path"))])
    [edge] = Graph.over(conn).upstream("table").edges
    assert edge.source.name == "raw"
    assert_same(Graph.over(conn), copy, lambda graph: graph.upstream("table"))


def test_reads_through_a_view_are_the_same_again(conn: Connection, copy: Connection) -> None:
    """The table below the view was loaded once more before the report."""
    write_events(conn, [
        run_event("load-1", "COMPLETE", 1, "load", ("raw",), ("orders",)),
        run_event("define", "COMPLETE", 2, "define", ("orders",), (view("v"),)),
        run_event("load-2", "COMPLETE", 3, "load", ("raw",), ("orders",)),
        run_event("report", "COMPLETE", 4, "report", ("v",), ("revenue",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    writers = {
        each.writer.run_id for each in graph.run_lineage("report").dependencies if each.writer
    }
    assert writers == {"define", "load-2"}
    assert_same(graph, copy, lambda graph: graph.run_lineage("report"))
