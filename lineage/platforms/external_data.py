"""What connectors read and write outside of Kafka, by their configuration.

Only classes whose settings determine the datasets are known. Sources: the configuration references
of the connectors. A dataset is a URL: a namespace of OpenLineage, a slash, and the name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from lineage import naming, sql
from lineage.platforms.topic_routes import read_route

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.platforms.kafka_connect import Connector


class ExternalData(NamedTuple):
    """The datasets of a connector, and the reason if they are not all known."""

    urls: tuple[str, ...] = ()
    unknown: str | None = None


# An entry of a list of tables is an expression; these entries can mean one table only.
_LITERAL_TABLE = re.compile(r"[\w$-]+(?:\\?\.[\w$-]+)*")
# Strategies of Debezium by which topics have the names of tables.
_TABLE_TOPICS = ("", "SchemaTopicNamingStrategy", "DefaultTopicNamingStrategy")
_UNKNOWN_ROUTE = "a transform renames topics in a way that its settings do not tell"
# The names that sqlglot has for the SQL of a database, by the scheme of JDBC.
_DIALECTS = {
    "jtds": "tsql", "mariadb": "mysql", "mysql": "mysql", "oracle": "oracle",
    "postgresql": "postgres", "redshift": "redshift", "snowflake": "snowflake", "sqlserver": "tsql",
}  # fmt: skip
# Scheme, default port, and the number of parts of a table in topics and lists; by Debezium's class.
_DEBEZIUM = {
    "mysql.MySqlConnector": ("mysql", "3306", 2),
    "mariadb.MariaDbConnector": ("mariadb", "3306", 2),
    "postgresql.PostgresConnector": ("postgres", "5432", 2),
    "sqlserver.SqlServerConnector": ("sqlserver", "1433", 3),
    "oracle.OracleConnector": ("oracle", "1521", 2),
}


def read_external_data(connector: Connector, topics: Sequence[str]) -> ExternalData:
    """Return what a connector reads (a source) or writes (a sink).

    ``topics``: those that a sink reads, or a source has written.
    """
    kind = connector.connector_class.removeprefix("io.debezium.connector.")
    if kind in _DEBEZIUM:
        return _read_debezium(connector, topics, *_DEBEZIUM[kind])
    reader = _READERS.get(kind)
    if reader is None:
        verb = "writes" if connector.direction == "sink" else "reads"
        return ExternalData(unknown=f"what {kind or 'a connector without a class'} {verb}")
    return reader(connector, topics)


def split_internal_topics(
    connector: Connector, topics: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the topics with data of tables, and those that Debezium writes about itself.

    These are changes of schemas (the prefix alone), transactions and heartbeats.
    """
    prefix = _topic_prefix(connector)
    if not connector.connector_class.startswith("io.debezium.connector.") or not prefix:
        return list(topics), []
    heartbeat = connector.config.get("topic.heartbeat.prefix", "__debezium-heartbeat")
    internal = {prefix, f"{prefix}.transaction", f"{heartbeat}.{prefix}"}
    return (
        [each for each in topics if each not in internal],
        [each for each in topics if each in internal],
    )


def _topic_prefix(connector: Connector) -> str | None:
    """Return the prefix of Debezium's topics; the second name is that before version 2."""
    return connector.config.get("topic.prefix") or connector.config.get("database.server.name")


def _read_debezium(
    connector: Connector, topics: Sequence[str], scheme: str, port: str, parts: int
) -> ExternalData:
    config = connector.config
    host, database = config.get("database.hostname"), config.get("database.dbname")
    if not host:
        return ExternalData(unknown="the host of the database")
    namespace = f"{scheme}://{host}:{config.get('database.port') or port}"
    tables, unknown = _captured_tables(connector, topics, parts)
    databases = connector.split_setting("database.names")
    if scheme == "sqlserver" and len(databases) == 1:  # lists have no database, topics do
        tables = [each if each.count(".") == 2 else f"{databases[0]}.{each}" for each in tables]
    elif scheme == "sqlserver" and any(each.count(".") < 2 for each in tables):
        return ExternalData(unknown="the database of each table")
    elif scheme in ("postgres", "oracle"):
        if not database:
            return ExternalData(unknown="the name of the database")
        tables = [f"{database}.{each}" for each in tables]
    return ExternalData(tuple(f"{namespace}/{each}" for each in tables), unknown)


