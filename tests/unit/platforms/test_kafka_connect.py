"""Reading connectors and schemas over HTTP."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from support.services.kafka_platform import (
    CLUSTER_ID,
    ConnectWorker,
    Failure,
    SchemaRegistry,
    serve,
)

from lineage.errors import ServiceUnavailable, UsageError
from lineage.platforms.kafka_connect import ConnectCluster, Connector, read_connect_cluster
from lineage.platforms.rest import RestClient
from lineage.platforms.schema_registry import read_fields, read_schemas

CONFIG = {"connector.class": "example.Source", "topics": " a, b ,,c"}


def read(worker: Any, user: str | None = None) -> ConnectCluster:
    with serve(worker, user) as url:
        return read_connect_cluster(RestClient(url, pause=0))


@pytest.mark.parametrize("expands", [True, False], ids=["new", "before 2.3"])
def test_connectors_have_configuration_state_and_topics(expands: bool):
    names = ["orders", "a/b c?d#e", "..", "grüße"]
    worker = ConnectWorker(
        dict.fromkeys(names, CONFIG),
        topics={"a/b c?d#e": ["shop.orders"]},
        sinks={"orders"},
        expands=expands,
    )
    cluster = read(worker)
    assert cluster.kafka_cluster_id == CLUSTER_ID
    assert [each.name for each in cluster.connectors] == sorted(names)
    by_name = {each.name: each for each in cluster.connectors}
    assert by_name["orders"].direction == "sink"
    assert by_name["orders"].state == "RUNNING"
    assert by_name["orders"].active_topics == ()
    assert by_name["a/b c?d#e"].active_topics == ("shop.orders",)
    assert by_name["grüße"].connector_class == "example.Source"
    assert by_name["grüße"].split_setting("missing", "topics") == ["a", "b", "c"]
    assert cluster.unreadable == ()


def test_a_worker_may_not_track_topics_and_confluent_cloud_has_no_root():
    cluster = read(ConnectWorker({"orders": CONFIG}, tracks_topics=False, has_root=False))
    [connector] = cluster.connectors
    assert (cluster.kafka_cluster_id, connector.active_topics) == (None, None)


def test_a_rebalance_is_waited_for():
    assert len(read(ConnectWorker({"orders": CONFIG}, rebalances=3)).connectors) == 1
    with pytest.raises(ServiceUnavailable, match=r"answered 409: Cannot complete request"):
        read(ConnectWorker({"orders": CONFIG}, rebalances=1000))


def test_a_connector_that_cannot_be_read_is_reported_alone():
    class Broken(ConnectWorker):
        def answer(self, path: list[str], query: dict[str, list[str]]) -> Any:
            if path[-1] == "topics" and path[1] == "bad":
                raise Failure(400, "password=hunter2 is wrong")
            return super().answer(path, query)

    cluster = read(Broken({"good": CONFIG, "bad": CONFIG}))
    assert [each.name for each in cluster.connectors] == ["good"]
    [message] = cluster.unreadable
    assert message.startswith("connector bad: http://127.0.0.1:")
    assert "answered 400: password=" in message
    assert "hunter2" not in message


def test_user_and_password_are_sent_and_never_printed():
    with serve(ConnectWorker({"orders": CONFIG}), "ann:secret") as url:
        assert len(read_connect_cluster(RestClient(url)).connectors) == 1
        wrong = url.replace("secret", "guess")
        with pytest.raises(ServiceUnavailable) as caught:
            read_connect_cluster(RestClient(wrong, pause=0))
    assert "answered 401: Unauthorized" in str(caught.value)
    assert "guess" not in str(caught.value)


def test_a_service_that_is_away_or_no_service_is_an_error():
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"http://ann:secret@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ServiceUnavailable) as caught:
            RestClient(url, pause=0).get_json("connectors")
    assert "/connectors cannot be read: ConnectionError. Check the address" in str(caught.value)
    assert "secret" not in str(caught.value)

    class Page:
        def answer(self, path: list[str], query: dict[str, list[str]]) -> bytes:
            return b"<html>"

    with (
        serve(Page()) as url,
        pytest.raises(ServiceUnavailable, match=r"did not answer with JSON"),
    ):
        RestClient(url).get_json("connectors")
    for wrong in ("ftp://host", "connect:8083", "http://", ""):
        with pytest.raises(UsageError, match=r"is not a URL of HTTP"):
            RestClient(wrong)


def test_each_subject_has_its_newest_schema():
    avro = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
    registry = SchemaRegistry(
        {
            "orders-value": {"schema": avro},
            "orders-key": {"schema": '"string"'},
            "shop.Order": {"schema": avro},
            ":.staging:orders-value": {"schema": avro},
            "clicks-value": {"schema": 'syntax = "proto3";', "schemaType": "PROTOBUF"},
            "a/b-value": {"schema": avro},
            "-value": {"schema": avro},
        }
    )
    with serve(registry) as url:
        schemas, unreadable = read_schemas(RestClient(url))
    assert unreadable == []
    topics = {each.subject: each.described_topic() for each in schemas}
    assert topics == {
        "orders-value": ("orders", "value"),
        "orders-key": ("orders", "key"),
        "shop.Order": None,
        ":.staging:orders-value": ("orders", "value"),
        "clicks-value": ("clicks", "value"),
        "a/b-value": ("a/b", "value"),
        "-value": None,
    }
    by_subject = {each.subject: each for each in schemas}
    order = by_subject["orders-value"]
    assert (order.version, order.schema_id, order.schema_type) == (2, 7, "AVRO")
    assert order.fields == [{"name": "id", "type": "long"}]
    assert by_subject["orders-key"].fields is None
    assert by_subject["clicks-value"].schema_type == "PROTOBUF"


@pytest.mark.parametrize(
    ("kind", "text", "fields"),
    [
        (
            "AVRO",
            '{"type": "record", "fields": [{"name": "id", "type": ["null", "int"], "doc": "Id"}]}',
            [{"name": "id", "type": '["null", "int"]', "description": "Id"}],
        ),
        (
            "JSON",
            '{"properties": {"id": {"type": "integer", "description": "x"}, "any": true}}',
            [{"name": "id", "type": "integer", "description": "x"}, {"name": "any"}],
        ),
        ("AVRO", '{"type": "enum", "name": "E", "symbols": ["A"]}', None),
        ("AVRO", '["null", "string"]', None),
        ("AVRO", "not JSON", None),
        ("JSON", '{"$ref": "#/definitions/x"}', None),
        ("PROTOBUF", 'syntax = "proto3";', None),
    ],
)
def test_columns_of_a_schema(kind: str, text: str, fields: list[dict[str, str]] | None):
    assert read_fields(kind, text) == fields


def test_a_setting_is_the_first_that_is_set():
    connector = Connector("c", "sink", {"topic": "", "topics": "x"}, None, None)
    assert connector.split_setting("topic", "topics") == ["x"]
    assert connector.split_setting("nothing") == []
