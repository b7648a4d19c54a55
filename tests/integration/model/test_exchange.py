"""Graph models through events, log and graph, and back to equal JSON."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.events.graph_model_rules import ToolRules
from support.events.graph_models import START, bookshop, edge, edges, graph, graphs, node, nodes
from support.properties import examples_in_one_database

import cli
from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.model import EdgeType, LineageEdge, LineageGraph, LineageNode, NodeType
from lineage.model.events import events_of_graph
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph
from lineage.query.cypher.agtype import parse_agtype

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Connection = psycopg.Connection[Any]

PLATFORM = Path(__file__).parents[2] / "data" / "model" / "platform.json"
CLUSTERS = {"lkc-xyz789": "kafka://broker:9092"}
WITH_DATABASE = examples_in_one_database(25)


def encoded(model: LineageGraph) -> list[bytes]:
    events = events_of_graph(model, CLUSTERS)
    return [json.dumps(event, ensure_ascii=False).encode() for event in events]


def empty(conn: Connection) -> None:
    conn.execute("TRUNCATE lineage.event")
    rebuild_graph(conn)


def read_from_age(conn: Connection) -> LineageGraph:
    """The graph as Cypher reads it from the label tables of AGE."""
    conn.execute("SET search_path = ag_catalog, public")
    found = conn.execute(
        "SELECT n::text FROM cypher('provenance', $$MATCH (n:Asset) RETURN properties(n)$$)"
        " AS (n agtype)"
    ).fetchall()
    body: dict[str, list[Any]] = {"nodes": [parse_agtype(text) for (text,) in found], "edges": []}
    for type in EdgeType:
        rows = conn.execute(
            f"SELECT s::text, t::text, e::text FROM cypher('provenance', $$"
            f"MATCH (s:Asset)-[e:{type.name}]->(t:Asset)"
            " RETURN s.node_id, t.node_id, properties(e)$$) AS (s agtype, t agtype, e agtype)"
        ).fetchall()
        for source, target, values in rows:
            ends = {"src_id": source, "dst_id": target}
            body["edges"].append({**ends, "edge_type": type.value, **parse_agtype(values)})
    conn.execute("RESET search_path")
    return LineageGraph.from_dict(body)


@pytest.fixture
def command(conn: Connection) -> Callable[..., Any]:
    """Return a function that runs ``lineage graph`` on the database."""

    def run(*arguments: str, code: int = 0) -> Any:
        dsn = f"{conn.info.dsn} password={conn.info.password}"
        done = CliRunner().invoke(cli.main, [*arguments, "--dsn", dsn])
        assert done.exit_code == code, done.output
        return done

    return run


@pytest.mark.parametrize("sample", ["platform", "lineage_bridge_sample", "bookshop"])
def test_a_platform_comes_back_equal(
    conn: Connection, command: Callable[..., Any], tmp_path: Path, sample: str
):
    file = PLATFORM.with_name(f"{sample}.json")
    given = file.read_text() if file.exists() else json.dumps(bookshop())
    path, back = tmp_path / "in.json", tmp_path / "out.json"
    path.write_text(given)
    model = LineageGraph.from_json_file(path)
    size = (47, 47) if sample == "platform" else (38, 39)
    assert (model.node_count, model.edge_count) == size
    cluster = ["--cluster", "lkc-xyz789=kafka://broker:9092"]
    done = command("graph", "import", str(path), *cluster)
    assert done.stderr == f"{path}: {size[0]} nodes, {size[1]} edges, {size[0]} events.\n"
    command("graph", "export", str(back))
    assert LineageGraph.from_json_file(back) == model
    assert json.loads(back.read_text())["nodes"] == sorted(
        model.to_dict()["nodes"], key=lambda each: each["node_id"]
    )
    assert read_from_age(conn) == model
    assert Graph.over(conn).model() == model
    again = command("graph", "import", str(path), *cluster)
    assert again.stderr.endswith(f"{size[0]} events, {size[0]} of them already stored.\n")


def test_any_order_and_repetition_gives_the_same_graph(conn: Connection):
    model = LineageGraph.from_json_file(PLATFORM)
    events = encoded(model)
    write_events(conn, events)
    fingerprint = graph_fingerprint(conn)
    for seed in range(20):
        empty(conn)
        shuffled = events * 2
        random.Random(seed).shuffle(shuffled)
        write_events(conn, shuffled, batch_size=random.Random(seed).choice((1, 7, 100)))
        assert Graph.over(conn).model() == model
        assert graph_fingerprint(conn) == fingerprint
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == fingerprint


HOSTILE = st.text(
    st.one_of(st.characters(codec="utf-8", exclude_characters="\x00"), st.sampled_from(":'\"\\/$")),
    min_size=1, max_size=12,
)  # fmt: skip


@given(graphs(HOSTILE))
@WITH_DATABASE
def test_generated_graphs_come_back_equal(conn: Connection, model: LineageGraph):
    empty(conn)
    write_events(conn, encoded(model))
    assert Graph.over(conn).model() == model
    stored = Graph.over(conn).model()
    assert read_from_age(conn) == stored.select_nodes({each.node_id for each in stored.nodes})
    fingerprint = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == fingerprint


REPORTS = st.lists(
    st.one_of(nodes(st.sampled_from("ab")), edges(st.sampled_from("ab"))), min_size=6, max_size=6
)


def assert_merged_by_rules(model: LineageGraph, reports: list[LineageNode | LineageEdge]) -> None:
    """Compare with the rules of the tool, applied in the order of ``last_seen``."""
    rules = ToolRules()
    for each in sorted(reports, key=lambda each: each.last_seen):
        rules.add_report(each)
    rules.assert_equal(model)


def events_of_reports(reports: list[LineageNode | LineageEdge]) -> list[bytes]:
    """Each report as an import of its own; that of an edge names both nodes before any other."""
    events = []
    for each in reports:
        if isinstance(each, LineageNode):
            events += encoded(graph(each))
        else:
            [event] = encoded(graph(node(each.src_id, first_seen=each.first_seen,
                                         last_seen=each.last_seen), each))[:1]  # fmt: skip
            body = json.loads(event)
            facets = (body.get("dataset") or body["job"])["facets"]
            del facets["lineage_node"]
            events.append(json.dumps(body, ensure_ascii=False).encode())
    return events


@given(REPORTS, st.randoms(use_true_random=False))
@examples_in_one_database(40)
def test_reports_in_any_order_are_merged_by_the_rules(
    conn: Connection, reports: list[LineageNode | LineageEdge], order: random.Random
):
    reports = with_distinct_times(reports)
    empty(conn)
    events = events_of_reports(reports) * 2
    order.shuffle(events)
    write_events(conn, events, batch_size=order.choice((1, 3, 100)))
    assert_merged_by_rules(Graph.over(conn).model(), reports)


def test_300_sequences_of_reports_are_merged_by_the_rules(conn: Connection):
    """Six reports of two nodes each, all of them shuffled together, each written twice."""
    source = random.Random(300)
    sequences = [with_distinct_times(random_reports(source, f"{n}:")) for n in range(300)]
    events = [event for reports in sequences for event in events_of_reports(reports)] * 2
    source.shuffle(events)
    write_events(conn, events, batch_size=400)
    reports = [report for reports in sequences for report in reports]
    assert_merged_by_rules(Graph.over(conn).model(), reports)
    fingerprint = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == fingerprint


def random_reports(source: random.Random, prefix: str) -> list[LineageNode | LineageEdge]:
    """Six reports of two nodes and of the edges between them, with values that collide."""
    reports: list[LineageNode | LineageEdge] = []
    for _ in range(6):
        first, last = sorted(timedelta(seconds=source.randrange(10**6)) for _ in range(2))
        times = {"first_seen": START + first, "last_seen": START + last}
        values = {key: source.choice((None, 1, "ü", [2])) for key in source.sample("xyz", 2)}
        ends = [prefix + source.choice("ab") for _ in range(2)]
        if source.random() < 0.6:
            optional = ("environment_id", "cluster_id", "url", "catalog_type")
            texts = {key: source.choice((None, "one", "two")) for key in optional}
            type = source.choice([*NodeType, "dashboard"])
            tags = source.sample("tuv", source.randrange(4))
            reports.append(node(ends[0], type, attributes=values, tags=tags, **texts, **times))
        else:
            confidence = source.choice((1.0, 0.5, 0.0))
            type = source.choice([*EdgeType])
            reports.append(edge(*ends, type, confidence=confidence, attributes=values, **times))
    return reports


def with_distinct_times(reports: list[Any]) -> list[Any]:
    """Reports that were last seen at different times: the rules say nothing of equal ones."""
    from msgspec.structs import replace

    return [
        replace(each, last_seen=each.last_seen + timedelta(days=20 * number))
        for number, each in enumerate(reports)
    ]


def test_large_numbers_and_spellings(conn: Connection):
    values = {
        "large": 2**63, "larger": -(10**400), "exact": 2**53 + 1, "float": 1e16, "zero": -0.0,
        "one": 1.0, "small": 5e-324, "text": "1::numeric", "": None, "nested": [{"a": 2**64}],
    }  # fmt: skip
    model = graph(node("t", attributes=values))
    write_events(conn, encoded(model))
    for back in (Graph.over(conn).model(), read_from_age(conn)):
        assert repr(back.nodes[0].attributes["zero"]) == "-0.0"
        assert isinstance(back.nodes[0].attributes["one"], float)
        assert back == model
    rows = Graph.over(conn).cypher("MATCH (n:Asset) RETURN n.attributes.large").rows
    assert rows == ((2**63,),)


def test_a_nul_becomes_a_replacement_character(conn: Connection):
    write_events(conn, encoded(graph(node("t", url="a\0b", attributes={"k\0": "\0"}))))
    [back] = Graph.over(conn).model().nodes
    assert (back.url, back.attributes) == ("a\ufffdb", {"k\ufffd": "\ufffd"})


def test_what_cannot_be_stored_is_reported(command: Callable[..., Any], tmp_path: Path):
    path = tmp_path / "in.json"
    model = graph(node("t"), node("t" * 1300)).to_dict()
    model["nodes"][0]["colour"] = "red"
    path.write_text(json.dumps(model))
    done = command("graph", "import", str(path), code=1)
    assert f"{path}: left out: key colour, which the model does not have\n" in done.stderr
    assert f"left out: {'t' * 1300}: dataset.facets.lineage_node.node_id\n" in done.stderr
    path.write_text(json.dumps(graph(edge("a", "b")).to_dict()))
    done = command("graph", "import", str(path), code=1)
    assert f"{path}: left out: edge of a to b\n" in done.stderr


def test_edges_to_nodes_of_other_files_are_followed(
    conn: Connection, command: Callable[..., Any], tmp_path: Path
):
    """A topic, a table that is materialized from it, and a connector of the table to a third."""
    topic, table = "c:kafka_topic:e:orders", "c:tableflow_table:e:orders_table"
    sink, other = "c:connector:e:sink", "c:tableflow_table:e:report"
    models = {
        "topic": graph(node(topic, "kafka_topic", cluster_id="k")),
        "table": graph(
            node(table, "tableflow_table"), node("c:tableflow_table:e:x", "tableflow_table"),
            edge("c:tableflow_table:e:x", table, "transforms"),
            edge(topic, table, "materializes"),
        ),
        "sink": graph(node(sink, "connector"), edge(table, sink, "consumes"), edge(sink, other)),
        "report": graph(node(other, "tableflow_table")),
    }  # fmt: skip
    paths = {name: tmp_path / f"{name}.json" for name in models}
    for name, model in models.items():
        model.to_json_file(paths[name])

    def upstream(name: str) -> set[str]:
        return {each.name for each in Graph.over(conn).upstream(name).datasets}

    done = command("graph", "import", str(paths["table"]), code=1)
    line = f"left out: edge of {topic} to {table}, from traces: the file does not have both nodes"
    assert done.stderr.splitlines()[1:] == [f"{paths['table']}: {line}"]
    command("graph", "import", str(paths["topic"]))
    assert upstream("orders_table") == {"x"}
    command("graph", "import", str(paths["table"]))
    assert upstream("orders_table") == {"x", "orders"}
    again = command("graph", "import", str(paths["table"]))
    assert again.stderr.endswith("2 events, 2 of them already stored.\n")
    command("graph", "import", str(paths["sink"]), str(paths["report"]))
    assert upstream("report") == {"x", "orders", "orders_table"}
    fingerprint = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == fingerprint


def test_an_edge_that_another_file_has_to_hold_is_reported(
    conn: Connection, command: Callable[..., Any], tmp_path: Path
):
    """Whether a table is made from others is the statement of the file with the table."""
    path = tmp_path / "a.json"
    graph(
        node("c:kafka_topic:e:t", "kafka_topic"),
        edge("c:kafka_topic:e:t", "c:table:e:x", "materializes"),
        edge("c:kafka_topic:e:t", "c:schema:e:s", "has_schema"),
    ).to_json_file(path)
    other = tmp_path / "b.json"
    graph(node("c:table:e:x", "tableflow_table")).to_json_file(other)
    done = command("graph", "import", str(path), str(other), code=1)
    assert "left out: edge of c:kafka_topic:e:t to c:table:e:x, from traces" in done.stderr
    assert "has_schema" not in done.stderr
    assert done.stderr.count("left out") == 1


def test_an_edge_without_a_node_waits_for_it(
    conn: Connection, command: Callable[..., Any], tmp_path: Path
):
    write_events(conn, encoded(graph(node("a"), edge("a", "b", "materializes"))))
    assert read_from_age(conn).edges == []
    done = command("graph", "validate", code=1)
    assert done.stdout == "Dangling edge dst: b\n"
    done = command("graph", "export")
    assert "Left out: 1 edge without a node." in done.stderr
    assert json.loads(done.stdout)["edges"] == []
    write_events(conn, encoded(graph(node("b"))))
    assert [each.edge_key for each in read_from_age(conn).edges] == [("a", "b", "materializes")]
    assert command("graph", "validate").stdout == ""


def test_export_selects_nodes(conn: Connection, command: Callable[..., Any]):
    write_events(conn, [json.dumps(e) for e in events_of_graph(LineageGraph.from_dict(bookshop()))])

    def exported(*options: str) -> LineageGraph:
        return LineageGraph.from_dict(json.loads(command("graph", "export", *options).stdout))

    aws = exported("--system", "aws")
    assert {each.qualified_name for each in aws.nodes} == {"shop.fines", "shop.mails"}
    typed = exported("--type", "schema", "--type", "notebook")
    assert Counter(each.node_type for each in typed.nodes) == {
        "schema": 5, "notebook": 1,
    }  # fmt: skip
    assert exported("--env", "env-2").node_count == 0
    around = exported("--around", "confluent:flink_job:env-1:mailer", "--depth", "1")
    assert {each.qualified_name for each in around.nodes} == {"mailer", "fines", "mails"}
    assert around.edge_count == 2
    by_name = exported("--around", "main.reports.daily", "--depth", "1")
    assert by_name.node_count == 3
    assert exported("--around", "library-source").node_count == 38
    model = Graph.over(conn).model
    assert model(node_type=["schema"], environment=["env-1"], system=["aws"]).node_count == 0
    with pytest.raises(NotFound, match="nothing"):
        model(around="nothing")


def test_validate_of_a_file(command: Callable[..., Any], tmp_path: Path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps(bookshop()))
    done = command("graph", "validate", str(path))
    assert done.stderr == "38 nodes, 39 edges, 1 pipeline: 0 warnings.\n"
    graph(node("t")).to_json_file(path)
    done = command("graph", "validate", str(path), code=1)
    assert done.stdout == "Orphan node: t\n"


def test_nodes_are_what_events_of_producers_name(conn: Connection):
    """A topic, a table by its location and a table of MySQL have one vertex with other events."""
    from support.events.builders import dataset, run_event

    model = LineageGraph.from_json_file(PLATFORM)
    write_events(conn, encoded(model))
    write_events(conn, [
        run_event("r", "COMPLETE", 1, "copy",
                  reads=(dataset("orders", namespace="kafka://broker:9092"),),
                  writes=(dataset("sales/orders", namespace="s3://lake"),)),
    ])  # fmt: skip
    found = Graph.over(conn).dataset("s3://lake/sales/orders")
    assert [each.node_id for each in found.assets] == [
        "databricks:uc_table:env-abc123:main.sales.orders",
        "databricks:uc_table:env-other:main.sales.orders",
    ]
    topic = Graph.over(conn).dataset("confluent:kafka_topic:env-abc123:orders")
    assert str(topic.dataset) == "kafka://broker:9092/orders"
    assert [each.name for each in topic.read_by] == ["copy"]
    upstream = Graph.over(conn).upstream("main.analytics.daily").datasets
    assert "mysql://db:3306/shop.customers" in map(str, upstream)
    rows = Graph.over(conn).cypher(
        "MATCH (a:Asset)-[:IS]->(d:Dataset {name: 'sales/orders'}) RETURN a.node_id"
    )
    assert len(rows.rows) == 2


def test_a_node_follows_its_dataset_to_another_name(conn: Connection):
    topic = node("confluent:kafka_topic:e:orders", cluster_id="k")
    first = events_of_graph(graph(topic))
    later = graph(node(topic.node_id, cluster_id="k", last_seen=START + timedelta(days=1)))
    second = events_of_graph(later, {"k": "kafka://b:9092"})
    events = [json.dumps(each) for each in (*first, *second)]
    names = []
    for order in (events, events[::-1]):
        empty(conn)
        write_events(conn, order, batch_size=1)
        names.append(Graph.over(conn).cypher("MATCH (:Asset)-[:IS]->(d) RETURN d.namespace").rows)
    assert names == [(("kafka://b:9092",),)] * 2


def test_pruning_the_log_keeps_nodes(conn: Connection):
    model = LineageGraph.from_dict(bookshop())
    write_events(conn, [json.dumps(each) for each in events_of_graph(model)])
    conn.execute("SELECT lineage.prune('2026-07-01')")
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(0,)]
    assert Graph.over(conn).model() == model
