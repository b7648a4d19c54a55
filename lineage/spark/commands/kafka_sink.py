"""Kafka topics in the options of Spark's sink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage import naming
from lineage.spark.commands.effects import Command, Effect, Output
from lineage.spark.datasets.kafka import SERVERS
from lineage.spark.datasets.resolver import Dataset, Unresolved

if TYPE_CHECKING:
    from collections.abc import Mapping


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
