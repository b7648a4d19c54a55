"""Questions about graphs with graph models: confidence, search, sizes, details, HTTP and MCP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import job_event, run_event
from support.events.graph_models import edge, graph, node
from support.services.command_line import commands_on

from lineage.ingest.writer import write_events
from lineage.model import NodeType
from lineage.model.events import events_of_graph
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Connection = psycopg.Connection[Any]

TOPIC, COPY, TABLE, SCHEMA = (
    "confluent:kafka_topic:e:orders",
    "confluent:connector:e:copy",
    "external:external_dataset:e:mysql://db:3306/shop.orders",
    "confluent:schema:e:orders-value",
)
# The table feeds the topic through a connector (guessed: 0.8), the topic a lake table (0.6), and
# that a report by a notebook.
MODEL = graph(
    node(TABLE, NodeType.EXTERNAL_DATASET, system="external",
         qualified_name="mysql://db:3306/shop.orders", display_name="Shop orders"),
    node(COPY, NodeType.CONNECTOR, display_name="Debezium"),
    node(TOPIC, cluster_id="k", url="https://confluent.cloud/topics/orders", tags=["pii"]),
    node(SCHEMA, NodeType.SCHEMA, attributes={"fields": [{"name": "id", "type": ["null", "int"]}]}),
    node("aws:glue_table:e:lake.orders", NodeType.CATALOG_TABLE, system="aws"),
    node("databricks:notebook:e:7", NodeType.NOTEBOOK, system="databricks"),
    node("aws:glue_table:e:lake.report", NodeType.CATALOG_TABLE, system="aws"),
    node("tableau:dashboard:e:sales", "dashboard", system="tableau"),
    edge(TABLE, COPY, "produces", confidence=0.8),
    edge(COPY, TOPIC),
    edge(TOPIC, SCHEMA, "has_schema"),
    edge(TOPIC, "aws:glue_table:e:lake.orders", "materializes", confidence=0.6),
    edge("aws:glue_table:e:lake.orders", "databricks:notebook:e:7", "consumes"),
    edge("databricks:notebook:e:7", "aws:glue_table:e:lake.report"),
)  # fmt: skip
EVENTS = [json.dumps(each) for each in events_of_graph(MODEL, {"k": "kafka://b:9092"})]


@pytest.fixture
def graph_of_model(conn: Connection) -> Graph:
    write_events(conn, EVENTS)
    return Graph.over(conn)


@pytest.fixture
def asked(conn: Connection, graph_of_model: Graph) -> Callable[..., str]:
    return commands_on(conn)


def test_a_trace_goes_through_the_platform(asked: Callable[..., str]):
    assert asked("query", "lake.report").splitlines() == [
        "aws:glue_table:e/lake.report",
        "└── aws:glue_table:e/lake.orders  [declared by 7]",
        "    └── kafka://b:9092/orders  [declared, confidence 0.6]",
        "        └── mysql://db:3306/shop.orders  [declared by copy, confidence 0.8]",
    ]


def test_the_confidence_of_an_edge_is_the_least_of_its_way(graph_of_model: Graph):
    edges = graph_of_model.upstream("lake.report").edges
    assert [(e.source.name, e.confidence, e.runs) for e in edges] == [
        ("lake.orders", 1, 0), ("orders", 0.6, 0), ("shop.orders", 0.8, 0),
    ]  # fmt: skip
    rows = graph_of_model.cypher("MATCH ()-[e:DECLARED]->() RETURN e.confidence").rows
    assert sorted(rows, key=str) == [(0.6,), (0.8,), (None,)]


def test_the_minimum_confidence_applies_to_all_queries(graph_of_model: Graph, conn: Connection):
    graph = graph_of_model
    sure = Filters(min_confidence=0.7)
    assert [d.name for d in graph.upstream("lake.report", filters=sure).datasets] == ["lake.orders"]
    assert [d.name for d in graph.upstream("kafka://b:9092/orders", filters=sure).datasets] == [
        "shop.orders"
    ]
    assert len(graph.upstream("lake.report", filters=Filters(min_confidence=0.6)).datasets) == 3
    assert graph.paths("shop.orders", "lake.report").length == 3
    assert graph.paths("shop.orders", "lake.report", min_confidence=0.7).length is None
    assert graph.paths("shop.orders", "lake.report", all_paths=True, min_confidence=0.7).edges == ()
    assert len(graph.impact("shop.orders").datasets) == 3
    assert [d.dataset.name for d in graph.impact("shop.orders", min_confidence=0.7).datasets] == [
        "orders"
    ]
    assert [j.name for j in graph.job_lineage("lake.report", filters=sure).jobs] == ["7"]
    assert graph.job_lineage("kafka://b:9092/orders", filters=sure).jobs
    near = graph.neighbours("lake.orders", "upstream", sure)
    assert (near.nodes, near.root.upstream) == ((), 0)
    both = ["lake.orders", "kafka://b:9092/orders"]
    assert [len(graph.subgraph(both, filters=each).edges) for each in (Filters(), sure)] == [1, 0]
    at = "2027-01-01T00:00:00Z"
    assert graph.neighbours("lake.orders", "upstream", sure, time=at).nodes == ()
    assert len(graph.neighbours("lake.orders", "upstream", time=at).nodes) == 1
    count = "SELECT count(*) FROM lineage."
    for call, expected in (
        ("upstream('lake.report', min_confidence => 0.7)", 2),
        ("dataset_lineage('lake.report', min_confidence => 0.7)", 2),
        ("dataset_lineage_edges('lake.report', min_confidence => 0.7)", 1),
        ("job_lineage('lake.report', min_confidence => 0.7)", 1),
        ("paths('shop.orders', 'lake.report', min_confidence => 0.7)", 0),
        ("impact('shop.orders', min_confidence => 0.7)", 2),
    ):
        assert (call, conn.execute(count + call).fetchall()) == (call, [(expected,)])


def test_commands_have_the_floor(asked: Callable[..., str]):
    assert "kafka" not in asked("query", "lake.report", "--confidence", "0.7")
    assert "kafka" in asked("query", "lake.report", "--confidence", "0.6")
    asked("paths", "shop.orders", "lake.report", "--confidence", "0.7", code=1)
    assert "lake.report" not in asked("impact", "shop.orders", "--confidence", "0.9")
    rows = json.loads(asked("query", "lake.report", "--format", "json"))
    assert [(row["declared"], row["runs"], row["confidence"]) for row in rows] == [
        (True, 0, 1), (True, 0, 0.6), (True, 0, 0.8),
    ]  # fmt: skip
    assert "confidence 0.6" in asked("query", "lake.report", "--format", "dot")
    asked("query", "lake.report", "--confidence", "2", code=2)


def test_a_run_that_shows_an_edge_leaves_no_confidence(conn: Connection, graph_of_model: Graph):
    from support.events.builders import dataset

    write_events(conn, [
        run_event("r", "COMPLETE", 1, "lake-copy",
                  reads=(dataset("orders", namespace="kafka://b:9092"),),
                  writes=(dataset("lake.orders", namespace="aws:glue_table:e"),)),
    ])  # fmt: skip
    edges = graph_of_model.upstream("lake.orders", 1, Filters(min_confidence=1)).edges
    assert [(e.job and e.job.name, e.runs, e.declared, e.confidence) for e in edges] == [
        ("lake-copy", 1, True, 1.0)
    ]


def test_a_newer_design_has_its_own_confidence(conn: Connection, graph_of_model: Graph):
    later = (
        edge(e.src_id, e.dst_id, e.edge_type, last_seen=e.last_seen.replace(hour=23))
        for e in MODEL.edges
    )
    surer = graph(*MODEL.nodes, *later)
    write_events(conn, [json.dumps(e) for e in events_of_graph(surer, {"k": "kafka://b:9092"})])
    assert {e.confidence for e in graph_of_model.upstream("lake.report").edges} == {1.0}
    fingerprint = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == fingerprint


def test_designs_of_other_producers_are_sure(conn: Connection):
    write_events(conn, [job_event(1, "load", reads=("a",), writes=("b",))])
    [edge] = Graph.over(conn).upstream("b").edges
    assert (edge.declared, edge.confidence) == (True, 1.0)


def test_search_finds_nodes_by_id_and_name_and_shows_their_type(
    graph_of_model: Graph, asked: Callable[..., str]
):
    def found(text: str) -> list[tuple[str, tuple[str, ...]]]:
        return [(hit.full_name, hit.node_types) for hit in graph_of_model.search(text)]

    assert found(TOPIC) == [("kafka://b:9092/orders", ("kafka_topic",))]
    assert found("debezium") == [("confluent:connector:e/copy", ("connector",))]
    assert found("Shop orders")[0] == ("mysql://db:3306/shop.orders", ("external_dataset",))
    assert ("tableau:dashboard:e/sales", ("dashboard",)) in found("sales")
    [hit] = graph_of_model.search("debezium")
    assert hit.job is not None
    line = asked("search", "debezium").strip()
    assert line == ("job      confluent:connector:e/copy  (connector)  [also called: Debezium]")


def test_show_prints_type_id_and_page(asked: Callable[..., str]):
    lines = asked("show", TOPIC).splitlines()
    assert lines[0] == "dataset     kafka://b:9092/orders"
    assert f"asset       kafka_topic  {TOPIC}" in lines
    assert "              https://confluent.cloud/topics/orders" in lines
    assert "tags        pii" in lines
    assert any(line.startswith("fields      id") for line in lines)
    details = json.loads(asked("show", COPY, "--format", "json"))
    assert details["assets"] == [
        {"node_id": COPY, "system": "confluent", "node_type": "connector",
         "display_name": "Debezium", "environment": None, "url": None}
    ]  # fmt: skip


def test_show_says_that_a_connector_has_no_pairs(conn: Connection, asked: Callable[..., str]):
    topics = {name: f"x:kafka_topic:e:{name}" for name in "abcd"}
    wide = graph(
        *map(node, topics.values()),
        node("x:connector:e:wide", NodeType.CONNECTOR),
        *(edge(topics[name], "x:connector:e:wide") for name in "ab"),
        *(edge("x:connector:e:wide", topics[name]) for name in "cd"),
    )
    write_events(conn, [json.dumps(each) for each in events_of_graph(wide)])
    assert (
        "through     2 x 2 edges: its model has no pairs of inputs and outputs"
        in asked("show", "x:connector:e:wide").splitlines()
    )


def test_stats_count_nodes_by_type_and_system(graph_of_model: Graph, asked: Callable[..., str]):
    stats = graph_of_model.stats()
    assert stats.vertices["Asset"] == 8
    assert stats.edges["IS"] == 8
    assert dict(stats.assets_by_type) == {
        "catalog_table": 2, "connector": 1, "dashboard": 1, "external_dataset": 1,
        "kafka_topic": 1, "notebook": 1, "schema": 1,
    }  # fmt: skip
    assert dict(stats.assets_by_system) == {
        "confluent": 3, "aws": 2, "databricks": 1, "external": 1, "tableau": 1,
    }  # fmt: skip
    assert "ASSETS by system" in asked("stats").splitlines()


def test_orphans_are_neither_schemas_nor_parts_of_designs(graph_of_model: Graph):
    orphans = {str(each.entity): each.kind for each in graph_of_model.orphans().orphans}
    assert orphans == {"tableau:dashboard:e/sales": "unreferenced"}


def test_exports_contain_the_design(graph_of_model: Graph, conn: Connection):
    from lineage.export.openlineage import events_of_session

    trace = graph_of_model.upstream("lake.report")
    events = [json.dumps(each) for each in events_of_session(graph_of_model.session, trace)]
    conn.execute("TRUNCATE lineage.event")
    rebuild_graph(conn)
    write_events(conn, events)
    again = Graph.over(conn).upstream("lake.report")
    assert [(e.source.name, e.confidence) for e in again.edges] == [
        ("lake.orders", 1), ("orders", 0.6), ("shop.orders", 0.8),
    ]  # fmt: skip
    topic = Graph.over(conn).upstream("confluent:kafka_topic:e/orders")  # its id is an alias
    assert topic.root.full_name == "kafka://b:9092/orders"
    assert [each.source.name for each in topic.edges] == ["shop.orders"]
