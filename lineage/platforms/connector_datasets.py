"""Datasets of a connector outside of Kafka, by the topics of a sink or by a map of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.platforms.topic_routes import read_route

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.platforms.kafka_connect import Connector

# An entry of a list of tables is an expression; these entries can mean one table only.
LITERAL_TABLE = re.compile(r"[\w$-]+(?:\\?\.[\w$-]+)*")
UNKNOWN_ROUTE = "a transform may rename topics; its settings do not determine the new names"


class ExternalData(NamedTuple):
    """The datasets of a connector, and the reason if they are not all known."""

    urls: tuple[str, ...] = ()
    unknown: str | None = None


def map_topics(
    topics: Sequence[str], pairs: Sequence[str], name_url: Callable[[str], str]
) -> ExternalData:
    """Return the tables that a map, of entries ``topic:table``, gives the topics of a sink."""
    mapped = {
        topic.strip(): table.strip() for topic, _, table in (each.rpartition(":") for each in pairs)
    }
    tables = dict.fromkeys(mapped[topic] for topic in topics if topic in mapped)
    unknown = None if {*topics} <= mapped.keys() else "the tables of topics without a map"
    return ExternalData(tuple(map(name_url, tables)), unknown)


def name_by_topic(
    connector: Connector, topics: Sequence[str], name_url: Callable[[str], str]
) -> ExternalData:
    """Return a dataset for each topic, by its name after the transforms of a sink."""
    route = read_route(connector)
    if route is None:
        return ExternalData(unknown=UNKNOWN_ROUTE)
    return ExternalData(tuple(dict.fromkeys(name_url(route(topic)) for topic in topics)))
