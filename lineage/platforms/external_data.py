"""Inputs and outputs of connectors outside of Kafka, by their configuration.

Only classes whose settings determine the datasets are known. Sources: the configuration references
of the connectors. A dataset is a URL: a namespace of OpenLineage, a slash, and the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lineage import naming
from lineage.platforms.connector_datasets import ExternalData, map_topics, name_by_topic
from lineage.platforms.debezium import DEBEZIUM_CLASSES, read_debezium
from lineage.platforms.jdbc_connectors import read_jdbc_sink, read_jdbc_source
from lineage.platforms.kafka_connect import has_provided_value
from lineage.platforms.topic_routes import read_route

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.platforms.kafka_connect import Connector


def read_external_data(connector: Connector, topics: Sequence[str]) -> ExternalData:
    """Return the inputs (of a source) or outputs (of a sink) of a connector.

    ``topics``: those that a sink reads, or a source has written.
    """
    reader = _READERS.get(connector.connector_class)
    if reader is None:
        kind = connector.connector_class.removeprefix("io.debezium.connector.")
        verb = "writes" if connector.direction == "sink" else "reads"
        return ExternalData(unknown=f"what {kind or 'a connector without a class'} {verb}")
    return _omit_provided_names(reader(connector, topics))


def _omit_provided_names(data: ExternalData) -> ExternalData:
    urls = tuple(url for url in data.urls if not has_provided_value(url))
    if len(urls) == len(data.urls):
        return data
    reasons = (data.unknown, "the datasets whose names a config provider has")
    return ExternalData(urls, ", ".join(filter(None, reasons)))


def _read_bucket_sink(scheme: str, key: str) -> Callable[[Connector, Sequence[str]], ExternalData]:
    def read_sink(connector: Connector, topics: Sequence[str]) -> ExternalData:
        bucket = connector.config.get(key)
        if not bucket:
            return ExternalData(unknown="the bucket")
        folder = connector.config.get("topics.dir", "topics").strip("/")
        root = f"{scheme}://{bucket}/{folder}" if folder else f"{scheme}://{bucket}"
        return name_by_topic(connector, topics, lambda topic: f"{root}/{topic}")

    return read_sink


def _read_file(connector: Connector, topics: Sequence[str]) -> ExternalData:
    path = connector.config.get("file", "")
    if not path.startswith("/"):
        return ExternalData(unknown="the directory of its file" if path else "its file")
    return ExternalData((f"file://{path}",))


def _read_mongodb(connector: Connector, topics: Sequence[str]) -> ExternalData:
    config = connector.config
    server = urlsplit(config.get("connection.uri", "")).netloc.rpartition("@")[2]
    database, collection = config.get("database"), config.get("collection")
    if not server or not database:
        return ExternalData(unknown="the server or the database")
    root = f"mongodb://{server}/{database}"
    if connector.direction != "sink":
        if not collection:
            return ExternalData(unknown="the collections")
        return ExternalData((f"{root}.{collection}",))
    mapper = config.get("namespace.mapper", "").rpartition(".")[2]
    if mapper not in ("", "DefaultNamespaceMapper"):
        return ExternalData(unknown="the collections that its mapper chooses")

    def name_collection(topic: str) -> str:
        own = f"topic.override.{topic}."
        server_database = config.get(f"{own}database", database)
        name = config.get(f"{own}collection", collection or topic)
        return f"mongodb://{server}/{server_database}.{name}"

    if collection and not any(key.startswith("topic.override.") for key in config):
        return ExternalData((f"{root}.{collection}",))
    return name_by_topic(connector, topics, name_collection)


def _read_snowflake_sink(connector: Connector, topics: Sequence[str]) -> ExternalData:
    config = connector.config
    host = urlsplit(f"//{config.get('snowflake.url.name', '').rpartition('://')[2]}").hostname
    database, schema = config.get("snowflake.database.name"), config.get("snowflake.schema.name")
    pairs = connector.split_setting("snowflake.topic2table.map")
    if not host or not database or not schema:
        return ExternalData(unknown="the account, the database or the schema")
    account = naming.snowflake_account(host.removesuffix(".snowflakecomputing.com"))
    root = f"snowflake://{account}/{database}.{schema}"
    route = read_route(connector)
    if route is None or any(route(topic) != topic for topic in topics):
        return ExternalData(unknown="the tables of topics that a transform renames")
    # Other topics have tables whose names the connector makes from those of the topics.
    return map_topics(topics, pairs, lambda table: f"{root}.{table}")


_READERS: dict[str, Callable[[Connector, Sequence[str]], ExternalData]] = {
    **dict.fromkeys(DEBEZIUM_CLASSES, read_debezium),
    "com.mongodb.kafka.connect.MongoSinkConnector": _read_mongodb,
    "com.mongodb.kafka.connect.MongoSourceConnector": _read_mongodb,
    "com.snowflake.kafka.connector.SnowflakeSinkConnector": _read_snowflake_sink,
    "io.aiven.connect.jdbc.JdbcSinkConnector": read_jdbc_sink,
    "io.aiven.connect.jdbc.JdbcSourceConnector": read_jdbc_source,
    "io.confluent.connect.gcs.GcsSinkConnector": _read_bucket_sink("gs", "gcs.bucket.name"),
    "io.confluent.connect.jdbc.JdbcSinkConnector": read_jdbc_sink,
    "io.confluent.connect.jdbc.JdbcSourceConnector": read_jdbc_source,
    "io.confluent.connect.s3.S3SinkConnector": _read_bucket_sink("s3", "s3.bucket.name"),
    "org.apache.kafka.connect.file.FileStreamSinkConnector": _read_file,
    "org.apache.kafka.connect.file.FileStreamSourceConnector": _read_file,
}
