"""The tables that the JDBC connectors of Confluent and Aiven read and write."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage import naming, sql
from lineage.platforms.connector_datasets import (
    LITERAL_TABLE,
    UNKNOWN_ROUTE,
    ExternalData,
    map_topics,
    name_by_topic,
)
from lineage.platforms.kafka_connect import has_provided_value
from lineage.platforms.topic_routes import read_route
from lineage.sql.servers import dialect_of_jdbc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.platforms.kafka_connect import Connector

_WILDCARD = re.compile("[%_]")
_NO_SCHEMAS = re.compile(r"(?i)\s*jdbc:(mysql|mariadb):")
# Databases in whose URL the path is what precedes the table in a name of two parts.
_TWO_LEVELS = re.compile(
    r"(?i)\s*jdbc:(mysql|mariadb|ch|clickhouse|hive2|teradata|databricks|spark)\b"
)


def read_jdbc_source(connector: Connector, topics: Sequence[str]) -> ExternalData:
    """Return the tables that a JDBC source reads."""
    url, prefix = connector.config.get("connection.url"), connector.config.get("topic.prefix", "")
    if not url:
        return ExternalData(unknown="the address of the database")
    if query := connector.config.get("query"):
        return _read_query(url, query)
    tables = connector.split_setting("table.include.list", "table.whitelist")
    # The whitelist has names.
    has_patterns = bool(connector.config.get("table.include.list")) and not all(
        map(LITERAL_TABLE.fullmatch, tables)
    )
    if has_patterns or not tables:
        is_renamed = connector.split_setting("transforms")
        named = [] if is_renamed else [each for each in topics if each.startswith(prefix)]
        tables = [each.removeprefix(prefix) for each in named]
    if not tables:
        what = "the tables that patterns select" if has_patterns else "the tables"
        return ExternalData(unknown=what)
    return _qualify_tables(connector, url, [each.replace("\\", "") for each in tables])


def _qualify_tables(connector: Connector, url: str, tables: Sequence[str]) -> ExternalData:
    """Return tables with the catalog, and those without a schema with the schema, of the settings.

    JDBC takes the catalog as it is, and the schema as a pattern. Without wildcards this names one.
    """
    catalog = connector.config.get("catalog.pattern", "")
    if "%" in catalog:
        return ExternalData(unknown="the database of each table")
    schema, unknown = connector.config.get("schema.pattern", ""), None
    if schema and not _NO_SCHEMAS.match(url):
        if _WILDCARD.search(schema) and not all("." in each for each in tables):
            tables, unknown = [each for each in tables if "." in each], "the schema of each table"
        tables = [each if "." in each else f"{schema}.{each}" for each in tables]
    return ExternalData(tuple(_table_url(url, each, catalog) for each in tables), unknown)


def _read_query(url: str, text: str) -> ExternalData:
    """Return the tables that the query of a JDBC source reads."""
    try:
        query = sql.read_query(text, dialect_of_jdbc(url))
    except sql.Unreadable as error:
        return ExternalData(unknown=f"the tables of its query: {error}")
    sources = ", ".join(query.unresolved_sources)
    return ExternalData(
        tuple(_table_url(url, ".".join(name)) for name in query.tables),
        f"the tables of {sources} in its query" if sources else None,
    )


def query_topic(connector: Connector) -> str | None:
    """Return the topic of a JDBC source with a query, whose prefix is the whole name."""
    is_query = "jdbc" in connector.connector_class.lower() and connector.config.get("query")
    return connector.config.get("topic.prefix") if is_query else None


def read_jdbc_sink(connector: Connector, topics: Sequence[str]) -> ExternalData:
    """Return the tables that a JDBC sink writes."""
    url = connector.config.get("connection.url")
    if not url:
        return ExternalData(unknown="the address of the database")
    pattern = connector.config.get("table.name.format", "${topic}")
    normalize = connector.config.get("table.name.normalize", "")
    if has_provided_value(normalize):
        return ExternalData(unknown="whether it changes the names of tables")
    is_normalized = normalize.lower() == "true"
    pairs = connector.split_setting("topics.to.tables.mapping")

    def name_table(topic: str) -> str:
        table = pattern.replace("${topic}", topic)
        return re.sub(r"\W", "_", table, flags=re.ASCII) if is_normalized else table

    if not pairs:
        return name_by_topic(connector, topics, lambda topic: _table_url(url, name_table(topic)))
    if (route := read_route(connector)) is None:
        return ExternalData(unknown=UNKNOWN_ROUTE)
    # The connector of Aiven fails for topics that such a map lacks.
    return map_topics([*map(route, topics)], pairs, lambda table: _table_url(url, table))


def _table_url(url: str, table: str, catalog: str = "") -> str:
    """Return the URL of a table. Its own database, or the catalog, replaces that of the address."""
    name, parts = naming.of_jdbc(url, table), table.count(".") + 1
    own = ".".join(name.name.split(".")[-parts:])
    if parts >= (2 if _TWO_LEVELS.match(url) else 3):
        name = name._replace(name=own)
    elif catalog:
        name = name._replace(name=f"{catalog}.{own}")
    return name.full_name
