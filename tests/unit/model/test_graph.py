"""Graph models in memory, with networkx and the tool's rules as references."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.events.graph_model_rules import ToolRules
from support.events.graph_models import START, edge, edges, graph, graphs, node, nodes

from lineage.errors import InvalidGraph, UsageError
from lineage.model import EdgeType, LineageEdge, LineageGraph, LineageNode, NodeType, SystemType

if TYPE_CHECKING:
    from pathlib import Path

BRIDGE = graph(
    node("m", NodeType.EXTERNAL_DATASET, environment_id="e1"),
    node("c", NodeType.CONNECTOR, environment_id="e1"),
    node("t", display_name="Orders", qualified_name="shop.raw"),
    node("s", NodeType.SCHEMA),
    node("u", NodeType.CATALOG_TABLE, catalog_type="UNITY_CATALOG"),
    node("g", NodeType.CATALOG_TABLE, catalog_type="AWS_GLUE"),
    node("alone", "dashboard"),
    edge("m", "c"),
    edge("c", "t"),
    edge("t", "s", "has_schema"),
    edge("t", "u", "materializes"),
    edge("t", "u", "transforms", confidence=0.4),
)


def ids(nodes: list[LineageNode]) -> list[str]:
    return [each.node_id for each in nodes]


def reference(model: LineageGraph, without: EdgeType | None = None) -> networkx.DiGraph[str]:
    """The graph as the tool has it in networkx; ends of dangling edges are nodes too."""
    result: networkx.DiGraph[str] = networkx.DiGraph()
    if without is None:
        result.add_nodes_from(ids(model.nodes))
    result.add_edges_from((e.src_id, e.dst_id) for e in model.edges if e.edge_type != without)
    return result


@given(graphs(), st.integers(0, 4))
@settings(max_examples=60)
def test_hops_components_and_warnings_are_those_of_networkx(model: LineageGraph, hops: int):
    oracle = reference(model)
    for each in ids(model.nodes):
        for found, side in (
            (model.downstream(each, hops), oracle),
            (model.upstream(each, hops), oracle.reverse()),
        ):
            within = networkx.single_source_shortest_path_length(side, each, cutoff=hops)
            expected = {id for id in within if id != each and model.get_node(id)}
            assert set(ids(found)) == expected
            assert len(found) == len(expected)
        distances = networkx.single_source_shortest_path_length(oracle.reverse(), each, cutoff=hops)
        reached = model.get_upstream(each, hops)
        assert {n.node_id: distance for n, _, distance in reached} == {
            id: distances[id] for id in distances if id != each and model.get_node(id)
        }
        for source, by, distance in reached:
            assert model.get_edge(by.src_id, by.dst_id, by.edge_type) == by
            assert (by.src_id, distances[by.dst_id]) == (source.node_id, distance - 1)
        neighbours = {*oracle.successors(each), *oracle.predecessors(each)}
        assert set(ids(model.get_neighbors(each))) == {n for n in neighbours if model.get_node(n)}
    flow = reference(model, without=EdgeType.HAS_SCHEMA)
    assert model.pipeline_count == networkx.number_weakly_connected_components(flow)
    orphans = {
        f"Orphan node: {n.node_id}"
        for n in model.nodes
        if n.node_type != "schema" and oracle.degree(n.node_id) == 0
    }
    dangling = [
        f"Dangling edge {side}: {id}"
        for e in model.edges
        for side, id in (("src", e.src_id), ("dst", e.dst_id))
        if model.get_node(id) is None
    ]
    warnings = model.validate()
    assert set(warnings) == orphans.union(dangling)
    assert len(warnings) == len(orphans) + len(dangling)


@given(graphs())
@settings(max_examples=60)
def test_json_gives_the_same_graph(model: LineageGraph):
    text = json.dumps(model.to_dict())
    again = LineageGraph.from_dict(json.loads(text))
    assert again == model
    assert json.dumps(again.to_dict()) == text


@given(st.lists(st.one_of(nodes(st.sampled_from("ab")), edges(st.sampled_from("ab"))), max_size=6))
@settings(max_examples=100)
def test_reports_are_merged_by_the_rules_of_the_tool(reports: list[LineageNode | LineageEdge]):
    rules, model = ToolRules(), LineageGraph()
    for each in reports:
        rules.add_report(each)
        model.add_node(each) if isinstance(each, LineageNode) else model.add_edge(each)
    rules.assert_equal(model)


def test_a_second_report_fills_and_replaces():
    later = START + timedelta(hours=1)
    model = graph(
        node(
            "t",
            cluster_id="k",
            tags=["a", "b"],
            attributes={"x": 1, "y": {"z": 1}},
            last_seen=later,
        ),
        node("t", url="u", tags=["b", "c"], attributes={"y": None}, first_seen=later),
    )
    [merged] = model.nodes
    assert (merged.cluster_id, merged.url) == ("k", "u")
    assert merged.attributes == {"x": 1, "y": None}
    assert merged.tags == ["a", "b", "c"]
    assert (merged.first_seen, merged.last_seen) == (START, later)


def test_an_edge_takes_the_values_of_its_second_report():
    later = START + timedelta(hours=1)
    model = graph(
        edge("a", "b", confidence=0.5, attributes={"x": 1}),
        edge("a", "b", attributes={"y": 1}, first_seen=later, last_seen=later),
    )
    assert model.edges == [
        edge("a", "b", attributes={"y": 1}, last_seen=later),
    ]


def test_nodes_are_selected_by_type_environment_catalog_and_text():
    assert ids(BRIDGE.filter_by_type(NodeType.CONNECTOR)) == ["c"]
    assert ids(BRIDGE.filter_by_type("dashboard")) == ["alone"]
    assert ids(BRIDGE.filter_by_env("e1")) == ["m", "c"]
    assert ids(BRIDGE.filter_catalog_nodes()) == ["u", "g"]
    assert ids(BRIDGE.filter_catalog_nodes("AWS_GLUE")) == ["g"]
    assert ids(BRIDGE.search_nodes("ORDERS")) == ["t"]
    assert ids(BRIDGE.search_nodes("shop.")) == ["t"]


def test_counts_and_neighbours():
    assert (BRIDGE.node_count, BRIDGE.edge_count, BRIDGE.pipeline_count) == (7, 5, 1)
    assert ids(BRIDGE.get_neighbors("t")) == ["c", "s", "u"]
    assert ids(BRIDGE.get_neighbors("t", "upstream")) == ["c"]
    assert BRIDGE.get_neighbors("nowhere") == BRIDGE.upstream("nowhere") == []
    with pytest.raises(UsageError, match='no direction "up"'):
        BRIDGE.get_neighbors("t", "up")  # type: ignore[arg-type]
    assert repr(BRIDGE) == "LineageGraph(nodes=7, edges=5)"


def test_validate_uses_the_texts_of_the_model():
    model = graph(node("t"), node("s", "schema"), edge("x", "y"))
    assert model.validate() == [
        "Orphan node: t", "Dangling edge src: x", "Dangling edge dst: y",
    ]  # fmt: skip


@given(graphs())
@settings(max_examples=30)
def test_the_graph_of_networkx_has_each_edge_with_its_fields(model: LineageGraph):
    exported = model.to_networkx()
    edges = {(s, t, key): values for s, t, key, values in exported.edges(keys=True, data=True)}
    assert {key: LineageEdge(**values) for key, values in edges.items()} == {
        each.edge_key: each for each in model.edges
    }
    nodes = {id: values for id, values in exported.nodes(data=True) if values}
    assert {id: LineageNode(**values) for id, values in nodes.items()} == {
        each.node_id: each for each in model.nodes
    }
    ends = {id for each in model.edges for id in (each.src_id, each.dst_id)}
    assert set(exported) == {*nodes, *ends}


def test_without_networkx_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(UsageError, match="networkx") as caught:
        LineageGraph().to_networkx()
    assert caught.value.hint == "Install the missing packages: pip install 'networkx>=3.3'"


def test_a_removed_edge_leaves_one_of_another_type():
    model = LineageGraph.from_dict(BRIDGE.to_dict())
    assert model.remove_edge("t", "u", EdgeType.TRANSFORMS)
    assert not model.remove_edge("t", "u", "transforms")
    assert ids(model.downstream("t")) == ["s", "u"]
    assert model.remove_edge("t", "u", "materializes")
    assert ids(model.downstream("t")) == ["s"]
    assert model.get_edge("t", "u", "materializes") is None


def test_unknown_types_are_retained_and_known_ones_are_members():
    other = node("d", "dashboard", system="snowflake")
    assert (other.node_type, other.system) == ("dashboard", "snowflake")
    assert node("t", "kafka_topic").node_type is NodeType.KAFKA_TOPIC
    assert node("t").system is SystemType.CONFLUENT
    assert graph(other).to_dict()["nodes"][0]["node_type"] == "dashboard"


def test_times_are_instants(tmp_path: Path):
    value = node("t").to_dict() | {
        "first_seen": "2026-05-01T02:00:00+02:00", "last_seen": "2026-05-01T00:00:00.120000",
    }  # fmt: skip
    model = LineageGraph.from_dict({"nodes": [value]})
    [each] = model.to_dict()["nodes"]
    assert each["first_seen"] == "2026-05-01T00:00:00Z"
    assert each["last_seen"] == "2026-05-01T00:00:00.120000Z"


def test_a_file_is_read_and_written(tmp_path: Path):
    path = tmp_path / "new" / "graph.json"
    BRIDGE.to_json_file(path)
    assert LineageGraph.from_json_file(path) == BRIDGE
    with pytest.raises(UsageError, match=r"none\.json cannot be read: No such file"):
        LineageGraph.from_json_file(tmp_path / "none.json")


def test_keys_that_the_model_does_not_have_are_listed():
    value = node("t").to_dict() | {"colour": "red"}
    model = LineageGraph.from_dict({"nodes": [value], "edges": []})
    assert model.unknown_keys == {"colour"}


NODE = node("t").to_dict()
EDGE = edge("t", "t").to_dict()
TYPES = "consumes, has_schema, materializes, member_of, produces, transforms"


WRONG_NODES = [
    ({"node_id": None}, "Node 2 of graph.json: node_id is null, not a text."),
    ({"node_id": ""}, "Node 2 of graph.json has no node_id."),
    ({"system": None}, "Node 2 of graph.json: system is null, not a text."),
    ({"url": 1}, "Node 2 of graph.json: url is a number, not a text."),
    ({"tags": [1]}, "Node 2 of graph.json: tags is not a list of texts."),
    ({"attributes": []}, "Node 2 of graph.json: attributes is a list, not an object."),
    (
        {"last_seen": "now"},
        'Node 2 of graph.json: last_seen "now" is not an ISO 8601 date and time.',
    ),
]
WRONG_EDGES = [
    ({"dst_id": 1}, "Edge 2 of graph.json: dst_id is a number, not a text."),
    ({"edge_type": "feeds"}, f'Edge 2 of graph.json: edge_type "feeds" is none of {TYPES}.'),
    ({"confidence": 1.5}, "confidence 1.5 of edge 2 of graph.json is not between 0 and 1."),
    (
        {"confidence": True},
        "Edge 2 of graph.json: confidence is a truth value, not a number.",
    ),
]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ([{}], [], "Node 1 of graph.json has no node_id."),
        ([7], [], "Node 1 of graph.json is a number, not an object."),
        ([], [{"src_id": "a"}], "Edge 1 of graph.json has no dst_id."),
        ({}, [], "nodes of graph.json is an object, not a list."),
        *(([NODE, NODE | wrong], [], message) for wrong, message in WRONG_NODES),
        *(([], [EDGE, EDGE | wrong], message) for wrong, message in WRONG_EDGES),
    ],
)
def test_a_wrong_entry_is_named(nodes: object, edges: object, message: str):
    with pytest.raises(InvalidGraph) as error:
        LineageGraph.from_dict({"nodes": nodes, "edges": edges}, "graph.json")
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "is a list, not an object with nodes and edges."),
        ("{", "is not JSON: "),
        ('{"nodes": [NaN]}', "has the number NaN, which JSON does not have."),
        (b"\xff\xfe{", "is not text in UTF-8."),
    ],
)
def test_a_file_that_is_no_graph_is_named(tmp_path: Path, text: str | bytes, message: str):
    path = tmp_path / "graph.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InvalidGraph) as error:
        LineageGraph.from_json_file(path)
    assert str(error.value).startswith(f"{path} {message}")


def test_classes_check_types_confidence_and_times():
    with pytest.raises(InvalidGraph, match='edge_type "feeds" is none of'):
        edge("a", "b", "feeds")
    with pytest.raises(InvalidGraph, match="confidence -1 is not between 0 and 1"):
        edge("a", "b", confidence=-1)
    with pytest.raises(InvalidGraph, match="has an offset of a day or more"):
        node("a", last_seen="2026-05-01T00:00:00+99:00")