def _captured_tables(
    connector: Connector, topics: Sequence[str], parts: int
) -> tuple[list[str], str | None]:
    """Return the tables of Debezium's topics ``prefix.schema.table``, or of the list of tables."""
    listed = connector.split_setting("table.include.list", "table.whitelist")
    literal = [each.replace("\\", "") for each in listed if _LITERAL_TABLE.fullmatch(each)]
    prefix, strategy = _topic_prefix(connector), connector.config.get("topic.naming.strategy", "")
    is_renamed = strategy.rpartition(".")[2] not in _TABLE_TOPICS
    if prefix and topics and not is_renamed and not connector.split_setting("transforms"):
        names = [
            each.removeprefix(f"{prefix}.") for each in topics if each.startswith(f"{prefix}.")
        ]
        tables = [each for each in names if each.count(".") + 1 == parts]
        return sorted({*tables}), None if tables else "the tables"
    if listed and len(literal) == len(listed):
        return literal, None
    return literal, "the tables that patterns select" if listed else "the tables"


def _read_jdbc_source(connector: Connector, topics: Sequence[str]) -> ExternalData:
    url, prefix = connector.config.get("connection.url"), connector.config.get("topic.prefix", "")
    if not url:
        return ExternalData(unknown="the address of the database")
    if query := connector.config.get("query"):
        return _read_query(url, query)
    tables = connector.split_setting("table.include.list", "table.whitelist")
    # The whitelist has names.
    has_patterns = bool(connector.config.get("table.include.list")) and not all(
        map(_LITERAL_TABLE.fullmatch, tables)
    )
    if has_patterns or not tables:
        is_renamed = connector.split_setting("transforms")
        named = [] if is_renamed else [each for each in topics if each.startswith(prefix)]
        tables = [each.removeprefix(prefix) for each in named]
    if not tables:
        what = "the tables that patterns select" if has_patterns else "the tables"
        return ExternalData(unknown=what)
    return ExternalData(tuple(_table_url(url, each.replace("\\", "")) for each in tables))


def _read_query(url: str, text: str) -> ExternalData:
    """Return the tables that the query of a JDBC source reads."""
    scheme = re.match(r"(?i)\s*jdbc:(\w+)", url)
    try:
        query = sql.read_query(text, _DIALECTS.get(scheme[1].lower()) if scheme else None)
    except sql.Unreadable as error:
        return ExternalData(unknown=f"the tables of its query: {error}")
    return ExternalData(tuple(_table_url(url, ".".join(name)) for name in query.tables))


def query_topic(connector: Connector) -> str | None:
    """Return the topic of a JDBC source with a query, whose prefix is the whole name."""
    is_query = "jdbc" in connector.connector_class.lower() and connector.config.get("query")
    return connector.config.get("topic.prefix") if is_query else None


def _read_jdbc_sink(connector: Connector, topics: Sequence[str]) -> ExternalData:
    url = connector.config.get("connection.url")
    if not url:
        return ExternalData(unknown="the address of the database")
    pattern = connector.config.get("table.name.format", "${topic}")
    is_normalized = connector.config.get("table.name.normalize", "").lower() == "true"
    pairs = connector.split_setting("topics.to.tables.mapping")

    def name_table(topic: str) -> str:
        table = pattern.replace("${topic}", topic)
        return re.sub(r"\W", "_", table, flags=re.ASCII) if is_normalized else table

    if not pairs:
        return _by_topic(connector, topics, lambda topic: _table_url(url, name_table(topic)))
    if (route := read_route(connector)) is None:
        return ExternalData(unknown=_UNKNOWN_ROUTE)
    # The connector of Aiven fails for topics that such a map lacks.
    return _by_map([*map(route, topics)], pairs, lambda table: _table_url(url, table))


