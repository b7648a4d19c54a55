"""Events of graph models: names, sides of jobs, facets."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.graph_models import edge, graph, graphs, node
from support.events.openlineage_schema import assert_facets

from lineage.events.entry import read_entry
from lineage.events.merge import Batch
from lineage.model import LineageGraph, LineageNode, NodeType
from lineage.model.events import events_of_graph
from lineage.model.names import names_of_node, of_node_id
from lineage.openlineage.asset_facets import agtype_text, asset_facets
from lineage.query.cypher.agtype import parse_agtype


def events(model: LineageGraph, **clusters: str) -> dict[str, dict[str, Any]]:
    """The events of a graph by the id of the node."""
    found = {}
    for event in events_of_graph(model, clusters):
        facets = (event.get("dataset") or event["job"])["facets"]
        found[facets["lineage_node"]["node_id"]] = event
    return found


def sides(event: dict[str, Any]) -> tuple[list[str], list[str]]:
    return [each["name"] for each in event["inputs"]], [each["name"] for each in event["outputs"]]


@given(st.text(max_size=30), st.text(max_size=30))
def test_distinct_ids_have_distinct_names(one: str, other: str):
    assert (of_node_id(one) == of_node_id(other)) == (one == other)


@pytest.mark.parametrize(
    ("id", "namespace", "name"),
    [
        ("confluent:kafka_topic:env:orders", "confluent:kafka_topic:env", "orders"),
        ("confluent:connector:env:lkc:copy", "confluent:connector:env", "lkc:copy"),
        ("external:external_dataset:env:s3://b/k", "external:external_dataset:env", "s3://b/k"),
        ("a:b:c:", "asset", "a:b:c:"),
        ("orders", "asset", "orders"),
        ("asset:orders", "asset", "asset:orders"),
    ],
)
def test_the_name_of_an_id(id: str, namespace: str, name: str):
    assert of_node_id(id) == (namespace, name)


UNITY = {"catalog_type": "UNITY_CATALOG", "qualified_name": "main.shop.loans"}
GLUE = {"catalog_type": "AWS_GLUE", "qualified_name": "shop.loans"}
TABLE = NodeType.CATALOG_TABLE
OWN = ("x:y:e", "loans")


@pytest.mark.parametrize(
    ("type", "values", "names"),
    [
        ("kafka_topic", {"cluster_id": "k"}, [("kafka://b:9092", "loans"), OWN]),
        ("kafka_topic", {"cluster_id": "other"}, [OWN]),
        (
            "kafka_topic",
            {"attributes": {"bootstrap_servers": "SASL_SSL://c:1,d:2"}},
            [("kafka://c:1", "loans"), OWN],
        ),
        (TABLE, {**UNITY, "attributes": {"storage_location": "s3a://lake/loans/"}},
         [("s3://lake", "loans"), OWN]),
        (TABLE, {**UNITY, "attributes": {"workspace_url": "https://dbc-1.example.com/x"}},
         [("databricks://dbc-1.example.com", "main.shop.loans"), OWN]),
        (TABLE, {**GLUE, "attributes": {"aws_region": "eu-central-1", "account_id": "12",
                                        "location": "s3://lake/loans"}},
         [("s3://lake", "loans"),
          ("arn:aws:glue:eu-central-1:12", "table/shop/loans"), OWN]),
        (TABLE, {**GLUE, "attributes": {"aws_region": "eu-central-1", "location": "us"}}, [OWN]),
        (TABLE, {"catalog_type": "GOOGLE_DATA_LINEAGE", "qualified_name": "p.d.loans"},
         [("bigquery", "p.d.loans"), OWN]),
        ("external_dataset", {"qualified_name": "mysql://db:3306/shop.loans"},
         [("mysql://db:3306", "shop.loans"), OWN]),
        ("external_dataset", {"qualified_name": "mysql://me:secret@db:3306/shop.loans"},
         [("mysql://db:3306", "shop.loans"), OWN]),
        ("external_dataset", {"qualified_name": "https://host/a?token=1"},
         [("https://host", "/a"), OWN]),
        ("external_dataset", {"qualified_name": "elasticsearch.loans"}, [OWN]),
        ("external_dataset", {"qualified_name": "s3://"}, [OWN]),
        ("connector", {"cluster_id": "k"}, [OWN]),
        ("dashboard", {"attributes": {"location": "s3://lake/x"}}, [OWN]),
    ],
)  # fmt: skip
def test_nodes_are_named_by_the_naming_spec(
    type: str, values: dict[str, Any], names: list[tuple[str, str]]
):
    each: LineageNode = node("x:y:e:loans", type, **values)
    assert names_of_node(each, {"k": "kafka://b:9092"}) == names


def test_sides_follow_the_direction_and_not_the_type():
    model = graph(
        node("x:external_dataset:e:table", NodeType.EXTERNAL_DATASET),
        node("x:kafka_topic:e:topic"),
        node("x:connector:e:copy", NodeType.CONNECTOR),
        node("x:consumer_group:e:web", NodeType.CONSUMER_GROUP),
        node("x:consumer_group:e:app", NodeType.CONSUMER_GROUP),
        node("x:flink_job:e:next", NodeType.FLINK_JOB),
        edge("x:external_dataset:e:table", "x:connector:e:copy", "produces"),
        edge("x:connector:e:copy", "x:kafka_topic:e:topic", "consumes"),
        edge("x:consumer_group:e:web", "x:kafka_topic:e:topic", "member_of"),
        edge("x:kafka_topic:e:topic", "x:consumer_group:e:app", "member_of"),
        edge("x:connector:e:copy", "x:flink_job:e:next", "transforms"),
    )
    found = events(model)
    assert sides(found["x:connector:e:copy"]) == (["table"], ["topic"])
    assert sides(found["x:consumer_group:e:web"]) == (["topic"], [])
    assert sides(found["x:consumer_group:e:app"]) == (["topic"], [])
    assert sides(found["x:flink_job:e:next"]) == ([], [])
    held = found["x:flink_job:e:next"]["job"]["facets"]["lineage_edges"]["edges"]
    assert [each["edge_type"] for each in held] == ["transforms"]


def test_nodes_of_one_dataset_share_their_tags_and_have_their_own_inputs():
    place = {"attributes": {"storage_location": "s3://lake/t"}}
    model = graph(
        node("x:kafka_topic:e:a"), node("x:kafka_topic:e:b"),
        node("x:uc_table:one:t", NodeType.CATALOG_TABLE, tags=["x"], **place),
        node("x:uc_table:two:t", NodeType.CATALOG_TABLE, tags=["y"], **place),
        edge("x:kafka_topic:e:a", "x:uc_table:one:t", "materializes"),
        edge("x:kafka_topic:e:b", "x:uc_table:two:t", "materializes"),
        edge("x:uc_table:one:t", "x:uc_table:two:t", "transforms"),
    )  # fmt: skip
    for id, source in (("x:uc_table:one:t", "a"), ("x:uc_table:two:t", "b")):
        facets = events(model)[id]["dataset"]["facets"]
        assert [each["name"] for each in facets["lineage"]["inputs"]] == [source]
        assert [each["key"] for each in facets["tags"]["tags"]] == ["x", "y"]


def test_the_greatest_of_parallel_confidences_counts():
    model = graph(
        node("x:kafka_topic:e:a"), node("x:connector:e:c", NodeType.CONNECTOR),
        node("x:kafka_topic:e:b"),
        edge("x:kafka_topic:e:a", "x:connector:e:c", "consumes", confidence=0.3),
        edge("x:kafka_topic:e:a", "x:connector:e:c", "transforms", confidence=0.5),
        edge("x:connector:e:c", "x:kafka_topic:e:b", confidence=1.0),
    )  # fmt: skip
    facet = events(model)["x:connector:e:c"]["job"]["facets"]["lineage_confidence"]
    assert facet["inputs"] == [{"namespace": "x:kafka_topic:e", "name": "a", "confidence": 0.5}]
    assert facet["outputs"] == []


SCHEMAS = [
    ("t-value", {"version": 1, "fields": [{"name": "old", "type": "int"}]}),
    ("t-value", {"version": 2, "fields": [{"name": "id", "type": ["null", "int"]}]}),
    ("t-key", {"version": 9, "fields": [{"name": "key", "type": "int"}]}),
]


def test_a_topic_has_the_columns_of_its_newest_value_schema():
    schemas = [
        node(f"x:schema:e:{name}:{number}", NodeType.SCHEMA, qualified_name=name, attributes=values)
        for number, (name, values) in enumerate(SCHEMAS)
    ]
    model = graph(
        node("x:kafka_topic:e:t"),
        *schemas,
        *(edge("x:kafka_topic:e:t", each.node_id, "has_schema") for each in schemas),
    )
    facets = events(model)["x:kafka_topic:e:t"]["dataset"]["facets"]
    assert facets["schema"]["fields"] == [{"name": "id", "type": '["null", "int"]'}]
    assert "lineage" not in facets


@given(graphs())
def test_events_are_valid_and_give_back_nodes_and_edges(model: LineageGraph):
    texts = [json.dumps(each) for each in events_of_graph(model)]
    for text in texts:
        event = json.loads(text)
        assert_facets((event.get("dataset") or event["job"])["facets"])
    entries = [read_entry(text) for text in texts]
    assert [part for entry in entries for part in entry.event.all_omitted()] == []
    assets = Batch.merge_entries(entries).assets
    assert assets.nodes.keys() == {each.node_id for each in model.nodes}
    assert assets.edges.keys() == {each.edge_key for each in model.edges}


@given(
    st.recursive(
        st.one_of(
            st.none(), st.booleans(), st.integers(-(2**80), 2**80), st.text(),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    )
)  # fmt: skip
def test_a_value_is_read_from_its_agtype_text(value: object):
    assert parse_agtype(agtype_text(value)) == value


@pytest.mark.parametrize(
    ("node_values", "edge_values", "omitted"),
    [
        ({"node_id": 1}, {}, ["lineage_node.node_id"]),
        ({"tags": "x"}, {"edge_type": "feeds"},
         ["lineage_node.tags", "lineage_edges.edges[0].edge_type"]),
        ({"last_seen": "now"}, {"confidence": 2},
         ["lineage_node.last_seen", "lineage_edges.edges[0].confidence"]),
        ({"attributes": []}, {"attributes": 1},
         ["lineage_node.attributes", "lineage_edges.edges[0].attributes"]),
        ({"url": 1}, {"src_id": ""}, ["lineage_node.url", "lineage_edges.edges[0].src_id"]),
    ],
)  # fmt: skip
def test_unreadable_parts_are_reported(
    node_values: dict[str, Any], edge_values: dict[str, Any], omitted: list[str]
):
    facets = {
        "lineage_node": {**node("t").to_dict(), **node_values},
        "lineage_edges": {"edges": [{**edge("t", "t").to_dict(), **edge_values}]},
    }
    event = {"eventTime": "2026-01-01T00:00:00Z",
             "dataset": {"namespace": "n", "name": "t", "facets": facets}}  # fmt: skip
    parsed = read_entry(json.dumps(event)).event
    assert parsed.all_omitted() == [f"dataset.facets.{each}" for each in omitted]


def test_facets_of_others_are_none():
    assert asset_facets({}) is None
