"""The tables that connectors of Debezium read, and the topics that they write about themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.platforms.connector_datasets import LITERAL_TABLE, ExternalData
from lineage.platforms.kafka_connect import has_provided_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.platforms.kafka_connect import Connector

# Strategies of Debezium by which topics have the names of tables.
_TABLE_TOPICS = ("", "SchemaTopicNamingStrategy", "DefaultTopicNamingStrategy")
# Scheme, default port, and the number of parts of a table in topics and lists; by Debezium's class.
DEBEZIUM_CLASSES = {
    "io.debezium.connector.mysql.MySqlConnector": ("mysql", "3306", 2),
    "io.debezium.connector.mariadb.MariaDbConnector": ("mariadb", "3306", 2),
    "io.debezium.connector.postgresql.PostgresConnector": ("postgres", "5432", 2),
    "io.debezium.connector.sqlserver.SqlServerConnector": ("sqlserver", "1433", 3),
    "io.debezium.connector.oracle.OracleConnector": ("oracle", "1521", 2),
}


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
    config = connector.config
    prefix = config.get("topic.prefix") or config.get("database.server.name")
    return None if prefix and has_provided_value(prefix) else prefix


def read_debezium(connector: Connector, topics: Sequence[str]) -> ExternalData:
    """Return the tables that a connector of Debezium reads."""
    scheme, port, parts = DEBEZIUM_CLASSES[connector.connector_class]
    config = connector.config
    host, database = config.get("database.hostname"), config.get("database.dbname")
    if scheme == "oracle":  # a pluggable database has the tables of its own
        database = config.get("database.pdb.name") or database
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
    literal = [each.replace("\\", "") for each in listed if LITERAL_TABLE.fullmatch(each)]
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
