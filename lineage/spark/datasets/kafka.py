"""Kafka topics in the options of Spark's source and sink."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineage import naming
from lineage.spark.commands.effects import Command, Effect, Output
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


def topic_effect(command: Command, options: Mapping[str, str]) -> Effect:
    """Build the effect of appending to a topic: the one in the options, else the one of each row.

    The datasets have no schema, because a job may write only some columns of a topic. If rows go to
    several known topics, the column lineage of each topic is unknown.
    """
    servers = options.get(SERVERS, "")
    option = options.get("topic")
    topics = (option,) if option else command.node.get_texts("topics")
    if not topics:
        return command.unresolved_effect("a topic that each row chooses", servers)
    named = [Dataset(naming.of_kafka(servers, topic), "TOPIC") for topic in topics]
    if len(named) == 1:
        return Effect((Output(named[0]),), target=named[0].display_label)
    unknown = Unresolved(command.node.op, "rows whose assignment to topics is not known", servers)
    outputs = tuple(Output(dataset, carries_rows=False) for dataset in named)
    return Effect(outputs, unresolved=(unknown,))


def _parse_topics(topics: str | None) -> tuple[str, ...]:
    return tuple(topic.strip() for topic in (topics or "").split(",") if topic.strip())


def _parse_assignment(partitions: str | None) -> tuple[str, ...]:
    """Parse the topics of ``{"orders":[0,1],"people":[2]}``."""
    try:
        read = json.loads(partitions or "{}")
    except ValueError:
        return ()
    return tuple(read) if isinstance(read, dict) else ()