def _read_bucket_sink(scheme: str, key: str) -> Callable[[Connector, Sequence[str]], ExternalData]:
    def read_sink(connector: Connector, topics: Sequence[str]) -> ExternalData:
        bucket = connector.config.get(key)
        if not bucket:
            return ExternalData(unknown="the bucket")
        folder = connector.config.get("topics.dir", "topics").strip("/")
        root = f"{scheme}://{bucket}/{folder}" if folder else f"{scheme}://{bucket}"
        return _by_topic(connector, topics, lambda topic: f"{root}/{topic}")

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
    return _by_topic(connector, topics, name_collection)


def _read_snowflake_sink(connector: Connector, topics: Sequence[str]) -> ExternalData:
    config = connector.config
    host = urlsplit(f"//{config.get('snowflake.url.name', '').rpartition('://')[2]}").hostname
    database, schema = config.get("snowflake.database.name"), config.get("snowflake.schema.name")
    pairs = connector.split_setting("snowflake.topic2table.map")
    if not host or not database or not schema:
        return ExternalData(unknown="the account, the database or the schema")
    account = host.removesuffix(".snowflakecomputing.com")
    root = f"snowflake://{account}/{database}.{schema}"
    route = read_route(connector)
    if route is None or any(route(topic) != topic for topic in topics):
        return ExternalData(unknown="the tables of topics that a transform renames")
    # Other topics have tables whose names the connector makes from those of the topics.
    return _by_map(topics, pairs, lambda table: f"{root}.{table}")


def _by_map(
    topics: Sequence[str], pairs: Sequence[str], name_url: Callable[[str], str]
) -> ExternalData:
    """Return the tables that a map, of entries ``topic:table``, gives the topics of a sink."""
    mapped = {
        topic.strip(): table.strip() for topic, _, table in (each.rpartition(":") for each in pairs)
    }
    tables = dict.fromkeys(mapped[topic] for topic in topics if topic in mapped)
    unknown = None if {*topics} <= mapped.keys() else "the tables of topics without a map"
    return ExternalData(tuple(map(name_url, tables)), unknown)


def _by_topic(
    connector: Connector, topics: Sequence[str], name_url: Callable[[str], str]
) -> ExternalData:
    """Return a dataset for each topic, by its name after the transforms of a sink."""
    route = read_route(connector)
    if route is None:
        return ExternalData(unknown=_UNKNOWN_ROUTE)
    return ExternalData(tuple(dict.fromkeys(name_url(route(topic)) for topic in topics)))


def _table_url(url: str, table: str) -> str:
    return naming.of_jdbc(url, table).full_name


_READERS: dict[str, Callable[[Connector, Sequence[str]], ExternalData]] = {
    "com.mongodb.kafka.connect.MongoSinkConnector": _read_mongodb,
    "com.mongodb.kafka.connect.MongoSourceConnector": _read_mongodb,
    "com.snowflake.kafka.connector.SnowflakeSinkConnector": _read_snowflake_sink,
    "io.aiven.connect.jdbc.JdbcSinkConnector": _read_jdbc_sink,
    "io.aiven.connect.jdbc.JdbcSourceConnector": _read_jdbc_source,
    "io.confluent.connect.gcs.GcsSinkConnector": _read_bucket_sink("gs", "gcs.bucket.name"),
    "io.confluent.connect.jdbc.JdbcSinkConnector": _read_jdbc_sink,
    "io.confluent.connect.jdbc.JdbcSourceConnector": _read_jdbc_source,
    "io.confluent.connect.s3.S3SinkConnector": _read_bucket_sink("s3", "s3.bucket.name"),
    "org.apache.kafka.connect.file.FileStreamSinkConnector": _read_file,
    "org.apache.kafka.connect.file.FileStreamSourceConnector": _read_file,
}
