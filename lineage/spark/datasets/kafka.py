"""Kafka topics in the options of Spark's source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineage import naming
from lineage.spark.datasets.resolver import Dataset, Unresolved
from lineage.spark.document.arguments import Rdd

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.spark.datasets.resolver import DatasetResolver, ResolvedDataset
    from lineage.spark.document.plan import Node

PACKAGE = "org.apache.spark.sql.kafka010."
SERVERS = "kafka.bootstrap.servers"


def topics_read(
    node: Node, options: Mapping[str, str], names: DatasetResolver
) -> Iterator[ResolvedDataset]:
    """Resolve the topics of a source: those in its options, or those matched by its pattern.

    The keys of ``options`` are in lower case.
    """
    servers = options.get(SERVERS, "")
    subscribed = _parse_topics(options.get("subscribe")) or _parse_assignment(options.get("assign"))
    topics = subscribed or names.topics.get(node.index, ())
    for topic in dict.fromkeys(topics):
        yield Dataset(naming.of_kafka(servers, topic), "TOPIC")
    if not topics:
        pattern = options.get("subscribepattern")
        yield Unresolved(node.op, "topics that match a pattern", pattern or servers)


def is_preparation(node: Node) -> bool:
    """Return whether the connector created the rows in an execution that prepares a batch."""
    rdd = node.get_argument("rdd", Rdd)
    return rdd is not None and rdd.source == "kafka" and not node.get_flag("isStreaming")


def _parse_topics(topics: str | None) -> tuple[str, ...]:
    return tuple(topic.strip() for topic in (topics or "").split(",") if topic.strip())


def _parse_assignment(partitions: str | None) -> tuple[str, ...]:
    """Parse the topics of ``{"orders":[0,1],"people":[2]}``."""
    try:
        read = json.loads(partitions or "{}")
    except ValueError:
        return ()
    return tuple(read) if isinstance(read, dict) else ()
