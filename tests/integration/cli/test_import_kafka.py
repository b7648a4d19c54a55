"""``lineage import kafka``: from a database through Kafka to a bucket, asked of the graph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event
from support.services.kafka_platform import CLUSTER_ID, ConnectWorker, SchemaRegistry, serve

from lineage.ingest.writer import write_events
from lineage.model import LineageGraph
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import psycopg

DEBEZIUM = "io.debezium.connector.mysql.MySqlConnector"
WORKER = ConnectWorker(
    {
        "mysql-source": {
            "connector.class": DEBEZIUM,
            "database.hostname": "db",
            "database.password": "hunter2",
            "topic.prefix": "shop",
        },
        "lake": {
            "connector.class": "io.confluent.connect.s3.S3SinkConnector",
            "topics": "shop.inventory.orders",
            "s3.bucket.name": "lake",
        },
    },
    topics={"mysql-source": ["shop", "shop.inventory.orders"]},
    sinks={"lake"},
)
REGISTRY = SchemaRegistry(
    {
        "shop.inventory.orders-value": {
            "schema": json.dumps(
                {"type": "record", "name": "O", "fields": [{"name": "amount", "type": "long"}]}
            )
        }
    }
)


@pytest.fixture
def urls() -> Iterator[tuple[str, str]]:
    with serve(WORKER) as connect, serve(REGISTRY, "ann:secret") as registry:
        yield connect, registry


def import_kafka(*words: str) -> Result:
    return CliRunner().invoke(main, ["import", "kafka", *words])


def test_a_trace_goes_from_the_bucket_to_the_database(
    urls: tuple[str, str], dsn: str, conn: psycopg.Connection[object]
) -> None:
    # A Spark job that reads the files of the sink, in its own names.
    read = {"namespace": "s3://lake", "name": "topics/shop.inventory.orders"}
    report = {"namespace": "s3://lake", "name": "gold/daily"}
    event = json.loads(run_event("spark", "COMPLETE", 1, "daily"))
    write_events(conn, [json.dumps({**event, "inputs": [read], "outputs": [report]})])
    connect, registry = urls
    words = ("--connect", connect, "--schema-registry", registry, "--servers", "broker:9092")
    done = import_kafka(*words, "--dsn", dsn)
    assert (done.exit_code, done.output) == (0, "6 nodes, 5 edges.\n")
    with Graph(dsn) as graph:
        trace = graph.upstream("gold/daily")
        path = [
            (edge.source.full_name, edge.target.full_name, edge.declared) for edge in trace.edges
        ]
        columns = graph.dataset("kafka://broker:9092/shop.inventory.orders").facets["schema"]
        # The id of the node is another name of the topic.
        by_id = graph.dataset(f"kafka:kafka_topic:{CLUSTER_ID}:shop.inventory.orders")
    files, topic = (
        "s3://lake/topics/shop.inventory.orders",
        "kafka://broker:9092/shop.inventory.orders",
    )
    assert path == [
        (files, "s3://lake/gold/daily", False),
        (topic, files, True),
        ("mysql://db:3306/inventory.orders", topic, True),
    ]
    assert [each["name"] for each in columns["fields"]] == ["amount"]
    assert by_id.dataset.full_name == topic
    bodies = conn.execute("SELECT string_agg(body, '') FROM lineage.event").fetchall()
    assert "hunter2" not in str(bodies)


def test_the_model_is_written_to_a_file(urls: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "kafka.json"
    words = ("--connect", urls[0], "--system", "confluent", "--environment", "env-1")
    done = import_kafka(*words, "--output", str(file))
    assert (done.exit_code, done.output) == (0, f"{file}: 5 nodes, 4 edges.\n")
    graph = LineageGraph.from_json_file(file)
    assert graph.validate() == []
    reached = {node.node_id for node in graph.upstream("confluent:connector:env-1:lake", hops=9)}
    assert "confluent:external_dataset:env-1:mysql://db:3306/inventory.orders" in reached


def test_what_the_services_do_not_report_is_listed(tmp_path: Path) -> None:
    source = {**WORKER.connectors["mysql-source"], "database.hostname": "${env:DB_HOST}"}
    worker = ConnectWorker(
        {"es": {"connector.class": "x.ElasticSink", "topics": "a"}, "mysql-source": source},
        topics=WORKER.topics,
        sinks={"es"},
    )
    with serve(worker) as url:
        done = import_kafka("--connect", url, "--output", str(tmp_path / "kafka.json"))
    assert done.exit_code == 1
    assert "not known: connector es: what x.ElasticSink writes" in done.output
    assert "connector mysql-source: the datasets whose names a config provider has" in done.output


def test_errors_name_the_service_or_the_option(urls: tuple[str, str]) -> None:
    missing = import_kafka()
    assert missing.exit_code == 2
    assert "Specify --connect, --schema-registry, or both." in missing.output
    alone = import_kafka("--schema-registry", urls[1])
    assert alone.exit_code == 2
    assert "--environment" in alone.output
    wrong = import_kafka("--schema-registry", urls[1].replace("secret", "guess"))
    assert wrong.exit_code == 2
