"""Topics of Kafka, by the options of Spark's source and sink."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineage import naming
from lineage.spark.datasets import Dataset, Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.spark.datasets import Found

PACKAGE = "org.apache.spark.sql.kafka010."
SERVERS = "kafka.bootstrap.servers"


def topics_read(
    operator: str, options: Mapping[str, str], matched: tuple[str, ...]
) -> Iterator[Found]:
    """Name the topics that a source reads: those in its options, or those its pattern ``matched``.

    Options have keys in lower case.
    """
    servers = options.get(SERVERS, "")
    topics = _listed(options.get("subscribe")) or _assigned(options.get("assign")) or matched
    for topic in dict.fromkeys(topics):
        yield Dataset(naming.of_kafka(servers, topic), "TOPIC")
    if not topics:
        pattern = options.get("subscribepattern")
        yield Unresolved(operator, "topics that match a pattern", pattern or servers)


def topic_written(operator: str, options: Mapping[str, str]) -> Found:
    """Name the topic that a sink writes; without one each row says which it goes to."""
    servers = options.get(SERVERS, "")
    if topic := options.get("topic"):
        return Dataset(naming.of_kafka(servers, topic), "TOPIC")
    return Unresolved(operator, "a topic that each row chooses", servers)


def _listed(topics: str | None) -> tuple[str, ...]:
    return tuple(topic.strip() for topic in (topics or "").split(",") if topic.strip())


def _assigned(partitions: str | None) -> tuple[str, ...]:
    """``{"orders":[0,1],"people":[2]}``"""
    try:
        read = json.loads(partitions or "{}")
    except ValueError:
        return ()
    return tuple(read) if isinstance(read, dict) else ()
